(() => {
  const { events, lanes, asked } = pageData();
  if (!events.length) return;
  const chart = document.getElementById("chart");
  const box = document.getElementById("lanes");
  const apart = [...document.querySelectorAll("[data-apart]")];
  const placeOf = (number) => events.findIndex((e) => e.n === number);
  const searched = events.map((e) => [e.text, e.when, ...e.entities].join("\n").toLowerCase());
  const ROW = 24, ROWS = lanes.length <= 4 ? 12 : events.length <= 250 ? 9 : 7;
  const PILL = events.length > 999 ? 36 : events.length > 99 ? 29 : 22;
  let chosen = -1, wanted = "", entity = "";

  // ---- What is drawn: each stretch of each dated event, with the lane that it stands in.
  const laneOf = new Map(lanes.flatMap((lane, at) => lane.events.map((place) => [place, at])));
  const items = [...laneOf.keys()].flatMap((place) => events[place].times.map(([lo, hi, some], part) =>
    ({ place, part, lane: laneOf.get(place), lo: lo ?? hi, hi: hi ?? lo, from: hi === null, until: lo === null, some })))
    .filter((item) => item.lo !== null);
  items.sort((a, b) => a.lo - b.lo || a.hi - b.hi || a.place - b.place || a.part - b.part);
  const inTime = [...new Set(items.map((item) => item.place))];
  const order = [...inTime, ...events.keys()].filter((place, at, all) => all.indexOf(place) === at);
  const domain = (() => {
    const known = [...items.flatMap((item) => [item.lo, item.hi]), ...asked.flatMap(([lo, hi]) => [lo, hi])].filter((side) => side !== null);
    if (!known.length) return [0, 1];
    const lo = known.reduce((a, b) => Math.min(a, b)), hi = known.reduce((a, b) => Math.max(a, b));
    const pad = Math.max((hi - lo) * 0.04, HOUR);
    return [lo - pad, hi + pad];
  })();
  let view = [...domain];

  // ---- Elements, made once and moved afterwards.
  const tracks = [...(box?.querySelectorAll(".track") ?? [])];
  const laneBoxes = [...(box?.querySelectorAll(".lane") ?? [])];
  laneBoxes.forEach((lane, at) => {
    const hue = 90 + ((135 + at * 137.5) % 300); // the orange of cited events is left out
    if (lanes[at].name) lane.style.setProperty("--tone", `light-dark(oklch(0.52 0.1 ${hue}), oklch(0.74 0.09 ${hue}))`);
    else lane.style.setProperty("--tone", "var(--soft)");
  });
  const pen = document.createElement("canvas").getContext("2d");
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const main = new Map();
  for (const item of items) {
    const e = events[item.place];
    item.words = clipped(e.text, 80);
    pen.font = e.cited ? `600 ${font}` : font;
    item.need = Math.min(pen.measureText(item.words).width + 8, 310);
    item.bar = make("span", { className: "bar" });
    item.no = make("span", { className: "no", textContent: e.n });
    item.label = make("span", { className: "label", textContent: item.words, lang: "", dir: "auto" });
    item.node = make("div", { className: `item${e.cited ? " cited" : ""}`, dataset: { i: item.place } }, item.bar, item.no, item.label);
    if (main.has(item.place)) {
      item.node.ariaHidden = "true";
    } else {
      main.set(item.place, item);
      item.node.role = "option";
      item.node.tabIndex = -1;
      item.node.ariaSelected = "false";
      item.node.ariaLabel = `Event ${e.n}, ${e.when}: ${clipped(e.text, 160)}${e.cited ? ", cited" : ""}`;
    }
    tracks[item.lane].append(item.node);
  }

  // ---- Rows of a lane, packed anew when the scale changes: dragging never moves an event to another row.
  const width = () => Math.max(tracks[0]?.clientWidth ?? 0, 60);
  const scale = () => width() / (view[1] - view[0]);
  const { pack, inside, PAD } = packing({ domain, ROWS, PILL });

  let packedAt = 0, crowds = [];
  const repack = () => {
    packedAt = scale();
    crowds.forEach((crowd) => crowd.node.remove());
    crowds = [];
    lanes.forEach((_, at) => {
      const found = pack(items.filter((item) => item.lane === at), packedAt);
      tracks[at].style.height = `${Math.max(found.rows, 1) * ROW + PAD * 2}px`;
      for (const crowd of found.crowds) {
        const times = crowd.items.flatMap((item) => [item.lo, item.hi]);
        crowd.node = make("button", { type: "button", className: "crowd", tabIndex: -1, textContent: `+${crowd.items.length}`, title: `${crowd.items.length} more: zoom in` });
        crowd.node.addEventListener("click", () => {
          const lo = Math.min(...times), hi = Math.max(...times), pad = Math.max((hi - lo) * 0.3, (view[1] - view[0]) / 60);
          look(lo - pad, hi + pad);
        });
        tracks[at].append(crowd.node);
        crowds.push(crowd);
      }
    });
    for (const item of items) {
      item.node.classList.toggle("dot", item.dot);
      item.bar.className = `bar ${item.kind}`;
      item.bar.hidden = item.kind === "mark";
    }
  };

  // ---- Drawing at the present view.
  const draw = () => {
    if (!tracks.length) return;
    const perSecond = scale(), across = width();
    if (Math.abs(perSecond / packedAt - 1) > 1e-9) repack();
    const shift = (domain[0] - view[0]) * perSecond;
    for (const item of items) {
      const left = item.left + shift, right = item.right + shift;
      const isIn = inside(item);
      const room = isIn ? 0 : item.room;
      const seen = right + room > -20 && left - (item.isLeft ? room : 0) < across + 20;
      item.node.hidden = !seen || (item.crowded && item.place !== chosen);
      if (item.node.hidden) continue;
      item.node.style.transform = `translate(${left.toFixed(1)}px, ${item.row * ROW + PAD}px)`;
      item.node.style.width = `${(right - left).toFixed(1)}px`;
      const lead = isIn || item.kind !== "mark" ? Math.min(Math.max(0, -left), Math.max(0, right - left - PILL - 4)) : 0;
      item.no.style.left = `${(item.kind === "until" ? right - left - PILL : lead + (item.kind === "mark" ? 0 : 2)).toFixed(1)}px`;
      item.no.style.width = item.kind === "mark" && !item.dot ? `${(right - left).toFixed(1)}px` : "";
      const space = isIn ? right - left - lead - PILL - 12 : room;
      item.label.hidden = space < 30;
      item.label.style.left = `${(item.kind === "until" && isIn ? 6 : isIn ? lead + PILL + 5 : item.isLeft ? -item.need : right - left + 4).toFixed(1)}px`;
      item.label.style.minWidth = item.isLeft ? `${item.need - 5}px` : "";
      item.label.style.textAlign = item.isLeft ? "end" : "";
      item.label.style.maxWidth = `${Math.max(item.isLeft ? item.need - 5 : space, 0).toFixed(1)}px`;
    }
    for (const crowd of crowds) {
      crowd.node.style.transform = `translate(${(crowd.left + shift).toFixed(1)}px, ${(ROWS - 1) * ROW + PAD + 2}px)`;
      crowd.node.hidden = crowd.left + shift < -40 || crowd.left + shift > across + 20;
    }
    drawAxis(perSecond, across);
    drawTies(perSecond);
    drawWindow();
  };

  const axis = document.getElementById("axis");
  const grid = document.getElementById("grid");
  const at = (node, left, extra = {}) => { node.style.left = `${left.toFixed(1)}px`; Object.assign(node.style, extra); return node; };
  const drawAxis = (perSecond, across) => {
    const { lines, upper } = axisOf(view[0], view[1], across);
    const x = (moment) => (moment - view[0]) * perSecond;
    axis.classList.toggle("single", !upper.length);
    axis.replaceChildren(
      ...lines.map((line) => at(make("span", { className: "fine", textContent: x(line.at) < -3 || x(line.at) > across - 40 ? "" : line.told }), x(line.at))),
      ...upper.map((unit, place) => {
        const left = Math.max(0, x(unit.at)), right = upper[place + 1] ? x(upper[place + 1].at) : across;
        return at(make("span", { className: "coarse", textContent: right - left < unit.told.length * 8 ? "" : unit.told }), left);
      }));
    grid.replaceChildren(
      ...asked.map(([lo, hi]) => {
        const left = Math.max(-4, x(lo ?? view[0])), right = Math.min(across + 4, x(hi ?? view[1]));
        return at(make("b"), left, { width: `${Math.max(right - left, lo !== null && x(lo) < across && right > 0 ? 2 : 0)}px` });
      }),
      ...lines.map((line) => at(make("i"), x(line.at))));
  };

  // From the chosen event to the lanes of its other entities.
  const ties = document.getElementById("ties");
  const drawTies = (perSecond) => {
    laneBoxes.forEach((lane) => lane.classList.remove("tied"));
    ties.replaceChildren();
    const item = main.get(chosen);
    if (!item || item.node.hidden) return;
    const own = laneBoxes[item.lane];
    const y = own.offsetTop + tracks[item.lane].offsetTop + item.row * ROW + PAD + 10;
    const left = Math.max(item.left, (view[0] - domain[0]) * perSecond);
    const x = item.kind === "mark" ? (item.left + item.right) / 2 : item.kind === "until" ? item.right - 13 : left + 11;
    lanes.forEach((lane, place) => {
      if (place === item.lane || !events[chosen].entities.includes(lane.name)) return;
      const other = laneBoxes[place];
      other.classList.add("tied");
      const top = other.offsetTop + tracks[place].offsetTop;
      const middle = place > item.lane ? top + 5 : top + tracks[place].offsetHeight - 5;
      const shown = x + (domain[0] - view[0]) * perSecond;
      const [from, to] = middle > y ? [y + 10, middle - 5] : [middle + 5, y - 10];
      ties.append(at(make("i"), shown, { top: `${from}px`, height: `${Math.max(to - from, 0)}px` }), at(make("b"), shown, { top: `${middle}px` }));
    });
  };

  // ---- The whole above, and the part of it that is seen.
  const overview = document.getElementById("overview");
  const share = (moment) => (100 * (moment - domain[0])) / (domain[1] - domain[0]);
  const drawOverview = () => {
    if (!overview) return;
    const bins = Array.from({ length: 120 }, () => [0, 0]);
    for (const item of items) {
      const bin = Math.min(119, Math.max(0, Math.floor(1.2 * share((item.lo + item.hi) / 2))));
      bins[bin][0] += 1;
      bins[bin][1] += events[item.place].cited ? 1 : 0;
    }
    const most = Math.max(...bins.map(([count]) => count), 1);
    const bar = (count, place, kind) => at(make("i", { className: kind }), 0, { left: `${place / 1.2}%`, width: "calc(0.8333% - 1px)", height: `${count ? 12 + (88 * count) / most : 0}%` });
    overview.prepend(
      ...asked.map(([lo, hi]) => at(make("b"), 0, { left: `${Math.max(0, share(lo ?? domain[0]))}%`, right: `${Math.max(0, 100 - share(hi ?? domain[1]))}%`, minWidth: "2px" })),
      ...bins.flatMap(([count, cited], place) => [...(count ? [bar(count, place, "")] : []), ...(cited ? [bar(Math.min(cited, count), place, "cited")] : [])]));
  };
  const drawWindow = () => {
    const shown = document.getElementById("window");
    shown.classList.toggle("whole", view[1] - view[0] >= (domain[1] - domain[0]) * 0.999);
    shown.style.left = `${Math.max(0, share(view[0]))}%`;
    shown.style.right = `${Math.max(0, 100 - share(view[1]))}%`;
  };

  // ---- Moving and zooming; nothing lies outside the domain, and nothing is shorter than minutes.
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  const look = (from, to, now = false) => {
    const span = Math.min(Math.max(to - from, 600), domain[1] - domain[0]);
    const middle = (from + to) / 2;
    const start = Math.min(Math.max(middle - span / 2, domain[0]), domain[1] - span);
    const changed = Math.abs(start - view[0]) > span * 1e-6 || Math.abs(start + span - view[1]) > span * 1e-6;
    view = [start, start + span];
    if (changed) (now ? draw : redraw)();
    return changed;
  };
  const zoom = (factor, x = width() / 2) => {
    const here = view[0] + x / scale();
    return look(here - (here - view[0]) / factor, here + (view[1] - here) / factor);
  };
  const move = (pixels) => {
    const by = -pixels / scale();
    return look(view[0] + by, view[1] + by);
  };
  const lookAtAsked = () => {
    const lo = Math.min(...asked.map(([start]) => start ?? domain[0])), hi = Math.max(...asked.map(([, end]) => end ?? domain[1]));
    const pad = Math.max((hi - lo) * 0.4, DAY);
    look(lo - pad, hi + pad);
  };
  const tools = { in: () => zoom(1.6), out: () => zoom(1 / 1.6), all: () => look(...domain), asked: lookAtAsked };
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => tools[button.dataset.zoom]());

  // ---- Choosing, and what lights up.
  const show = (place) => {
    const e = events[place];
    const marks = [...(e.cited ? [make("span", { className: "is-cited", textContent: "cited in the answer" })] : [])];
    eventPane(e, {
      top: kicker(`Event ${e.n} of ${number.format(events.length)}`, "event", order.indexOf(place), order.length, (to) => choose(order[to], { scroll: true })),
      told: marks, wanted, entity, light: lightEntity,
    });
  };
  const choose = (place, { focus = false, scroll = false } = {}) => {
    if (!events[place]) return;
    const previous = main.get(chosen) ?? main.get(inTime[0]);
    if (previous) { previous.node.ariaSelected = "false"; previous.node.tabIndex = -1; }
    chosen = place;
    for (const item of items) item.node.classList.toggle("is-chosen", item.place === place);
    for (const button of apart) button.classList.toggle("is-chosen", +button.dataset.apart === events[place].n);
    const item = main.get(place);
    const reachable = item ?? main.get(inTime[0]);
    if (reachable) reachable.node.tabIndex = 0;
    if (item) {
      item.node.ariaSelected = "true";
      if (focus || scroll) {
        const middle = Math.min(Math.max((item.lo + item.hi) / 2, item.lo), item.hi);
        const span = view[1] - view[0];
        if (item.hi < view[0] + span * 0.03 || item.lo > view[1] - span * 0.03) look(middle - span / 2, middle + span / 2, true);
      }
      draw();
    } else if (tracks.length) draw();
    show(place);
    if (item && focus) item.node.focus({ preventScroll: true });
    const target = item?.node ?? apart.find((button) => +button.dataset.apart === events[place].n);
    if (target && (focus || scroll)) reveal(target, 60);
  };

  const light = (fits) => {
    const hits = events.map((e, place) => Boolean(fits) && fits(e, place));
    const mark = (node, place) => {
      node.classList.toggle("found", hits[place]);
      node.classList.toggle("dim", Boolean(fits) && !hits[place]);
    };
    items.forEach((item) => mark(item.node, item.place));
    apart.forEach((button) => mark(button, +button.dataset.apart - 1));
    crowds.forEach((crowd) => crowd.node.classList.toggle("dim", Boolean(fits) && !crowd.items.some((item) => hits[item.place])));
    tellFound(fits ? hits.filter(Boolean).length : null, events.length);
    if (chosen >= 0) show(chosen);
  };
  const names = [...document.querySelectorAll("[data-entity]")];
  const lightEntity = (name) => {
    entity = entity === name ? "" : name;
    search.value = wanted = "";
    names.forEach((button) => { button.ariaPressed = String(Boolean(entity) && button.dataset.entity === entity); });
    light(entity ? (e) => e.entities.includes(entity) : null);
  };
  names.forEach((button) => button.addEventListener("click", () => button.dataset.entity && lightEntity(button.dataset.entity)));
  const search = findField((word) => {
    wanted = word;
    entity = "";
    names.forEach((button) => { button.ariaPressed = "false"; });
    light(word ? (_, place) => searched[place].includes(word) : null);
  }, () => {
    const here = order.indexOf(chosen);
    const next = order.map((_, step) => order[(here + 1 + step) % order.length]).find((place) => searched[place].includes(wanted));
    if (next !== undefined) choose(next, { scroll: true });
  });

  // ---- Pointer and keys.
  const nearest = (lane, item) => items.filter((other) => other.lane === lane && main.get(other.place) === other)
    .reduce((best, other) => (!best || Math.abs(other.lo - item.lo) < Math.abs(best.lo - item.lo) ? other : best), null);
  const beside = (step) => {
    const item = main.get(chosen);
    if (!item) return chosen;
    return nearest(item.lane + step, item)?.place ?? chosen;
  };
  const along = (step) => {
    const here = inTime.indexOf(chosen);
    return inTime[here < 0 ? 0 : Math.min(Math.max(here + step, 0), inTime.length - 1)];
  };
  const keys = {
    ArrowRight: () => along(1), ArrowLeft: () => along(-1), ArrowDown: () => beside(1), ArrowUp: () => beside(-1),
    Home: () => inTime[0], End: () => inTime.at(-1),
  };
  const sights = {
    "+": () => zoom(1.6, middleOf()), "=": () => zoom(1.6, middleOf()), "-": () => zoom(1 / 1.6, middleOf()), 0: () => look(...domain),
    ArrowLeft: () => move(width() / 5), ArrowRight: () => move(-width() / 5),
  };
  const middleOf = () => {
    const item = main.get(chosen);
    const x = item ? ((item.lo + item.hi) / 2 - view[0]) * scale() : -1;
    return x > 0 && x < width() ? x : width() / 2;
  };
  box?.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isArrow = event.key.startsWith("Arrow");
    const sight = (!isArrow || event.shiftKey) && sights[event.key];
    if (sight) {
      event.preventDefault();
      sight();
    } else if (keys[event.key] && !event.shiftKey) {
      event.preventDefault();
      choose(keys[event.key](), { focus: true });
    }
  });
  box?.addEventListener("click", (event) => {
    const item = event.target.closest("[data-i]");
    if (item) choose(+item.dataset.i, { focus: true });
  });
  apart.forEach((button) => {
    const place = placeOf(+button.dataset.apart);
    if (events[place].cited) button.classList.add("cited");
    button.addEventListener("click", () => choose(place));
  });
  box?.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse" || event.buttons) return;
    const item = event.target.closest("[data-i]");
    if (item) eventTip(event, events[+item.dataset.i], events[+item.dataset.i].title);
    else hideTip();
  });
  box?.addEventListener("pointerleave", hideTip);
  if (tracks.length) {
    const surface = { moved: (x) => move(x), zoomed: (factor, x) => zoom(factor, x) };
    tracks.forEach((track) => navigate(track, surface));
    navigate(axis, surface);
    const drag = (event) => {
      if (!event.buttons && event.type !== "pointerdown") return;
      const outline = overview.getBoundingClientRect();
      const middle = domain[0] + ((event.clientX - outline.left) / outline.width) * (domain[1] - domain[0]);
      const span = view[1] - view[0];
      look(middle - span / 2, middle + span / 2);
    };
    overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); drag(event); });
    overview.addEventListener("pointermove", drag);
    new ResizeObserver(() => { packedAt = 0; draw(); }).observe(chart);
    drawOverview();
    draw();
  }
  // The page opens at what the answer cites, else at what lies in the asked time, else at the beginning.
  const isAsked = (e) => e.times.some(([lo, hi]) => asked.some(([from, to]) => (lo ?? -Infinity) < (to ?? Infinity) && (from ?? -Infinity) < (hi ?? Infinity)));
  const first = () => (location.hash ? placeOf(askedPlace() + 1) : order.find((place) => events[place].cited) ?? order.find((place) => isAsked(events[place])) ?? order[0]);
  addEventListener("hashchange", () => choose(placeOf(askedPlace() + 1), { scroll: true }));
  choose(Math.min(Math.max(first(), 0), events.length - 1), { scroll: location.hash !== "" });
})();
