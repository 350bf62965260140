// Flame: a flame graph with the roots above and the widest calls on the left. A click or Enter fits a call into the width,
// a search says how much of the time is in what it finds, and a timer can be seen between its callers and callees.
import { make, span, count, percent, fitted } from './text.js';
import { Picture, statusLine, colourOf } from './canvas.js';
import { matcher } from './tables.js';
import { weigh, outermost, callersOf, calleesOf } from './stacks.js';

const BOX = 19, LEAST = 2, ROWS_MOST = 40;

/** What widths are: times of calls, or samples, which know neither calls nor waiting. */
export const TIMED = { of: 'the time', text: span, waits: true };
export const SAMPLED = { of: 'the samples', text: n => `${count(n)} sample${n === 1 ? '' : 's'}`, waits: false };

export class Flame {
  /** `root` is a tree of stacks.js, its children are threads. */
  constructor(host, title, root, unit = TIMED) {
    this.root = root;
    this.unit = unit;
    this.withWaits = false;
    this.fits = null;
    this.top = root;
    this.build(host, title);
    this.weighed();
  }

  build(host, title) {
    const bar = make('div', 'title', make('strong', '', title));
    this.threads = make('select');
    this.threads.setAttribute('aria-label', 'Thread of ' + title);
    this.threads.append(new Option('all threads', ''));
    this.root.children.forEach((t, i) => this.threads.append(new Option(t.name, String(i))));
    const threads = [...this.root.children];
    this.threads.addEventListener('change', () => this.show(this.threads.value === '' ? this.root : threads[Number(this.threads.value)]));
    this.waitButton = make('button', '', 'with waiting');
    this.waitButton.type = 'button';
    this.waitButton.setAttribute('aria-pressed', 'false');
    this.waitButton.hidden = !this.unit.waits;
    this.waitButton.addEventListener('click', () => {
      this.withWaits = !this.withWaits;
      this.waitButton.setAttribute('aria-pressed', String(this.withWaits));
      this.weighed();
    });
    this.sandwichButton = make('button', '', 'callers and callees');
    this.sandwichButton.type = 'button';
    this.sandwichButton.disabled = true;
    this.sandwichButton.addEventListener('click', () => this.sandwich(this.between ? null : this.chosen && this.chosen.name));
    this.search = make('input');
    this.search.type = 'search';
    this.search.placeholder = 'search: text or /expression/';
    this.search.setAttribute('aria-label', 'Search in ' + title);
    this.search.addEventListener('input', () => this.look());
    bar.append(this.threads, this.waitButton, this.sandwichButton, this.search);
    this.crumbs = make('div', 'crumbs');
    this.status = statusLine('');
    host.append(bar, this.crumbs);
    this.picture = new Picture(host, 200, title + '; arrow keys go from call to call, Enter fits one, Escape goes back', {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: (x, y) => { const b = this.boxAt(x, y); return b && this.textOf(b.node, '\n'); },
      click: (x, y) => { const b = this.boxAt(x, y); if (b) this.choose(b.node); },
      fit: (x, y) => { const b = x === undefined ? null : this.boxAt(x, y); this.show(b ? b.node : this.chosen || this.root); },
      whole: () => this.show(this.root),
      key: e => this.key(e),
    });
    host.append(this.status);
  }

  weighed() {
    weigh(this.root, this.withWaits);
    if (this.between) this.sandwich(this.between);
    else this.show(this.top);
  }

  /** Fits a call into the width. */
  show(top) {
    this.between = null;
    this.top = top;
    this.chosen = null;
    this.layout();
    this.look();
  }

  /** Shows a timer between who called it and what it called. */
  sandwich(name) {
    if (!name) {
      this.show(this.root);
      return false;
    }
    const callees = calleesOf(this.root, name);
    if (!callees.count) return false;
    this.between = name;
    this.callees = callees;
    this.callers = callersOf(this.root, name);
    this.top = callees;
    this.chosen = callees;
    this.layout();
    this.tellChosen();
    return true;
  }

  layout() {
    this.boxes = [];
    const width = this.picture.width || 1000;
    if (this.between) {
      const up = this.place(this.callers, 0, width), deepest = Math.max(0, ...up.map(b => b.row));
      for (const b of up) this.boxes.push({ ...b, row: deepest - b.row });
      for (const b of this.place(this.callees, 0, width)) if (b.row) this.boxes.push({ ...b, row: deepest + b.row });
    } else {
      this.boxes = this.place(this.top, 0, width);
    }
    this.rows = Math.max(1, ...this.boxes.map(b => b.row + 1));
    this.laidOut = width;
    this.picture.height(this.rows * BOX + 2);
    this.paintCrumbs();
  }

  /** Boxes of a node and all below it that are wide enough; what is narrower becomes one pale piece. */
  place(top, left, width) {
    const out = [], todo = [[top, left, width, 0]], whole = top.value || 1, scale = width / whole;
    while (todo.length) {
      const [n, x, w, row] = todo.pop();
      out.push({ node: n, x, w, row });
      if (row + 1 >= ROWS_MOST) continue;
      let at = x;
      for (const c of n.children) {
        const cw = c.value * scale;
        if (cw < LEAST) {
          const rest = n.children.slice(n.children.indexOf(c)).reduce((sum, o) => sum + o.value, 0) * scale;
          if (rest >= 0.5) out.push({ node: c, x: at, w: rest, row: row + 1, folded: true });
          break;
        }
        todo.push([c, at, cw, row + 1]);
        at += cw;
      }
    }
    return out;
  }

