// Choice: the list of all kinds of lanes: which of them are drawn, and how those that the capture lacks are recorded.
import { make, count } from './text.js';
import { askJson } from './server.js';
import { button } from './strip.js';
import { KINDS, MARKS, OTHERS } from './kinds.js';

/** How many of a kind the captures have, in words; empty: none. */
function amount(captures, kind) {
  const n = captures.reduce((sum, c) => sum + c.amount(kind), 0);
  return n ? count(n) : '';
}

export class Choice {
  constructor(view) {
    this.view = view;
    this.answers = new Map();    // of a capture: question -> row of the table `can`
  }

  async open() {
    if (!this.sheet) {
      this.sheet = make('dialog', 'sheet choice');
      this.sheet.setAttribute('aria-label', 'Lanes');
      document.body.append(this.sheet);
    }
    this.fill();
    this.sheet.showModal();
    await Promise.all(this.view.captures.map(c => this.ask(c)));
    if (this.sheet.open) this.fill();
  }

  async ask(capture) {
    if (this.answers.has(capture)) return;
    const answer = await askJson('/rows', { ...capture.asked, t: 'can' }).catch(() => null);
    if (!answer) return;
    const { columns, names, rows } = answer.table, of = name => columns.find(c => c.name === name).cells, out = new Map();
    for (let i = 0; i < rows; i++) out.set(names[of('question')[i]], of('how')[i] < 0 ? '' : names[of('how')[i]]);
    this.answers.set(capture, out);
  }

  /** How what a question of the table `can` is about is recorded, where a capture has nothing of it; else empty. */
  async howOf(capture, question) {
    await this.ask(capture);
    return (this.answers.get(capture) || new Map()).get(question) || '';
  }

  /** How a kind that no capture has is recorded. */
  how(kind) {
    const texts = new Set(this.view.captures.map(c => (this.answers.get(c) || new Map()).get(kind.question)).filter(Boolean));
    return ['not in this capture', ...(texts.size ? texts : [kind.how].filter(Boolean))].join('; ');
  }

  line(kind) {
    const { view } = this, has = amount(view.captures, kind.kind), box = make('input');
    box.type = 'checkbox';
    box.checked = has !== '' && !view.hidden.has(kind.kind);
    box.disabled = has === '';
    box.dataset.kind = kind.kind;
    box.addEventListener('change', () => view.hide(kind.kind, !box.checked));
    return make('li', '', make('label', '', box, kind.title), make('span', 'more', has || this.how(kind)));
  }

  part(title, kinds) { return [make('h3', '', title), make('ul', '', ...kinds.map(k => this.line(k)))]; }

  fill() {
    const active = document.activeElement, held = active instanceof HTMLElement ? active.dataset.kind : '';
    this.sheet.replaceChildren(make('h2', '', 'Lanes'), ...this.part('Above the timeline', MARKS), ...this.part('Below threads and queues, and in groups', KINDS),
      ...this.part('On lanes and at the end', OTHERS), button('close', () => this.sheet.close()));
    const same = held && this.sheet.querySelector(`[data-kind="${held}"]`);
    if (same instanceof HTMLElement) same.focus();
  }
}
