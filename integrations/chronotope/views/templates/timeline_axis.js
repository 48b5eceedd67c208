// The calendar of the axis: which moments get a line and what is written there, from hours to millennia, before and after year 1.
const HOUR = 3600, DAY = 24 * HOUR, YEAR = 365.2425 * DAY;
const MONTH_NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const civil = (seconds) => {
  const date = new Date(Math.floor(seconds) * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate(), hour: date.getUTCHours(), minute: date.getUTCMinutes() };
};
const moment = (year, month = 0, day = 1, hour = 0) => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour);
  return date.getTime() / 1000;
};
// Year 0 of the arithmetic is 1 BC.
const yearName = (year) => (year > 0 ? String(year) : `${1 - year} BC`);

const yearsAt = (step) => (from, to) => {
  const found = [];
  const round = (year) => Math.floor((year > 0 ? year : year - 1) / step) * step;
  for (let told = round(civil(from).year); ; told += step) {
    const year = told > 0 ? told : told + 1;
    if (told === 0) continue;
    const at = moment(year);
    if (at > to) return found;
    found.push({ at, told: yearName(year), year });
  }
};
const monthsAt = (step) => (from, to) => {
  const found = [];
  const first = civil(from);
  for (let month = Math.floor(first.month / step) * step; ; month += step) {
    const at = moment(first.year, month);
    if (at > to) return found;
    const { year, month: shown } = civil(at);
    found.push({ at, told: MONTH_NAMES[shown], year });
  }
};
const daysAt = (step) => (from, to) => {
  const found = [];
  for (let at = Math.floor(from / DAY) * DAY; at <= to; at += DAY) {
    const { year, month, day } = civil(at);
    const last = civil(moment(year, month + 1) - DAY).day;
    if ((day - 1) % step === 0 && day + step / 2 <= last + 1) found.push({ at, told: `${day} ${MONTH_NAMES[month]}`, year });
  }
  return found;
};
const hoursAt = (step) => (from, to) => {
  const found = [];
  for (let at = Math.floor(from / (step * HOUR)) * step * HOUR; at <= to; at += step * HOUR) {
    found.push({ at, told: `${String(civil(at).hour).padStart(2, "0")}:00`, year: civil(at).year });
  }
  return found;
};
const minutesAt = (step) => (from, to) => {
  const found = [];
  for (let at = Math.floor(from / (step * 60)) * step * 60; at <= to; at += step * 60) {
    const { hour, minute, year } = civil(at);
    found.push({ at, told: `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`, year });
  }
  return found;
};

// [length, lines, what stands above them: the year, the day, or nothing]
const LADDER = [
  ...[1, 5, 15, 30].map((step) => [step * 60, minutesAt(step), "day"]),
  ...[1, 3, 6].map((step) => [step * HOUR, hoursAt(step), "day"]),
  ...[1, 2, 7, 15].map((step) => [step * DAY, daysAt(step), "year"]),
  ...[1, 3, 6].map((step) => [step * YEAR / 12, monthsAt(step), "year"]),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map((step) => [step * YEAR, yearsAt(step), ""]),
];

// Lines for a stretch shown on so many pixels, at least `room` apart, and the coarser unit that they lie in.
const axisOf = (from, to, width, room = 64) => {
  const [, lines, above] = LADDER.find(([length]) => (length / (to - from)) * width >= room) ?? LADDER.at(-1);
  const upper = above === "day" ? daysAt(1)(from, to).map((day) => ({ ...day, told: `${day.told} ${yearName(day.year)}` })) : above === "year" ? yearsAt(1)(from, to) : [];
  return { lines: lines(from, to), upper };
};
