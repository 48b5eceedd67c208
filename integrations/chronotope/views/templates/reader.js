// What the views share that show texts beside a drawing: the tip at the pointer, and the pieces of the reading pane.
const number = new Intl.NumberFormat("en");
const pane = document.getElementById("pane");
const tip = document.getElementById("tip");

const showTip = (event, ...parts) => {
  tip.replaceChildren(...parts);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const below = event.clientY + 18 + box.height < innerHeight;
  tip.style.left = `${Math.max(8, Math.min(event.clientX + 12, innerWidth - box.width - 8))}px`;
  tip.style.top = `${below ? event.clientY + 18 : Math.max(8, event.clientY - box.height - 12)}px`;
};
const hideTip = () => { tip.hidden = true; };
addEventListener("scroll", hideTip, { passive: true });

const clipped = (text, most) => (text.length > most ? `${text.slice(0, most).replace(/\s\S*$/, "")} …` : text);

const action = (label, told, act, options = {}) => {
  const button = make("button", { type: "button", className: "plain", textContent: told, ariaLabel: label, ...options });
  button.addEventListener("click", act);
  return button;
};

// Chips that lead to other places: [what they say, where they lead].
const links = (label, places, go) =>
  places.length ? [make("div", { className: "chips" }, label, ...places.map(([told, at]) => action(told, told, () => go(at), { title: told })))] : [];

// Where the reader is, and buttons to the places before and after it, which keep the focus.
const kicker = (told, noun, at, count, go) => {
  const step = (label, arrow, to) => action(label, arrow, () => {
    go(to);
    pane.querySelector(`[aria-label="${label}"]`)?.focus();
  }, { disabled: to < 0 || to >= count });
  return make("div", { className: "kicker" }, make("span", { textContent: told, dir: "auto" }),
    make("nav", {}, step(`Previous ${noun}`, "←", at - 1), step(`Next ${noun}`, "→", at + 1)));
};

// Prose that was printed in lines of one width is set anew; verse, letterheads and speeches keep their lines.
const isPrinted = (text) => {
  const lines = text.split("\n").slice(0, -1);
  return lines.length > 0 && lines.reduce((sum, line) => sum + line.trim().length, 0) / lines.length < 50;
};

const withMarks = (text, wanted) => {
  if (!wanted) return [text];
  const parts = [];
  const low = text.toLowerCase();
  let from = 0;
  for (let at = low.indexOf(wanted); at >= 0 && low.length === text.length; at = low.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), make("mark", { textContent: text.slice(at, at + wanted.length) }));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
};

const paragraphs = (text, kind, wanted = "") =>
  text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => make("p", { className: `${kind} ${isPrinted(part) ? "printed" : ""}`, lang: "", dir: "auto" }, ...withMarks(part, wanted)));

// The search field: `light` gets what is looked for, in small letters; Enter goes on to the `next` that holds it.
const findField = (light, next) => {
  const search = document.getElementById("search");
  const wanted = () => search.value.trim().toLowerCase();
  search.addEventListener("input", () => light(wanted()));
  search.addEventListener("keydown", (event) => event.key === "Enter" && wanted() && next());
  return search;
};
const tellFound = (count, all) => { document.getElementById("found").textContent = count === null ? "" : `in ${number.format(count)} of ${number.format(all)}`; };

// The header stays on top and, on a narrow screen, the pane at the bottom: something is in view when neither hides it.
const reveal = (node, margin = 50) => {
  const box = node.getBoundingClientRect();
  const top = document.querySelector(".head").offsetHeight + margin;
  const bottom = (getComputedStyle(pane).position === "fixed" ? pane.getBoundingClientRect().top : innerHeight) - 16;
  if (box.top < top) scrollBy(0, box.top - top);
  else if (box.bottom > bottom) scrollBy(0, box.bottom - bottom);
};

// `page.html#12` opens at the twelfth.
const askedPlace = () => Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 1) - 1;

{
  const head = document.querySelector(".head");
  const fit = () => document.documentElement.style.setProperty("--head", `${head.offsetHeight}px`);
  new ResizeObserver(() => requestAnimationFrame(fit)).observe(head);
}
