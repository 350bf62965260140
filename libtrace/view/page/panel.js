// Panel: in words and tables what is chosen, and statistics of what is selected, the same tables as trace-stats has.
import { make, span, moment, count } from './text.js';
import { Grid } from './tables.js';
import { askJson, askBytes, newest } from './server.js';
import { button } from './strip.js';
import { hasScopes } from './kinds.js';
import { aboutRows } from './about.js';
import { Flame, TIMED, SAMPLED } from './flame.js';
import { sideOf, restOf, lengthOf, timersAgainst, treeOfSide } from './against.js';

/** Flame graphs: the table that each is made of, and what its widths are. */
const FLAMES = { 'flame graph': { table: 'tree', unit: TIMED, none: 'no scopes' }, 'flame graph of samples': { table: 'sample_tree', unit: SAMPLED, none: 'no samples' } };

const TABLES = [['timers', 'excl'], ['tree'], ...Object.keys(FLAMES).map(name => [name]), ['threads', 'busy'], ['frame_stats'], ['frames'], ['hitches'], ['regions'], ['bookmarks'], ['logs'], ['counters'],
  ['samples', 'count'], ['sample_functions', 'excl'], ['sample_tree'], ['sample_rows'], ['memory_growth'], ['leaks', 'bytes'], ['memory', 'alloc_bytes'], ['tasks'], ['task_waits', 'dur'], ['locks'], ['gpu'], ['gpu_fences'], ['open_scopes'], ['files'],
  ['health']];

/** Which question of the table `can` says how that is recorded of which a capture has nothing. */
const QUESTIONS = { timers: 'CPU time by timer', tree: 'CPU time by timer', 'flame graph': 'CPU time by timer', frame_stats: 'frames', frames: 'frames', hitches: 'frames', regions: 'regions and bookmarks',
  bookmarks: 'regions and bookmarks', logs: 'log', counters: 'counters', samples: 'samples', sample_functions: 'samples', sample_tree: 'samples', sample_rows: 'samples', 'flame graph of samples': 'samples',
  memory: 'memory', memory_growth: 'memory', leaks: 'memory', tasks: 'what threads wait for', task_waits: 'what threads wait for', locks: 'what threads wait for', gpu: 'GPU time', gpu_fences: 'GPU time', files: 'loading' };

/** What a table is called in the list, where its name does not say it. */
const TITLES = { memory_growth: 'memory: growth, kept and churn', leaks: 'memory: allocated here and not freed', memory: 'memory: allocations by tag, thread and callstack' };

/** Columns that say most come first, so that they are on screen in a window of 1280 pixels. */
const FIRST = { timers: ['timer', 'excl', 'incl', 'count', 'mean', 'p95', 'max', 'total', 'working', 'open'], hitches: ['frame', 'start', 'dur', 'excess', 'timer', 'thread', 'growth', 'cause'] };

function arranged(name, data) {
  const first = FIRST[name] || [], at = c => first.includes(c.name) ? first.indexOf(c.name) : first.length;
  return { ...data, columns: [...data.columns].sort((a, b) => at(a) - at(b)) };
}

/** A table of columns with a caption; `chosen` is called with a row that is clicked. */
function grid(host, name, caption, data, chosen) {
  const table = make('table');
  table.dataset.table = name;
  table.append(make('caption', '', caption));
  host.replaceChildren(table);
  return new Grid(host, arranged(name, data), chosen);
}

function column(data, name, i) {
  const c = data.columns.find(o => o.name === name);
  return c ? c.cells[i] : null;
}

export class Panel {
  constructor(host, view) {
    this.view = view;
    this.tabs = make('div', 'tabs');
    this.tabs.setAttribute('role', 'tablist');
    this.pane = make('div', 'pane');
    this.pane.id = 'pane';
    this.pane.tabIndex = 0;
    this.pane.setAttribute('role', 'tabpanel');
    this.panel = make('section', 'panel', this.tabs, this.pane);
    this.panel.setAttribute('aria-label', 'What is selected');
    host.append(this.panel);
    this.which = 0;
    this.table = 'timers';
    this.kinds = ['Selected scope', 'Statistics', 'Hitches', 'Logs', 'Bookmarks', 'Regions', 'About'];
    this.kinds.forEach((kind, i) => this.tabs.append(this.tab(kind, i)));
    this.show('Selected scope');
  }

