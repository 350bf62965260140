// Frames: the picture of all frame times of a run, with percentiles, budget, regions, bookmarks and hitches; below it,
// at the same time axis, the work of threads and of the GPU in each frame, and the other types of frames.
import { make, span, mark, moment, steps, fitted } from './text.js';
import { framesOf, above, packed, seconds, triangle, diamond } from './times.js';
import { Picture, Range, statusLine } from './canvas.js';

const BAND = 15, ROW = 46, STRIP = 34;
const WORKERS = { game: 'game thread', render: 'render thread', rhi: 'RHI thread', gpu: 'GPU' };

/** Work in each game frame, as high as it is long and as wide as its frame. Who did nothing at all has no row. */
function workOf(work, game) {
  return work.map(framesOf).filter(set => set.length.some(v => v > 0)).map(set => ({ ...set, name: WORKERS[set.name] || set.name,
    gpu: set.name === 'gpu', wide: set.n === game.n ? game.length : set.length }));
}

export class Frames {
  constructor(host, data, links) {
    this.data = data;
    this.links = links;
    const types = data.frames.map(framesOf);
    this.game = types.shift();
    const work = workOf(data.work || [], this.game);
    this.others = [...work, ...types, ...(work.some(w => w.gpu) ? [] : data.gpu.map(framesOf))].slice(0, 6);
    const last = this.game.n - 1;
    const end = Math.max(data.duration || 0, last >= 0 ? this.game.begin[last] + this.game.length[last] : 1);
    this.range = new Range(0, end, 1e5);
    this.regions = packed(data.regions, end, 3);
    this.bands = Math.max(0, ...this.regions.map(r => r.row + 1));
    this.hitches = new Set(data.hitches.map(h => h.frame));
    this.log = false;
    this.selected = -1;
    this.build(host);
  }

  build(host) {
    const title = make('div', 'title', make('strong', '', 'Frame times over the run'));
    this.logButton = make('button', '', 'logarithmic');
    this.logButton.type = 'button';
    this.logButton.setAttribute('aria-pressed', 'false');
    this.logButton.addEventListener('click', () => this.toggleLog());
    const all = make('button', '', 'whole run');
    all.type = 'button';
    all.addEventListener('click', () => { this.range.whole(); this.changed(); });
    title.append(this.logButton, all);
    this.status = statusLine('Click into the picture, then wheel or W S zooms, A D moves, arrows go frame by frame.');
    host.append(title);
    this.top = 6 + this.bands * BAND + 16;
    this.plot = 230;
    const height = this.top + this.plot + 22 + this.others.length * ROW + STRIP + 8;
    this.picture = new Picture(host, height, 'Frame times over the run; the table of frames by type has the same figures, '
      + 'arrow keys go from frame to frame', {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: (x, y) => this.hover(x, y),
      click: (x, y) => this.click(x, y),
      zoom: (f, x) => { this.range.zoom(f, this.partAt(x)); this.changed(); },
      move: p => { this.range.move(p / this.inner()); this.changed(); },
      range: (a, b, end) => { this.drag = end ? null : [a, b]; if (end) this.range.set(this.timeAt(a), this.timeAt(b)); this.changed(); },
      whole: () => { this.range.whole(); this.changed(); },
      fit: () => { this.fit(); },
      key: e => this.key(e),
    });
    host.append(this.status);
  }

  /** Room for names on the left and for values on the right. */
  get left() { return this.picture.width < 700 ? 66 : 112; }
  get right() { return this.picture.width < 700 ? 104 : 116; }

  inner() { return this.picture.width - this.left - this.right; }
  partAt(x) { return Math.max(0, Math.min(1, (x - this.left) / this.inner())); }
  timeAt(x) { return this.range.from + this.partAt(x) * (this.range.to - this.range.from); }
  xOf(t) { return this.left + (t - this.range.from) / (this.range.to - this.range.from) * this.inner(); }

  changed() { this.picture.draw(); }

  toggleLog() {
    this.log = !this.log;
    this.logButton.setAttribute('aria-pressed', String(this.log));
    this.changed();
  }

  fit() {
    if (this.selected < 0) return;
    const b = this.game.begin[this.selected], l = this.game.length[this.selected];
    this.range.set(b - l * 2, b + l * 3);
    this.changed();
  }

  key(e) {
    const step = { ArrowRight: 1, ArrowLeft: -1, '.': 1, ',': -1 }[e.key];
    if (step) {
      const first = this.selected < 0 ? above(this.game.begin, this.range.from) - 1 : this.selected + step;
      this.select(Math.max(0, Math.min(this.game.n - 1, first)));
      return true;
    }
    if (e.key === 'n' || e.key === 'N') return this.nextHitch(e.key === 'N' ? -1 : 1);
    if (e.key === 'l' || e.key === 'L') this.toggleLog();
    else if (e.key === 'Enter' && this.selected >= 0) this.links.hitch(this.selected * this.game.group);
    else if (e.key === 'Escape') this.select(-1);
    else return false;
    return true;
  }

