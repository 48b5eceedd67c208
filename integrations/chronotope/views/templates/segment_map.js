(() => {
  const segments = pageData();
  if (!segments.length) return;
  const map = document.getElementById("map");
  const blocks = [...map.querySelectorAll("[data-i]")];
  const strip = [...document.querySelectorAll("[data-at]")];
  const arcs = [...map.querySelectorAll("path[data-needs]")];
  const usedBy = segments.map(() => []);
  segments.forEach((segment, at) => segment.needs.forEach((other) => usedBy[other].push(at)));
  const searched = segments.map((s) => [s.subtitle, s.text].join("\n").toLowerCase());
  let chosen = -1;
  let wanted = "";

  // The story's own words: without the heading, unless there is nothing else.
  const told = (s) => (s.text.slice(s.heading).trim() || s.text).replace(/\s+/g, " ");
  const nameOf = (at) => segments[at].subtitle || told(segments[at]).slice(0, 80);

  const named = (places) => places.map((at) => [`${at + 1}. ${nameOf(at)}`, at]);
  const follow = (at) => choose(at, { scroll: true });

  const show = (at) => {
    const s = segments[at];
    const [start, end] = s.span.map((place) => number.format(place));
    const place = `Sentences ${s.sentences.join("–")} · characters ${start}–${end} · ${number.format(s.words)} ${s.counts}`;
    pane.replaceChildren(
      kicker(`${at + 1} of ${segments.length}${s.unit ? " · " + s.unit : ""}`, "segment", at, segments.length, follow),
      ...(s.subtitle ? [make("h2", { textContent: s.subtitle, lang: "", dir: "auto" })] : []),
      make("p", { className: "facts", textContent: place }),
      ...(s.points.length ? [make("p", { className: "chips turn", textContent: `◆ ${s.points.join(" · ").replaceAll("_", " ")}` })] : []),
      ...s.issues.map((issue) => make("p", { className: "chips alarm", textContent: `▲ ${issue}` })),
      ...links("needs", named(s.needs), follow),
      ...links("is needed by", named(usedBy[at]), follow),
      make("div", { className: "reading" },
        ...s.before.flatMap((text) => paragraphs(text, "context", wanted)),
        ...paragraphs(s.text.slice(0, s.heading), "heading", wanted),
        ...paragraphs(s.text.slice(s.heading), "main", wanted),
        ...s.after.flatMap((text) => paragraphs(text, "context", wanted))));
    pane.scrollTop = 0;
  };

  const choose = (at, { focus = false, scroll = false } = {}) => {
    if (!segments[at]) return;
    const before = blocks[Math.max(chosen, 0)];
    before.setAttribute("aria-selected", "false");
    before.tabIndex = -1;
    chosen = at;
    blocks[at].setAttribute("aria-selected", "true");
    blocks[at].tabIndex = 0;
    const near = new Set([...segments[at].needs]);
    blocks.forEach((block, place) => block.classList.toggle("needed", near.has(place)));
    strip.forEach((piece, place) => {
      piece.classList.toggle("chosen", place === at);
      piece.classList.toggle("needed", near.has(place));
    });
    arcs.forEach((arc) => arc.classList.toggle("lit", +arc.dataset.needs === at || +arc.dataset.gives === at));
    show(at);
    if (focus) blocks[at].focus({ preventScroll: true });
    if (focus || scroll) reveal(blocks[at]);
  };

  const vertically = (at, down) => {
    const here = blocks[at].getBoundingClientRect();
    const middle = here.left + here.width / 2;
    const lines = [...map.querySelectorAll(".line")];
    const line = lines[lines.indexOf(blocks[at].parentElement) + (down ? 1 : -1)];
    if (!line) return at;
    const there = [...line.querySelectorAll("[data-i]")];
    const off = (block) => {
      const box = block.getBoundingClientRect();
      return Math.max(box.left - middle, middle - box.right, 0);
    };
    return +there.reduce((best, block) => (off(block) < off(best) ? block : best)).dataset.i;
  };

  map.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = {
      ArrowRight: () => Math.min(chosen + 1, segments.length - 1),
      ArrowLeft: () => Math.max(chosen - 1, 0),
      ArrowDown: () => vertically(chosen, true),
      ArrowUp: () => vertically(chosen, false),
      Home: () => 0,
      End: () => segments.length - 1,
    }[event.key];
    if (!to) return;
    event.preventDefault();
    choose(to(), { focus: true });
  });
  map.addEventListener("click", (event) => {
    const block = event.target.closest("[data-i]");
    if (block) choose(+block.dataset.i, { focus: true });
  });
  document.getElementById("book").addEventListener("click", (event) => {
    if (event.target.dataset.at) choose(+event.target.dataset.at, { scroll: true });
  });

  const hint = (event) => {
    const block = event.target.closest?.("[data-i], [data-at]");
    if (!block) { hideTip(); return; }
    const s = segments[+(block.dataset.i ?? block.dataset.at)];
    const words = told(s);
    showTip(event,
      ...(s.subtitle ? [make("b", { textContent: s.subtitle })] : []),
      make("span", { textContent: `${s.unit ? s.unit + " · " : ""}sentences ${s.sentences.join("–")} · ${number.format(s.words)} ${s.counts}` }),
      make("p", { textContent: clipped(words, 220) }));
  };
  for (const place of [map, document.getElementById("book")]) {
    place.addEventListener("pointermove", (event) => event.pointerType === "mouse" && hint(event));
    place.addEventListener("pointerleave", hideTip);
  }

  const chips = [...document.querySelectorAll("[data-point]")];
  const light = (fits) => {
    const hits = segments.map((segment, at) => Boolean(fits) && fits(segment, at));
    blocks.forEach((block, at) => {
      block.classList.toggle("found", hits[at]);
      block.classList.toggle("dim", Boolean(fits) && !hits[at]);
    });
    strip.forEach((piece, at) => piece.classList.toggle("found", hits[at]));
    const count = hits.filter(Boolean).length;
    tellFound(fits ? count : null, segments.length);
    show(chosen);
    return hits.indexOf(true);
  };
  const search = findField((word) => {
    chips.forEach((chip) => chip.setAttribute("aria-pressed", "false"));
    wanted = word;
    light(wanted ? (_, at) => searched[at].includes(wanted) : null);
  }, () => {
    const next = [...segments.keys()].map((at) => (chosen + 1 + at) % segments.length).find((at) => searched[at].includes(wanted));
    if (next !== undefined) choose(next, { scroll: true });
  });
  chips.forEach((chip) => chip.addEventListener("click", () => {
    const on = chip.getAttribute("aria-pressed") !== "true";
    chips.forEach((other) => other.setAttribute("aria-pressed", String(on && other === chip)));
    search.value = wanted = "";
    light(on ? (segment) => segment.points.includes(chip.dataset.point) : null);
  }));

  addEventListener("hashchange", () => choose(askedPlace(), { scroll: true }));
  choose(Math.min(Math.max(askedPlace(), 0), segments.length - 1), { scroll: location.hash !== "" });
})();
