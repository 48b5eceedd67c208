(() => {
  const { nodes: people, boxes, edges, facts, steps, width: WIDTH, height: HEIGHT } = pageData();
  const graph = document.getElementById("graph");
  if (!graph) return;
  const svg = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const MOST_LABELS = 40, DENSE = 250;
  let RADIUS = 6; // smaller where many stand close
  const pen = document.createElement("canvas").getContext("2d");
  const wide = (text, size) => { pen.font = `600 ${size}px ${getComputedStyle(document.body).fontFamily}`; return pen.measureText(text).width; };
  const searched = edges.map((e) => [e.told, ...e.facts.flatMap((at) => [facts[at].quote, facts[at].where])].join("\n").toLowerCase());
  const named = people.map((p) => [p.name, ...p.others, p.type].join("\n").toLowerCase());
  const touching = people.map((_, at) => edges.flatMap((e, edge) => (e.a === at || e.b === at ? [edge] : [])));
  let step = 0, chosen = -1, asked = -1, wanted = ""; // step 0 shows all

  const holds = (e, at) => at === 0 || e.steps.some(([from, to]) => from < at && at <= to);
  const shown = () => edges.map((e, at) => at).filter((at) => holds(edges[at], step));

  // A long name stands on two lines, as even as its words allow.
  const inTwo = (name) => {
    const told = clipped(name, 36);
    const cuts = [...told.matchAll(/\s+/g)].map(({ index }) => index);
    if (told.length <= 16 || !cuts.length) return [told];
    const cut = cuts.reduce((best, at) => (Math.abs(at - told.length / 2) < Math.abs(best - told.length / 2) ? at : best));
    return [told.slice(0, cut), told.slice(cut).trim()];
  };

  // ---- What is drawn once: boxes and entities; edges are drawn anew at every step, as they share the room between two ends.
  const boxLayer = document.getElementById("boxes"), edgeLayer = document.getElementById("edges"), nodeLayer = document.getElementById("nodes");
  const drawnBoxes = boxes.map((box) => {
    const text = svg("text", { x: 9, y: 19, lang: "" });
    const node = svg("g", { class: `box deep${Math.min(box.depth, 2)}` }, svg("rect", { rx: 7 }), text);
    return { node, text };
  });
  boxLayer.append(...drawnBoxes.map(({ node }) => node));
  const drawn = people.map((p, at) => {
    const words = inTwo(p.name);
    const text = svg("text", { y: RADIUS + 15, lang: "" }, ...words.map((line, row) => {
      const part = svg("tspan", { x: 0, ...(row ? { dy: 13 } : {}) });
      part.textContent = line;
      return part;
    }));
    const where = p.home >= 0 ? `, ${boxes[p.home].name}` : "";
    const node = svg("g", { class: `node ${p.what}`, role: "option", tabindex: at ? -1 : 0, "aria-selected": "false", "data-i": at,
      "aria-label": `${p.name}${p.type ? `, ${p.type}` : ""}${where}` },
    p.what !== "person" ? svg("rect", { class: "dot", rx: 2, transform: "rotate(45)" }) : svg("circle", { class: "dot" }), text);
    return { node, text, need: Math.max(...words.map((line) => wide(line, 12))), lines: words.length };
  });
  nodeLayer.append(...drawn.map(({ node }) => node));

  // ---- The view: how layout coordinates become pixels; names keep their size.
  const PAD = 14;
  let k = 1, tx = 0, ty = 0, fitted = 1;
  const size = () => [Math.max(graph.clientWidth, 120), Math.max(graph.clientHeight, 120)];
  const fit = () => {
    const [across, down] = size();
    fitted = Math.min((across - 2 * PAD) / Math.max(WIDTH, 1), (down - 2 * PAD) / Math.max(HEIGHT, 1), 1.5);
  };
  const scale = () => k * fitted;
  const px = (x) => PAD + scale() * x + tx;
  const py = (y) => PAD + scale() * y + ty;
  // A box is pointed at beside its name.
  const besideName = (at) => {
    const [x, w] = [px(boxes[at].x), scale() * boxes[at].width];
    return [x + Math.max(6, Math.min(wide(drawnBoxes[at].text.textContent, 12) + 18, w - 6)), py(boxes[at].y) + Math.min(15, Math.max(9, scale() * 16))];
  };
  const pointOf = (end) => (typeof end === "number" ? [px(people[end].x), py(people[end].y)] : end ? besideName(end.box) : null);
  const hits = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

  const drawEdges = () => {
    const pairs = new Map();
    const visible = shown().filter((at) => edges[at].a !== null && edges[at].b !== null);
    for (const at of visible) {
      const key = [JSON.stringify(edges[at].a), JSON.stringify(edges[at].b)].sort().join();
      pairs.set(key, [...(pairs.get(key) ?? []), at]);
    }
    const lines = [], reaches = [], tips = [], labels = [];
    const clear = (at, x, y, mx, my) => { // how far from a point an arrow ends, so that its name does not cover the tip
      const { text, need, lines: rows } = drawn[at], away = Math.hypot(mx - x, my - y) || 1;
      const covers = (by) => {
        const dx = Math.abs(mx - x) * by / away, dy = (my - y) * by / away;
        return dx < need / 2 + 2 && dy > RADIUS - 2 && dy < RADIUS + 7 + 13 * rows;
      };
      let by = RADIUS + 3;
      if (text.style.display !== "none") while (by < Math.min(away * 0.8, 60) && covers(by)) by += 2;
      return by;
    };
    for (const [key, all] of pairs) {
      all.forEach((at, place) => {
        const e = edges[at];
        const [[x1, y1], [x2, y2]] = [pointOf(e.a), pointOf(e.b)];
        const far = Math.hypot(x2 - x1, y2 - y1);
        if (far < 4) return;
        const turned = key.startsWith(JSON.stringify(e.a)) ? 1 : -1;
        const bend = turned * ((place - (all.length - 1) / 2) * 24 + Math.min(18, far * 0.09));
        const [mx, my] = [(x1 + x2) / 2 - ((y2 - y1) / far) * bend * 2, (y1 + y2) / 2 + ((x2 - x1) / far) * bend * 2];
        const trim = (x, y, by) => { const away = Math.hypot(mx - x, my - y) || 1; return [x + ((mx - x) / away) * by, y + ((my - y) / away) * by]; };
        const [sx, sy] = trim(x1, y1, RADIUS + 2), [ex, ey] = trim(x2, y2, typeof e.b !== "number" ? 4 : e.directed ? clear(e.b, x2, y2, mx, my) : RADIUS + 3);
        const lit = at === asked || (chosen >= 0 && (e.a === chosen || e.b === chosen));
        const kind = `${e.kind}${e.low ? " low" : ""}${lit ? " lit" : ""}`;
        const d = `M${sx.toFixed(1)},${sy.toFixed(1)}Q${mx.toFixed(1)},${my.toFixed(1)} ${ex.toFixed(1)},${ey.toFixed(1)}`;
        lines.push(svg("path", { class: `edge ${kind}`, d, "data-e": at }));
        reaches.push(svg("path", { class: "reach", d, "data-edge": at }));
        if (e.directed) {
          const turn = (Math.atan2(ey - my, ex - mx) * 180) / Math.PI;
          tips.push(svg("path", { class: `tip-of ${kind}`, d: "M0,0L-8,-3.4L-8,3.4Z", transform: `translate(${ex.toFixed(1)} ${ey.toFixed(1)}) rotate(${turn.toFixed(1)})` }));
        }
        const along = (t) => [x1, y1].map((from, i) => (1 - t) ** 2 * from + 2 * t * (1 - t) * [mx, my][i] + t ** 2 * [x2, y2][i]);
        labels.push({ at, lit, along });
      });
    }
    const some = asked >= 0 || chosen >= 0;
    graph.classList.toggle("some", some && labels.some(({ lit }) => lit));
    graph.classList.toggle("dense", labels.length > DENSE);
    const taken = drawn.flatMap(({ text, need, lines: rows }, at) => {
      const [x, y] = [px(people[at].x), py(people[at].y)];
      return [[x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS], ...(text.style.display === "none" ? [] : [[x - need / 2, y + RADIUS, x + need / 2, y + RADIUS + 5 + 13 * rows]])];
    });
    const words = [];
    const fits = labels.filter(({ lit }) => (some ? lit : labels.length <= MOST_LABELS)).sort((a, b) => b.lit - a.lit || a.at - b.at);
    for (const { at, lit, along } of fits) {
      const half = wide(edges[at].relation, 10.5) / 2 + 2;
      const boxAt = (t) => { const [x, y] = along(t); return [x - half, y - 6.5, x + half, y + 6.5]; };
      const free = [0.5, 0.36, 0.64, 0.25, 0.75].find((t) => !taken.some((other) => hits(other, boxAt(t))));
      if (free === undefined) continue;
      taken.push(boxAt(free));
      const [x, y] = along(free);
      const text = svg("text", { x: x.toFixed(1), y: (y + 3.5).toFixed(1), class: lit ? "lit" : "" });
      text.textContent = edges[at].relation;
      words.push(text);
    }
    edgeLayer.replaceChildren(...lines, ...tips, ...reaches, ...words);
  };

  const drawNames = () => {
    const busy = new Set(shown().filter((at) => edges[at].kind !== "timeless").flatMap((at) => [edges[at].a, edges[at].b]));
    const taken = people.map((p) => [px(p.x) - RADIUS, py(p.y) - RADIUS, px(p.x) + RADIUS, py(p.y) + RADIUS]);
    const rank = (at) => (at === chosen ? 1e9 : 0) + (drawn[at].node.classList.contains("found") ? 1e8 : 0) + (busy.has(at) ? 1e6 : 0) + touching[at].length;
    const names = [];
    for (const at of [...people.keys()].sort((a, b) => rank(b) - rank(a) || a - b)) {
      const { text, need, lines } = drawn[at];
      const [x, y] = [px(people[at].x), py(people[at].y)];
      const box = [x - need / 2, y + RADIUS + 3, x + need / 2, y + RADIUS + 4 + 13 * lines];
      const free = at === chosen || (names.every((other) => !hits(other, box)) && taken.every((other, place) => place === at || !hits(other, box)));
      text.style.display = free ? "" : "none";
      if (free) names.push(box);
    }
  };

  const draw = () => {
    boxes.forEach((box, at) => {
      const { node, text } = drawnBoxes[at];
      node.setAttribute("transform", `translate(${px(box.x).toFixed(1)} ${py(box.y).toFixed(1)})`);
      const [w, h] = [scale() * box.width, scale() * box.height];
      node.firstChild.setAttribute("width", w.toFixed(1));
      node.firstChild.setAttribute("height", h.toFixed(1));
      const font = Math.min(12, Math.max(8.5, scale() * 17));
      const most = Math.floor(((w - 14) / wide(box.name, font)) * box.name.length);
      text.textContent = most < 3 || h < 12 ? "" : box.name.length > most ? `${box.name.slice(0, most - 1)}…` : box.name;
      text.style.fontSize = `${font}px`;
      text.setAttribute("y", Math.min(19, Math.max(10, scale() * 20)).toFixed(1));
    });
    RADIUS = Math.min(6, Math.max(3.5, scale() * 9));
    for (const { node, text } of drawn) {
      const dot = node.querySelector(".dot"), side = RADIUS * 0.95;
      const form = dot.tagName === "circle" ? { r: RADIUS } : { x: -side, y: -side, width: 2 * side, height: 2 * side };
      for (const [name, value] of Object.entries(form)) dot.setAttribute(name, value.toFixed(1));
      text.setAttribute("y", RADIUS + 15);
    }
    people.forEach((p, at) => drawn[at].node.setAttribute("transform", `translate(${px(p.x).toFixed(1)} ${py(p.y).toFixed(1)})`));
    drawNames();
    drawEdges();
  };
  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  const bounded = () => {
    const [across, down] = size();
    const [w, h] = [scale() * WIDTH + 2 * PAD, scale() * HEIGHT + 2 * PAD];
    tx = w <= across ? (across - w) / 2 : Math.min(0, Math.max(tx, across - w));
    ty = h <= down ? (down - h) / 2 : Math.min(0, Math.max(ty, down - h));
  };
  const zoom = (factor, x = size()[0] / 2, y = size()[1] / 2) => {
    const next = Math.min(Math.max(k * factor, 1), Math.max(2.5 / fitted, 4));
    if (next === k) return false;
    tx = x - PAD - ((x - PAD - tx) * next) / k;
    ty = y - PAD - ((y - PAD - ty) * next) / k;
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
  const all = () => { k = 1; bounded(); redraw(); };
  const middle = () => (chosen < 0 ? [undefined, undefined] : [px(people[chosen].x), py(people[chosen].y)]);
  const tools = { in: () => zoom(1.5, ...middle()), out: () => zoom(1 / 1.5, ...middle()), all };
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => tools[button.dataset.zoom]());
  navigate(graph, { moved: move, zoomed: zoom });

  // ---- The list: all that is drawn, in words, each with the quotations that tell it.
  const opened = new Set();
  const body = (e) => e.facts.flatMap((at) => {
    const { quote, where, source } = facts[at];
    return [...(quote ? [make("blockquote", { lang: "", dir: "auto" }, ...withMarks(quote, wanted))] : []),
      make("p", { className: "facts", textContent: [quote ? "" : "no quotation", where, source].filter(Boolean).join(" · "), dir: "auto" })];
  });
  const item = (at) => {
    const e = edges[at];
    const told = make("summary", { lang: "", dir: "auto" }, ...withMarks(e.told, wanted));
    const part = make("details", { className: `${at === asked ? "asked" : ""}${e.low ? " doubted" : ""}`, dataset: { item: String(at) } }, told);
    const fill = () => part.childElementCount === 1 && part.append(...body(e), ...e.endings.map((ending) => make("p", { className: "facts", textContent: ending, dir: "auto" })));
    part.addEventListener("toggle", () => {
      opened[part.open ? "add" : "delete"](at);
      if (part.open) fill();
    });
    if (opened.has(at)) { fill(); part.open = true; }
    return part;
  };
  const KINDS = [["event", "Happens"], ["state", "Holds"], ["timeless", "Always so"], ["places", "Which place is where"]];
  const list = () => {
    const person = people[chosen];
    const at = shown().filter((edge) => chosen < 0 || edges[edge].a === chosen || edges[edge].b === chosen).filter((edge) => !wanted || chosen >= 0 || searched[edge].includes(wanted));
    const about = person ? [make("div", { className: "kicker" }, make("span", { textContent: [person.type, person.home >= 0 ? boxes[person.home].name : ""].filter(Boolean).join(" · "), dir: "auto" }), make("nav", {}, action("Show everybody", "Everybody", () => choose(-1)))),
      make("h2", { textContent: person.name, lang: "", dir: "auto" }),
      ...(person.others.length ? [make("p", { className: "facts", textContent: `also ${person.others.join(", ")}`, dir: "auto" })] : [])] : [make("h2", { textContent: step ? steps[step - 1].told : "All of it" })];
    const parts = KINDS.flatMap(([kind, title]) => {
      const held = at.filter((edge) => edges[edge].group === kind);
      return held.length ? [make("h3", { textContent: `${title} (${number.format(held.length)})` }), ...held.map(item)] : [];
    });
    pane.replaceChildren(...about, ...(parts.length ? parts : [make("p", { className: "facts", textContent: "Nothing is told of it here." })]));
  };

  // ---- Steps, choosing, searching.
  const slider = document.getElementById("step");
  const tell = () => {
    const count = shown().length;
    const now = shown().filter((at) => edges[at].kind !== "timeless");
    const busy = new Set(now.flatMap((at) => [edges[at].a, edges[at].b]));
    drawn.forEach(({ node }, at) => node.classList.toggle("idle", step > 0 && !busy.has(at)));
    const places = new Set(step ? now.flatMap((at) => edges[at].places) : []);
    drawnBoxes.forEach(({ node }, at) => node.classList.toggle("here", places.has(at)));
    if (!slider) return;
    const told = step ? steps[step - 1].told : "everything, whenever it is";
    document.getElementById("told").textContent = `${told} · ${number.format(count)} ${count === 1 ? "relation" : "relations"}`;
    document.getElementById("all").ariaPressed = String(step === 0);
    document.getElementById("back").disabled = step === 1;
    document.getElementById("on").disabled = step === steps.length;
    slider.setAttribute("aria-valuetext", told);
  };
  const goTo = (to) => {
    step = Math.min(Math.max(to, 0), steps.length);
    if (step && slider) slider.value = String(step);
    if (asked >= 0 && !holds(edges[asked], step)) asked = -1;
    tell();
    draw();
    list();
  };
  const choose = (at, { focus = false } = {}) => {
    drawn.forEach(({ node }, place) => {
      node.setAttribute("aria-selected", String(place === at));
      node.setAttribute("tabindex", place === Math.max(at, 0) ? 0 : -1);
    });
    chosen = at;
    asked = -1;
    const near = new Set(at < 0 ? [] : shown().filter((edge) => edges[edge].a === at || edges[edge].b === at).flatMap((edge) => [edges[edge].a, edges[edge].b]));
    drawn.forEach(({ node }, place) => node.classList.toggle("near", near.has(place)));
    if (at >= 0) {
      const [across, down] = size();
      const [x, y] = [px(people[at].x), py(people[at].y)];
      if (x < 20 || x > across - 20) tx += across / 2 - x;
      if (y < 20 || y > down - 30) ty += down / 2 - y;
      bounded();
    }
    draw();
    list();
    pane.scrollTop = 0;
    if (focus) drawn[at].node.focus({ preventScroll: true });
  };
  const ask = (at) => {
    if (chosen >= 0 && edges[at].a !== chosen && edges[at].b !== chosen) choose(-1);
    asked = at;
    opened.add(at);
    draw();
    list();
    const part = pane.querySelector(`[data-item="${at}"]`);
    if (part) pane.scrollTop += part.getBoundingClientRect().top - pane.getBoundingClientRect().top - 60;
  };
  if (slider) {
    slider.addEventListener("input", () => goTo(+slider.value));
    document.getElementById("all").addEventListener("click", () => goTo(step ? 0 : +slider.value));
    document.getElementById("back").addEventListener("click", () => goTo(Math.max((step || steps.length + 1) - 1, 1)));
    document.getElementById("on").addEventListener("click", () => goTo(step + 1));
  }
  const light = (word) => {
    wanted = word;
    const told = new Set(word ? shown().filter((at) => searched[at].includes(word)).flatMap((at) => [edges[at].a, edges[at].b]) : []);
    const found = people.map((_, at) => Boolean(word) && (named[at].includes(word) || told.has(at)));
    drawn.forEach(({ node }, at) => {
      node.classList.toggle("found", found[at]);
      node.classList.toggle("dim", Boolean(word) && !found[at]);
    });
    tellFound(word ? found.filter(Boolean).length : null, people.length);
    draw();
    list();
  };
  findField(light, () => {
    const next = people.map((_, by) => (chosen + 1 + by) % people.length).find((at) => drawn[at].node.classList.contains("found"));
    if (next !== undefined) choose(next);
  });

  // ---- Pointer and keys.
  const towards = (dx, dy) => {
    const here = people[Math.max(chosen, 0)];
    if (chosen < 0) return 0;
    const away = (p) => {
      const [x, y] = [p.x - here.x, p.y - here.y];
      const ahead = x * dx + y * dy;
      return ahead <= 1 ? Infinity : ahead + 2.2 * Math.abs(x * dy - y * dx);
    };
    const best = [...people.keys()].reduce((a, b) => (away(people[b]) < away(people[a]) ? b : a), chosen);
    return away(people[best]) === Infinity ? chosen : best;
  };
  const keys = { ArrowRight: () => towards(1, 0), ArrowLeft: () => towards(-1, 0), ArrowDown: () => towards(0, 1), ArrowUp: () => towards(0, -1), Home: () => 0, End: () => people.length - 1 };
  const sights = { "+": tools.in, "=": tools.in, "-": tools.out, 0: all, Escape: () => choose(-1),
    "[": () => goTo(Math.max(step - 1, 0)), "]": () => goTo(step + 1),
    ArrowLeft: () => move(90, 0), ArrowRight: () => move(-90, 0), ArrowUp: () => move(0, 90), ArrowDown: () => move(0, -90) };
  graph.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !people.length) return;
    const sight = (!event.key.startsWith("Arrow") || event.shiftKey) && sights[event.key];
    if (!sight && (!keys[event.key] || event.shiftKey)) return;
    event.preventDefault();
    if (sight) sight();
    else choose(keys[event.key](), { focus: true });
  });
  graph.addEventListener("click", (event) => {
    const node = event.target.closest("[data-i]"), edge = event.target.closest("[data-edge]");
    if (node) choose(+node.dataset.i, { focus: true });
    else if (edge) ask(+edge.dataset.edge);
    else if (chosen >= 0 || asked >= 0) choose(-1);
  });
  graph.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse" || event.buttons) return;
    const node = event.target.closest("[data-i]"), edge = event.target.closest("[data-edge]");
    if (edge) {
      const e = edges[+edge.dataset.edge], fact = facts[e.facts[0]];
      showTip(event, make("b", { textContent: e.told }), make("span", { textContent: fact?.where ?? "" }), ...(fact?.quote ? [make("p", { textContent: `“${clipped(fact.quote, 240)}”`, lang: "", dir: "auto" })] : []));
    } else if (node) {
      const p = people[+node.dataset.i];
      showTip(event, make("b", { textContent: p.name }), make("span", { textContent: [p.type, ...p.others.slice(0, 4), p.home >= 0 ? boxes[p.home].name : ""].filter(Boolean).join(" · ") }));
    } else hideTip();
  });
  graph.addEventListener("pointerleave", hideTip);
  new ResizeObserver(() => { fit(); bounded(); draw(); }).observe(graph);

  // `page.html#3` opens at the third step.
  const askedStep = () => (/^#\d+$/.test(location.hash) ? askedPlace() + 1 : 0);
  addEventListener("hashchange", () => goTo(askedStep()));
  fit();
  bounded();
  goTo(askedStep());
})();