  nextHitch(step) {
    const list = this.data.hitches.map(h => h.frame).sort((a, b) => (a - b) * step);
    const next = list.find(f => (f - this.selected * this.game.group) * step > 0);
    if (next !== undefined) this.select(Math.floor(next / this.game.group));
    return true;
  }

  /** Selects a frame, and moves so that it is seen. */
  select(i) {
    this.selected = i;
    if (i >= 0) {
      const b = this.game.begin[i], width = this.range.to - this.range.from;
      if (b < this.range.from || b > this.range.to) this.range.set(b - width / 2, b + width / 2);
      this.status.textContent = this.textOf(i);
      this.links.address('frame=' + i * this.game.group);
    }
    this.changed();
  }

  textOf(i) {
    const frame = i * this.game.group;
    const hitch = this.hitches.has(frame) ? ', a hitch (Enter shows why)' : '';
    const group = this.game.group > 1 ? `, the longest of ${this.game.group}` : '';
    return `Frame ${frame}: ${span(this.game.length[i])} at ${moment(this.game.begin[i])}${group}${hitch}`;
  }

  indexAt(x) {
    const i = above(this.game.begin, this.timeAt(x)) - 1;
    return i < 0 || i >= this.game.n ? -1 : i;
  }

  /** Of the frames below a pixel the longest. */
  longestAt(x) {
    const first = Math.max(0, above(this.game.begin, this.timeAt(x - 1)) - 1);
    const last = Math.min(this.game.n - 1, above(this.game.begin, this.timeAt(x + 1)) - 1);
    let best = -1;
    for (let i = first; i <= last; i++) if (best < 0 || this.game.length[i] > this.game.length[best]) best = i;
    return best;
  }

  hover(x, y) {
    if (x < this.left || x > this.left + this.inner()) return null;
    const t = this.timeAt(x), lines = [];
    const i = this.longestAt(x);
    if (i >= 0) lines.push(this.textOf(i));
    for (const r of this.regions) if (r.begin <= t && t < r.end) lines.push('in ' + r.name);
    for (const b of this.data.bookmarks) if (Math.abs(this.xOf(b.time) - x) < 3) lines.push('◆ ' + b.text);
    for (const o of this.others) {
      const k = above(o.begin, t) - 1;
      if (k >= 0 && y > this.top + this.plot + 20) lines.push(`${o.name}: ${span(o.length[k])}${o.wide ? ' of work' : ''}`);
    }
    return lines.join('\n') || null;
  }

  click(x, y) {
    const strip = this.picture.box.clientHeight - STRIP;
    if (y > strip) {
      const [a, b] = this.range.bounds, width = this.range.to - this.range.from, at = a + this.partAt(x) * (b - a);
      this.range.set(at - width / 2, at + width / 2);
      this.changed();
    } else if (x >= this.left) this.select(this.longestAt(x));
  }

  /** The longest of the frames in sight, which the axis has to hold. */
  greatest(set) {
    let most = 0;
    const first = Math.max(0, above(set.begin, this.range.from) - 1);
    for (let i = first; i < set.n && set.begin[i] < this.range.to; i++) most = Math.max(most, set.length[i]);
    return most || 1;
  }

  paint(c, w, h, k) {
    const inner = this.inner();
    if (inner < 20) return;
    this.most = Math.max(this.greatest(this.game) * 1.06, (this.data.stats.median || 0) * 1.3, this.data.budget * 1.1);
    this.paintBands(c, k);
    this.paintAxis(c, k);
    this.paintBars(c, this.game, this.top, this.plot, v => this.yOf(v), k, true);
    this.paintLines(c, k);
    this.paintMarks(c, k);
    this.others.forEach((o, n) => this.paintOther(c, o, this.top + this.plot + 22 + n * ROW, k));
    this.paintStrip(c, h - STRIP, STRIP - 6, k);
    if (this.drag) {
      c.fillStyle = k.band;
      c.fillRect(this.drag[0], this.top, this.drag[1] - this.drag[0], this.plot);
    }
  }

  yOf(v) {
    const base = this.top + this.plot;
    if (!this.log) return base - v / this.most * this.plot;
    const low = this.logLow();
    return base - Math.max(0, Math.log(Math.max(v, low) / low) / Math.log(this.most / low)) * this.plot;
  }

  logLow() { return Math.max(1, (this.data.stats.median || this.most) / 20); }

