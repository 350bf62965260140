// Timeline: all threads and GPU queues around a frame. The main threads are open, the others show their first rows.
import { make, span, mark, moment, steps, fitted } from './text.js';
import { columns, indices } from './blocks.js';
import { Picture, Range, statusLine, colourOf } from './canvas.js';
import { above } from './times.js';

const BAR = 16, RULER = 22, SMALL = 3, OPEN = 16, GAP = 5;
const MAIN = [/^GameThread/, /^Main/i, /^RenderThread/, /^RHIThread/];

/** The scopes of a block with their lanes; what does not fit is an error. */
export function windowOf(data) {
  const n = columns(data.lane, data.timer, data.depth, data.start, data.length);
  indices(data.timer, data.names);
  indices(data.lane, data.lanes);
  const lanes = data.lanes.map(l => ({ name: String(data.names[l.name]), gpu: Boolean(l.gpu), path: Boolean(l.path), scopes: [], depth: 0 }));
  const scopes = [];
  for (let i = 0, at = data.from; i < n; i++) {
    at += data.start[i];
    const lane = lanes[data.lane[i]];
    const end = data.length[i] < 0 ? data.to : at + data.length[i];
    const s = { lane, name: data.names[data.timer[i]], depth: data.depth[i], start: at, end, open: data.length[i] < 0 };
    lane.scopes.push(s);
    lane.depth = Math.max(lane.depth, s.depth + 1);
    scopes.push(s);
  }
  return { ...data, lanes, scopes };
}

function rank(lane) {
  if (lane.path) return -1;
  const at = MAIN.findIndex(expression => expression.test(lane.name));
  return at >= 0 ? at : lane.gpu ? 10 : 20;
}

export class Timeline {
  constructor(host, win, waits) {
    this.win = win;
    this.waits = waits;
    this.lanes = win.lanes.filter(l => l.scopes.length);
    this.lanes.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
    this.lanes.forEach((l, i) => {
      l.open = i === 0;
      const least = (win.to - win.from) / 700;
      l.seen = Math.max(1, ...l.scopes.map(s => s.end - s.start >= least ? s.depth + 1 : 1));
      l.rows = Array.from({ length: l.depth }, () => []);
      for (const s of l.scopes) l.rows[s.depth].push(s);
      for (const row of l.rows) row.sort((a, b) => a.start - b.start);
      l.starts = l.rows.map(row => row.map(s => s.start));
    });
    this.range = new Range(win.from, win.to, 1000);
    this.chosen = null;
    const title = make('div', 'title', make('strong', '', `Timeline of frame ${win.frame}, with the frames beside it`));
    host.append(title);
    const all = make('button', '', 'all'), only = make('button', '', 'only the frame');
    all.type = only.type = 'button';
    all.addEventListener('click', () => this.see(win.from, win.to));
    only.addEventListener('click', () => this.see(win.begin, win.end));
    title.append(all, only);
    if (win.left_out) title.append(make('span', 'more', `${win.left_out} scopes of at most ${span(win.longest_left)} are not drawn`));
    this.status = statusLine('Click into the picture, then wheel or W S zooms, A D moves, F fits what is selected.');
    this.picture = new Picture(host, this.place(), `Timeline of frame ${win.frame}; the table of reasons says in words what took long`, {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: (x, y) => { const s = this.scopeAt(x, y); return s ? this.textOf(s, '\n') : x < this.names ? this.laneText(y) : null; },
      click: (x, y) => this.click(x, y),
      zoom: (f, x) => { this.range.zoom(f, this.part(x)); this.picture.draw(); },
      move: p => { this.range.move(p / this.inner()); this.picture.draw(); },
      range: (a, b, end) => { this.drag = end ? null : [a, b]; if (end) this.range.set(this.timeAt(a), this.timeAt(b)); this.picture.draw(); },
      whole: () => this.see(win.from, win.to),
      fit: (x, y) => {
        if (x !== undefined) this.choose(this.scopeAt(x, y));
        if (this.chosen) this.see(this.chosen.start - (this.chosen.end - this.chosen.start) * 0.1, this.chosen.end + (this.chosen.end - this.chosen.start) * 0.1);
      },
      key: e => this.key(e),
    });
    host.append(this.status);
  }

  see(from, to) {
    this.range.set(from, to);
    this.picture.draw();
  }

