// View: the page: one time axis for all captures, what is chosen and selected, keys, and the address.
import { make, span, moment } from './text.js';
import { Range, statusLine, redraw, isDark } from './canvas.js';
import { takeToken, wholeAddress, askJson, ReadAnew } from './server.js';
import { seconds } from './times.js';
import { Capture } from './capture.js';
import { Strip, button } from './strip.js';
import { Marks } from './marks.js';
import { Lanes } from './lanes.js';
import { Panel } from './panel.js';
import { Search } from './search.js';
import { Choice } from './choice.js';
import { KINDS, hasScopes, isKind } from './kinds.js';

const KEYS = [['W S, + -, Ctrl and wheel', 'zoom'], ['A D, drag', 'move'], ['wheel, Page up and down', 'other threads'], ['shift and drag', 'select a range of threads'], ['0', 'the whole run'],
  ['F, double click', 'fit the selected scope or range'], ['arrows', 'from scope to scope; with shift from thread to thread'], ['Enter, click on a name', 'all rows of a thread, or fewer'],
  [', .', 'previous and next call of the same timer'], ['N, shift N', 'next worst hitch, and back'], ['M', 'statistics of the selected scope'], ['L', 'which lanes are drawn'], ['/', 'search: timers, threads, frames by number, logs, files and others'],
  ['Escape', 'clear the selection'], ['T', 'dark or light'], ['?', 'this list']];

class View {
  constructor(captures) {
    this.captures = captures;
    this.ready = this.complete = null; // promises: the range of the address is seen; all of the captures is there
    this.chosen = null;
    this.selection = null;
    this.kept = null;    // a selection that others are compared with
    this.marked = null;
    this.hidden = new Set();           // kinds of lanes that are not drawn
    this.range = new Range(0, 1, 20);
    this.choice = new Choice(this);
  }