  tab(kind, i) {
    const b = button(kind, () => this.show(kind));
    b.setAttribute('role', 'tab');
    b.setAttribute('aria-controls', 'pane');
    b.id = 'tab-' + i;
    b.addEventListener('keydown', e => {
      const to = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!to) return;
      const next = this.kinds[(i + to + this.kinds.length) % this.kinds.length];
      this.show(next);
      this.tabs.children[this.kinds.indexOf(next)].focus();
      e.preventDefault();
    });
    return b;
  }

  show(kind) {
    this.kind = kind;
    [...this.tabs.children].forEach((b, i) => {
      b.setAttribute('aria-selected', String(this.kinds[i] === kind));
      b.tabIndex = this.kinds[i] === kind ? 0 : -1;
    });
    this.pane.setAttribute('aria-labelledby', 'tab-' + this.kinds.indexOf(kind));
    this.refresh();
  }

  /** Makes the pane anew. A control in it that has the keyboard keeps it, by its name, or else the pane has it. */
  refresh() {
    const active = document.activeElement;
    if (active !== this.pane) this.held = this.pane.contains(active) ? active : null;
    const filled = this.fillPane();
    this.holdFocus();
    if (filled) filled.then(() => this.holdFocus());
  }

  holdFocus() {
    const { held } = this, active = document.activeElement;
    if (!held || (active !== this.pane && active !== document.body)) return;
    const nameOf = e => e.getAttribute('aria-label') || e.textContent;
    const same = [...this.pane.querySelectorAll('select, button')].find(e => e.tagName === held.tagName && nameOf(e) === nameOf(held));
    (same || this.pane).focus({ preventScroll: true });
    if (same) this.held = null;
  }

  /** Is nothing shown but what to do? Then the timeline has the room. */
  get slim() { return this.kind === 'Selected scope' && !this.view.chosen; }

  /** What is still on its way is a promise; until then the pane is as it was. */
  fillPane() {
    this.panel.classList.toggle('slim', this.slim);
    if (this.kind !== 'Selected scope') this.pane.replaceChildren();
    const how = { 'Selected scope': 'scope', Statistics: 'statistics', Hitches: 'hitches', Logs: 'logs', Bookmarks: 'bookmarks', Regions: 'regions', About: 'about' }[this.kind];
    if (how !== 'scope') this.shown = this.kind;
    return this[how]();
  }

  none(text) { this.pane.append(make('p', 'none', text)); }

  /** Says that there is nothing, and how it would have been recorded where the capture has nothing of it at all. */
  async lacks(host, text, capture, table) {
    const line = make('p', 'none', text);
    host.append(line);
    const how = QUESTIONS[table] ? await this.view.choice.howOf(capture, QUESTIONS[table]) : '';
    if (how) line.textContent = `${text} ${how}.`;
  }

  facts(list) {
    const dl = make('dl', 'facts');
    for (const [name, value] of list) if (value !== '' && value !== null && value !== undefined) dl.append(make('dt', '', name), make('dd', '', value));
    return dl;
  }

  // ---- the chosen scope ----

  async scope() {
    const s = this.view.chosen;
    if (!s || s.folded || this.shown !== this.kind) this.pane.replaceChildren();
    this.shown = this.kind;
    if (!s) {
      this.none('Click a scope, or go to one with the arrows. Shift and drag selects a range for the statistics; ? lists all keys.');
      return;
    }
    if (s.folded) {
      this.none(this.view.lanes.textOf(s, '; ') + '.');
      this.pane.append(button('zoom in', () => this.view.see(s.start - s.capture.offset, s.end - s.capture.offset)));
      return;
    }
    const [timer, stack] = await Promise.all([s.capture.names.known(s.timer), s.capture.stack(s.lane, s.start, s.depth).catch(() => null)]);
    if (this.view.chosen !== s || this.kind !== 'Selected scope') return;
    const tools = make('div', 'title', button('fit (F)', () => this.view.fit()), button('previous (,)', () => this.view.occurrence(true)),
      button('next (.)', () => this.view.occurrence(false)), button('statistics of it (M)', () => this.view.markScope()),
      button('highlight all', () => this.view.mark({ capture: s.capture, timer: s.timer })));
    const left = make('div', '', make('h2', '', timer.name || '(without a name)'), tools, this.facts([
      ['length', span(s.end - s.start) + (s.open ? ', never ended' : '')], ['start', moment(s.start)], ['end', s.open ? '' : moment(s.end)],
      [hasScopes(s.lane) ? 'thread' : 'lane', this.view.lanes.laneName(s.lane)], ['row', String(s.depth)], ['file', timer.file ? `${timer.file}${timer.line ? ':' + timer.line : ''}` : ''],
      ['frame', this.frameAt(s)], ['waits', s.capture.waits.has(s.timer) ? 'yes, by its name' : '']]));
    this.pane.replaceChildren(make('div', 'two', left, ...this.beside(s, timer, stack)));
  }

  frameAt(s) {
    const game = s.capture.game;
    if (!game) return '';
    for (let i = 0; i < game.n; i++) if (game.begin[i] <= s.start && s.start < game.begin[i] + game.length[i]) return String(i * game.group);
    return '';
  }

  /** Figures of all calls, and what is around it. */
  beside(s, timer, stack) {
    const f = s.capture.figures.get(s.timer);
    const figures = f ? [['calls', count(f.count)], ['inclusive time', span(f.incl)], ['exclusive time', span(f.excl)], ['mean', span(f.mean)], ['median', span(f.median)],
      ['p95', span(f.p95)], ['p99', span(f.p99)], ['longest', span(f.max)]] : [[hasScopes(s.lane) ? 'calls' : 'times', count(timer.scopes)]];
    const list = make('ul', 'path');
    for (const box of stack || []) {
      if (box.depth >= s.depth) continue;
      const at = { capture: s.capture, lane: s.lane, timer: box.timer, depth: box.depth, start: box.start, end: box.length < 0 ? s.capture.end : box.start + box.length, open: box.length < 0, folded: 0 };
      const b = button('…', () => this.view.choose(at, true));
      s.capture.names.known(box.timer).then(t => { b.textContent = `${t.name || '(without a name)'}  ${span(at.end - at.start)}`; });
      list.append(make('li', '', b));
    }
    if (!hasScopes(s.lane)) return [make('div', '', make('h2', '', 'All of this name'), this.facts(figures))];
    return [make('div', '', make('h2', '', 'All calls of this timer'), this.facts(figures)),
      make('div', '', make('h2', '', list.children.length ? 'Around it, the outermost first' : 'Nothing is around it'), list)];
  }

  // ---- statistics ----

  statistics() {
    const { view } = this, r = view.selection || { from: view.range.from, to: view.range.to, lanes: null };
    const which = make('select');
    which.setAttribute('aria-label', 'Table');
    for (const [name] of TABLES) which.append(new Option(TITLES[name] || name.replace(/_/g, ' '), name, false, name === this.table));
    which.addEventListener('change', () => { this.table = which.value; this.refresh(); });
    const lanes = r.lanes && r.lanes.filter(l => l.capture.index === this.which);
    const tools = make('div', 'title', make('strong', '', (view.selection ? 'Selected: ' : 'Visible: ') + this.rangeText(r)), which);
    if (view.captures.length > 1) {
      const of = make('select');
      of.setAttribute('aria-label', 'Capture');
      view.captures.forEach((c, i) => of.append(new Option(`${i + 1}  ${c.name}`, i, false, i === this.which)));
      of.addEventListener('change', () => { this.which = Number(of.value); this.refresh(); });
      tools.append(of);
    }
    if (lanes) tools.append(make('span', 'more', this.lanesText(lanes)), button('all threads', () => view.select(r.from, r.to, null)));
    if (view.selection) tools.append(button('zoom to it', () => view.see(r.from, r.to)), button('clear selection', () => view.select(null)));
    this.againstTools(tools, r, lanes);
    const host = make('div');
    if (lanes && !lanes.length) {
      this.pane.append(tools);
      this.none('Nothing of this capture is selected.');
      return;
    }
    this.pane.append(tools, ...this.commands(r, lanes), host);
    if (FLAMES[this.table]) this.fillFlames(host, r, lanes);
    else if (this.other(r, lanes) && this.table === 'timers') this.fillAgainst(host, r, lanes);
    else this.fill(host, r, lanes);
  }

  // ---- against something ----

  /** What a selection is compared with, and a button that keeps it, so that another one is compared with it. */
  againstTools(tools, r, lanes) {
    const { view } = this, select = make('select');
    select.setAttribute('aria-label', 'Compared with');
    select.append(new Option('alone', ''), new Option('against the rest of the capture', 'rest'));
    if (view.kept) select.append(new Option(`against ${this.rangeText(view.kept)}${view.captures.length > 1 ? ` of ${view.captures[view.kept.which].name}` : ''}`, 'kept'));
    select.addEventListener('change', () => {
      this.against = select.value;
      if (this.against && !FLAMES[this.table]) this.table = 'timers';
      this.refresh();
    });
    for (const c of view.captures) if (c.index !== this.which) select.append(new Option(`against ${c.name}, at the same times`, String(c.index)));
    select.value = this.against && (this.against !== 'kept' || view.kept) ? this.against : '';
    tools.append(button('save page', () => this.savePage(r, lanes, false), 'one file of what is selected, which opens without a server'),
      button('save anonymised', () => this.savePage(r, lanes, true), 'the same without names of people, machines, paths, projects, assets, functions and threads, and without messages: trace-edit --anonymise replaces them'));
    if (!view.selection && view.captures.length > 1) tools.append(select);
    if (view.selection) tools.append(select, button('keep it to compare', () => {
      view.kept = { ...r, lanes, which: this.which };
      this.against = 'kept';
      view.say(`kept: ${this.rangeText(r)}; select another range to compare it with`);
      this.refresh();
    }));
  }

  /** One file of what is selected, as trace-report writes it. */
  async savePage(r, lanes, anonymous) {
    const { view } = this, mine = this.side(r, lanes, this.which), [[from, to]] = mine.parts, asked = { ...mine.capture.asked, t: 'timers', a: from, b: to, anonymous: anonymous ? 1 : 0 };
    view.say('Writing the page…');
    try {
      const bytes = await askBytes('/page', lanes && lanes.length ? { ...asked, l: lanes.map(l => l.number).join('.') } : asked);
      const link = make('a'), address = URL.createObjectURL(new Blob([bytes], { type: 'text/html' }));
      link.href = address;
      link.download = `${anonymous ? 'anonymised' : mine.capture.name.replace(/[^\w.-]+/g, '_')}-${(from / 1e9).toFixed(3)}-${(to / 1e9).toFixed(3)}.html`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
      view.say(`saved ${link.download}`);
    } catch (e) {
      view.say(e.message);
    }
  }

  side(r, lanes, which) {
    const c = this.view.captures[which];
    return sideOf(c, Math.round(r.from + c.offset), Math.max(Math.round(r.from + c.offset) + 1, Math.round(r.to + c.offset)), lanes);
  }

  /** The other side; null: there is none. */
  other(r, lanes) {
    const { kept, selection } = this.view;
    if (this.against === 'kept' && kept) return this.side(kept, kept.lanes, kept.which);
    const of = /^\d+$/.test(this.against || '') ? Number(this.against) : -1;
    if (of >= 0 && of !== this.which && of < this.view.captures.length) return this.side(r, null, of);
    return this.against === 'rest' && selection ? restOf(this.side(r, lanes, this.which)) : null;
  }

  /** What is shown, as command lines. */
  commands(r, lanes) {
    const other = this.table === 'timers' || FLAMES[this.table] ? this.other(r, lanes) : null;
    const mine = this.side(r, lanes, this.which), line = (text, side, part) => make('p', 'more', text, make('code', '', this.command(side.capture, part, side.lanes)));
    return [line('As a command: ', mine, mine.parts[0]), ...(other ? other.parts.map(part => line('The other side: ', other, part)) : [])];
  }

  async fillAgainst(host, r, lanes) {
    const mine = this.side(r, lanes, this.which), other = this.other(r, lanes);
    host.replaceChildren(make('p', 'none', 'Reading…'));
    try {
      const data = lengthOf(other) > 0 ? await timersAgainst(mine, other) : null;
      if (!data || !host.isConnected) {
        if (lengthOf(other) <= 0) host.replaceChildren(make('p', 'none', 'The selection is the whole capture; nothing else is left.'));
        return;
      }
      grid(host, 'against', `timers: the selection (${span(lengthOf(mine))}) against the other side (${span(lengthOf(other))}), per second`, data, () => 0);
    } catch (e) {
      if (host.isConnected) host.replaceChildren(make('p', 'none', e.message));
    }
  }

  /** Flame graphs of both sides next to each other, or of the selection alone. */
  async fillFlames(host, r, lanes) {
    const mine = this.side(r, lanes, this.which), other = this.other(r, lanes), { table, unit, none } = FLAMES[this.table];
    host.replaceChildren(make('p', 'none', 'Reading…'));
    try {
      const trees = [await treeOfSide(mine, 0, table), ...(other && lengthOf(other) > 0 ? [await treeOfSide(other, 1, table)] : [])];
      if (trees.some(t => !t) || !host.isConnected) return;
      const hosts = trees.map(() => make('div', 'flame'));
      host.replaceChildren(make('div', 'two', ...hosts));
      trees.forEach((tree, i) => {
        const title = i ? 'The other side' : 'Selection';
        if (tree.children.length) this.flames = new Flame(hosts[i], title, tree, unit);
        else this.lacks(hosts[i], `${title}: ${none}.`, i ? other.capture : mine.capture, this.table);
      });
    } catch (e) {
      if (host.isConnected) host.replaceChildren(make('p', 'none', e.message));
    }
  }

  lanesText(lanes) {
    if (!lanes.length) return 'no thread';
    return lanes.length === 1 ? lanes[0].name || 'without a name' : `${lanes.length} threads and queues`;
  }

  /** What the command cannot say: that of several threads of one name some are selected. */
  namesakes(lanes) {
    const seen = new Set(), out = [];
    for (const l of lanes) {
      const n = l.capture.namesakes(l);
      if (n > 1 && !seen.has(l.name)) out.push(lanes.length === 1 ? `${n} threads of this name` : `${n} threads of the name ${l.name}`);
      seen.add(l.name);
    }
    return out;
  }

  rangeText(r) {
    return `${this.view.timeText(r.from)} to ${this.view.timeText(r.to)} (${span(r.to - r.from)})`;
  }

  /** The same question as a command line. */
  command(c, [from, to], lanes) {
    const quoted = t => /^[\w.:/-]+$/.test(t) ? t : `'${t.replace(/'/g, "'\\''")}'`, table = FLAMES[this.table] ? FLAMES[this.table].table : this.table, sort = TABLES.find(t => t[0] === this.table)[1];
    const names = new Set((lanes || []).map(l => l.kind === 'gpu_work' ? l.name.replace(/ work$/, '') : l.name)), several = this.namesakes(lanes || []);
    return `trace-stats ${quoted(c.path)} -t ${table}${table === 'tree' || table === 'sample_tree' ? ' --by thread' : ''} --from ${from}ns --to ${to}ns`
      + (sort ? ` -s ${sort}` : '') + [...names].map(n => ` --thread ${quoted(n)}`).join('') + (several.length ? `  # ${several.join(', ').replace(/[\r\n]/g, ' ')}` : '');
  }

  async fill(host, r, lanes) {
    const c = this.view.captures[this.which], sort = TABLES.find(t => t[0] === this.table)[1];
    const asked = { ...c.asked, t: this.table, a: Math.round(r.from + c.offset), b: Math.max(Math.round(r.from + c.offset) + 1, Math.round(r.to + c.offset)), top: 5000, ...newest(60) };
    if (sort) asked.sort = sort;
    if (lanes && lanes.length) asked.l = lanes.map(l => l.number).join('.');
    host.replaceChildren(make('p', 'none', 'Reading…'));
    try {
      const answer = await askJson('/rows', asked);
      if (!answer || !host.isConnected) return;
      const data = answer.table, shown = answer.all > data.rows ? `, ${count(data.rows)} of ${count(answer.all)} rows` : '', beyond = answer.beyond ? `; ${count(answer.beyond)} shorter ${answer.beyond === 1 ? 'one is' : 'ones are'} not listed` : '';
      if (!data.rows) {
        host.replaceChildren();
        await this.lacks(host, 'Nothing of this kind is in the selection.', c, this.table);
      } else grid(host, this.table, this.table.replace(/_/g, ' ') + shown + beyond, data, (d, i) => this.rowChosen(c, d, i, answer.timer_ids));
    } catch (e) {
      if (host.isConnected) host.replaceChildren(make('p', 'none', e.message));
    }
  }

  /** A row leads to its timer, or to its time. */
  async rowChosen(read, data, i, timers) {
    const capture = this.view.captures[read.index];
    if (capture.reading !== read.reading) timers = null;
    const name = column(data, 'timer', i), time = column(data, 'start', i) === null ? column(data, 'time', i) : column(data, 'start', i);
    if (time !== null) {
      const length = column(data, 'dur', i);
      if (length > 0) this.view.select(time - capture.offset, time - capture.offset + length, null);
      this.view.centre(time - capture.offset, length);
    } else if (name !== null && name >= 0) {
      if (timers) await this.view.goToTimer(capture, timers[i]);
      else this.refresh();
    }
  }

  // ---- lists ----

  list(name, caption, data, empty, capture, chosen) {
    if (!data || !data.rows) {
      this.lacks(this.pane, empty, capture, name);
      return;
    }
    const host = make('div');
    this.pane.append(host);
    grid(host, name, caption, data, chosen);
  }

  each(table, empty) {
    const { captures } = this.view;
    for (const c of captures) {
      if (!c.overview) {
        this.none('Reading the capture…');
        continue;
      }
      const caption = `${table[0].toUpperCase()}${table.slice(1)}${captures.length > 1 ? ' of ' + c.name : ''}`;
      this.list(table, caption, c.overview[table], empty, c, (d, i) => this.rowChosen(c, d, i));
      const all = c.overview[table + '_all'];
      if (c.overview[table] && all > c.overview[table].rows) this.none(`${count(c.overview[table].rows)} of ${count(all)}; select a range for those in it.`);
    }
  }

  hitches() {
    this.each('hitches', 'No frame is known to be late against those around it.');
    for (const c of this.view.captures) if (c.overview && c.overview.hitches_beyond)
      this.none(`These are the longest${this.view.captures.length > 1 ? ' of ' + c.name : ''}; ${count(c.overview.hitches_beyond)} shorter ${c.overview.hitches_beyond === 1 ? 'one is' : 'ones are'} not listed.`);
    for (const c of this.view.captures) if (c.longest.length) this.longest(c);
  }

  /** Where no frame is a hitch, the longest. */
  longest(c) {
    const list = make('ul', 'path');
    for (const h of c.longest) list.append(make('li', '', button(`frame ${h.frame}: ${span(h.length)} at ${moment(h.begin)}`, () => {
      this.view.select(h.begin - c.offset, h.begin - c.offset + h.length, null);
      this.view.centre(h.begin - c.offset, h.length);
    })));
    this.pane.append(make('h2', '', `The ${c.longest.length} longest frames${this.view.captures.length > 1 ? ' of ' + c.name : ''}`), list);
  }

  logs() { this.each('logs', 'No log messages were recorded.'); }
  bookmarks() { this.each('bookmarks', 'No bookmarks were recorded.'); }
  regions() { this.each('regions', 'No regions were recorded.'); }

  about() {
    for (const c of this.view.captures) {
      this.pane.append(make('h2', '', c.name));
      if (c.overview) this.pane.append(this.facts(aboutRows(c)));
      else this.none('Reading the capture…');
    }
  }
}