  /** Rows of a lane: open those that hold something to be seen, or all once it was clicked. */
  rowsOf(l) { return l.whole ? Math.min(l.depth, 60) : Math.min(l.seen, l.open ? OPEN : SMALL); }

  /** Gives each lane its place, and returns the height of all. */
  place() {
    let y = RULER;
    for (const l of this.lanes) {
      l.top = y;
      y += this.rowsOf(l) * BAR + GAP;
    }
    return y + 2;
  }

  /** Room for the names of lanes. */
  get names() { return this.picture && this.picture.width < 700 ? 84 : 150; }

  inner() { return Math.max(1, this.picture.width - this.names - 4); }
  part(x) { return Math.max(0, Math.min(1, (x - this.names) / this.inner())); }
  timeAt(x) { return this.range.from + this.part(x) * (this.range.to - this.range.from); }
  xOf(t) { return this.names + (t - this.range.from) / (this.range.to - this.range.from) * this.inner(); }

  laneAt(y) { return this.lanes.find(l => y >= l.top && y < l.top + this.rowsOf(l) * BAR) || null; }

  laneText(y) {
    const l = this.laneAt(y);
    return l && `${l.name}\n${l.depth} rows${l.depth > this.rowsOf(l) || l.whole ? '; a click shows ' + (l.whole ? 'fewer' : 'all') : ''}`;
  }

  /** The scope of a row at a pixel: what is narrower than one is found beside it. */
  scopeAt(x, y) {
    const l = this.laneAt(y);
    if (!l || x < this.names) return null;
    const row = Math.floor((y - l.top) / BAR), list = l.rows[row];
    if (!list) return null;
    const i = above(l.starts[row], this.timeAt(x + 0.6)) - 1;
    return i >= 0 && list[i].end >= this.timeAt(x - 1) ? list[i] : null;
  }

  textOf(s, glue) {
    const waits = this.waits.has(s.name) ? ' (waits)' : '', open = s.open ? ', never ended' : '';
    return [s.name + waits, `${span(s.end - s.start)}${open} at ${moment(s.start)}`, `on ${s.lane.name}`].join(glue);
  }

  choose(s) {
    this.chosen = s;
    if (s) this.status.textContent = this.textOf(s, ', ');
    this.picture.draw();
  }

  click(x, y) {
    if (x < this.names) {
      const l = this.laneAt(y);
      if (!l) return;
      l.whole = !l.whole;
      this.picture.height(this.place());
    } else this.choose(this.scopeAt(x, y));
  }

  key(e) {
    const s = this.chosen;
    if (!e.key.startsWith('Arrow')) return e.key === 'Escape' ? (this.choose(null), true) : false;
    if (!s) {
      this.choose(this.lanes[0] && this.lanes[0].scopes.find(o => o.end > this.range.from) || null);
      return true;
    }
    const list = s.lane.rows[s.depth], at = list.indexOf(s), lane = this.lanes.indexOf(s.lane);
    if (e.key === 'ArrowRight') this.choose(list[at + 1] || s);
    else if (e.key === 'ArrowLeft') this.choose(list[at - 1] || s);
    else if (e.shiftKey) {
      const next = this.lanes[lane + (e.key === 'ArrowDown' ? 1 : -1)];
      if (next) this.choose(next.scopes.find(o => o.end > s.start) || next.scopes[0]);
    } else if (e.key === 'ArrowDown') this.choose((s.lane.rows[s.depth + 1] || []).find(o => o.start >= s.start && o.end <= s.end) || s);
    else this.choose(s.depth ? s.lane.rows[s.depth - 1].find(o => o.start <= s.start && o.end >= s.end) || s : s);
    const c = this.chosen;
    if (c && (c.end < this.range.from || c.start > this.range.to)) this.see(c.start - (this.range.to - this.range.from) / 2, c.start + (this.range.to - this.range.from) / 2);
    return true;
  }

  paint(c, w, h, k) {
    this.paintRuler(c, h, k);
    for (const l of this.lanes) this.paintLane(c, w, l, k);
    this.paintFrame(c, h, k);
    if (this.drag) {
      c.fillStyle = k.band;
      c.fillRect(this.drag[0], RULER, this.drag[1] - this.drag[0], h - RULER);
    }
  }