  paintBands(c, k) {
    for (const r of this.regions) {
      const a = Math.max(this.left, this.xOf(r.begin)), b = Math.min(this.left + this.inner(), this.xOf(r.end));
      if (b <= this.left || a >= this.left + this.inner()) continue;
      const y = 6 + r.row * BAND, width = Math.max(1, b - a);
      if (r.row === 0) {
        c.fillStyle = k.band;
        c.fillRect(a, this.top, width, this.plot);
      }
      c.fillStyle = k.mark;
      c.globalAlpha = 0.25;
      c.fillRect(a, y, Math.max(1, width - 1), BAND - 2);
      c.globalAlpha = 1;
      c.fillStyle = k.ink;
      c.fillText(fitted(c, r.name, width - 6), a + 3, y + BAND / 2 - 0.5);
    }
  }

  paintAxis(c, k) {
    c.strokeStyle = k.line;
    c.lineWidth = 1;
    c.fillStyle = k.dim;
    c.textAlign = 'right';
    const values = this.log ? logSteps(this.logLow(), this.most) : steps(0, this.most, 6);
    for (const v of values) {
      const y = Math.round(this.yOf(v)) + 0.5;
      c.beginPath();
      c.moveTo(this.left, y);
      c.lineTo(this.left + this.inner(), y);
      c.stroke();
      c.fillText(mark(v), this.left - 6, y);
    }
    c.textAlign = 'center';
    const base = this.top + this.plot;
    for (const t of steps(this.range.from, this.range.to, this.inner() / 110)) {
      const x = Math.round(this.xOf(t)) + 0.5;
      c.beginPath();
      c.moveTo(x, base);
      c.lineTo(x, base + 4);
      c.stroke();
      c.fillText(seconds(t, this.range.to - this.range.from), Math.min(x, this.left + this.inner() - 12), base + 12);
    }
    c.textAlign = 'left';
  }

  /** Bars where frames are wide enough; else by pixel least to greatest in colour, and light below. A long frame among
   * short ones is a bar all the same. */
  paintBars(c, set, top, height, yOf, k, hitches) {
    const base = top + height, first = Math.max(0, above(set.begin, this.range.from) - 1);
    const last = above(set.begin, this.range.to);
    const left = this.left, right = this.left + this.inner();
    if (last - first < this.inner() / 1.4) {
      for (let i = first; i < last; i++) {
        const a = Math.max(left, this.xOf(set.begin[i])), b = Math.min(right, this.endOf(set, i, last));
        if (b < left || a > right) continue;
        const y = yOf(set.length[i]), gap = b - a > 4 ? 1 : 0, x = Math.round(a);
        c.fillStyle = hitches && this.hitches.has(i * set.group) ? k.hitch : k.bar;
        c.fillRect(x, y, Math.max(1, Math.round(b) - x - gap), base - y);
      }
      return;
    }
    this.paintFolded(c, set, first, last, base, yOf, k, hitches);
  }

  /** Where a bar ends: with its frame, or with what comes next where the gap between them would only be stripes. */
  endOf(set, i, last) {
    const a = this.xOf(set.begin[i]), b = this.xOf(set.begin[i] + (set.wide || set.length)[i]);
    const next = i + 1 < last ? this.xOf(set.begin[i + 1]) : b;
    return next > b && next - a < 4 ? next : b;
  }

  paintFolded(c, set, first, last, base, yOf, k, hitches) {
    const n = Math.ceil(this.inner()), least = new Float64Array(n).fill(Infinity), most = new Float64Array(n);
    const bad = new Uint8Array(n), alone = new Uint8Array(n);
    for (let i = first; i < last; i++) {
      const a = Math.max(0, Math.floor(this.xOf(set.begin[i]) - this.left));
      const b = Math.min(n - 1, Math.floor(this.endOf(set, i, last) - this.left));
      for (let p = a; p <= b; p++) {
        least[p] = Math.min(least[p], set.length[i]);
        most[p] = Math.max(most[p], set.length[i]);
        if (hitches && this.hitches.has(i * set.group)) bad[p] = 1;
        if (b - a > 2 && (p < b || i === last - 1)) alone[p] = 1;
      }
    }
    for (let p = 0; p < n; p++) {
      if (!most[p]) continue;
      const y = yOf(most[p]), z = Math.max(y + 1, yOf(least[p]));
      c.fillStyle = k.pale;
      c.fillRect(this.left + p, z, 1, base - z);
      c.fillStyle = bad[p] ? k.hitch : k.bar;
      c.fillRect(this.left + p, y, 1, (alone[p] ? base : z) - y);
    }
  }

