// Capture: what the page knows of one capture: lanes, frames, marks, figures of timers. Times of it are in nanoseconds from
// its own start; `offset` takes them to the time axis that all captures of the page share.
import { askJson, askBytes, newest, ReadAnew } from './server.js';
import { framesOf, packed } from './times.js';
import { Names, boxesOf } from './boxes.js';
import { KINDS, hasScopes } from './kinds.js';
import { Arrows } from './arrows.js';
import { Shots } from './shots.js';

const MAIN = [/^GameThread/, /^Main/i, /^RenderThread/, /^RHIThread/];
const OPEN_ROWS = 14, SMALL_ROWS = 3, LONGEST = 12, SAMPLES = 5000, SLOW = 60;    // milliseconds: after such an answer the next one is preceded by a rough one
const AGAIN = 1000;    // milliseconds after a failure

/** Rows of columns as objects. */
export function listOf(data) {
  if (!data) return [];
  const text = data.columns.map(c => c.kind === 11);
  return Array.from({ length: data.rows }, (_, i) => {
    const row = {};
    data.columns.forEach((c, k) => { row[c.name] = text[k] ? (c.cells[i] < 0 ? '' : data.names[c.cells[i]]) : c.cells[i]; });
    return row;
  });
}

function rank(lane) {
  const at = MAIN.findIndex(expression => expression.test(lane.name));
  return at >= 0 && lane.kind === 'thread' ? at : lane.kind === 'thread' ? 20 : 10;
}

/** A window of some lanes: what was asked, and what came. */
class Window {
  constructor(kind) {
    this.kind = kind;
    this.have = null;
    this.busy = false;
    this.again = 0;
    this.failed = null; // why nothing came
  }

  fits(from, to, step, lanes, rows) {
    const h = this.have;
    return h && h.from <= from && h.to >= to && h.step <= step * 1.01 && h.step >= step / 3 && h.rows >= rows && lanes.every(l => h.at.has(l));
  }
}

export class Capture {
  constructor(index, name, changed) {
    this.index = index;
    this.name = name;
    this.path = name;
    this.openRows = OPEN_ROWS;
    this.changed = changed;
    this.offset = 0;
    this.lanes = [];
    this.groups = new Map();      // kind -> its lanes, in order
    this.openKinds = new Set();   // of groups those that are unfolded
    this.processes = new Map();   // id -> its name and how many lanes it has, where there are several
    this.foldedProcesses = new Set();
    this.frames = [];
    this.hitches = [];
    this.longest = [];
    this.bookmarks = [];
    this.regions = [];
    this.logs = [];
    this.counters = [];
    this.waits = new Set();       // timers, by their number in the index
    this.figures = new Map();     // by the same: several timers may have one name
    this.samples = null;
    this.arrows = new Arrows(this);
    this.shots = new Shots(this);
    this.first = 0;
    this.end = 1;
    this.old = false;             // the server has a later reading
    this.reading = 0;             // of the file, counted by the server
    this.names = new Names(this, changed);
    this.windows = [new Window(index * 8), new Window(index * 8 + 1)];
  }

  /** What each request says of the capture: a later reading may number lanes and timers in another way. */
  get asked() { return { c: this.index, g: this.reading }; }

  async open() { this.takeLanes(await askJson('/lanes', { c: this.index })); }

  /** How many lanes, marks or series of a kind there are. */
  amount(kind) {
    if (this.groups.has(kind)) return this.groups.get(kind).length;
    if (kind === 'arrows') return this.groups.get('task').reduce((sum, l) => sum + l.scopes, 0);
    if (kind === 'wakes') return this.groups.get('core').length;
    if (kind === 'waits') return this.waitTables().reduce((sum, [, n]) => sum + n, 0);
    if (kind === 'frames') return this.game ? this.game.n : 0;
    if (kind === 'samples') return (this.overview && this.overview.sample_rows_all) || 0;
    return this[kind].length;
  }

  /** Tables of waits of which the arrows know what was waited for, with how many rows there are or may be. */
  waitTables() {
    const times = kind => this.groups.get(kind).reduce((sum, l) => sum + l.scopes, 0);
    return [['task_waits', (this.overview && this.overview.task_waits_all) || 0], ['lock_rows', times('lock')], ['gpu_fences', times('fence')]].filter(([, n]) => n > 0);
  }

  /** Lanes that lie below one: of its thread or queue. */
  below(lane) {
    if (lane.part || lane.kind === 'gpu_work') return [];
    return KINDS.filter(k => k.below === lane.kind).flatMap(k => this.groups.get(k.kind).filter(l => l.id === lane.id));
  }

  /** The lane of this reading that one of another reading is. */
  laneLike(lane) { return this.lanes.find(l => l.kind === lane.kind && l.id === lane.id && l.part === lane.part) || null; }