  paintRuler(c, h, k) {
    c.strokeStyle = k.line;
    c.fillStyle = k.dim;
    c.textAlign = 'center';
    for (const t of steps(this.range.from - this.win.begin, this.range.to - this.win.begin, this.inner() / 90)) {
      const x = Math.round(this.xOf(t + this.win.begin)) + 0.5;
      c.beginPath();
      c.moveTo(x, RULER - 4);
      c.lineTo(x, h);
      c.stroke();
      if (x > this.names + 20) c.fillText(mark(t), Math.min(x, this.names + this.inner() - 24), RULER / 2);
    }
    c.textAlign = 'right';
    c.fillText(this.names > 100 ? 'from its begin' : 'time', this.names - 8, RULER / 2);
    c.textAlign = 'left';
  }

  /** What is before and behind the frame is shaded. */
  paintFrame(c, h, k) {
    const a = Math.max(this.names, this.xOf(this.win.begin)), b = Math.min(this.names + this.inner(), this.xOf(this.win.end));
    c.fillStyle = k.panel;
    c.globalAlpha = 0.45;
    if (a > this.names) c.fillRect(this.names, RULER, a - this.names, h - RULER);
    if (b < this.names + this.inner()) c.fillRect(b, RULER, this.names + this.inner() - b, h - RULER);
    c.globalAlpha = 1;
    c.strokeStyle = k.hitch;
    for (const t of [this.win.begin, this.win.end]) {
      const x = Math.round(this.xOf(t)) + 0.5;
      if (x < this.names || x > this.names + this.inner()) continue;
      c.beginPath();
      c.moveTo(x, RULER - 4);
      c.lineTo(x, h);
      c.stroke();
    }
  }

  paintLane(c, w, l, k) {
    const rows = this.rowsOf(l);
    c.fillStyle = k.lane;
    c.fillRect(this.names, l.top, this.inner(), rows * BAR);
    c.fillStyle = k.ink;
    c.textAlign = 'right';
    c.fillText(fitted(c, l.path && this.names < 100 ? 'Path' : l.name, this.names - 14, true), this.names - 8, l.top + BAR / 2);
    if (l.depth > rows && rows > 1) {
      c.fillStyle = k.dim;
      c.fillText(`+${l.depth - rows} deeper`, this.names - 8, l.top + BAR * 1.5);
    }
    c.textAlign = 'left';
    for (let row = 0; row < rows; row++) this.paintRow(c, l, row, l.top + row * BAR, k);
  }

  /** Boxes of a row; those that are narrower than a pixel become one with the colour of the longest. */
  paintRow(c, l, row, y, k) {
    const list = l.rows[row], left = this.names, right = this.names + this.inner();
    let piece = null;
    const flush = () => {
      if (!piece) return;
      c.globalAlpha = 0.7;
      c.fillStyle = this.colour(piece.longest, k);
      c.fillRect(piece.from, y, Math.max(1, piece.to - piece.from), BAR - 1);
      c.globalAlpha = 1;
      piece = null;
    };
    for (const s of list) {
      if (s.end < this.range.from) continue;
      if (s.start > this.range.to) break;
      const a = Math.max(left, this.xOf(s.start)), b = Math.min(right, this.xOf(s.end)), width = b - a;
      if (width < 1.5) {
        if (piece && a - piece.to < 1) {
          piece.to = Math.max(piece.to, b);
          if (s.end - s.start > piece.longest.end - piece.longest.start) piece.longest = s;
        } else {
          flush();
          piece = { from: a, to: b, longest: s };
        }
        continue;
      }
      flush();
      c.fillStyle = this.colour(s, k);
      c.fillRect(a, y, Math.max(1, width - (width > 3 ? 1 : 0)), BAR - 1);
      if (width > 24) {
        c.fillStyle = k.ink;
        c.fillText(fitted(c, s.name + (this.waits.has(s.name) ? ' (waits)' : ''), width - 7), a + 3, y + BAR / 2);
      }
    }
    flush();
    const s = this.chosen;
    if (s && s.lane === l && s.depth === row && s.end >= this.range.from && s.start <= this.range.to) {
      c.strokeStyle = k.select;
      c.lineWidth = 2;
      const a = Math.max(left, this.xOf(s.start)), b = Math.min(right, this.xOf(s.end));
      c.strokeRect(a, y, Math.max(3, b - a), BAR - 1);
      c.lineWidth = 1;
    }
  }

  colour(s, k) { return this.waits.has(s.name) ? k.wait : colourOf(s.name, k.dark); }
}