  paintLines(c, k) {
    const s = this.data.stats, labels = [];
    const lines = [[this.picture.width < 700 ? 'p50' : 'median', s.median, [], k.ink], ['p95', s.p95, [6, 3], k.ink], ['p99', s.p99, [2, 3], k.ink],
      ['budget', this.data.budget, [10, 4], k.over]];
    for (const [name, v, dash, colour] of lines) {
      if (!v || v > this.most) continue;
      const y = this.yOf(v);
      c.setLineDash(dash);
      c.strokeStyle = colour;
      c.globalAlpha = 0.75;
      c.beginPath();
      c.moveTo(this.left, y);
      c.lineTo(this.left + this.inner(), y);
      c.stroke();
      c.globalAlpha = 1;
      c.setLineDash([]);
      labels.push({ y, text: `${name} ${span(v)}`, colour });
    }
    labels.sort((a, b) => b.y - a.y);
    for (let i = 1; i < labels.length; i++) labels[i].y = Math.min(labels[i].y, labels[i - 1].y - 13);
    for (const l of labels) {
      c.fillStyle = l.colour;
      c.fillText(fitted(c, l.text, this.right - 8), this.left + this.inner() + 5, l.y);
    }
  }

  paintMarks(c, k) {
    for (const b of this.data.bookmarks) {
      const x = Math.round(this.xOf(b.time)) + 0.5;
      if (x < this.left || x > this.left + this.inner()) continue;
      c.strokeStyle = k.mark;
      c.setLineDash([3, 3]);
      c.beginPath();
      c.moveTo(x, this.top - 4);
      c.lineTo(x, this.top + this.plot);
      c.stroke();
      c.setLineDash([]);
      c.fillStyle = k.mark;
      diamond(c, x, this.top - 8);
    }
    for (const hitch of this.data.hitches) {
      const x = this.xOf(hitch.begin + hitch.length / 2);
      if (x >= this.left && x <= this.left + this.inner()) triangle(c, x, this.yOf(hitch.length) - 9, k.hitch);
    }
    if (this.selected >= 0) {
      const a = this.xOf(this.game.begin[this.selected]), b = this.xOf(this.game.begin[this.selected] + this.game.length[this.selected]);
      c.strokeStyle = k.select;
      c.lineWidth = 2;
      const y = this.yOf(this.game.length[this.selected]);
      if (b >= this.left && a <= this.left + this.inner()) c.strokeRect(a - 1, y - 1, Math.max(3, b - a) + 2, this.top + this.plot - y + 1);
      c.lineWidth = 1;
    }
  }

  paintOther(c, set, top, k) {
    const most = this.greatest(set), height = ROW - 12;
    c.fillStyle = k.lane;
    c.fillRect(this.left, top, this.inner(), height);
    this.paintBars(c, set, top, height, v => top + height - v / most * height, k, false);
    c.fillStyle = k.dim;
    c.textAlign = 'right';
    c.fillText(fitted(c, this.left < 100 ? set.name.replace(/ thread$/, '') : set.name, this.left - 8, true), this.left - 6, top + height / 2);
    c.textAlign = 'left';
    c.fillText(fitted(c, 'max ' + span(most), this.right - 8), this.left + this.inner() + 5, top + 6);
  }

  /** The whole run, and what is seen of it. */
  paintStrip(c, top, height, k) {
    const n = Math.ceil(this.inner()), most = new Float64Array(n), [a, b] = this.range.bounds;
    let top1 = 1;
    for (let i = 0; i < this.game.n; i++) {
      const p = Math.floor((this.game.begin[i] - a) / (b - a) * n);
      const q = Math.min(n - 1, Math.floor((this.game.begin[i] + this.game.length[i] - a) / (b - a) * n));
      for (let x = Math.max(0, p); x <= q; x++) most[x] = Math.max(most[x], this.game.length[i]);
      top1 = Math.max(top1, this.game.length[i]);
    }
    c.fillStyle = k.lane;
    c.fillRect(this.left, top, n, height);
    c.fillStyle = k.bar;
    for (let x = 0; x < n; x++) if (most[x]) c.fillRect(this.left + x, top + height - most[x] / top1 * height, 1, most[x] / top1 * height);
    const x0 = this.left + (this.range.from - a) / (b - a) * n, x1 = this.left + (this.range.to - a) / (b - a) * n;
    c.fillStyle = k.band;
    c.fillRect(x0, top, x1 - x0, height);
    c.strokeStyle = k.link;
    c.strokeRect(x0 + 0.5, top + 0.5, Math.max(2, x1 - x0 - 1), height - 1);
    c.fillStyle = k.dim;
    c.textAlign = 'right';
    c.fillText('whole run', this.left - 6, top + height / 2);
    c.textAlign = 'left';
  }
}

function logSteps(low, high) {
  const out = [];
  for (let d = 10 ** Math.floor(Math.log10(low)); d <= high; d *= 10)
    for (const f of [1, 2, 5]) if (d * f >= low && d * f <= high) out.push(d * f);
  return out;
}
