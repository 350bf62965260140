// Canvas: what all pictures share: sharp pixels, colours of the look, a tip, a status line, keys, wheel and drag.
import { make } from './text.js';

/** The colours of the look that is shown now. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue('--' + name).trim();
  const out = {};
  for (const name of ['back', 'panel', 'ink', 'dim', 'line', 'soft', 'bar', 'pale', 'hitch', 'over', 'link', 'mark',
    'band', 'wait', 'select', 'lane']) out[name] = of(name);
  out.dark = isDark();
  return out;
}

export function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

const HUES = [250, 145, 30, 300, 200, 85, 345, 170, 55, 225, 275, 115];

/** The colour of a timer: its hue from what its name begins with, the same in every page. */
export function colourOf(name, dark) {
  const head = name.split(/::|[ ./_(<]/)[0];
  let h = 2166136261, g;
  for (let i = 0; i < head.length; i++) h = Math.imul(h ^ head.charCodeAt(i), 16777619) >>> 0;
  g = h;
  for (let i = 0; i < name.length; i++) g = Math.imul(g ^ name.charCodeAt(i), 16777619) >>> 0;
  const light = dark ? 42 + g % 9 : 80 + g % 8;
  return `oklch(${light}% .075 ${HUES[h % HUES.length]})`;
}

export const FONT = '11.5px system-ui, "DejaVu Sans", sans-serif';

const drawn = new Set();

/** Draws all pictures again, as after a change of the look. */
export function redraw() {
  for (const picture of drawn) picture.draw();
}

/**
 * A picture: `paint(context, width, height, colours)` draws it. Of the others each may be missing: `hover(x, y)` gives
 * the text of the tip, `click(x, y, event)`, `key(event)` and `wheel(event)` are true where they did something,
 * `zoom(factor, x)`, `move(pixels, down)`, `range(from, to, done, top, bottom)` in a drag with shift, `fit()` on a
 * double click.
 */
export class Picture {
  constructor(host, height, label, parts) {
    this.parts = parts;
    this.box = make('div', 'box');
    this.box.style.height = height + 'px';
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', label);
    this.box.append(this.canvas);
    host.append(this.box);
    this.context = this.canvas.getContext('2d');
    drawn.add(this);
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.listen();
  }

  height(pixels) {
    this.box.style.height = pixels + 'px';
    this.draw();
  }

  draw() {
    const width = this.box.clientWidth, height = this.box.clientHeight, sharp = devicePixelRatio || 1;
    if (!width || !height) return;
    this.width = width;
    const w = Math.round(width * sharp), h = Math.round(height * sharp);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.context.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.context.font = FONT;
    this.context.textBaseline = 'middle';
    this.parts.paint(this.context, width, height, colours());
  }

  at(event) {
    const r = this.canvas.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  }

  tell(text, x, y) {
    if (!text) {
      if (this.tip) this.tip.remove();
      this.tip = null;
      return;
    }
    if (!this.tip) this.box.append(this.tip = make('div', 'tip'));
    this.tip.textContent = text;
    const w = this.tip.offsetWidth, left = Math.max(0, Math.min(x + 14, this.width - w - 2));
    this.tip.style.left = left + 'px';
    this.tip.style.top = y + 18 + 'px';
  }

  listen() {
    const { canvas, parts } = this;
    let drag = null;
    canvas.addEventListener('pointermove', e => {
      const [x, y] = this.at(e);
      if (drag && (drag.moved || Math.abs(x - drag.x) > 3 || (parts.wheel && Math.abs(y - drag.y) > 3))) {
        drag.moved = true;
        if (drag.shift && parts.range) parts.range(Math.min(drag.from, x), Math.max(drag.from, x), false, Math.min(drag.top, y), Math.max(drag.top, y));
        else if (parts.move) parts.move(drag.x - x, drag.y - y);
        drag.x = x;
        drag.y = y;
        this.tell(null);
        return;
      }
      this.tell(parts.hover && parts.hover(x, y), x, y);
    });
    canvas.addEventListener('pointerleave', () => this.tell(null));
    canvas.addEventListener('pointerdown', e => {
      const [x, y] = this.at(e);
      drag = { x, y, from: x, top: y, shift: e.shiftKey, moved: false };
      if (parts.move || parts.range) canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointerup', e => {
      const [x, y] = this.at(e);
      if (drag && drag.moved && drag.shift && parts.range) parts.range(Math.min(drag.from, x), Math.max(drag.from, x), true, Math.min(drag.top, y), Math.max(drag.top, y));
      else if (drag && !drag.moved && parts.click) parts.click(x, y, e);
      drag = null;
    });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('dblclick', e => parts.fit && parts.fit(...this.at(e)));
    canvas.addEventListener('wheel', e => {
      if (parts.wheel) {
        if (parts.wheel(e, ...this.at(e))) e.preventDefault();
        return;
      }
      if (!parts.zoom || (document.activeElement !== canvas && !e.ctrlKey)) return;
      e.preventDefault();
      if (e.shiftKey && parts.move) parts.move(e.deltaY);
      else parts.zoom(Math.exp(Math.max(-240, Math.min(240, e.deltaY)) / 400), this.at(e)[0]);
    }, { passive: false });
    canvas.addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if ((parts.key && parts.key(e)) || this.usual(e)) e.preventDefault();
    });
  }

  usual(e) {
    const { parts } = this, middle = this.width / 2, key = e.key.toLowerCase();
    if (parts.zoom && (key === 'w' || key === '+' || key === '=')) parts.zoom(0.7, middle);
    else if (parts.zoom && (key === 's' || key === '-')) parts.zoom(1 / 0.7, middle);
    else if (parts.move && key === 'a') parts.move(-this.width / 6);
    else if (parts.move && key === 'd') parts.move(this.width / 6);
    else if (parts.whole && key === '0') parts.whole();
    else if (parts.fit && key === 'f') parts.fit();
    else return false;
    return true;
  }
}

/** What is seen of a run: a range inside of bounds, with the steps that pictures of time share. */
export class Range {
  constructor(from, to, least) {
    this.least = least;
    this.bounds = [from, Math.max(to, from + 1)];
    this.whole();
  }

  whole() {
    [this.from, this.to] = this.bounds;
  }

  set(from, to) {
    const [low, high] = this.bounds, width = Math.min(Math.max(to - from, this.least), high - low);
    this.from = Math.max(low, Math.min(from, high - width));
    this.to = this.from + width;
  }

  zoom(factor, part) {
    const at = this.from + (this.to - this.from) * part, width = (this.to - this.from) * factor;
    this.set(at - width * part, at - width * part + width);
  }

  move(part) {
    const by = (this.to - this.from) * part;
    this.set(this.from + by, this.to + by);
  }
}

/** A status line, which screen readers say when it changes. */
export function statusLine(text) {
  const line = make('p', 'status', text);
  line.setAttribute('role', 'status');
  return line;
}
