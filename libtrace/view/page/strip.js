// Strip: the frame times of the whole run, with hitches, and which part of it is visible below. A click moves there.
import { make, span, fitted, steps } from './text.js';
import { Picture } from './canvas.js';
import { above, seconds, triangle } from './times.js';

const HEIGHT = 46, AXIS = 16;

export class Strip {
  constructor(host, view) {
    this.view = view;
    this.picture = new Picture(host, this.height(), 'Frame times of the whole run; the tab Statistics of the panel has them as the table frames', {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: (x, y) => this.textAt(x, y),
      click: x => view.centre(this.timeAt(x)),
      zoom: f => view.zoom(f, 0.5),
      move: p => { view.range.move(-p / this.inner() * this.whole() / (view.range.to - view.range.from)); view.moved(); },
      range: (a, b, done) => { if (done) view.see(this.timeAt(a), this.timeAt(b)); },
      wheel: (e, x) => view.wheelZoom(e, (this.timeAt(x) - view.range.from) / (view.range.to - view.range.from)),
      key: e => view.key(e),
    });
  }

  height() { return this.view.captures.length * HEIGHT + AXIS; }
  get names() { return this.view.names; }
  inner() { return Math.max(1, this.picture.width - this.names - 8); }
  whole() { return this.view.range.bounds[1] - this.view.range.bounds[0]; }
  timeAt(x) { return this.view.range.bounds[0] + Math.max(0, Math.min(1, (x - this.names) / this.inner())) * this.whole(); }
  xOf(t) { return this.names + (t - this.view.range.bounds[0]) / this.whole() * this.inner(); }

  textAt(x, y) {
    const capture = this.view.captures[Math.floor(y / HEIGHT)], game = capture && capture.game;
    if (!game || !game.n || x < this.names) return null;
    const t = this.timeAt(x + 1) + capture.offset, i = above(game.begin, t) - 1;
    if (i < 0) return null;
    const number = i * game.group;
    return `frame ${number}: ${span(game.length[i])}` + (capture.hitchFrames && capture.hitchFrames.has(number) ? '\nhitch' : '');
  }

  paint(c, w, h, k) {
    const { range, captures } = this.view;
    captures.forEach((capture, i) => this.paintCapture(c, capture, i * HEIGHT + 4, HEIGHT - 8, k));
    const x0 = this.xOf(range.from), x1 = Math.max(x0 + 2, this.xOf(range.to)), all = captures.length * HEIGHT;
    c.fillStyle = k.panel;
    c.globalAlpha = 0.55;
    c.fillRect(this.names, 0, x0 - this.names, all);
    c.fillRect(x1, 0, this.names + this.inner() - x1, all);
    c.globalAlpha = 1;
    c.strokeStyle = k.link;
    c.lineWidth = 2;
    c.strokeRect(x0, 1, x1 - x0, all - 2);
    c.lineWidth = 1;
    c.fillStyle = k.dim;
    const [a, b] = range.bounds;
    if (!this.view.wasWhole(range)) {
      c.textAlign = 'right';
      c.fillText('whole run', this.names - 8, all + AXIS / 2 - 2);
    }
    c.textAlign = 'center';
    if (!this.view.wasWhole(range)) for (const t of steps(a, b, this.inner() / 110)) {
      const x = this.xOf(t);
      if (x > this.names + 16 && x < this.names + this.inner() - 16) c.fillText(seconds(t, b - a), x, all + AXIS / 2 - 2);
    }
    c.textAlign = 'left';
  }

  paintCapture(c, capture, top, height, k) {
    const game = capture.game, n = Math.ceil(this.inner()), longest = new Float64Array(n), hitch = new Uint8Array(n);
    c.fillStyle = k.lane;
    c.fillRect(this.names, top, n, height);
    c.fillStyle = k.dim;
    c.textAlign = 'right';
    c.fillText(fitted(c, this.view.captures.length > 1 ? capture.name : 'frame times', this.names - 12, true), this.names - 8, top + 9);
    if (!game || !game.n) {
      c.fillText(capture.overview ? 'no frames' : 'Reading…', this.names - 8, top + 24);
      c.textAlign = 'left';
      return;
    }
    let most = 1;
    for (let i = 0; i < game.n; i++) {
      const from = Math.max(0, Math.floor(this.xOf(game.begin[i] - capture.offset) - this.names));
      const to = Math.min(n - 1, Math.floor(this.xOf(game.begin[i] + game.length[i] - capture.offset) - this.names));
      for (let x = from; x <= to; x++) {
        longest[x] = Math.max(longest[x], game.length[i]);
        if (capture.hitchFrames.has(i * game.group)) hitch[x] = 1;
      }
      most = Math.max(most, game.length[i]);
    }
    c.fillText('max ' + span(most), this.names - 8, top + 24);
    c.textAlign = 'left';
    for (let x = 0; x < n; x++) {
      if (!longest[x]) continue;
      c.fillStyle = hitch[x] ? k.hitch : k.bar;
      const bar = Math.max(1, longest[x] / most * (height - 2));
      c.fillRect(this.names + x, top + height - bar, 1, bar);
    }
    let last = -20;
    for (const f of capture.hitches) {
      const x = this.xOf(f.begin + f.length / 2 - capture.offset);
      if (x - last < 9) continue;
      triangle(c, x, top - 3, k.hitch);
      last = x;
    }
  }
}

/** A button with a text. */
export function button(text, clicked, title) {
  const b = make('button', '', text);
  b.type = 'button';
  if (title) b.title = title;
  b.addEventListener('click', clicked);
  return b;
}
