// Values: small plots of values over time, one beside the other, each with its least and greatest value in words.
import { make, span, size, real, moment } from './text.js';
import { columns } from './blocks.js';
import { Picture } from './canvas.js';
import { above } from './times.js';

const SERIES_SHOWN = 24;

export class Values {
  /** `kind` says what the numbers are: 'time' for nanoseconds, else by each series. */
  constructor(host, series, kind, duration) {
    this.kind = kind;
    this.duration = duration;
    if (!Array.isArray(series)) throw new Error('no series');
    const all = series.filter(s => s.time.length);
    all.sort((a, b) => this.move(b) - this.move(a));
    if (!all.length) return;
    const title = kind === 'time' ? 'Busiest timers, time in each frame' : 'Over time';
    host.append(make('div', 'title', make('strong', '', title)));
    this.grid = make('div', 'values');
    host.append(this.grid);
    for (const s of all.slice(0, SERIES_SHOWN)) this.add(s);
    if (all.length > SERIES_SHOWN) {
      const more = make('button', '', `${all.length - SERIES_SHOWN} more`);
      more.type = 'button';
      more.addEventListener('click', () => {
        more.remove();
        for (const s of all.slice(SERIES_SHOWN)) this.add(s);
      });
      host.append(more);
    }
  }

  /** What has values that differ comes first: as part of the greatest. Timers come as they are. */
  move(s) {
    const most = greatest(s.greatest), low = least(s.least);
    if (this.kind === 'time') return 0;
    return s.bytes ? most : most === low ? -1 : 0;
  }

  text(s, v) { return this.kind === 'time' ? span(v) : s.bytes ? size(v) : real(v); }

  add(s) {
    const n = columns(s.time, s.least, s.greatest, s.last);
    const low = least(s.least), high = greatest(s.greatest);
    const figure = make('figure'), name = make('b', '', s.name);
    name.title = s.name;
    const words = low === high ? 'always ' + this.text(s, low) : `${this.text(s, low)} to ${this.text(s, high)}`;
    figure.append(make('figcaption', '', name, make('span', '', words)));
    this.grid.append(figure);
    const to = Math.max(this.duration || 0, s.time[n - 1] + 1);
    const from = low < 0 ? low : 0, top = high > from ? high : from + 1;
    new Picture(figure, 62, `${s.name}: ${words}`, {
      paint: (c, w, h, k) => paintSteps(c, w, h, k, s, n, to, from, top),
      hover: x => {
        const at = above(s.time, x / figure.clientWidth * to) - 1;
        return at < 0 ? null : `${s.name}\n${this.text(s, s.least[at])}`
          + (s.least[at] === s.greatest[at] ? '' : ` to ${this.text(s, s.greatest[at])}`) + ` at ${moment(s.time[at])}`;
      },
    });
  }
}

/** Steps, as a value holds until the next one: by pixel least to greatest, each connected with the one before. */
function paintSteps(c, w, h, k, s, n, to, from, top) {
  const y = v => h - 2 - (v - from) / (top - from) * (h - 6);
  const wide = Math.ceil(w), low = new Float64Array(wide).fill(Infinity), high = new Float64Array(wide).fill(-Infinity);
  for (let i = 0; i < n; i++) {
    const a = Math.max(0, Math.floor(s.time[i] / to * w)), b = Math.floor((i + 1 < n ? s.time[i + 1] : to) / to * w);
    for (let x = a; x < Math.min(wide, Math.max(a + 1, b)); x++) {
      low[x] = Math.min(low[x], s.least[i]);
      high[x] = Math.max(high[x], s.greatest[i]);
    }
  }
  c.fillStyle = k.lane;
  c.fillRect(0, 0, w, h);
  for (let x = 0; x < wide; x++) {
    if (high[x] < low[x]) continue;
    c.fillStyle = k.pale;
    c.fillRect(x, y(low[x]), 1, h - 1 - y(low[x]));
    const beside = x > 0 && high[x - 1] >= low[x - 1];
    const bottom = beside ? Math.max(y(low[x]), y(high[x - 1])) : y(low[x]);
    const peak = beside ? Math.min(y(high[x]), y(low[x - 1])) : y(high[x]);
    c.fillStyle = k.bar;
    c.fillRect(x, peak - 0.8, 1, bottom - peak + 1.6);
  }
  c.strokeStyle = k.line;
  c.strokeRect(0.5, 0.5, w - 1, h - 1);
}

function least(values) { return values.reduce((a, b) => Math.min(a, b), Infinity); }
function greatest(values) { return values.reduce((a, b) => Math.max(a, b), -Infinity); }
