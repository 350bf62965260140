// Distribution: how many frames took how long, both axes logarithmic, so that one slow frame of many is seen.
import { make, span, mark, count, steps } from './text.js';
import { Picture, statusLine } from './canvas.js';
import { framesOf } from './times.js';

const D_LEFT = 60, D_RIGHT = 62, D_BOTTOM = 22, D_TOP = 20;

export class Distribution {
  constructor(host, data) {
    const game = framesOf(data.frames[0]);
    this.data = data;
    this.lengths = Array.from(game.length).filter(v => v > 0);
    if (!this.lengths.length) return;
    this.low = Math.min(...spread(this.lengths, Math.min)) / 1.05;
    this.high = Math.max(...spread(this.lengths, Math.max)) * 1.05;
    this.bins = 80;
    this.counts = new Array(this.bins).fill(0);
    for (const v of this.lengths) this.counts[this.binOf(v)]++;
    this.slow = new Array(this.bins).fill(0);
    for (const hitch of data.hitches) this.slow[this.binOf(hitch.length)]++;
    this.selected = -1;
    const group = game.group > 1 ? ` (the longest of each ${game.group})` : '';
    host.append(make('div', 'title', make('strong', '', 'Distribution of frame times' + group)));
    this.status = statusLine('Arrows go from bar to bar.');
    this.picture = new Picture(host, 160, 'How many frames took how long; the table of frames by type has percentiles', {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: x => this.textOf(this.barAt(x)),
      click: x => this.select(this.barAt(x)),
      key: e => this.key(e),
    });
    host.append(this.status);
  }

  binOf(v) {
    return Math.max(0, Math.min(this.bins - 1, Math.floor(Math.log(v / this.low) / Math.log(this.high / this.low) * this.bins)));
  }

  edge(i) { return this.low * (this.high / this.low) ** (i / this.bins); }

  /** Are half of the frames of a bar hitches? */
  isSlow(i) { return this.slow[i] * 2 >= this.counts[i]; }

  barAt(x) {
    const i = Math.floor((x - D_LEFT) / (this.picture.width - D_LEFT - D_RIGHT) * this.bins);
    return i >= 0 && i < this.bins ? i : -1;
  }

  textOf(i) {
    return i < 0 ? null : `${count(this.counts[i])} frames of ${span(this.edge(i))} to ${span(this.edge(i + 1))}`;
  }

  select(i) {
    this.selected = i;
    this.status.textContent = this.textOf(i) || '';
    this.picture.draw();
  }

  key(e) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return false;
    let i = this.selected < 0 && step < 0 ? this.bins : this.selected;
    do i += step; while (i >= 0 && i < this.bins && !this.counts[i]);
    if (i >= 0 && i < this.bins) this.select(i);
    return true;
  }

  /** What the axis names: round values, or where frames are alike so that there are few of them, even steps. */
  marks() {
    const out = [];
    for (let d = 10 ** Math.floor(Math.log10(this.low)); d <= this.high; d *= 10)
      for (const f of [1, 2, 3, 5]) if (d * f >= this.low && d * f <= this.high) out.push(d * f);
    return out.length > 2 ? out : steps(this.low, this.high, 6).filter(v => v >= this.low && v <= this.high);
  }

  paint(c, w, h, k) {
    const inner = w - D_LEFT - D_RIGHT, height = h - D_TOP - D_BOTTOM, most = Math.max(...this.counts), base = D_TOP + height;
    const yOf = n => n ? base - (Math.log(n) + 0.4) / (Math.log(most) + 0.4) * height : base;
    c.strokeStyle = k.line;
    c.textAlign = 'right';
    for (let n = 1; n <= most; n *= 10) {
      const y = Math.round(yOf(n)) + 0.5;
      c.beginPath();
      c.moveTo(D_LEFT, y);
      c.lineTo(D_LEFT + inner, y);
      c.stroke();
      c.fillStyle = k.dim;
      c.fillText(count(n), D_LEFT - 6, y);
    }
    for (let i = 0; i < this.bins; i++) {
      if (!this.counts[i]) continue;
      const x = D_LEFT + i / this.bins * inner, y = yOf(this.counts[i]);
      c.fillStyle = this.isSlow(i) ? k.hitch : k.bar;
      c.fillRect(x, y, Math.max(1, inner / this.bins - 1), base - y);
      if (i === this.selected) {
        c.strokeStyle = k.select;
        c.strokeRect(x - 1, y - 1, inner / this.bins + 1, base - y + 1);
      }
    }
    c.textAlign = 'center';
    c.fillStyle = k.dim;
    let last = -100;
    for (const v of this.marks()) {
      const x = D_LEFT + Math.log(v / this.low) / Math.log(this.high / this.low) * inner;
      if (x - last < 56) continue;
      c.fillText(mark(v), x, base + 11);
      last = x;
    }
    c.textAlign = 'left';
    this.paintLines(c, inner, base, k);
  }

  paintLines(c, inner, base, k) {
    const lines = [['median', this.data.stats.median], ['p99', this.data.stats.p99]];
    let last = 0;
    for (const [name, v] of lines) {
      const x = D_LEFT + Math.log(v / this.low) / Math.log(this.high / this.low) * inner;
      c.strokeStyle = k.ink;
      c.setLineDash([3, 3]);
      c.beginPath();
      c.moveTo(x, D_TOP - 3);
      c.lineTo(x, base);
      c.stroke();
      c.setLineDash([]);
      c.fillStyle = k.ink;
      const at = Math.max(x - 2, last);
      c.fillText(name, at, D_TOP - 10);
      last = at + c.measureText(name).width + 10;
    }
  }
}

/** Least or greatest of parts, as a call takes no more than some ten thousand values. */
function spread(values, of) {
  const out = [];
  for (let i = 0; i < values.length; i += 8192) out.push(of(...values.slice(i, i + 8192)));
  return out;
}