  paint(c, w, h, k) {
    if (this.laidOut !== w) {
      this.laidOut = w;
      setTimeout(() => this.layout());
    }
    for (const b of this.boxes) {
      const y = b.row * BOX, n = b.node;
      const plain = n.thread || !n.parent && !this.between;
      c.globalAlpha = b.folded ? 0.45 : this.fits && !this.fits(n.name) ? 0.22 : 1;
      c.fillStyle = plain ? k.soft : n.waits ? k.wait : colourOf(n.name, k.dark);
      c.fillRect(b.x, y, Math.max(0.5, b.w - 1), BOX - 1);
      c.globalAlpha = 1;
      if (!b.folded && b.w > 22) {
        c.fillStyle = k.ink;
        c.fillText(fitted(c, n.name + (n.waits ? ' (waits)' : ''), b.w - 7, n.thread), b.x + 3, y + BOX / 2);
      }
      if (n === this.chosen && !b.folded) {
        c.strokeStyle = k.select;
        c.lineWidth = 2;
        c.strokeRect(b.x + 1, y + 1, Math.max(2, b.w - 3), BOX - 3);
        c.lineWidth = 1;
      }
    }
  }

  boxAt(x, y) {
    const row = Math.floor(y / BOX);
    return this.boxes.find(b => b.row === row && x >= b.x && x < b.x + b.w && !b.folded) || null;
  }

  textOf(n, glue) {
    const whole = this.root.value || 1, lines = [n.name + (n.waits ? ' (waits)' : ''),
      `${this.unit.text(n.value)} (${percent(n.value / whole)})`];
    if (!n.thread && n.parent) lines.push(`own ${this.unit.text(n.excl)}` + (this.unit.waits ? `, ${count(n.count)} calls, mean ${span(n.incl / Math.max(1, n.count))}` : ''));
    return lines.join(glue);
  }

  choose(n) {
    this.chosen = n;
    this.tellChosen();
    this.picture.draw();
  }

  tellChosen() {
    const n = this.chosen;
    this.sandwichButton.disabled = !n || n.thread || (!n.parent && !this.between);
    this.sandwichButton.setAttribute('aria-pressed', String(Boolean(this.between)));
    if (n) this.status.textContent = this.textOf(n, ': ').replace(': own', ', own');
  }

  look() {
    const text = this.search.value;
    this.fits = text ? matcher(text) : null;
    this.sandwichButton.disabled = !this.chosen;
    this.sandwichButton.setAttribute('aria-pressed', String(Boolean(this.between)));
    if (this.fits) {
      const found = outermost(this.top, this.fits), sum = found.reduce((s, n) => s + n.value, 0);
      this.status.textContent = `${percent(sum / (this.top.value || 1))} of ${this.unit.of} is in what matches (${this.unit.text(sum)})`;
    } else if (!this.chosen) {
      this.status.textContent = `${this.top.name}: ${this.unit.text(this.top.value)}${this.withWaits || !this.unit.waits ? '' : ' of work, without what waits'}. `
        + 'Click a call; a double click or Enter fits it; / searches.';
    }
    this.picture.draw();
  }

  paintCrumbs() {
    this.crumbs.replaceChildren();
    if (this.between) {
      this.crumbs.append(`who calls ${this.between} (above) and what it calls (below) `, this.crumb('all calls', this.root));
      return;
    }
    if (this.top === this.root) return;
    const path = [];
    for (let n = this.top; n; n = n.parent) path.unshift(n);
    path.forEach((n, i) => {
      if (i) this.crumbs.append(' › ');
      this.crumbs.append(i + 1 < path.length ? this.crumb(n.name, n) : n.name);
    });
  }

  crumb(text, n) {
    const button = make('button', '', text.length > 40 ? text.slice(0, 39) + '…' : text);
    button.type = 'button';
    button.addEventListener('click', () => this.show(n));
    return button;
  }

  key(e) {
    const n = this.chosen, list = n && n.parent ? n.parent.children.filter(c => c.value > 0) : [];
    const at = list.indexOf(n);
    if (e.key === '/') this.search.focus();
    else if (e.key === 'Escape' || e.key === 'Backspace') this.show(this.between ? this.root : this.top.parent || this.root);
    else if (e.key === 'Enter') { if (n) this.show(n); }
    else if (!n && e.key.startsWith('Arrow')) this.choose(this.top);
    else if (e.key === 'ArrowDown') this.choose(n.children[0] || n);
    else if (e.key === 'ArrowUp') this.choose(n === this.top ? n : n.parent || n);
    else if (e.key === 'ArrowRight') this.choose(list[at + 1] || n);
    else if (e.key === 'ArrowLeft') this.choose(list[at - 1] || n);
    else if (e.key === 'c' && n) this.sandwich(n.name);
    else return false;
    return true;
  }
}
