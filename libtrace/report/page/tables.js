// Tables: the HTML tables get sorting by their heads; long ones are replaced by a list of all rows that are in the
// page, of which only those in sight are elements.
import { make, span, size, moment, count, real, percent } from './text.js';
import { block } from './blocks.js';

const KIND = { BOOL: 1, INT: 2, UINT: 3, HEX: 4, REAL32: 5, REAL: 6, TIME: 7, SPAN: 8, MEAN: 9, SIZE: 10, TEXT: 11 };
const LINE = 26, LINES = 24, PRINTED = 60;

/** Columns whose cells have a bar behind their figure, as long as their part of the greatest. */
const BARS = new Set(['excl', 'incl', 'total', 'running', 'alive_bytes', 'peak_bytes', 'read_time']);

function barred(cell, value, most) {
  if (!(value > 0) || !(most > 0)) return;
  cell.style.background = `linear-gradient(var(--pale), var(--pale)) 0 50% / ${(value / most * 100).toFixed(1)}% 70% no-repeat`;
  cell.style.minWidth = '84px';
}

function shown(column, v, names) {
  if (v === null || (column.kind === KIND.TEXT && v < 0)) return '';
  switch (column.kind) {
    case KIND.TEXT: return names[v];
    case KIND.BOOL: return v ? 'yes' : 'no';
    case KIND.TIME: return moment(v);
    case KIND.SPAN: case KIND.MEAN: return span(v);
    case KIND.SIZE: return size(v);
    case KIND.REAL: case KIND.REAL32: return column.part ? percent(v) : real(v);
    default: return String(v);
  }
}

/** Puts a button into a head, which sorts; `by` is called with the direction. */
function sortable(th, by) {
  const button = make('button', '', th.textContent);
  button.type = 'button';
  if (th.title) button.title = th.title;
  th.removeAttribute('title');
  th.replaceChildren(button);
  button.addEventListener('click', () => {
    const down = th.getAttribute('aria-sort') !== 'descending';
    for (const other of th.parentNode.children) other.removeAttribute('aria-sort');
    th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    by(down);
  });
}

function valueOf(cell) {
  const data = cell && cell.querySelector('data');
  return data ? Number(data.value) : cell ? cell.textContent : '';
}

function ordered(a, b) {
  if (a === b) return 0;
  if (a === '' || a === null) return 2;
  if (b === '' || b === null) return -2;
  return a < b ? -1 : 1;
}

/** What is empty stays last, whichever way the others are sorted. */
function directed(order, down) {
  return Math.abs(order) === 2 ? order : down ? -order : order;
}

function enhance(table) {
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2) return;
  [...table.tHead.rows[0].cells].forEach((th, at) => {
    if (!BARS.has(th.dataset.column) || table.dataset.table === 'tree') return;
    const values = [...body.rows].map(row => Number(valueOf(row.cells[at])));
    const most = Math.max(...values);
    values.forEach((v, i) => barred(body.rows[i].cells[at], v, most));
  });
  [...table.tHead.rows[0].cells].forEach((th, at) => sortable(th, down => {
    const rows = [...body.rows].map(row => [valueOf(row.cells[at]), row]);
    rows.sort((x, y) => directed(ordered(x[0], y[0]), down));
    body.append(...rows.map(r => r[1]));
  }));
}

/** Does a text fit what is looked for: a part of it, or /a regular expression/? */
export function matcher(text) {
  const lower = text.toLowerCase();
  if (/^\/.+\/$/.test(text)) {
    try {
      const expression = new RegExp(text.slice(1, -1), 'i');
      return name => expression.test(name);
    } catch (e) {
      return () => false;
    }
  }
  return name => name.toLowerCase().includes(lower);
}

/** A list of all rows of a block in place of its short table. `chosen` is called with a row that is clicked. */
export class Grid {
  constructor(host, data, chosen) {
    this.host = host;
    this.data = data;
    this.chosen = chosen;
    this.unit = data.columns.find(c => c.name === 'unit');
    this.order = Array.from({ length: data.rows }, (_, i) => i);
    this.build(host.querySelector('table'));
    this.fill();
  }

  build(old) {
    this.name = old.dataset.table;
    this.filter = make('input');
    this.filter.type = 'search';
    this.filter.placeholder = 'filter: text or /expression/';
    this.filter.setAttribute('aria-label', 'Filter ' + old.caption.textContent);
    this.told = make('span', 'more');
    this.told.setAttribute('role', 'status');
    this.table = make('table');
    this.table.dataset.table = this.name;
    this.table.append(make('caption', 'unseen', old.caption.textContent));
    this.head = make('tr');
    this.data.columns.forEach((column, k) => this.head.append(this.headOf(column, k)));
    this.body = make('tbody');
    this.table.append(make('thead', '', this.head), this.body);
    this.table.setAttribute('aria-rowcount', this.data.rows + 1);
    this.rows = make('div', 'rows', this.table);
    this.rows.tabIndex = 0;
    this.rows.setAttribute('role', 'region');
    this.rows.setAttribute('aria-label', old.caption.textContent);
    this.measure();
    const title = make('strong', '', old.caption.textContent);
    title.setAttribute('aria-hidden', 'true');
    this.host.replaceChildren(make('div', 'title', title, this.filter, this.told), this.rows);
    this.host.classList.add('all');
    this.rows.addEventListener('scroll', () => this.fill());
    addEventListener('beforeprint', () => this.print(true));
    addEventListener('afterprint', () => this.print(false));
    this.filter.addEventListener('input', () => this.sift());
    this.rows.addEventListener('keydown', e => {
      if (e.key === '/') {
        e.preventDefault();
        this.filter.focus();
      }
    });
    this.sift();
  }

