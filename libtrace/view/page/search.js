// Search: timers, threads, frames by number, regions, bookmarks, log messages, counters, and what lanes of cores, locks, files and
// packages name. What is chosen is gone to, and fills the window.
import { make, count, span, moment } from './text.js';
import { colours } from './canvas.js';
import { askJson, newest } from './server.js';
import { listOf } from './capture.js';

const OF_KIND = 50;    // of each kind that the page itself looks through
const BEYOND = { region: 'regions', bookmark: 'bookmarks', log: 'logs' };    // kinds of which a page has the first rows of a table

/** Does a text fit, as the server has it: anywhere in it, or a pattern with * ? and |. */
export function fits(q) {
  if (!/[*?|]/.test(q)) return text => text.toLowerCase().includes(q.toLowerCase());
  const one = part => '^' + part.replace(/[.+^${}()[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.') + '$';
  const expression = new RegExp(q.split('|').map(one).join('|'), 'i');
  return text => expression.test(text);
}

/** What a page knows by itself: each kind lists what fits as name, a remark, and where that leads. */
const KNOWN = [
  { kind: 'frame', find: (c, q) => frameNumbered(c, q) },
  { kind: 'thread', find: (c, q, fit) => c.order.filter(l => l.kind === 'thread' && fit(l.name)).map(l => ({ name: l.name, remark: `${count(l.scopes)} scopes`, go: v => v.goToLane(l) })) },
  { kind: 'region', find: (c, q, fit) => c.regions.filter(r => fit(r.name)).map(r => ({ name: r.name, remark: `${span(r.end - r.begin)} at ${moment(r.begin)}`, go: v => v.goToTimes(c, r.begin, r.end) })) },
  { kind: 'bookmark', find: (c, q, fit) => c.bookmarks.filter(m => fit(m.text)).map(m => ({ name: m.text, remark: moment(m.time), go: v => v.goToMoment(c, m.time, m.text) })) },
  { kind: 'counter', find: (c, q, fit) => c.counters.filter(s => fit(s.name)).map(s => ({ name: s.name, remark: `${count(s.time.length)} values`, go: v => v.goToCounter(c, s) })) },
  { kind: 'log', find: (c, q, fit) => c.logs.filter(m => fit(m.text) || fit(m.category || '')).map(m => ({ name: m.text, remark: moment(m.time), go: v => v.goToMoment(c, m.time, m.text) })) },
];

function frameNumbered(c, q) {
  const [, number] = /^(?:frame\s+|#)?(\d{1,9})$/i.exec(q) || [], game = c.game;
  const i = game && number ? Math.floor(Number(number) / game.group) : -1;
  if (i < 0 || i >= game.n) return [];
  return [{ name: `frame ${number}`, remark: `${span(game.length[i])} at ${moment(game.begin[i])}`, go: v => v.goToTimes(c, game.begin[i], game.begin[i] + game.length[i]) }];
}

export class Search {
  constructor(form, view) {
    this.view = view;
    this.input = form.querySelector('input');
    this.list = make('ul');
    this.status = make('p');
    this.status.setAttribute('role', 'status');
    this.found = make('div', 'found', this.status, this.list);
    this.found.hidden = true;
    form.append(this.found);
    form.addEventListener('submit', e => {
      e.preventDefault();
      this.enter();
    });
    this.input.addEventListener('input', () => this.later());
    this.input.addEventListener('focus', () => { if (this.list.children.length) this.found.hidden = false; });
    form.addEventListener('keydown', e => this.key(e));
    form.addEventListener('focusout', e => { if (!form.contains(e.relatedTarget)) this.found.hidden = true; });
  }

  /** The first that was found; where it is still looked for, then. */
  async enter() {
    clearTimeout(this.timer);
    if (this.shown !== this.input.value.trim()) this.asking = this.ask();
    if (!this.list.children.length) await this.asking;
    const first = this.list.querySelector('button');
    if (first) first.click();
  }

  key(e) {
    if (e.key === 'Escape') {
      this.close();
      this.view.lanes.canvas.focus();
      e.preventDefault();
    }
    const buttons = [...this.list.querySelectorAll('button')], at = buttons.indexOf(document.activeElement);
    if (e.key === 'ArrowDown' && buttons[at + 1]) buttons[at + 1].focus();
    else if (e.key === 'ArrowUp' && at >= 0) (buttons[at - 1] || this.input).focus();
    else return;
    e.preventDefault();
  }

  close() {
    this.found.hidden = true;
    this.view.mark(null);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.asking = this.ask(); }, 120);
  }

  async ask() {
    const q = this.input.value.trim();
    if (!q) {
      this.list.replaceChildren();
      this.close();
      return;
    }
    try {
      const answers = await Promise.all(this.view.captures.map(c => askJson('/search', { ...c.asked, q })));
      if (q !== this.input.value.trim()) return;
      this.show(q, answers);
      await this.askBeyond(q);
    } catch (e) {
      this.status.textContent = e.message;
      this.found.hidden = false;
    }
  }

  /** Of which kinds a capture has more than the page knows. */
  static beyond(c, kind) { return Boolean(c.overview && BEYOND[kind] && c.overview[BEYOND[kind] + '_all'] > c.overview[BEYOND[kind]].rows); }

  /** What the page does not know by itself: of messages, bookmarks and regions it has the first ones of a capture. */
  async askBeyond(q) {
    const kinds = Object.keys(BEYOND).flatMap(kind => this.view.captures.filter(c => Search.beyond(c, kind)).map(c => ({ kind, c })));
    for (const [i, { kind, c }] of kinds.entries()) {
      this.status.textContent += i ? '' : '; looking through all of the capture…';
      const answer = await askJson('/rows', { ...c.asked, t: BEYOND[kind], q, top: OF_KIND, enough: 1, ...newest(61) });
      if (!answer || q !== this.input.value.trim()) return;
      const found = listOf(answer.table);
      this.list.append(...found.map(r => this.row(c, kind, kind === 'region' ? r.name : r.text, kind === 'region' ? `${span(r.dur || 0)} at ${moment(r.start)}` : moment(r.time), null,
        () => kind === 'region' ? this.view.goToTimes(c, r.start, r.start + Math.max(1, r.dur || 0)) : this.view.goToMoment(c, r.time, r.text))));
      if (found.length) this.parts.push(`${count(found.length)}${answer.all > found.length ? ' or more' : ''} ${kind}${found.length === 1 ? '' : 's'}`);
    }
    if (kinds.length) this.status.textContent = this.parts.length ? this.parts.join('; ') : 'nothing of this name';
  }

  show(q, answers) {
    const fit = fits(q), parts = [];
    this.shown = q;
    this.list.replaceChildren();
    this.parts = parts;
    for (const known of KNOWN) {
      const all = this.view.captures.filter(c => !Search.beyond(c, known.kind)).flatMap(c => known.find(c, q, fit).map(f => ({ ...f, capture: c })));
      if (all.length) parts.push(`${count(all.length)} ${known.kind}${all.length === 1 ? '' : 's'}${all.length > OF_KIND ? `, the first ${OF_KIND} are shown` : ''}`);
      const rows = all.slice(0, OF_KIND).map(f => this.row(f.capture, known.kind, f.name, f.remark, null, () => f.go(this.view)));
      if (known.kind === 'frame' || known.kind === 'thread') this.list.append(...rows);
      else this.rest = (this.rest || []).concat(rows);
    }
    this.showTimers(answers, parts);
    this.list.append(...this.rest || []);
    this.rest = null;
    this.status.textContent = parts.length ? parts.join('; ') : 'nothing of this name';
    this.found.hidden = false;
  }

  showTimers(answers, parts) {
    const matches = answers.reduce((sum, a) => sum + a.matches, 0), shown = answers.reduce((sum, a) => sum + a.found.length, 0);
    if (matches) parts.push(`${count(matches)} timer${matches === 1 ? ' or name' : 's or names'} of lanes${shown < matches ? `, the ${shown} most frequent are shown` : ''}`);
    answers.forEach((answer, i) => {
      const capture = this.view.captures[i];
      for (const f of answer.found) this.list.append(this.row(capture, f.kind === 'thread' ? 'timer' : f.kind, f.name, `${count(f.scopes)} ${f.kind === 'thread' ? 'call' : 'time'}${f.scopes === 1 ? '' : 's'}`, f.parts, () => {
        if (this.view.captures.includes(capture)) this.view.goTo(capture, f.timer, true);
        else this.ask();    // it has grown since
      }));
    });
  }

  row(capture, kind, name, remark, parts, go) {
    const several = this.view.captures.length > 1 ? `${capture.index + 1}  ` : '', picture = make('canvas');
    picture.width = 128;
    picture.height = 14;
    picture.setAttribute('aria-hidden', 'true');
    const b = make('button', '', make('span', 'kind', kind), make('span', '', several + (name || '(without a name)')), make('span', '', remark), parts ? picture : make('span'));
    b.type = 'button';
    b.title = name;
    b.addEventListener('click', go);
    if (parts) this.paint(picture, parts);
    return make('li', '', b);
  }

  /** Where in the run it is: how often by height. */
  paint(picture, parts) {
    const c = picture.getContext('2d'), most = Math.max(1, ...parts);
    c.fillStyle = colours().bar;
    parts.forEach((v, x) => { if (v) c.fillRect(x * 128 / parts.length, 14 - 2 - v / most * 12, Math.max(1, 128 / parts.length), 14); });
  }
}
