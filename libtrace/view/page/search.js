// Search: timers by name, how often each is called, and where.
import { make, count } from './text.js';
import { colours } from './canvas.js';
import { askJson } from './server.js';

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
      const first = this.list.querySelector('button');
      if (first) first.click();
    });
    this.input.addEventListener('input', () => this.later());
    this.input.addEventListener('focus', () => { if (this.list.children.length) this.found.hidden = false; });
    form.addEventListener('keydown', e => this.key(e));
    form.addEventListener('focusout', e => { if (!form.contains(e.relatedTarget)) this.found.hidden = true; });
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
    this.timer = setTimeout(() => this.ask(), 120);
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
      this.show(answers);
    } catch (e) {
      this.status.textContent = e.message;
      this.found.hidden = false;
    }
  }

  show(answers) {
    const matches = answers.reduce((sum, a) => sum + a.matches, 0), shown = answers.reduce((sum, a) => sum + a.found.length, 0);
    this.status.textContent = `${count(matches)} timer${matches === 1 ? '' : 's'}${shown < matches ? `, the ${shown} most called are shown` : ''}`;
    this.list.replaceChildren();
    answers.forEach((answer, i) => { for (const f of answer.found) this.list.append(this.row(this.view.captures[i], f)); });
    this.found.hidden = false;
  }

  row(capture, found) {
    const several = this.view.captures.length > 1 ? `${capture.index + 1}  ` : '';
    const name = make('span', '', several + (found.name || '(without a name)')), calls = make('span', '', `${count(found.scopes)} calls`);
    const picture = make('canvas');
    picture.width = 128;
    picture.height = 14;
    picture.setAttribute('aria-hidden', 'true');
    const b = make('button', '', name, calls, picture);
    b.type = 'button';
    b.title = found.name;
    b.addEventListener('click', () => {
      if (this.view.captures.includes(capture)) this.view.goTo(capture, found.timer);
      else this.ask();    // it has grown since
    });
    this.paint(picture, found.parts);
    return make('li', '', b);
  }

  /** Where in the run it is: how often by height. */
  paint(picture, parts) {
    const c = picture.getContext('2d'), most = Math.max(1, ...parts);
    c.fillStyle = colours().bar;
    parts.forEach((v, x) => { if (v) c.fillRect(x * 128 / parts.length, 14 - 2 - v / most * 12, Math.max(1, 128 / parts.length), 14); });
  }
}