  build(main) {
    main.replaceChildren();
    this.strips = make('div', 'strips');
    main.append(this.strips);
    this.strip = new Strip(this.strips, this);
    this.marks = new Marks(this.strips, this);
    this.lanes = new Lanes(main, this);
    this.status = statusLine('W S zoom, A D move; ? lists all keys.');
    main.append(this.status);
    this.panel = new Panel(main, this);
    this.search = new Search(document.getElementById('search'), this);
    this.buttons(document.getElementById('tools'));
    document.addEventListener('keydown', e => {
      const at = e.target instanceof Element ? e.target.tagName : '';
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA|CANVAS)$/.test(at) || document.querySelector('dialog[open]')) return;
      if (at === 'BUTTON' && (e.key === 'Enter' || e.key.startsWith('Arrow'))) return;
      if (this.pane(e.target) && /^(Arrow|Page)/.test(e.key)) return;
      if (this.lanes.picture.usual(e) || this.key(e)) e.preventDefault();
    });
  }

  pane(target) { return target.closest && target.closest('.panel') !== null; }

  buttons(host) {
    host.replaceChildren();
    if (this.captures.length > 1) host.append(this.starts());
    host.append(button('whole run (0)', () => this.all()), button('worst hitch (N)', () => this.hitch(false)), button('lanes (L)', () => this.choice.open()), button('copy link', () => this.copyLink()),
      button('panel', () => { this.panel.panel.hidden = !this.panel.panel.hidden; }), button('dark or light', () => this.theme()), button('keys ?', () => this.keys()));
  }

  /** Where several captures have their common start. */
  starts() {
    const select = make('select');
    select.setAttribute('aria-label', 'Common start of the captures');
    this.startList = select;
    this.fillStarts();
    select.addEventListener('change', () => this.align(select.value));
    return select;
  }

  /** Recording, frames, the selected scope; bookmarks and regions that all captures have. */
  fillStarts() {
    const was = this.startList.value, shared = list => [...new Set(list(this.captures[0]))].filter(name => name && this.captures.every(c => list(c).includes(name))).slice(0, 100);
    const options = [['start: recording', 'recording'], ['start: first frame', 'frame'], ['start: a frame by number', 'number'], ['start: the selected scope', 'scope'],
      ...shared(c => c.bookmarks.map(m => m.text)).map(n => [`start: bookmark ${n}`, 'bookmark ' + n]), ...shared(c => c.regions.map(r => r.name)).map(n => [`start: region ${n}`, 'region ' + n])];
    this.startList.replaceChildren(...options.map(([text, value]) => new Option(text, value)));
    this.startList.value = options.some(o => o[1] === was) ? was : 'recording';
  }

  /** A frame by its number in each capture, in a sheet. */
  frameSheet() {
    const input = make('input'), sheet = make('dialog', 'sheet', make('h2', '', 'Common start'), make('label', '', 'Number of the frame ', input));
    input.type = 'number';
    input.min = '0';
    input.value = '0';
    sheet.setAttribute('aria-label', 'Common start');
    sheet.append(button('align', () => {
      sheet.close();
      this.alignFrames(Number(input.value));
    }));
    input.addEventListener('keydown', e => { if (e.key === 'Enter') sheet.querySelector('button').click(); });
    sheet.addEventListener('close', () => sheet.remove());
    document.body.append(sheet);
    sheet.showModal();
  }

  /** Frames of this number lie above each other. */
  alignFrames(number) {
    this.alignTimes(c => c.game && Math.floor(number / c.game.group) < c.game.n ? c.game.begin[Math.floor(number / c.game.group)] : null, `frame ${number}`);
  }

  /** What `timeOf` says of each capture lies above each other; captures that have none stay where they are. */
  alignTimes(timeOf, what) {
    const missing = [];
    for (const c of this.captures) {
      const time = timeOf(c);
      if (time === null) missing.push(c.name);
      else c.offset = time;
    }
    this.bounds();
    this.all();
    this.say(missing.length ? `no ${what} in ${missing.join(' and ')}` : `${what} of all captures is at 0`);
  }

  alignMarks(how) {
    const [, kind, name] = /^(bookmark|region) ([^]*)$/.exec(how) || [];
    if (kind === 'bookmark') this.alignTimes(c => (c.bookmarks.find(m => m.text === name) || { time: null }).time, `bookmark ${name}`);
    if (kind === 'region') this.alignTimes(c => (c.regions.find(r => r.name === name) || { begin: null }).begin, `region ${name}`);
    if (how === 'number') this.frameSheet();
    return kind !== undefined || how === 'number';
  }

  async align(how) {
    const s = this.chosen;
    if (this.alignMarks(how)) return;
    for (const c of this.captures) {
      if (how === 'recording') c.offset = 0;
      if (how === 'frame' && c.game && c.game.n) c.offset = c.game.begin[0];
    }
    let failure = '';
    const missing = how === 'scope' && s && !s.folded ? await this.alignAt(s).catch(e => { failure = e.message; return []; }) : [];
    this.bounds();
    this.all();
    if (how === 'scope' && (!s || s.folded)) this.say('select a scope first');
    if (missing.length) this.say(`no scopes of this timer in ${missing.join(' and ')}`);
    if (failure) this.say(failure);
  }

  /** The first calls of the chosen timer in each capture lie above each other. Names of captures that have none are returned. */
  async alignAt(s) {
    const missing = [];
    s.capture.offset = s.start;
    for (const c of this.captures) {
      if (c === s.capture) continue;
      const timer = await askJson('/timer', { ...c.asked, of: s.capture.index, og: s.capture.reading, timer: s.timer });
      const box = timer === null ? null : await c.next(timer, c.first - 1, false);
      if (box) c.offset = box.start;
      else missing.push(c.name);
    }
    return missing;
  }

  bounds() {
    const from = Math.min(...this.captures.map(c => Math.min(0, c.first) - c.offset)), to = Math.max(...this.captures.map(c => c.end - c.offset));
    const before = this.range;
    this.range = new Range(from, to, 20);
    if (before.to - before.from > 1 && !this.wasWhole(before)) this.range.set(before.from, before.to);
  }

  /** A capture that grew takes the place of what was read of it before; at the end of the run the view follows. */
  async renew(i) {
    const old = this.captures[i], { range } = this, shown = this.lanes.visible().filter(item => item.kind === 'lane' && item.capture === old).map(item => item.lane);
    const c = await old.renewed(fresh => fresh.want(range.from, range.to, this.inner(), shown.map(l => fresh.laneLike(l)).filter(Boolean)));
    const s = this.chosen, box = s && s.capture === old && !s.folded ? await this.sameScope(c, s) : null;
    const held = this.lanes.topLane();
    const end = this.range.bounds[1], atEnd = this.range.to >= end && !this.wasWhole(this.range);
    this.captures[i] = c;
    if (s && s.capture === old && this.chosen === s) this.chosen = box;
    if (this.selection && this.selection.lanes) this.selection.lanes = this.selection.lanes.map(l => l.capture === old ? c.laneLike(l) : l).filter(Boolean);
    if (this.marked && this.marked.capture === old) this.marked = c.names.name(this.marked.timer) === old.names.name(this.marked.timer) ? { ...this.marked, capture: c } : null;
    if (this.kept && this.kept.lanes) this.kept.lanes = this.kept.lanes.map(l => l.capture === old ? c.laneLike(l) : l).filter(Boolean);
    this.bounds();
    if (atEnd) this.range.set(this.range.from + this.range.bounds[1] - end, this.range.to + this.range.bounds[1] - end);
    this.arrange();
    if (held) this.lanes.hold(held.lane.capture === old ? c.laneLike(held.lane) : held.lane, held.below);
    const top = this.panel.pane.scrollTop;
    if (this.panel.kind !== 'Statistics') this.panel.refresh();
    this.panel.pane.scrollTop = top;
  }

  /** A chosen scope in another reading of its capture. */
  async sameScope(c, s) {
    const lane = c.laneLike(s.lane), stack = lane ? await c.stack(lane, s.start, s.depth).catch(() => []) : [];
    const box = (stack || []).find(b => b.depth === s.depth && b.start === s.start);
    return box ? this.scopeOf(c, box) : null;
  }

  /** Gives all that depends on what the captures have its place. */
  arrange() {
    if (this.startList) this.fillStarts();
    this.strip.picture.height(this.strip.height());
    this.marks.picture.height(this.marks.height());
    this.lanes.forgetColours();
    this.lanes.place();
  }

  wasWhole(range) { return range.from <= range.bounds[0] && range.to >= range.bounds[1]; }

  // ---- where things are ----

  get names() { return this.lanes && this.lanes.picture.width < 700 ? 92 : 168; }
  inner() { return Math.max(1, (this.lanes ? this.lanes.picture.width || 1 : 1) - this.names - 8); }
  part(x) { return Math.max(0, Math.min(1, (x - this.names) / this.inner())); }
  timeAt(x) { return this.range.from + this.part(x) * (this.range.to - this.range.from); }
  xOf(t) { return this.names + (t - this.range.from) / (this.range.to - this.range.from) * this.inner(); }
  clip(x) { return Math.max(this.names, Math.min(this.names + this.inner(), x)); }

  /** A tick of the ruler: seconds as far as they tell them apart, below that from the first tick. */
  rulerText(t) {
    const width = this.range.to - this.range.from;
    if (width > 2e6) return seconds(t, width);
    const whole = Math.floor(this.range.from / 1e6) * 1e6;
    return `${(whole / 1e9).toFixed(3)} s + ${span(t - whole)}`;
  }

  timeText(t) { return moment(t); }

  // ---- moving ----

  moved() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    this.lanes.want();
    this.strip.picture.draw();
    this.marks.picture.draw();
    this.lanes.picture.draw();
    clearTimeout(this.settled);
    this.settled = setTimeout(() => this.settle(), 250);
  }

  /** What follows when nothing moves any more: words, and the address. */
  settle() {
    const { from, to } = this.range;
    for (const c of this.captures) {
      c.wantSamples(from, to);
      c.arrows.want(from, to, this.hidden);
    }
    document.getElementById('shown').textContent = `${moment(from)} to ${moment(to)}, ${span(to - from)}` + this.framesText();
    const parts = [];
    if (!this.wasWhole(this.range)) parts.push(`t=${Math.round(from)}-${Math.round(to)}`);
    if (this.chosen && !this.chosen.folded) parts.push(`at=${this.chosen.capture.index}.${this.chosen.lane.number}.${this.chosen.depth}.${Math.round(this.chosen.start)}`);
    if (this.selection) parts.push(`range=${Math.round(this.selection.from)}-${Math.round(this.selection.to)}`);
    if (this.selection && this.selection.lanes) parts.push(`of=${this.selection.lanes.map(l => `${l.capture.index}.${l.number}`).join('_')}`);
    const open = KINDS.filter(k => this.captures.some(c => c.openKinds.has(k.kind))).map(k => k.kind);
    if (open.length) parts.push(`open=${open.join('_')}`);
    if (this.hidden.size) parts.push(`hide=${[...this.hidden].join('_')}`);
    this.address = parts.join('&');
    history.replaceState(null, '', this.address ? '#' + this.address : location.pathname);
    if (this.panel.kind === 'Statistics' && !this.selection) this.panel.refresh();
  }

  framesText() {
    const c = this.captures[0], game = c.game;
    if (!game || !game.n || game.group > 1) return '';
    let first = -1, n = 0;
    for (let i = 0; i < game.n; i++) if (game.begin[i] - c.offset < this.range.to && game.begin[i] + game.length[i] - c.offset > this.range.from) {
      if (first < 0) first = i;
      n++;
    }
    return n === 0 ? '' : n === 1 ? `, frame ${first}` : `, frames ${first} to ${first + n - 1}`;
  }

  see(from, to) {
    this.range.set(from, to);
    this.moved();
  }

  all() {
    this.range.whole();
    this.moved();
  }

  /** Goes to a moment; a given length is shown with as much around it. */
  centre(t, length) {
    const width = length > 0 ? Math.max(length * 3, 1000) : this.range.to - this.range.from;
    this.see(t + (length || 0) / 2 - width / 2, t + (length || 0) / 2 + width / 2);
  }

  zoom(factor, part) {
    this.range.zoom(factor, part);
    this.moved();
  }

  /** The wheel: with Ctrl it zooms, sideways it moves; where there is something to scroll it scrolls. */
  wheelZoom(e, part, scrolls) {
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) {
      this.range.move((e.deltaX || e.deltaY) / this.inner());
      this.moved();
      return true;
    }
    if (scrolls && !e.ctrlKey && !e.metaKey && this.lanes.total > this.lanes.scroll.clientHeight) return false;
    this.zoom(Math.exp(Math.max(-240, Math.min(240, e.deltaY)) / 400), part);
    return true;
  }

  fit() {
    const s = this.chosen, r = this.selection;
    if (s) {
      const more = Math.max(10, (s.end - s.start) * 0.08);
      this.see(s.start - s.capture.offset - more, s.end - s.capture.offset + more);
      this.lanes.reveal(s.lane, s.depth);
    } else if (r) this.see(r.from, r.to);
  }

  // ---- choosing ----

  say(text) { this.status.textContent = text; }

  choose(s, reveal) {
    this.chosen = s;
    if (s) {
      this.say(this.lanes.textOf(s, ', '));
      s.capture.names.known(s.timer).then(() => { if (this.chosen === s) this.say(this.lanes.textOf(s, ', ')); });
      if (reveal) {
        const a = s.start - s.capture.offset, b = s.end - s.capture.offset, width = this.range.to - this.range.from;
        if (b < this.range.from || a > this.range.to) this.see(a - width / 3, a + width * 2 / 3);
        this.lanes.reveal(s.lane, s.depth);
      }
    }
    const slim = this.panel.panel.classList.contains('slim');
    this.panel.show('Selected scope');
    if (s && slim) this.lanes.reveal(s.lane, s.depth);    // the panel may have come over it
    this.moved();
  }

  select(from, to, lanes) {
    this.selection = from === null ? null : { from, to, lanes: lanes && lanes.length ? lanes : null };
    if (lanes && lanes.length && lanes.every(l => l.capture === lanes[0].capture)) this.panel.which = lanes[0].capture.index;
    if (this.selection) this.say(`selected: ${this.panel.rangeText(this.selection)}`);
    if (this.selection) this.panel.show('Statistics');
    else this.panel.refresh();
    this.moved();
  }

  drag(a, b, done, lanes) {
    this.dragged = done ? null : [a, b];
    if (done) this.select(this.timeAt(a), Math.max(this.timeAt(b), this.timeAt(a) + 1), lanes);
    else this.moved();
  }

  markScope() {
    const s = this.chosen;
    if (s) this.select(s.start - s.capture.offset, s.end - s.capture.offset, hasScopes(s.lane) ? [s.lane] : null);
  }

  mark(what) {
    this.marked = what;
    this.moved();
  }

  /** The selection, over a picture; of some lanes alone where these are given. */
  paintSelection(c, top, height, k, lanes) {
    const r = this.selection;
    const put = (a, b, y, h) => {
      c.fillStyle = k.band;
      c.fillRect(a, y, b - a, h);
      c.strokeStyle = k.mark;
      c.strokeRect(a + 0.5, y - 1, b - a - 1, h + 2);
    };
    if (this.dragged) put(this.clip(this.dragged[0]), this.clip(this.dragged[1]), top, height);
    else if (r && r.to > this.range.from && r.from < this.range.to) {
      const a = this.clip(this.xOf(r.from)), b = Math.max(a + 2, this.clip(this.xOf(r.to)));
      if (!lanes || !r.lanes) put(a, b, top, height);
      else for (const i of lanes.visible()) if (r.lanes.includes(i.lane)) put(a, b, i.top - lanes.top, i.height - 5);
    }
  }

  /** The scope that an answer of the server names. */
  scopeOf(capture, box) {
    const open = box.length < 0;
    return { capture, lane: capture.lanes[box.lane], timer: box.timer, depth: box.depth, start: box.start, end: open ? capture.end : box.start + box.length, open, folded: 0 };
  }

  async goTo(capture, timer, zooms) {
    this.mark({ capture, timer });
    try {
      const box = await capture.next(timer, Math.floor(this.range.from + capture.offset), false) || await capture.next(timer, capture.first - 1, false);
      if (box) this.choose(this.scopeOf(capture, box), true);
      else this.say('no scopes of this timer');
      if (box && zooms) this.fit();
    } catch (e) {
      this.say(e.message);
    }
  }

  /** Goes to times of a capture, which fill most of the window. */
  goToTimes(capture, from, to) {
    this.select(from - capture.offset, to - capture.offset, null);
    this.centre(from - capture.offset, to - from);
  }

  /** Goes to a moment: a thousandth of the run around it, or what is visible where that is less. */
  goToMoment(capture, time, text) {
    const [a, b] = this.range.bounds, width = Math.min(this.range.to - this.range.from, Math.max(1e6, (b - a) / 1000)), t = time - capture.offset;
    this.see(t - width / 2, t + width / 2);
    this.say(`${moment(time)}: ${text}`);
  }

  /** Goes to a thread, from its first scope to its last. */
  goToLane(lane) {
    const { capture } = lane;
    this.lanes.reveal(lane, 0);
    if (lane.last > lane.first) this.see(lane.first - capture.offset, lane.last - capture.offset);
    this.say(this.lanes.laneText({ lane, capture }).replace(/\n/g, ', '));
  }

  goToCounter(capture, series) {
    capture.openCounters = true;
    this.hidden.delete('counters');
    this.lanes.place();
    const item = this.lanes.items.find(i => i.series === series);
    if (item) this.lanes.scroll.scrollTop = Math.max(0, item.top - 30);
    this.see(series.time[0] - capture.offset, Math.max(series.time[0] + 1, series.time[series.time.length - 1]) - capture.offset);
    this.say(`counter ${series.name}`);
  }

  /** The same for a timer of a table; -1: the index has none. */
  async goToTimer(capture, timer) {
    if (timer >= 0) await this.goTo(capture, timer);
    else this.say('no scopes of this timer');
  }

  async occurrence(back) {
    const s = this.chosen;
    if (!s || s.folded) return;
    try {
      const box = await s.capture.next(s.timer, s.start, back, s.lane) || await s.capture.next(s.timer, s.start, back);
      if (box) this.choose(this.scopeOf(s.capture, box), true);
      else this.say(back ? 'it is the first call' : 'it is the last call');
    } catch (e) {
      this.say(e.message);
    }
  }

  /** Hitches, the worst first; where there are none, the longest frames. */
  worst() {
    const all = this.captures.flatMap(c => (c.hitches.length ? c.hitches : c.longest).map(h => ({ c, h, from: h.begin - c.offset })));
    return all.sort((a, b) => (b.h.reasons.length ? 1 : 0) - (a.h.reasons.length ? 1 : 0) || b.h.length - a.h.length || a.from - b.from);
  }

  hitch(back) {
    const all = this.worst(), now = this.atHitch ? all.findIndex(o => o.h === this.atHitch) : -1;
    const at = now < 0 ? (back ? all.length - 1 : 0) : now + (back ? -1 : 1), next = all[at];
    if (!next) {
      this.say(all.length ? 'there is no further one' : 'no frames were recorded');
      return;
    }
    this.atHitch = next.h;
    this.select(next.from, next.from + next.h.length, null);
    this.centre(next.from, next.h.length);
    const reason = next.h.reasons[0];
    this.say(`${next.h.reasons.length ? `hitch ${at + 1} of ${all.length}, the worst first` : 'no hitch, but long'}: frame ${next.h.frame} took ${span(next.h.length)}` + (reason && reason.timer ? `; most grew ${reason.timer} on ${reason.thread}` : ''));
  }

  // ---- keys and tools ----

  key(e) {
    const key = e.key;
    if (this.lanes.key(e)) return true;
    if (key === 'n' || key === 'N') this.hitch(key === 'N');
    else if (key === '.' || key === ',') this.occurrence(key === ',');
    else if (key === 'm' || key === 'M') this.markScope();
    else if (key === '0') this.all();
    else if (key === 't' || key === 'T') this.theme();
    else if (key === '?') this.keys();
    else if (key === 'l' || key === 'L') this.choice.open();
    else if (key === '/') this.search.input.focus();
    else if (key === 'Escape') {
      this.mark(null);
      this.chosen = null;
      this.select(null);
    } else return false;
    return true;
  }

  /** Draws a kind of lanes, or not. */
  hide(kind, hidden) {
    if (hidden) this.hidden.add(kind);
    else this.hidden.delete(kind);
    this.arrange();
  }

  theme() {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    this.lanes.forgetColours();
    redraw();
  }

  async copyLink() {
    const text = wholeAddress(this.address);
    try {
      await navigator.clipboard.writeText(text);
      this.say('the link is in the clipboard; it holds the token');
    } catch (e) {
      this.say(text);
    }
  }

  keys() {
    let sheet = document.querySelector('dialog');
    if (!sheet) {
      const list = make('dl');
      for (const [keys, what] of KEYS) list.append(make('dt', '', keys), make('dd', '', what));
      sheet = make('dialog', 'sheet', make('h2', '', 'Keys'), list, button('close', () => sheet.close()));
      sheet.setAttribute('aria-label', 'Keys');
      document.body.append(sheet);
    }
    sheet.showModal();
  }

  /** Lanes and kinds of lanes that the address names. */
  followLanes(rest) {
    for (const [, name, list] of rest.matchAll(/\b(open|hide)=([a-z_]{1,200})/g)) for (const kind of list.split('_').filter(isKind)) {
      if (name === 'hide') this.hidden.add(kind);
      else for (const c of this.captures) c.openKinds.add(kind);
    }
    this.arrange();
    const [, of] = /\bof=([\d._]{1,4000})/.exec(rest) || [, ''];
    return of.split('_').map(name => {
      const [, c, lane] = /^(\d{1,2})\.(\d{1,6})$/.exec(name) || [];
      return c && this.captures[Number(c)] ? this.captures[Number(c)].lanes[Number(lane)] : null;
    }).filter(l => l && hasScopes(l));
  }

  /** What the address asks for: t=FROM-TO, at=CAPTURE.LANE.ROW.START, range=FROM-TO, of=CAPTURE.LANE_..., open=KIND_..., hide=KIND_.... What
   * is ill-formed is ignored. */
  async follow(rest) {
    const lanes = this.followLanes(rest);
    for (const [, name, value] of rest.matchAll(/\b(t|at|range)=([\d.-]{1,80})/g)) {
      const [, from, to] = /^(-?\d{1,16})-(-?\d{1,16})$/.exec(value) || [];
      if (name === 't' && from && Number(to) > Number(from)) this.see(Number(from), Number(to));
      if (name === 'range' && from && Number(to) > Number(from)) this.select(Number(from), Number(to), lanes);
      const [, c, lane, depth, start] = /^(\d+)\.(\d+)\.(\d{1,4})\.(-?\d{1,16})$/.exec(value) || [];
      const capture = name === 'at' && this.captures[Number(c)];
      if (!capture || !capture.lanes[Number(lane)]) continue;
      const stack = await capture.stack(capture.lanes[Number(lane)], Number(start), Number(depth)).catch(() => []);
      const box = stack.find(b => b.depth === Number(depth));
      if (box) this.choose(this.scopeOf(capture, box), false);
    }
  }
}

