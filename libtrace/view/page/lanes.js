// Lanes: threads, GPU queues and counters, below each other, with the scopes of what is seen.
import { make, span, size, real, moment, fitted, percent } from './text.js';
import { Picture, colourOf } from './canvas.js';
import { above } from './times.js';

const BAR = 17, GAP = 6, TITLE = 22, COUNTER = 34, FEW = 3;

export class Lanes {
  constructor(host, view) {
    this.view = view;
    this.scroll = make('div', 'lanes');
    this.scroll.id = 'timeline';
    this.scroll.tabIndex = -1;
    this.tall = make('div', 'tall');
    this.scroll.append(this.tall);
    host.append(this.scroll);
    this.colours = new Map();
    this.items = [];
    this.picture = new Picture(this.tall, 200, 'Timeline of all threads; arrows select scopes, and the panel says in words what is selected', {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: (x, y) => this.textAt(x, y),
      click: (x, y) => this.click(x, y),
      zoom: (f, x) => view.zoom(f, view.part(x)),
      move: (p, down) => { view.range.move(p / view.inner()); this.scroll.scrollTop += down; view.moved(); },
      range: (a, b, done, top, bottom) => view.drag(a, b, done, this.lanesBetween(top, bottom)),
      wheel: (e, x) => view.wheelZoom(e, view.part(x), true),
      fit: (x, y) => {
        const hit = this.boxAt(x, y);
        if (hit) view.choose(hit);
        view.fit();
      },
      key: e => view.key(e),
    });
    this.scroll.addEventListener('scroll', () => view.moved());
    new ResizeObserver(() => this.place()).observe(this.scroll);
  }

  get canvas() { return this.picture.canvas; }

  /** Gives everything its place. */
  place() {
    const { captures } = this.view;
    let top = 2;
    this.items = [];
    const add = (kind, height, more) => {
      this.items.push({ kind, top, height, ...more });
      top += height;
    };
    for (const capture of captures) {
      if (captures.length > 1) add('title', TITLE, { capture });
      const few = captures.length > 1 && !capture.openLanes ? FEW : Infinity, order = capture.order || [];
      for (const lane of order.slice(0, few)) add('lane', capture.rowsOf(lane) * BAR + GAP, { capture, lane });
      if (captures.length > 1 && order.length > FEW) add('rest', TITLE, { capture });
      if (!capture.counters.length) continue;
      add('more', TITLE, { capture });
      if (capture.openCounters) for (const series of capture.counters) add('counter', COUNTER, { capture, series });
    }
    this.total = top + 8;
    const height = this.scroll.clientHeight;
    this.tall.style.height = Math.max(height, this.total) + 'px';
    if (this.picture.box.style.height !== height + 'px') this.picture.height(height);
    this.view.moved();
  }

  get top() { return this.scroll.scrollTop; }

  visible() {
    const from = this.top, to = from + this.scroll.clientHeight;
    return this.items.filter(i => i.top < to && i.top + i.height > from);
  }

  /** Asks for what is visible and not there. */
  want() {
    const { view } = this, items = this.visible().filter(i => i.kind === 'lane');
    for (const capture of view.captures)
      capture.want(view.range.from, view.range.to, view.inner(), items.filter(i => i.capture === capture).map(i => i.lane));
  }

  lanesBetween(a, b) {
    return this.items.filter(i => i.kind === 'lane' && i.top < b + this.top && i.top + i.height - GAP > a + this.top).map(i => i.lane);
  }

  itemAt(y) { return this.items.find(i => y + this.top >= i.top && y + this.top < i.top + i.height) || null; }

  colour(capture, timer, k) {
    const key = capture.index * 2 + (k.dark ? 1 : 0);
    let known = this.colours.get(key);
    if (!known) this.colours.set(key, known = new Map());
    let colour = known.get(timer);
    if (!colour) {
      const t = capture.names.of(timer);
      if (!t) return k.pale;
      colour = capture.waits.has(t.name) ? k.wait : colourOf(t.name, k.dark);
      known.set(timer, colour);
    }
    return colour;
  }

  forgetColours() { this.colours.clear(); }

  // ---- drawing ----

  paint(c, w, h, k) {
    const { view } = this;
    this.drawn = 0;
    for (const item of this.visible()) this['paint_' + item.kind](c, w, { ...item, y: item.top - this.top }, k);
    view.paintSelection(c, 0, h, k, this);
    if (view.captures.some(o => o.busy)) {
      c.fillStyle = k.link;
      c.fillRect(view.names, 0, Math.min(120, view.inner()), 2);
    }
  }

