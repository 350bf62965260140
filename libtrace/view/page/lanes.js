// Lanes: threads, GPU queues and counters, below each other, with the scopes of the visible range.
import { make, span, size, real, moment, fitted, percent } from './text.js';
import { Picture, colourOf } from './canvas.js';
import { above } from './times.js';
import { KINDS, hasScopes, isWait, kindOf } from './kinds.js';
import { paintArrows } from './arrows.js';

const BAR = 17, GAP = 6, TITLE = 22, COUNTER = 34;

const LEVELS = 8;
const canvasOfCells = document.createElement('canvas').getContext('2d');
const swatch = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

/** Red, green and blue of a colour of CSS, which a canvas draws faster than what it has to be computed from. */
function rgbOf(colour) {
  swatch.fillStyle = colour;
  swatch.fillRect(0, 0, 1, 1);
  return [...swatch.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/** What is a pixel wide, of a lane: an image with a line for each row, drawn at once. Ten thousands of rectangles take longer. */
class Cells {
  constructor(context, left, top, width, rows) {
    this.context = context;
    this.left = left;
    this.top = top;
    this.width = width;
    this.rows = rows;
    this.sharp = devicePixelRatio || 1;
    this.pixels = Math.max(1, Math.round(width * this.sharp));
    this.data = null;
  }

  put(row, a, b, bits, alpha) {
    if (!this.data) {
      this.image = new ImageData(this.pixels, this.rows);
      this.data = new Uint32Array(this.image.data.buffer);
    }
    const first = Math.min(this.pixels - 1, Math.floor((a - this.left) * this.sharp)), last = Math.max(first + 1, Math.min(this.pixels, Math.round((b - this.left) * this.sharp)));
    for (let x = first; x < last; x++) this.data[row * this.pixels + x] = (bits | alpha << 24) >>> 0;
  }

  draw(k) {
    if (!this.data) return;
    canvasOfCells.canvas.width = this.pixels;
    canvasOfCells.canvas.height = this.rows;
    canvasOfCells.putImageData(this.image, 0, 0);
    const c = this.context;
    c.imageSmoothingEnabled = false;
    c.drawImage(canvasOfCells.canvas, this.left, this.top, this.width, this.rows * BAR);
    c.fillStyle = k.lane;
    for (let row = 1; row <= this.rows; row++) c.fillRect(this.left, this.top + row * BAR - 1, this.width, 1);
  }
}

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
      const order = capture.order || [], few = captures.length > 1 ? this.fitting(capture, this.scroll.clientHeight / captures.length) : order.length;
      let process;
      for (const lane of capture.openLanes ? order : order.slice(0, few)) {
        if (capture.processes.has(lane.process) && lane.process !== process) add('process', TITLE, { capture, process: lane.process });
        process = lane.process;
        if (capture.foldedProcesses.has(process)) continue;
        add('lane', capture.rowsOf(lane) * BAR + GAP, { capture, lane });
        for (const below of capture.below(lane)) if (!this.view.hidden.has(below.kind)) add('lane', capture.rowsOf(below) * BAR + GAP, { capture, lane: below });
      }
      if (order.length > few) add('rest', TITLE, { capture, more: order.length - few });
      for (const kind of KINDS) {
        const lanes = capture.groups.get(kind.kind);
        if (kind.below || !lanes.length || this.view.hidden.has(kind.kind)) continue;
        add('group', TITLE, { capture, of: kind, lanes });
        if (capture.openKinds.has(kind.kind)) for (const lane of lanes) add('lane', capture.rowsOf(lane) * BAR + GAP, { capture, lane });
      }
      if (!capture.counters.length || this.view.hidden.has('counters')) continue;
      add('more', TITLE, { capture });
      if (capture.openCounters) for (const series of capture.counters) add('counter', COUNTER, { capture, series });
    }
    this.total = top + 8;
    const height = this.scroll.clientHeight;
    this.tall.style.height = Math.max(height, this.total) + 'px';
    if (this.picture.box.style.height !== height + 'px') this.picture.height(height);
    this.view.moved();
  }

  /** The first lane that is visible, and how far it lies below the edge. */
  topLane() {
    const item = this.visible().find(i => i.kind === 'lane');
    return item ? { lane: item.lane, below: item.top - this.top } : null;
  }

  /** Scrolls so that a lane lies there. */
  hold(lane, below) {
    const item = this.items.find(i => i.lane === lane);
    if (item) this.scroll.scrollTop = item.top - below;
  }

  /** How many threads of a capture have room in a share of the window, so that all captures are seen; of the first one fewer rows are open. */
  fitting(capture, share) {
    const [first, ...others] = capture.order || [];
    let left = share - 2 * TITLE - (capture.counters.length ? TITLE : 0), n = 1;
    capture.openIn(Math.floor((others.length ? left / 2 : left) / BAR));
    left -= first ? capture.rowsOf(first) * BAR + GAP : 0;
    for (const lane of others) {
      left -= capture.rowsOf(lane) * BAR + GAP;
      if (left < 0) break;
      n++;
    }
    return n;
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
    return this.items.filter(i => i.kind === 'lane' && hasScopes(i.lane) && i.top < b + this.top && i.top + i.height - GAP > a + this.top).map(i => i.lane);
  }

  itemAt(y) { return this.items.find(i => y + this.top >= i.top && y + this.top < i.top + i.height) || null; }

  /** The colours of a timer: as it is, and paler in LEVELS steps for cells. Null: its name is on its way. */
  shades(capture, timer, k, lane) {
    const key = capture.index * 2 + (k.dark ? 1 : 0);
    let known = this.colours.get(key);
    if (!known) this.colours.set(key, known = new Map());
    let shades = known.get(timer);
    if (shades) return shades;
    const t = capture.names.of(timer);
    if (!t) return null;
    const own = rgbOf(capture.waits.has(timer) || (lane && isWait(lane, t.name)) ? k.wait : colourOf(t.name, k.dark)), back = rgbOf(k.lane), pale = k.dark ? 0.6 : 0.45;
    const mixed = Array.from({ length: LEVELS + 1 }, (_, level) => {
      const part = level === LEVELS ? 1 : pale + level / LEVELS * (1 - pale);
      return own.map((v, i) => Math.round(back[i] + (v - back[i]) * part));
    });
    shades = { text: mixed.map(m => `rgb(${m.join()})`), bits: mixed.map(([r, g, b]) => r | g << 8 | b << 16) };
    known.set(timer, shades);
    return shades;
  }

  colour(capture, timer, k) {
    const shades = this.shades(capture, timer, k);
    return shades ? shades.text[LEVELS] : k.pale;
  }

  forgetColours() { this.colours.clear(); }

  // ---- drawing ----

  paint(c, w, h, k) {
    const { view } = this;
    this.drawn = 0;
    for (const item of this.visible()) this['paint_' + item.kind](c, w, { ...item, y: item.top - this.top }, k);
    this.arrowsDrawn = view.captures.reduce((sum, o) => sum + paintArrows(c, this, o, BAR, k), 0);
    view.paintSelection(c, 0, h, k, this);
    c.fillStyle = k.dim;
    if (!this.items.length) c.fillText('No scopes were recorded. What else there is stands in the panel.', 12, 20);
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

  paint_group(c, w, item, k) {
    const { of, lanes, capture } = item;
    c.fillStyle = k.link;
    c.fillText(`${capture.openKinds.has(of.kind) ? '▾' : '▸'} ${of.title}${lanes.length > 1 ? ` (${lanes.length})` : ''}`, 8, item.y + item.height / 2);
  }

  paint_process(c, w, item, k) {
    const { capture, process } = item, { name, lanes } = capture.processes.get(process), folded = capture.foldedProcesses.has(process);
    c.fillStyle = k.link;
    c.fillText(fitted(c, `${folded ? '▸' : '▾'} ${name} (process ${process}${folded ? `, ${lanes} thread${lanes > 1 ? 's' : ''}` : ''})`, w - 16), 8, item.y + item.height / 2);
  }

  paint_rest(c, w, item, k) {
    const n = item.more;
    c.fillStyle = k.link;
    c.fillText(item.capture.openLanes ? '▾ only the first threads' : `▸ ${n} more thread${n > 1 ? 's' : ''}`, 8, item.y + item.height / 2);
  }

  paint_counter(c, w, item, k) {
    const { view } = this, s = item.series, { offset, end } = item.capture, n = s.time.length;
    const least = Math.min(...s.least), low = Math.min(0, least), most = Math.max(...s.greatest), high = Math.max(low + 1e-9, most), top = item.y + 2, height = item.height - 6;
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
    c.fillText(fitted(c, least === most ? this.valueText(s, least) : `${this.valueText(s, least)} to ${this.valueText(s, most)}`, view.names - 12), view.names - 8, top + 22);
    c.textAlign = 'left';
  }

  valueText(s, v) { return s.bytes ? size(v) : real(Number(v.toPrecision(12))); }

  paint_lane(c, w, item, k) {
    const { view } = this, { lane, capture } = item, rows = capture.rowsOf(lane), height = rows * BAR;
    c.fillStyle = k.lane;
    c.fillRect(view.names, item.y, view.inner(), height);
    c.fillStyle = k.ink;
    c.textAlign = 'right';
    c.fillText(fitted(c, this.labelOf(lane), view.names - 12, true), view.names - 8, item.y + BAR / 2);
    if (lane.rows > rows && rows > 1) {
      c.fillStyle = k.dim;
      c.fillText(`+${lane.rows - rows} deeper`, view.names - 8, item.y + BAR * 1.5);
    }
    c.textAlign = 'left';
    const part = capture.boxesOf(lane);
    if (part) this.paintBoxes(c, item, part, rows, k);
    if (!view.hidden.has('samples')) this.paintSamples(c, item, item.y + height, k);
    this.paintChosen(c, item, k);
  }

  laneName(lane) { return (lane.name || 'without a name') + (lane.part ? ` (${lane.part + 1})` : ''); }

  /** At the left of a lane: those below a thread or queue do not repeat its name. */
  labelOf(lane) { return (kindOf(lane.kind) || {}).label || this.laneName(lane); }

  /** Boxes of a lane: what is narrower than a pixel or so goes into an image of a pixel a row, all else is drawn. */
  paintBoxes(c, item, part, rows, k) {
    const { view } = this, { boxes } = part, { capture, y } = item, { from, to } = view.range, scale = view.inner() / (to - from);
    const left = view.names, right = left + view.inner(), image = new Cells(c, left, y, view.inner(), rows), wide = [];
    for (let i = part.from; i < part.to && boxes.depth[i] < rows; i++) {
      const start = boxes.start[i] - capture.offset, length = boxes.length[i];
      const a = Math.max(left, left + (start - from) * scale), b = length < 0 ? right : Math.min(right, left + (start + length - from) * scale);
      if (b < left || a > right) continue;
      this.drawn++;
      if (b - a >= 1.5) {
        wide.push(i, a, b);
        continue;
      }
      const shades = this.shades(capture, boxes.timer[i], k, item.lane), level = boxes.cover[i] === 255 ? LEVELS : boxes.cover[i] * LEVELS / 255 | 0;
      image.put(boxes.depth[i], a, b, shades ? shades.bits[level] : 0x999999, this.isOther(capture, boxes.timer[i]) ? 0x50 : 0xff);
    }
    image.draw(k);
    for (let n = 0; n < wide.length; n += 3) this.paintBox(c, item, boxes, wide[n], wide[n + 1], wide[n + 2], k);
    c.globalAlpha = 1;
  }

  /** Is another timer highlighted? */
  isOther(capture, timer) {
    const { marked } = this.view;
    return marked && marked.capture === capture && marked.timer !== timer;
  }

  paintBox(c, { capture, y, lane }, boxes, i, a, b, k) {
    const other = this.isOther(capture, boxes.timer[i]), cell = boxes.cover[i] !== 255, width = b - a - (b - a > 3 ? 1 : 0), top = y + boxes.depth[i] * BAR;
    const shades = this.shades(capture, boxes.timer[i], k, lane);
    c.globalAlpha = other ? 0.3 : 1;
    c.fillStyle = shades ? shades.text[cell ? boxes.cover[i] * LEVELS / 255 | 0 : LEVELS] : k.pale;
    c.fillRect(a, top, width, BAR - 1);
    if (width <= 26 || cell) return;
    c.globalAlpha = other ? 0.6 : 1;
    c.fillStyle = k.ink;
    const name = capture.names.name(boxes.timer[i]);
    c.fillText(fitted(c, name + (capture.waits.has(boxes.timer[i]) ? ' (waits)' : ''), width - 7), a + 3, top + BAR / 2);
  }

  /** Samples of a thread: ticks below its rows. */
  paintSamples(c, { capture, lane }, y, k) {
    const { view } = this;
    c.fillStyle = k.mark;
    for (const s of capture.samplesOf(lane)) {
      const x = view.xOf(s.time - capture.offset);
      if (x >= view.names && x <= view.names + view.inner()) c.fillRect(x, y, 1, GAP - 1);
    }
  }

  /** The sample below a lane that is nearest to a pixel. */
  sampleAt(item, x, y) {
    if (y + this.top < item.top + item.height - GAP) return null;
    const near = 4 * (this.view.range.to - this.view.range.from) / this.view.inner(), t = this.view.timeAt(x) + item.capture.offset;
    return item.capture.samplesOf(item.lane).filter(s => Math.abs(s.time - t) <= near).sort((a, b) => Math.abs(a.time - t) - Math.abs(b.time - t))[0] || null;
  }

  sampleText(s) {
    return `sample at ${moment(s.time)}\nin ${s.function || s.address || 'no address'}${s.module ? ' of ' + s.module : ''}\n${s.depth} addresses; the table samples sums them up`;
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
      end: open ? item.capture.end : boxes.start[i] + boxes.length[i], open, folded: boxes.cover[i] !== 255 ? Math.max(1, boxes.count[i]) : 0, width: boxes.width };
  }

  /** Of a piece: beyond 127 the index rounds counts down. */
  textOf(s, glue) {
    const name = s.capture.names.name(s.timer), waits = s.capture.waits.has(s.timer) ? ' (waits)' : '';
    const thing = hasScopes(s.lane) ? 'scope' : 'time';
    if (s.folded) return [`${s.folded < 128 ? '' : 'at least '}${s.folded} ${thing}${s.folded > 1 ? 's' : ''} shorter than ${span(s.width)}`, `the longest: ${name}${waits}`, 'zoom in to see them apart'].join(glue);
    return [name + waits, `${span(s.end - s.start)}${s.open ? ', never ended' : ''} at ${moment(s.start)}`, `on ${this.laneName(s.lane)}, row ${s.depth}`].join(glue);
  }

  textAt(x, y) {
    const item = this.itemAt(y);
    if (!item) return null;
    if (item.kind === 'lane' && x < this.view.names) return this.laneText(item);
    if (item.kind === 'counter') return this.counterText(item, x);
    const sample = item.kind === 'lane' && this.sampleAt(item, x, y);
    if (sample) return this.sampleText(sample);
    const hit = this.boxAt(x, y);
    return hit && this.textOf(hit, '\n');
  }

  laneText({ lane, capture }) {
    const more = lane.rows > capture.rowsOf(lane) || lane.whole ? `; a click shows ${lane.whole ? 'fewer' : 'all'}` : '';
    const part = percent(lane.busy / Math.max(1, capture.end - capture.first));
    return `${this.laneName(lane)}\n${lane.scopes} ${hasScopes(lane) ? 'scopes' : 'times'}, ${lane.rows} rows${more}\nbusy ${span(lane.busy)} (${part})`
      + (lane.deeper ? `\n${lane.deeper} ${hasScopes(lane) ? 'scopes' : 'times'} below the last row are not kept` : '');
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
    } else if (item.kind === 'group') {
      this.unfold(item.capture, item.of.kind, !item.capture.openKinds.has(item.of.kind));
    } else if (item.kind === 'process') {
      this.foldProcess(item.capture, item.process, !item.capture.foldedProcesses.has(item.process));
    } else if (item.kind === 'rest') {
      item.capture.openLanes = !item.capture.openLanes;
      this.place();
    } else if (item.kind === 'lane' && x < this.view.names) this.toggle(item.lane);
    else {
      const sample = item.kind === 'lane' && this.sampleAt(item, x, y);
      if (sample) this.view.say(this.sampleText(sample).replace(/\n/g, ', '));
      else this.view.choose(this.boxAt(x, y));
    }
  }

  unfold(capture, kind, open) {
    if (open) capture.openKinds.add(kind);
    else capture.openKinds.delete(kind);
    this.place();
  }

  foldProcess(capture, process, folded) {
    if (folded) capture.foldedProcesses.add(process);
    else capture.foldedProcesses.delete(process);
    this.place();
  }

  toggle(lane) {
    lane.whole = !lane.whole;
    this.place();
  }

  // ---- keys ----

  /** Scrolls so that a row of a lane is visible. */
  reveal(lane, depth) {
    if (depth >= lane.capture.rowsOf(lane)) {
      lane.whole = true;
      this.place();
    }
    if (!this.items.some(i => i.lane === lane)) {
      if (hasScopes(lane)) {
        lane.capture.openLanes = true;
        lane.capture.foldedProcesses.delete(lane.process);
      }
      else {
        this.view.hidden.delete(lane.kind);
        lane.capture.openKinds.add(lane.kind);
      }
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
