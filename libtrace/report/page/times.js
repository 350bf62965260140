// Times: frames of a block, marks and regions at a time axis. Pictures of frames and the viewer share it.
import { columns } from './blocks.js';

/** Begins and lengths of the frames of a type, from gaps and lengths. */
export function framesOf(type) {
  const n = columns(type.gap, type.length);
  const begin = new Float64Array(n);
  for (let i = 0, end = 0; i < n; i++) {
    begin[i] = end + type.gap[i];
    end = begin[i] + type.length[i];
  }
  return { name: type.name, begin, length: type.length, n, group: type.group };
}

/** The first index whose value is greater than v. */
export function above(values, v) {
  let low = 0, high = values.length;
  while (low < high) {
    const at = (low + high) >> 1;
    if (values[at] > v) high = at;
    else low = at + 1;
  }
  return low;
}

/** Regions in rows in which none lies on another, at most `most` of them. */
export function packed(regions, end, most) {
  const rows = [];
  return [...regions].map(r => ({ ...r, end: r.length < 0 ? end : r.begin + r.length })).sort((a, b) => a.begin - b.begin)
    .map(r => {
      let row = rows.findIndex(last => last <= r.begin);
      if (row < 0 && rows.length < most) row = rows.push(0) - 1;
      if (row >= 0) rows[row] = r.end;
      return { ...r, row };
    }).filter(r => r.row >= 0);
}

/** Seconds with as many decimals as the width of the axis needs. */
export function seconds(ns, width) {
  const digits = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(width / 1e9))));
  return (ns / 1e9).toFixed(digits) + ' s';
}

export function triangle(c, x, y, colour) {
  c.fillStyle = colour;
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(x + 5, y + 8);
  c.lineTo(x - 5, y + 8);
  c.fill();
}

export function diamond(c, x, y) {
  c.beginPath();
  c.moveTo(x, y - 4);
  c.lineTo(x + 4, y);
  c.lineTo(x, y + 4);
  c.lineTo(x - 4, y);
  c.fill();
}