  paint_title(c, w, item, k) {
    c.fillStyle = k.soft;
    c.fillRect(0, item.y, w, item.height - 3);
    c.fillStyle = k.ink;
    c.font = 'bold ' + c.font;
    c.fillText(fitted(c, `${item.capture.index + 1}  ${item.capture.name}`, w - 16, true), 8, item.y + item.height / 2 - 1);
    c.font = c.font.replace('bold ', '');
  }

  paint_more(c, w, item, k) {
    const n = item.capture.counters.length;
    c.fillStyle = k.link;
    c.fillText(`${item.capture.openCounters ? '▾' : '▸'} ${n} counter${n > 1 ? 's' : ''}`, 8, item.y + item.height / 2);
  }

  paint_rest(c, w, item, k) {
    const n = item.capture.order.length - FEW;
    c.fillStyle = k.link;
    c.fillText(item.capture.openLanes ? '▾ only the first threads' : `▸ ${n} more thread${n > 1 ? 's' : ''}`, 8, item.y + item.height / 2);
  }

  paint_counter(c, w, item, k) {
    const { view } = this, s = item.series, { offset, end } = item.capture, n = s.time.length;
    const low = Math.min(0, ...s.least), high = Math.max(low + 1e-9, ...s.greatest), top = item.y + 2, height = item.height - 6;
    const y = v => top + height - (v - low) / (high - low) * height;
    c.fillStyle = k.lane;
    c.fillRect(view.names, top, view.inner(), height);
    const first = Math.max(0, above(s.time, view.range.from + offset) - 1);
    for (let i = first; i < n && s.time[i] - offset < view.range.to; i++) {
      const a = view.clip(view.xOf(s.time[i] - offset)), b = Math.max(a + 1, view.clip(view.xOf((i + 1 < n ? s.time[i + 1] : end) - offset)));
      c.fillStyle = k.pale;
      c.fillRect(a, y(s.least[i]), b - a, top + height - y(s.least[i]));
      c.fillStyle = k.bar;
      c.fillRect(a, y(s.greatest[i]) - 0.8, b - a, Math.max(1.6, y(s.least[i]) - y(s.greatest[i])));
    }
    c.textAlign = 'right';
    c.fillStyle = k.ink;
    c.fillText(fitted(c, s.name, view.names - 12, true), view.names - 8, top + 8);
    c.fillStyle = k.dim;
    c.fillText(fitted(c, `${this.valueText(s, low)} to ${this.valueText(s, high)}`, view.names - 12), view.names - 8, top + 22);
    c.textAlign = 'left';
  }

  valueText(s, v) { return s.bytes ? size(v) : real(Number(v.toPrecision(12))); }

  paint_lane(c, w, item, k) {
    const { view } = this, { lane, capture } = item, rows = capture.rowsOf(lane), height = rows * BAR;
    c.fillStyle = k.lane;
    c.fillRect(view.names, item.y, view.inner(), height);
    c.fillStyle = k.ink;
    c.textAlign = 'right';
    c.fillText(fitted(c, this.laneName(lane), view.names - 12, true), view.names - 8, item.y + BAR / 2);
    if (lane.rows > rows && rows > 1) {
      c.fillStyle = k.dim;
      c.fillText(`+${lane.rows - rows} deeper`, view.names - 8, item.y + BAR * 1.5);
    }
    c.textAlign = 'left';
    const part = capture.boxesOf(lane);
    if (part) this.paintBoxes(c, item, part, rows, k);
    this.paintChosen(c, item, k);
  }

  laneName(lane) { return (lane.name || 'without a name') + (lane.part ? ` (${lane.part + 1})` : ''); }