// ---- opening ----

function tell(text) {
  const line = document.getElementById('wait');
  if (line) line.textContent = text;
}

function showProgress(state) {
  const line = document.getElementById('wait');
  if (!line) return;
  const c = state.captures.find(o => o.state === 'indexing') || state.captures[0];
  let bar = line.querySelector('progress');
  if (!bar) {
    bar = make('progress');
    bar.setAttribute('aria-label', 'How much was read');
    bar.max = 1;
    line.replaceChildren(make('span'), bar);
  }
  const text = `Reading ${c.name}`;
  if (line.firstChild.textContent !== text) line.firstChild.textContent = text;
  if (c.total) bar.value = c.done / c.total;
}

/** Says whether captures grow, and shows what came since they were read. */
async function follow(view, states) {
  const live = document.getElementById('live'), grows = states.some(c => c.grows === 'yes');
  const text = grows ? 'recording' : states.some(c => c.grows === 'ended') ? 'the recording has ended' : '';
  live.hidden = !text;
  live.classList.toggle('grows', grows);
  if (live.textContent !== text) live.textContent = text;
  for (const [i, c] of states.entries()) if (c.reading !== view.captures[i].reading) await view.renew(i).catch(e => { if (!(e instanceof ReadAnew)) view.say(e.message); });
}

