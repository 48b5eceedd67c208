// What the timeline and the event graph tell of an event: in the tip at the pointer, and in the reading pane.
const eventTip = (event, e, ...more) => showTip(event,
  make("b", { textContent: e.when }),
  make("span", { textContent: [e.n ? `Event ${e.n}` : "", e.entities.slice(0, 5).join(" · "), ...more].filter(Boolean).join(" · ") }),
  make("p", { textContent: clipped(e.text, 240), lang: "", dir: "auto" }));

const placeOf = (e) => {
  const where = e.title && e.title !== e.source ? [e.title, e.source] : [e.title || e.source];
  const span = e.span ? `characters ${number.format(e.span[0])}–${number.format(e.span[1])}` : "";
  return [...where, span].filter(Boolean);
};

const eventPane = (e, { top, told = [], wanted = "", entity = "", light, more = [] }) => {
  const names = e.entities.map((name) => action(name, name, () => light(name), { title: `Light up what ${name} has part in`, ariaPressed: String(name === entity) }));
  const origin = placeOf(e);
  pane.replaceChildren(top,
    make("h2", { className: "event-when", textContent: e.when }),
    ...(told.length ? [make("p", { className: "facts" }, ...told)] : []),
    make("p", { className: "event-text", lang: "", dir: "auto" }, ...withMarks(e.text, wanted)),
    ...(names.length ? [make("div", { className: "chips" }, ...names)] : []),
    ...more,
    ...(origin.length ? [make("section", { className: "origin" },
      make("h3", { textContent: e.passage ? "In its passage" : "Source" }),
      make("p", { className: "facts", textContent: origin.join(" · "), dir: "auto" }),
      ...(e.passage ? [make("div", { className: "reading", lang: "", dir: "auto" }, e.passage[0], make("mark", { textContent: e.passage[1] }), e.passage[2])] : []))] : []));
  pane.scrollTop = 0;
};

// A page inside another, as in a notebook, must let the outer one scroll until it is worked with.
const embedded = window !== window.top;

// Drag to move, wheel and pinch to zoom: `moved` gets pixels, `zoomed` a factor and the place of the pointer on the surface.
const navigate = (surface, { moved, zoomed }) => {
  const fingers = new Map();
  let travelled = 0;
  const place = (event) => {
    const box = surface.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return [Math.hypot(a[0] - b[0], a[1] - b[1]), (a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  };
  surface.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, place(event));
    travelled = 0;
  });
  surface.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? spread() : fingers.get(event.pointerId);
    fingers.set(event.pointerId, place(event));
    if (fingers.size === 2) {
      const after = spread();
      zoomed(after[0] / Math.max(before[0], 1), after[1], after[2]);
      travelled = 99;
      return;
    }
    const now = fingers.get(event.pointerId);
    travelled += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    if (travelled < 5) return;
    if (!surface.hasPointerCapture(event.pointerId)) surface.setPointerCapture(event.pointerId);
    surface.classList.add("dragged");
    hideTip();
    moved(now[0] - before[0], now[1] - before[1]);
  });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    surface.classList.remove("dragged");
  };
  addEventListener("pointerup", lift);
  addEventListener("pointercancel", lift);
  surface.addEventListener("click", (event) => {
    if (travelled >= 5) event.stopPropagation();
    travelled = 0;
  }, true);
  surface.addEventListener("wheel", (event) => {
    if (embedded && !event.ctrlKey && !surface.contains(document.activeElement)) return;
    const [x, y] = place(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
    const changed = sideways ? moved(-sideways, 0) : zoomed(Math.exp(-Math.max(-120, Math.min(120, event.deltaY * (event.deltaMode ? 20 : 1))) / 320), x, y);
    if (changed !== false) event.preventDefault();
    hideTip();
  }, { passive: false });
};