  /** Boxes of a lane. What is narrower than half a pixel is drawn with its neighbours, as one. */
  paintBoxes(c, item, part, rows, k) {
    const { view } = this, { boxes } = part, { capture, y } = item, { from, to } = view.range, scale = view.inner() / (to - from);
    const left = view.names, right = left + view.inner(), marked = view.marked && view.marked.capture === capture ? view.marked.timer : -1;
    const pale = k.dark ? 0.6 : 0.45;
    let done = -1, row = -1;
    for (let i = part.from; i < part.to; i++) {
      const depth = boxes.depth[i];
      if (depth >= rows) break;
      if (depth !== row) {
        row = depth;
        done = -1;
      }
      const start = boxes.start[i] - capture.offset, length = boxes.length[i], cell = boxes.cover[i] !== 255;
      let a = left + (start - from) * scale, b = length < 0 ? right : a + length * scale;
      if (b < left || a > right) continue;
      a = Math.max(a, left);
      b = Math.min(b, right);
      if (b - a < 1 && b < done + 0.5) continue;
      const width = Math.max(1, b - a - (b - a > 3 ? 1 : 0));
      done = a + width;
      c.globalAlpha = (cell ? pale + boxes.cover[i] / 254 * (1 - pale) : 1) * (marked >= 0 && boxes.timer[i] !== marked ? 0.3 : 1);
      c.fillStyle = this.colour(capture, boxes.timer[i], k);
      c.fillRect(a, y + depth * BAR, width, BAR - 1);
      this.drawn++;
      if (width > 26 && !cell) {
        c.globalAlpha = marked >= 0 && boxes.timer[i] !== marked ? 0.6 : 1;
        c.fillStyle = k.ink;
        const name = capture.names.name(boxes.timer[i]);
        c.fillText(fitted(c, name + (capture.waits.has(name) ? ' (waits)' : ''), width - 7), a + 3, y + depth * BAR + BAR / 2);
      }
    }
    c.globalAlpha = 1;
  }

  paintChosen(c, item, k) {
    const { view } = this, s = view.chosen;
    if (!s || s.lane !== item.lane || s.depth >= item.capture.rowsOf(item.lane)) return;
    const a = view.xOf(s.start - item.capture.offset), b = view.xOf(s.end - item.capture.offset);
    if (b < view.names || a > view.names + view.inner()) return;
    c.strokeStyle = k.select;
    c.lineWidth = 2;
    c.strokeRect(view.clip(a), item.y + s.depth * BAR, Math.max(3, view.clip(b) - view.clip(a)), BAR - 1);
    c.lineWidth = 1;
  }

  // ---- what is where ----

  /** The scope at a pixel; a folded piece says so. */
  boxAt(x, y) {
    const { view } = this, item = this.itemAt(y);
    if (!item || item.kind !== 'lane' || x < view.names) return null;
    const depth = Math.floor((y + this.top - item.top) / BAR), part = item.capture.boxesOf(item.lane);
    if (!part || depth >= item.capture.rowsOf(item.lane)) return null;
    const scale = (view.range.to - view.range.from) / view.inner(), t = view.timeAt(x) + item.capture.offset;
    let best = null, least = scale * 1.5;
    for (let i = part.from; i < part.to; i++) {
      if (part.boxes.depth[i] !== depth) continue;
      const start = part.boxes.start[i], end = part.boxes.length[i] < 0 ? Infinity : start + part.boxes.length[i];
      const away = t < start ? start - t : t > end ? t - end : 0;
      if (away < least) {
        least = away;
        best = i;
        if (!away && part.boxes.length[i] > scale) break;
      }
    }
    return best === null ? null : this.hit(item, part.boxes, best);
  }

  hit(item, boxes, i) {
    const open = boxes.length[i] < 0;
    return { capture: item.capture, lane: item.lane, timer: boxes.timer[i], depth: boxes.depth[i], start: boxes.start[i],
      end: open ? item.capture.end : boxes.start[i] + boxes.length[i], open, folded: boxes.cover[i] !== 255 ? boxes.count[i] : 0, width: boxes.width };
  }

  textOf(s, glue) {
    const name = s.capture.names.name(s.timer), waits = s.capture.waits.has(name) ? ' (waits)' : '';
    if (s.folded) return [`${s.folded} scope${s.folded > 1 ? 's' : ''} shorter than ${span(s.width)}`, `the longest: ${name}${waits}`, 'zoom in to see them apart'].join(glue);
    return [name + waits, `${span(s.end - s.start)}${s.open ? ', never ended' : ''} at ${moment(s.start)}`, `on ${this.laneName(s.lane)}, row ${s.depth}`].join(glue);
  }

  textAt(x, y) {
    const item = this.itemAt(y);
    if (!item) return null;
    if (item.kind === 'lane' && x < this.view.names) return this.laneText(item);
    if (item.kind === 'counter') return this.counterText(item, x);
    const hit = this.boxAt(x, y);
    return hit && this.textOf(hit, '\n');
  }