/** What became of the files, and of the server. */
async function watch(view) {
  const notice = document.getElementById('notice');
  let text = '', pause = 2000;
  try {
    const state = await askJson('/progress', {});
    if (state.captures.some(c => c.grows !== 'no')) {
      pause = 300;
      await follow(view, state.captures);
    }
    for (const c of state.captures) {
      if (c.file === 'replaced') text = `${c.name} was replaced. What is shown is the file as it was opened; start trace-view again to see the new one.`;
      if (c.file === 'rewritten') text = `${c.name} was written to. Nothing more of it can be shown; start trace-view again.`;
    }
  } catch (e) {
    text = 'trace-view has ended, or cannot be reached.';
  }
  if (notice.textContent !== text) notice.textContent = text;
  setTimeout(() => watch(view), pause);
}

async function open() {
  const rest = takeToken();
  let state;
  for (;;) {
    state = await askJson('/progress', {});
    const failed = state.captures.find(c => c.state === 'failed');
    if (failed) throw new Error(`${failed.name} cannot be shown: ${failed.why}`);
    if (state.captures.every(c => c.state === 'ready')) break;
    showProgress(state);
    await new Promise(done => setTimeout(done, 150));
  }
  const view = new View(state.captures.map((c, i) => new Capture(i, c.name, () => view.moved())));
  globalThis.tracekitView = view;    // for tests
  const title = state.captures.map(c => c.name).join(' and ');
  document.title = title + ' - Tracekit';
  document.getElementById('title').textContent = title;
  document.getElementById('title').title = title;
  await Promise.all(view.captures.map(c => c.open()));
  view.bounds();
  view.build(document.getElementById('main'));
  state.captures.forEach((c, i) => { view.captures[i].path = c.path; });
  view.lanes.place();
  watch(view);
  view.ready = view.follow(rest);
  view.complete = Promise.all(view.captures.map(async c => {
    c.takeOverview(await askJson('/overview', c.asked));
    await c.shots.load();
    view.bounds();
    view.arrange();
    view.panel.refresh();
  })).catch(e => { if (!(e instanceof ReadAnew)) view.say('frames, marks and counters cannot be shown: ' + e.message); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    view.lanes.forgetColours();
    redraw();
  });
}

open().catch(e => tell(e.message));