  /** The capture as it is by now, with what was open, and all that is asked for with `want` when it is shown. */
  async renewed(want) {
    const c = new Capture(this.index, this.name, this.changed);
    for (const kept of ['path', 'offset', 'openRows', 'openLanes', 'openCounters', 'openKinds', 'foldedProcesses']) c[kept] = this[kept];
    await c.open();
    for (const lane of this.lanes.filter(l => l.whole)) (c.laneLike(lane) || {}).whole = true;
    c.takeOverview(await askJson('/overview', c.asked));
    await c.shots.load();
    want(c);
    for (let i = 0; i < 100 && c.busy; i++) await new Promise(done => setTimeout(done, 10));
    const timers = new Set();
    for (const w of c.windows) if (w.have) for (const timer of w.have.boxes.timer) timers.add(timer);
    await Promise.all([...timers].slice(0, 1000).map(timer => c.names.known(timer)));
    return c;
  }

  get screenshots() { return this.shots.list; }
  get game() { return this.frames[0] || null; }

  takeLanes(data) {
    this.reading = data.reading;
    this.lanes = data.lanes.map((l, i) => ({ ...l, capture: this, number: i, whole: false, open: false }));
    const filled = this.lanes.filter(l => l.scopes || l.unended);
    this.groups = new Map(KINDS.map(k => [k.kind, filled.filter(l => l.kind === k.kind).sort((a, b) => a.id - b.id)]));
    this.order = filled.filter(hasScopes);
    this.order.sort((a, b) => rank(a) - rank(b) || a.hint - b.hint || a.name.localeCompare(b.name, 'en', { numeric: true }) || a.part - b.part);
    this.groupByProcess();
    if (this.order[0]) this.order[0].open = true;
    this.first = data.first;
    this.end = Math.max(this.end, data.last);
    this.scopes = data.scopes;
  }

  /** Threads of one process follow each other, the process of the first thread first. */
  groupByProcess() {
    const place = new Map(), of = l => l.process === undefined ? l : l.process;
    this.order.forEach((l, i) => { if (!place.has(of(l))) place.set(of(l), i); });
    const lanes = this.order.filter(l => l.process !== undefined), several = new Set(lanes.map(l => l.process)).size > 1;
    this.processes = new Map();
    if (!several) return;
    this.order.sort((a, b) => place.get(of(a)) - place.get(of(b)));
    for (const l of lanes) {
      const known = this.processes.get(l.process);
      this.processes.set(l.process, { name: l.process_name || `Process ${l.process}`, lanes: (known ? known.lanes : 0) + 1 });
    }
  }

  takeOverview(o) {
    this.overview = o;
    this.frames = o.frames.map(framesOf);
    for (const f of this.frames) if (f.n) this.end = Math.max(this.end, f.begin[f.n - 1] + f.length[f.n - 1]);
    this.takeHitches(listOf(o.hitches));
    this.bookmarks = listOf(o.bookmarks);
    this.logs = listOf(o.logs);
    this.counters = o.counters.concat(o.tags).filter(s => s.time.length);
    for (const list of [this.bookmarks, this.logs]) for (const m of list) this.end = Math.max(this.end, m.time);
    for (const one of listOf(o.capture)) this.end = Math.max(this.end, one.last || 0);    // of long lists the last ones did not come
    const regions = listOf(o.regions).filter(r => r.start !== null).map(r => ({ ...r, begin: r.start, length: r.dur === null ? -1 : r.dur }));
    this.regions = packed(regions, this.end, 3);
    this.bands = Math.max(0, ...this.regions.map(r => r.row + 1));
    listOf(o.timers).forEach((t, i) => {
      const timer = o.timer_ids ? o.timer_ids[i] : -1;
      if (timer < 0) return;
      this.figures.set(timer, t);
      if (t.working === 0 && t.excl > 0) this.waits.add(timer);
    });
  }

  /** Rows of the table are reasons; a hitch has several. */
  takeHitches(rows) {
    this.hitches = [];
    for (const r of rows) {
      const last = this.hitches[this.hitches.length - 1];
      if (last && last.frame === r.frame) last.reasons.push(r);
      else this.hitches.push({ frame: r.frame, begin: r.start, length: r.dur, reasons: [r] });
    }
    this.hitchFrames = new Set(this.hitches.map(h => h.frame));
    if (this.hitches.length || !this.game) return;
    const { begin, length, group, n } = this.game, order = Array.from({ length: n }, (_, i) => i).sort((a, b) => length[b] - length[a]);
    this.longest = order.slice(0, LONGEST).map(i => ({ frame: i * group, begin: begin[i], length: length[i], reasons: [] }));
  }

  rowsOf(lane) {
    return lane.whole ? Math.min(lane.rows, 200) : Math.min(lane.rows, lane.open ? this.openRows : SMALL_ROWS);
  }

