// Text: elements, and numbers as the commands write them. All other modules of the page use it.

/** An element with a class and children; texts are always text, never markup. */
export function make(tag, className, ...children) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children);
  return e;
}

/** v / size with at most so many digits, decimals first, rounded half up in whole numbers. */
function rounded(v, size, digits) {
  for (let d = digits - 1; d > 0; d--) {
    const ten = 10 ** d;
    if (v / size >= 10 ** (digits - d)) continue;
    const whole = Math.floor(v / size), rest = v % size;
    const q = whole * ten + Math.floor((rest * ten + Math.floor(size / 2)) / size);
    if (q < 10 ** digits) return (q / ten).toFixed(d);
  }
  return String(Math.floor(v / size) + (v % size >= size - Math.floor(size / 2) ? 1 : 0));
}

function scaled(v, scales, step, digits) {
  let text = String(v), i = 0;
  while (Number(text) >= step && i + 1 < scales.length) {
    i++;
    text = rounded(v, scales[i][0], digits);
  }
  return text + ' ' + scales[i][1];
}

const TIMES = [[1, 'ns'], [1e3, 'us'], [1e6, 'ms'], [1e9, 's']];
const SIZES = [[1, 'B'], [1024, 'KiB'], [1048576, 'MiB'], [1073741824, 'GiB'], [1099511627776, 'TiB']];

/** A length of time in nanoseconds: "12.34 ms". */
export function span(ns) {
  ns = Math.round(ns);
  return (ns < 0 ? '-' : '') + scaled(Math.abs(ns), TIMES, 1000, 4);
}

/** A round length of time beside an axis: "20 ms", "0.5 s", "0". */
export function mark(ns) {
  return ns === 0 ? '0' : span(ns).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');
}

/** Bytes: "1.50 MiB". */
export function size(bytes) {
  return (bytes < 0 ? '-' : '') + scaled(Math.abs(Math.round(bytes)), SIZES, 1024, 3);
}

/** A point in time: "6.135693 s". */
export function moment(ns) {
  return (Math.round(ns / 1000) / 1e6).toFixed(6) + ' s';
}

/** A whole number with groups of three digits. */
export function count(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number with at most six digits. */
export function real(v) {
  if (v === 0) return '0';
  const a = Math.abs(v);
  if (a >= 1e15 || a < 1e-4) return String(v);
  return String(Number(v.toPrecision(6)));
}

export function percent(part) {
  const v = part * 100;
  return (v !== 0 && Math.abs(v) < 0.01 ? real(Number(v.toPrecision(2))) : v.toFixed(2)) + ' %';
}

/** A text that fits a width: cut at its end, or in its middle, where names of threads differ at their ends. */
export function fitted(context, text, width, middle) {
  if (width < 8) return '';
  if (context.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const n = (low + high + 1) >> 1;
    if (context.measureText(cutTo(text, n, middle)).width <= width) low = n;
    else high = n - 1;
  }
  return low < 2 ? '' : cutTo(text, low, middle);
}

function cutTo(text, n, middle) {
  if (!middle) return text.slice(0, n) + '…';
  const tail = Math.floor(n / 2);
  return text.slice(0, n - tail) + '…' + text.slice(text.length - tail);
}

/** Steps of an axis: round numbers, about `n` of them. */
export function steps(from, to, n) {
  const raw = (to - from) / Math.max(1, n);
  if (!(raw > 0)) return [];
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * base).find(s => s >= raw);
  const out = [];
  for (let i = Math.ceil(from / step); i * step <= to && out.length < 100; i++) out.push(i * step);
  return out;
}
