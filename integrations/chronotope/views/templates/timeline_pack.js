// Rows of a lane at one scale, in pixels from the beginning of the domain: numbers and names where all of them fit, else names where
// there is room beside a number, else dots, and what finds no row even then is counted.
const packing = ({ domain, ROWS, PILL }) => {
  const DOT = 10, FADE = 110, PAD = 6;
  const extent = (item, perSecond, pill) => {
    let left = (item.lo - domain[0]) * perSecond, right = (item.hi - domain[0]) * perSecond;
    item.kind = item.from ? "from" : item.until ? "until" : right - left < Math.max(pill, 14) ? "mark" : item.some ? "some" : "long";
    if (item.from) right = left + FADE;
    if (item.until) left = right - FADE;
    if (item.kind === "mark") {
      const middle = (left + right) / 2;
      left = middle - pill / 2;
      right = middle + pill / 2;
    }
    return [left, right];
  };
  const inside = (item) => (item.kind !== "mark" && item.right - item.left >= Math.min(item.need + PILL + 6, 150));
  // A name that would run over the end of the axis stands at the left.
  const isLeft = (item, perSecond) => !inside(item) && item.right + item.need > (domain[1] - domain[0]) * perSecond && item.left > item.need;
  const begin = (item) => (item.isLeft ? item.left - item.need : item.left);
  const full = (item) => (inside(item) || item.isLeft ? item.right : item.right + item.need + 2);
  // In the order of time the first row that is free takes an event; null where none is.
  const firstFit = (held, end, rows, spread = false) => {
    const ends = [];
    const left = [];
    for (const item of held) {
      const free = [...Array(rows).keys()].filter((row) => (ends[row] ?? -Infinity) + PAD <= begin(item));
      if (!free.length) { left.push(item); continue; }
      item.row = spread ? free.reduce((a, b) => ((ends[b] ?? -Infinity) < (ends[a] ?? -Infinity) ? b : a)) : free[0];
      ends[item.row] = end(item);
    }
    return [left, ends.length];
  };
  const pack = (held, perSecond) => {
    const sized = (pill) => held.forEach((item) => {
      [item.left, item.right] = extent(item, perSecond, pill);
      item.crowded = false;
      item.isLeft = false;
    });
    sized(PILL);
    held.forEach((item) => { item.isLeft = isLeft(item, perSecond); });
    let [out, rows] = firstFit(held, full, ROWS);
    if (!out.length) {
      held.forEach((item) => { item.room = item.need; item.dot = false; });
      return { rows, crowds: [] };
    }
    held.forEach((item) => { item.isLeft = false; });
    [out, rows] = firstFit(held, (item) => item.right, ROWS, true);
    const dot = out.length > 0;
    if (dot) {
      sized(DOT);
      [out, rows] = firstFit(held, (item) => item.right, ROWS - 1, true);
    }
    const next = [];
    for (const item of [...held].reverse()) {
      item.dot = dot;
      if (out.includes(item)) continue;
      item.room = Math.min(item.need, (next[item.row] ?? (domain[1] - domain[0]) * perSecond) - item.right - 8);
      if (item.room < 56) item.room = 0;
      next[item.row] = item.left;
    }
    return { rows: out.length ? ROWS : rows, crowds: gather(out) };
  };
  const gather = (out) => {
    const crowds = [];
    for (const item of out) {
      item.crowded = true;
      item.row = ROWS - 1;
      item.room = 0;
      const last = crowds.at(-1);
      if (last && item.left - last.left < 34) last.items.push(item);
      else crowds.push({ left: item.left, items: [item] });
    }
    return crowds;
  };
  return { pack, inside, PAD };
};
