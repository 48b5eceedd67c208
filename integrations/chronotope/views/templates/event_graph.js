(() => {
  const { events, edges, width: WIDTH, height: HEIGHT, knots } = pageData();
  if (!events.length) return;
  const graph = document.getElementById("graph");
  const svg = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const searched = events.map((e) => [e.text, e.when, ...e.entities].join("\n").toLowerCase());
  const order = [...events.keys()].sort((a, b) => events[a].x - events[b].x || events[a].y - events[b].y || a - b);
  const beside = events.map(() => []);
  edges.forEach(([a, b, weight], at) => {
    beside[a].push([weight, b, at]);
    beside[b].push([weight, a, at]);
  });
  beside.forEach((list) => list.sort((a, b) => b[0] - a[0] || a[1] - b[1]));
  const most = Math.max(...events.map((e) => e.visits), 1), heaviest = Math.max(...edges.map(([, , weight]) => weight), 1e-9);
  const visited = events.some((e) => e.visits);
  const radius = (e) => (visited ? 4 + 9 * Math.sqrt(e.visits / most) : 6);
  let chosen = -1, wanted = "", entity = "";

  // ---- Edges, once, in the coordinates of the layout; nodes and names keep their size and are moved.
  const edgeLayer = document.getElementById("edges");
  const curve = ([a, b]) => {
    const [p, q] = [events[a], events[b]];
    const bend = Math.min(26, Math.abs(q.x - p.x) * 0.18 + 8);
    return `M${p.x},${p.y}Q${(p.x + q.x) / 2},${(p.y + q.y) / 2 - bend} ${q.x},${q.y}`;
  };
  const lines = edges.map((edge) => svg("path", { class: "edge", d: curve(edge), "stroke-width": (0.6 + (2.6 * edge[2]) / heaviest).toFixed(2), opacity: (0.16 + (0.5 * edge[2]) / heaviest).toFixed(2) }));
  edgeLayer.append(...lines, ...edges.map((edge, at) => svg("path", { class: "reach", d: curve(edge), "data-edge": at })));

  const nodeLayer = document.getElementById("nodes");
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `600 11.5px ${getComputedStyle(document.body).fontFamily}`;
  const nodes = events.map((e, at) => {
    const r = radius(e);
    const words = `${e.n ? `${e.n} ` : ""}${clipped(e.text, 34)}`;
    const text = svg("text", { x: r + 5, y: 4, lang: "" });
    text.textContent = words;
    const node = svg("g", { class: `node${e.seed ? " seed" : ""}${e.x < 0 ? " timeless" : ""}`, role: "option", tabindex: -1, "aria-selected": "false", "data-i": at,
      "aria-label": `${e.when}: ${clipped(e.text, 160)}${e.seed ? ", where the search began" : ""}${e.visits ? `, ${e.visits} visits` : ""}, ${beside[at].length} edges` },
    ...(e.seed ? [svg("circle", { class: "ring", r: r + 4 })] : []), svg("circle", { class: "dot", r }), text);
    node.style.setProperty("--p", `${((100 * Math.max(0, e.x)) / WIDTH).toFixed(1)}%`);
    return { node, text, r, need: pen.measureText(words).width + r + 9 };
  });
  nodeLayer.append(...order.map((at) => nodes[at].node));

  // ---- The view: how layout coordinates become pixels.
  const left = Math.min(0, ...events.map((e) => e.x)) - 30, LABELS = 34;
  let k = 1, tx = 0, ty = 0, fitX = 1, fitY = 1;
  const size = () => [Math.max(graph.clientWidth, 120), Math.max(graph.clientHeight, 120)];
  const fit = () => {
    const [across, down] = size();
    fitX = Math.max(across - LABELS, 80) / (WIDTH - left);
    fitY = (down - 46) / HEIGHT;
  };
  const px = (x) => k * fitX * (x - left) + tx;
  const py = (y) => 14 + k * fitY * y + ty;
  const drawYears = (across, down) => {
    if (knots.length < 2) return;
    const xOf = (moment) => {
      let at = knots.findIndex(([when]) => when >= moment);
      if (at <= 0) at = 1;
      const [t0, x0] = knots[at - 1], [t1, x1] = knots[at];
      return x0 + ((x1 - x0) * (moment - t0)) / (t1 - t0);
    };
    const first = knots[0][0], last = knots.at(-1)[0];
    const placed = [];
    // Coarse units first, then finer ones wherever there is still room.
    for (const [length, linesOf] of [...LADDER].reverse()) {
      if ((last - first) / length > 500) break;
      const all = linesOf(first, last).map((line) => ({ ...line, x: px(xOf(line.at)) }));
      for (const [place, line] of all.entries()) {
        const at = line.x;
        if (at < -20 || at > across - 30 || line.at < first) continue;
        const told = length < YEAR && length >= DAY ? `${line.told} ${yearName(line.year)}` : line.told;
        const need = told.length * 7 + 14;
        const next = all[place + 1] ?? all[place - 1];
        if (next && Math.abs(next.x - at) < need * 0.7) continue;
        if (placed.every((other) => at + need < other.at || at > other.at + other.need)) placed.push({ at, told, need });
      }
    }
    document.getElementById("years").replaceChildren(...placed.flatMap(({ at, told }) => {
      const text = svg("text", { x: at + 4, y: down - 9 });
      text.textContent = told;
      return [svg("line", { x1: at, x2: at, y1: 0, y2: down }), text];
    }));
  };
  let labelledAt = 0;
  const drawNames = () => {
    // The names of the most important events that do not run into each other.
    const taken = nodes.map(({ r }, at) => [px(events[at].x) - r, py(events[at].y) - r, px(events[at].x) + r, py(events[at].y) + r]);
    const [across] = size();
    const hits = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    const rank = (at) => (at === chosen ? 1e9 : 0) + (nodes[at].node.classList.contains("found") ? 1e8 : 0) + (events[at].seed ? 1e6 : 0) + events[at].visits * 1e3 + beside[at].reduce((sum, [weight]) => sum + weight, 0);
    const names = [];
    for (const at of [...events.keys()].sort((a, b) => rank(b) - rank(a))) {
      const x = px(events[at].x), y = py(events[at].y);
      const { r, need, text } = nodes[at];
      const isLeft = x + need > across && x > need;
      const name = isLeft ? [x - need, y - 9, x - r - 2, y + 9] : [x + r + 2, y - 9, x + need, y + 9];
      text.setAttribute("x", isLeft ? -r - 5 : r + 5);
      text.setAttribute("text-anchor", isLeft ? "end" : "start");
      const free = (at === chosen && events[at].x >= 0) || (names.every((other) => !hits(other, name)) && taken.every((other, place) => place === at || !hits(other, name)));
      text.style.display = free ? "" : "none";
      if (free) names.push(name);
    }
  };
  const draw = (relabel = false) => {
    const [across, down] = size();
    edgeLayer.setAttribute("transform", `matrix(${k * fitX} 0 0 ${k * fitY} ${px(0)} ${py(0)})`);
    nodes.forEach(({ node }, at) => node.setAttribute("transform", `translate(${px(events[at].x).toFixed(1)} ${py(events[at].y).toFixed(1)})`));
    drawYears(across, down);
    if (relabel || Math.abs(k / labelledAt - 1) > 0.02) {
      labelledAt = k;
      drawNames();
    }
  };
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  const bounded = () => {
    const [across, down] = size();
    const [wide, high] = [k * fitX * (WIDTH - left) + LABELS, k * fitY * HEIGHT + 46];
    tx = Math.min(0, Math.max(tx, across - wide));
    ty = Math.min(0, Math.max(ty, down - high));
  };
  const zoom = (factor, x = size()[0] / 2, y = size()[1] / 2) => {
    const next = Math.min(Math.max(k * factor, 1), 24);
    if (next === k) return false;
    tx = x - ((x - tx) * next) / k;
    ty = y - 14 - ((y - 14 - ty) * next) / k;
    k = next;
    bounded();
    redraw();
    return true;
  };
  const move = (x, y) => {
    const before = [tx, ty];
    tx += x;
    ty += y;
    bounded();
    redraw();
    return tx !== before[0] || ty !== before[1];
  };
  const all = () => { [k, tx, ty] = [1, 0, 0]; redraw(); };
  const tools = { in: () => zoom(1.5, ...middle()), out: () => zoom(1 / 1.5, ...middle()), all };
  const middle = () => {
    const [across, down] = size();
    const [x, y] = chosen < 0 ? [-1, -1] : [px(events[chosen].x), py(events[chosen].y)];
    return x > 0 && x < across && y > 0 && y < down ? [x, y] : [across / 2, down / 2];
  };
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => tools[button.dataset.zoom]());
  navigate(graph, { moved: move, zoomed: zoom });

  // ---- Choosing, and what lights up.
  const shared = (a, b) => events[a].entities.filter((name) => events[b].entities.includes(name));
  const show = (at) => {
    const e = events[at];
    const joined = beside[at].map(([, other]) => [clipped(`${events[other].when}: ${events[other].text}`, 100), other]);
    eventPane(e, {
      top: kicker(`${order.indexOf(at) + 1} of ${events.length} in time`, "event", order.indexOf(at), order.length, (to) => choose(order[to], { scroll: true })),
      told: [[e.n ? `event ${e.n} of the answer` : "", e.seed ? "where the search began" : "", e.visits ? `${number.format(e.visits)} ${e.visits === 1 ? "visit" : "visits"}` : ""].filter(Boolean).join(" · ")],
      wanted, entity, light: lightEntity,
      more: links("joined with", joined, (to) => choose(to, { scroll: true })),
    });
  };
  const choose = (at, { focus = false, scroll = false } = {}) => {
    if (!events[at]) return;
    const before = nodes[Math.max(chosen, 0)].node;
    before.setAttribute("aria-selected", "false");
    before.setAttribute("tabindex", -1);
    chosen = at;
    nodes[at].node.setAttribute("aria-selected", "true");
    nodes[at].node.setAttribute("tabindex", 0);
    const near = new Set(beside[at].map(([, other]) => other)), lit = new Set(beside[at].map(([, , edge]) => edge));
    graph.classList.toggle("some", lit.size > 0);
    nodes.forEach(({ node }, place) => node.classList.toggle("near", near.has(place)));
    lines.forEach((line, edge) => line.classList.toggle("lit", lit.has(edge)));
    if (focus || scroll) {
      const [across, down] = size();
      const [x, y] = [px(events[at].x), py(events[at].y)];
      if (x < 12 || x > across - 60) tx += across / 2 - x;
      if (y < 12 || y > down - 34) ty += down / 2 - y;
      bounded();
    }
    draw(true);
    show(at);
    if (focus) nodes[at].node.focus({ preventScroll: true });
    if (scroll) reveal(graph, 10);
  };
  const light = (fits) => {
    const hits = events.map((e, at) => Boolean(fits) && fits(e, at));
    nodes.forEach(({ node }, at) => {
      node.classList.toggle("found", hits[at]);
      node.classList.toggle("dim", Boolean(fits) && !hits[at]);
    });
    tellFound(fits ? hits.filter(Boolean).length : null, events.length);
    draw(true);
    if (chosen >= 0) show(chosen);
  };
  const lightEntity = (name) => {
    entity = entity === name ? "" : name;
    search.value = wanted = "";
    light(entity ? (e) => e.entities.includes(entity) : null);
  };
  const search = findField((word) => {
    wanted = word;
    entity = "";
    light(word ? (_, at) => searched[at].includes(word) : null);
  }, () => {
    const here = order.indexOf(chosen);
    const next = order.map((_, step) => order[(here + 1 + step) % order.length]).find((at) => searched[at].includes(wanted));
    if (next !== undefined) choose(next, { scroll: true });
  });

  // ---- Pointer and keys.
  const along = (step) => order[Math.min(Math.max(order.indexOf(chosen) + step, 0), order.length - 1)];
  const vertically = (down) => {
    const here = events[chosen];
    const far = (e) => Math.abs(e.x - here.x) * 1.5 + Math.abs(e.y - here.y);
    const there = [...events.keys()].filter((at) => (down ? events[at].y > here.y : events[at].y < here.y));
    return there.length ? there.reduce((best, at) => (far(events[at]) < far(events[best]) ? at : best)) : chosen;
  };
  const keys = { ArrowRight: () => along(1), ArrowLeft: () => along(-1), ArrowDown: () => vertically(true), ArrowUp: () => vertically(false), Home: () => order[0], End: () => order.at(-1) };
  const sights = { "+": tools.in, "=": tools.in, "-": tools.out, 0: all, ArrowLeft: () => move(90, 0), ArrowRight: () => move(-90, 0), ArrowUp: () => move(0, 90), ArrowDown: () => move(0, -90) };
  graph.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const sight = (!event.key.startsWith("Arrow") || event.shiftKey) && sights[event.key];
    if (!sight && (!keys[event.key] || event.shiftKey)) return;
    event.preventDefault();
    if (sight) sight();
    else choose(keys[event.key](), { focus: true });
  });
  graph.addEventListener("click", (event) => {
    const node = event.target.closest("[data-i]");
    if (node) choose(+node.dataset.i, { focus: true });
  });
  graph.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse" || event.buttons) return;
    const node = event.target.closest("[data-i]"), edge = event.target.closest("[data-edge]");
    if (node) {
      const e = events[+node.dataset.i];
      eventTip(event, e, e.visits ? `${e.visits} visits` : "");
    } else if (edge) {
      const [a, b, weight] = edges[+edge.dataset.edge];
      showTip(event, make("b", { textContent: `share ${shared(a, b).join(" · ") || "nothing"}` }), make("span", { textContent: `weight ${weight.toFixed(3)}` }),
        ...[a, b].map((at) => make("p", { textContent: `${events[at].when}: ${clipped(events[at].text, 90)}` })));
    } else hideTip();
  });
  graph.addEventListener("pointerleave", hideTip);
  new ResizeObserver(() => { fit(); bounded(); draw(true); }).observe(graph);

  const yearOf = (at) => (knots.length ? yearName(civil(knots.at(at)[0]).year) : "");
  document.getElementById("first").textContent = yearOf(0);
  document.getElementById("last").textContent = knots.length > 1 ? yearOf(-1) : "";
  fit();
  addEventListener("hashchange", () => choose(askedPlace(), { scroll: true }));
  const start = location.hash ? askedPlace() : 0;
  choose(Math.min(Math.max(start, 0), events.length - 1), { scroll: location.hash !== "" });
})();