  laneText({ lane, capture }) {
    const more = lane.rows > capture.rowsOf(lane) || lane.whole ? `; a click shows ${lane.whole ? 'fewer' : 'all'}` : '';
    const part = percent(lane.busy / Math.max(1, capture.end - capture.first));
    return `${this.laneName(lane)}\n${lane.scopes} scopes, ${lane.rows} rows${more}\nbusy ${span(lane.busy)} (${part})`
      + (lane.deeper ? `\n${lane.deeper} scopes below the last row are not kept` : '');
  }

  counterText({ series: s, capture }, x) {
    const at = above(s.time, this.view.timeAt(x) + capture.offset) - 1;
    if (at < 0 || x < this.view.names) return s.name;
    const low = this.valueText(s, s.least[at]), high = this.valueText(s, s.greatest[at]);
    return `${s.name}\n${low === high ? low : low + ' to ' + high} at ${moment(s.time[at])}`;
  }

  click(x, y) {
    const item = this.itemAt(y);
    this.canvas.focus();
    if (!item) return;
    if (item.kind === 'more') {
      item.capture.openCounters = !item.capture.openCounters;
      this.place();
    } else if (item.kind === 'rest') {
      item.capture.openLanes = !item.capture.openLanes;
      this.place();
    } else if (item.kind === 'lane' && x < this.view.names) this.toggle(item.lane);
    else this.view.choose(this.boxAt(x, y));
  }

  toggle(lane) {
    lane.whole = !lane.whole;
    this.place();
  }

  // ---- keys ----

  /** Scrolls so that a row of a lane is seen. */
  reveal(lane, depth) {
    if (depth >= lane.capture.rowsOf(lane)) {
      lane.whole = true;
      this.place();
    }
    if (!this.items.some(i => i.lane === lane)) {
      lane.capture.openLanes = true;
      this.place();
    }
    const item = this.items.find(i => i.lane === lane);
    if (!item) return;
    const top = item.top + depth * BAR, height = this.scroll.clientHeight;
    if (top < this.top) this.scroll.scrollTop = Math.max(0, top - 30);
    else if (top + BAR > this.top + height) this.scroll.scrollTop = Math.min(top - 30, top + BAR - height + 30);
  }

  /** Boxes of a row of a lane that are there, in order. */
  rowOf(lane, depth) {
    const part = lane.capture.boxesOf(lane), item = { capture: lane.capture, lane }, out = [];
    for (let i = part ? part.from : 0; part && i < part.to; i++) if (part.boxes.depth[i] === depth) out.push(this.hit(item, part.boxes, i));
    return out;
  }

  /** What an arrow leads to from the chosen scope. */
  neighbour(key, shift) {
    const s = this.view.chosen, { range } = this.view;
    const seen = list => list.find(o => o.end - o.capture.offset > range.from && o.start - o.capture.offset < range.to) || null;
    if (!s) {
      const item = this.visible().find(i => i.kind === 'lane');
      return item ? seen(this.rowOf(item.lane, 0)) : null;
    }
    if (shift && (key === 'ArrowDown' || key === 'ArrowUp')) {
      const lanes = this.items.filter(i => i.kind === 'lane'), at = lanes.findIndex(i => i.lane === s.lane) + (key === 'ArrowDown' ? 1 : -1);
      return lanes[at] ? seen(this.rowOf(lanes[at].lane, 0)) : null;
    }
    if (key === 'ArrowDown') return this.rowOf(s.lane, s.depth + 1).find(o => o.start >= s.start && o.start <= s.end) || null;
    if (key === 'ArrowUp') return s.depth ? this.rowOf(s.lane, s.depth - 1).find(o => o.start <= s.start && o.end >= s.start) || null : null;
    const list = this.rowOf(s.lane, s.depth);
    if (key === 'ArrowRight') return list.find(o => o.start > s.start) || null;
    return list.filter(o => o.start < s.start).pop() || null;
  }

  key(e) {
    if (e.key.startsWith('Arrow')) {
      const next = this.neighbour(e.key, e.shiftKey);
      if (next) this.view.choose(next, true);
      return true;
    }
    if (e.key === 'PageDown' || e.key === 'PageUp') {
      this.scroll.scrollTop += (e.key === 'PageDown' ? 0.8 : -0.8) * this.scroll.clientHeight;
      return true;
    }
    if (e.key === 'Enter' && this.view.chosen) {
      this.toggle(this.view.chosen.lane);
      return true;
    }
    return false;
  }
}