  /** Where captures share the window there is room for so many rows of the first thread. */
  openIn(rows) { this.openRows = Math.max(SMALL_ROWS, Math.min(OPEN_ROWS, rows)); }

  /** How many threads have the name of a lane: a command asks for threads by name. */
  namesakes(lane) {
    return new Set(this.lanes.filter(l => l.kind === lane.kind && l.name === lane.name).map(l => l.id)).size;
  }

  /** Asks for the boxes of lanes where what there is does not do: a range of the shared axis, and its pixels. */
  want(from, to, pixels, lanes) {
    const open = lanes.filter(l => this.rowsOf(l) > SMALL_ROWS), small = lanes.filter(l => this.rowsOf(l) <= SMALL_ROWS);
    this.fill(this.windows[0], from + this.offset, to + this.offset, pixels, open);
    this.fill(this.windows[1], from + this.offset, to + this.offset, pixels, small);
  }

  async fill(window, from, to, pixels, lanes) {
    const step = (to - from) / pixels, rows = Math.max(0, ...lanes.map(l => this.rowsOf(l)));
    window.wanted = [from, to, pixels, lanes];
    if (!lanes.length || window.busy || this.old || performance.now() < window.again || window.fits(from, to, step, lanes, rows)) return;
    window.busy = true;
    try {
      const more = Math.round((to - from) * 0.4), a = Math.floor(from - more), b = Math.max(a + 1, Math.ceil(to + more));
      const quick = window.slow && !window.rough ? 1 : 0, began = performance.now();
      const buffer = await askBytes('/w', { ...this.asked, a, b, w: Math.max(1, Math.min(8192, Math.round(pixels * 1.8))), d: rows, quick,
        l: lanes.map(l => l.number).slice(0, 400).join('.'), ...newest(window.kind) });
      if (!quick) window.slow = performance.now() - began > SLOW;
      window.rough = quick === 1;
      if (buffer) {
        const boxes = boxesOf(buffer);
        window.have = { from: a, to: b, step: quick ? Infinity : (b - a) / (pixels * 1.8), rows, boxes,
          at: new Map(lanes.map((l, i) => [l, [i ? boxes.ends[i - 1] : 0, boxes.ends[i]]])) };
      }
      window.failed = null;
    } catch (e) {
      this.old = e instanceof ReadAnew;
      window.failed = e.message;
      window.again = performance.now() + AGAIN;
    }
    window.busy = false;
    this.changed();
    if (!window.failed) this.fill(window, ...window.wanted);
  }

  /** The boxes of a lane: columns, and where its own are. */
  boxesOf(lane) {
    const [open, small] = this.windows;
    for (const w of this.rowsOf(lane) > SMALL_ROWS ? [open, small] : [small, open]) {    // a lane that was opened or closed has been in the other one
      const at = w.have && w.have.at.get(lane);
      if (at) return { boxes: w.have.boxes, from: at[0], to: at[1] };
    }
    return null;
  }

  get failure() { return this.windows.map(w => w.failed).find(Boolean) || null; }
  get busy() { return this.windows.some(w => w.busy); }

  /** Is what is known of samples enough for a range: all of it, or that there are too many in a part of it? */
  knowsSamples(a, b) {
    const s = this.samples;
    return s !== null && (s.whole ? s.from <= a && s.to >= b : a <= s.from && b >= s.to);
  }

  /** Samples of the visible range, a list a thread, where there are not too many to be drawn. */
  async wantSamples(from, to) {
    if (!this.overview || !this.overview.sample_rows_all) return;
    const a = Math.floor(from + this.offset), b = Math.max(a + 1, Math.ceil(to + this.offset));
    if (this.knowsSamples(a, b)) return;
    const answer = await askJson('/rows', { ...this.asked, t: 'sample_rows', a, b, top: SAMPLES, enough: 1, ...newest(this.index * 8 + 2) }).catch(() => null);
    if (!answer) return;
    const threads = new Map();
    if (answer.all <= SAMPLES) for (const s of listOf(answer.table)) {
      if (!threads.has(s.thread_id)) threads.set(s.thread_id, []);
      threads.get(s.thread_id).push(s);
    }
    this.samples = { from: a, to: b, whole: answer.all <= SAMPLES, threads };
    this.changed();
  }

  samplesOf(lane) {
    return this.samples && lane.kind === 'thread' && lane.part === 0 ? this.samples.threads.get(lane.id) || [] : [];
  }

  stack(lane, time, depth) { return askJson('/stack', { ...this.asked, l: lane.number, t: Math.round(time), d: depth }); }

  next(timer, time, back, lane) {
    const of = { ...this.asked, timer, t: Math.round(time), back: back ? 1 : 0 };
    return askJson('/next', lane ? { ...of, l: lane.number } : of);
  }
}