  headOf(column, k) {
    const th = make('th', column.kind === KIND.TEXT ? '' : 'n', column.name.replace(/_/g, ' '));
    th.scope = 'col';
    th.title = column.title;
    th.dataset.column = column.name;
    sortable(th, down => {
      const value = column.kind === KIND.TEXT ? i => this.data.names[column.cells[i]] || '' : i => column.cells[i];
      this.order.sort((a, b) => directed(ordered(value(a), value(b)), down) || a - b);
      this.rows.scrollTop = 0;
      this.sift();
    });
    return th;
  }

  /** Columns of texts are as wide as their longest, so that no column moves while rows come and go. */
  measure() {
    const context = make('canvas').getContext('2d');
    context.font = '12.5px system-ui, "DejaVu Sans", sans-serif';
    this.most = this.data.columns.map(c => BARS.has(c.name) ? c.cells.reduce((a, v) => Math.max(a, v || 0), 0) : 0);
    this.data.columns.forEach((column, k) => {
      if (column.kind !== KIND.TEXT) return;
      let longest = '';
      for (const v of column.cells) if (v >= 0 && this.data.names[v].length > longest.length) longest = this.data.names[v];
      const last = k === this.data.columns.length - 1;
      this.head.cells[k].style.minWidth = Math.min(Math.ceil(context.measureText(longest).width) + 20, last ? 900 : 380) + 'px';
    });
  }

  /** On paper nothing scrolls: the first rows stand there, and how many there are. */
  print(onPaper) {
    this.onPaper = onPaper;
    this.tell();
    this.fill();
  }

  tell() {
    const all = Number(this.host.dataset.seen);
    const seen = `${count(this.seen.length)} of ${count(this.data.rows)} rows` + (all > this.data.rows ? `, the first of ${count(all)}` : '');
    this.told.textContent = this.onPaper && this.seen.length > PRINTED ? `the first ${PRINTED} of ${seen}` : seen;
  }

  sift() {
    const fits = matcher(this.filter.value);
    const texts = this.data.columns.filter(c => c.kind === KIND.TEXT);
    this.seen = this.filter.value
      ? this.order.filter(i => texts.some(c => c.cells[i] >= 0 && fits(this.data.names[c.cells[i]])))
      : this.order;
    this.tell();
    this.fill();
  }

  fill() {
    if (this.onPaper) {
      this.body.replaceChildren(...this.seen.slice(0, PRINTED).map((i, k) => this.row(i, k)));
      return;
    }
    const first = Math.max(0, Math.min(Math.floor(this.rows.scrollTop / LINE) - 4, this.seen.length - LINES - 8));
    const last = Math.min(this.seen.length, first + LINES + 8);
    const rows = [];
    rows.push(this.spacer(first));
    for (let k = first; k < last; k++) rows.push(this.row(this.seen[k], k));
    rows.push(this.spacer(this.seen.length - last));
    this.body.replaceChildren(...rows);
  }

  spacer(n) {
    const row = make('tr');
    row.setAttribute('aria-hidden', 'true');
    row.style.height = n * LINE + 'px';
    return row;
  }

  row(i, k) {
    const row = make('tr');
    row.setAttribute('aria-rowindex', k + 2);
    const bytes = this.unit && this.data.names[this.unit.cells[i]] === 'bytes';
    for (const [at, column] of this.data.columns.entries()) {
      const cell = make('td', column.kind === KIND.TEXT ? '' : 'n');
      const inUnit = bytes && column.kind === KIND.REAL && !column.part && column.cells[i] !== null;
      const text = inUnit ? size(column.cells[i]) : shown(column, column.cells[i], this.data.names);
      if (column.kind === KIND.TEXT) {
        cell.textContent = text;
        cell.title = text;
      } else if (text !== '') {
        const data = make('data', '', text);
        data.value = column.cells[i];
        cell.append(data);
        if (this.most[at]) barred(cell, column.cells[i], this.most[at]);
      }
      row.append(cell);
    }
    if (this.chosen) row.addEventListener('click', () => this.chosen(this.data, i));
    return row;
  }
}

/** What is wider than the window can be moved by keys. */
function reachable(capture) {
  for (const scroll of capture.querySelectorAll('.scroll')) {
    if (scroll.scrollWidth > scroll.clientWidth) scroll.tabIndex = 0;
    else scroll.removeAttribute('tabindex');
  }
}

/** Makes all tables of a capture sortable, and long ones complete. `chosen` is called with a row that is clicked. */
export function tables(capture, chosen) {
  for (const table of capture.querySelectorAll('table')) enhance(table);
  reachable(capture);
  addEventListener('resize', () => reachable(capture));
  for (const list of capture.querySelectorAll('[data-list]')) {
    const name = list.querySelector('table') && list.querySelector('table').dataset.table;
    const id = capture.dataset.prefix + 'b-' + name;
    if (name && document.getElementById(id))
      block(id).then(data => new Grid(list, data, name === 'timers' ? chosen : null)).catch(() => {});
  }
}
