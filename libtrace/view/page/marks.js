// Marks: the ruler of the visible range, and below it frames, regions, bookmarks and log messages.
import { span, fitted, steps, moment } from './text.js';
import { Picture } from './canvas.js';
import { above, diamond } from './times.js';

const RULER = 20, ROW = 17, BAND = 17, SHOT = 36;

export class Marks {
  constructor(host, view) {
    this.view = view;
    this.picture = new Picture(host, this.height(), 'Ruler, frames, regions and marks of the visible range; the panel has them as tables', {
      paint: (c, w, h, k) => this.paint(c, w, h, k),
      hover: (x, y) => this.textAt(x, y),
      click: (x, y) => this.click(x, y),
      zoom: f => view.zoom(f, 0.5),
      move: p => { view.range.move(p / view.inner()); view.moved(); },
      range: (a, b, done) => view.drag(a, b, done, null),
      wheel: (e, x) => view.wheelZoom(e, view.part(x)),
      fit: (x, y) => { const hit = this.at(x, y); if (hit && hit.to !== undefined) view.see(hit.from, hit.to); },
      key: e => view.key(e),
    });
  }

  /** Rows below the ruler: what, of which capture, where. */
  rows() {
    const rows = [];
    let top = RULER;
    const add = (kind, capture, height, more = {}) => {
      if (this.view.hidden.has(kind)) return;
      rows.push({ kind, capture, top, height, ...more });
      top += height;
    };
    for (const capture of this.view.captures) {
      if (capture.game && capture.game.n) add('frames', capture, ROW);
      for (let band = 0; band < Math.min(3, capture.bands || 0); band++) add('regions', capture, BAND, { band });
      if (capture.bookmarks.length) add('bookmarks', capture, BAND);
      if (capture.logs.length) add('logs', capture, BAND);
      if (capture.screenshots.length) add('screenshots', capture, SHOT);
    }
    this.total = top;
    return rows;
  }

  height() {
    this.rows();
    return this.total + 3;
  }

  labelOf(row) {
    const several = this.view.captures.length > 1 ? ` ${row.capture.index + 1}` : '';
    return row.band ? '' : row.kind + several;
  }

  paint(c, w, h, k) {
    const { view } = this, { range } = view;
    c.textAlign = 'center';
    c.strokeStyle = k.line;
    for (const t of steps(range.from, range.to, view.inner() / 110)) {
      const x = Math.round(view.xOf(t)) + 0.5;
      c.beginPath();
      c.moveTo(x, RULER - 5);
      c.lineTo(x, h);
      c.stroke();
      c.fillStyle = k.dim;
      const text = view.rulerText(t), half = c.measureText(text).width / 2 + 4;
      if (x > view.names + half && x < view.names + view.inner() - half) c.fillText(text, x, 8);
    }
    c.textAlign = 'right';
    c.fillStyle = k.dim;
    c.fillText(fitted(c, (view.names > 110 ? 'Visible: ' : '') + span(range.to - range.from), view.names - 12), view.names - 8, 8);
    c.textAlign = 'left';
    for (const row of this.rows()) {
      c.fillStyle = k.dim;
      c.textAlign = 'right';
      c.fillText(fitted(c, this.labelOf(row), view.names - 12), view.names - 8, row.top + row.height / 2);
      c.textAlign = 'left';
      this['paint_' + row.kind](c, row, k);
    }
    view.paintSelection(c, 0, h, k);
  }

  paint_frames(c, row, k) {
    const { view } = this, { game, offset, hitchFrames } = row.capture, { range } = view;
    let done = -1;
    for (let i = Math.max(0, above(game.begin, range.from + offset) - 1); i < game.n && game.begin[i] - offset < range.to; i++) {
      const a = view.clip(view.xOf(game.begin[i] - offset)), b = view.clip(view.xOf(game.begin[i] + game.length[i] - offset));
      if (b < done + 0.5) continue;
      done = b;
      const number = i * game.group, bad = hitchFrames.has(number);
      c.fillStyle = bad ? k.hitch : number % 2 ? k.pale : k.soft;
      c.fillRect(a, row.top, Math.max(1, b - a - (b - a > 3 ? 1 : 0)), row.height - 2);
      if (b - a < 30) continue;
      c.fillStyle = bad ? k.panel : k.ink;
      c.fillText(fitted(c, `${number}  ${span(game.length[i])}`, b - a - 6), a + 3, row.top + row.height / 2 - 1);
    }
  }

  paint_regions(c, row, k) {
    const { view } = this, { regions, offset } = row.capture;
    for (const r of regions) {
      if (r.row !== row.band || r.end - offset < view.range.from || r.begin - offset > view.range.to) continue;
      const a = view.clip(view.xOf(r.begin - offset)), b = view.clip(view.xOf(r.end - offset));
      c.fillStyle = k.band;
      c.fillRect(a, row.top, Math.max(2, b - a), row.height - 2);
      c.strokeStyle = k.mark;
      c.strokeRect(a + 0.5, row.top + 0.5, Math.max(1, b - a - 1), row.height - 3);
      if (b - a < 24) continue;
      c.fillStyle = k.mark;
      c.fillText(fitted(c, r.name, b - a - 8), a + 4, row.top + row.height / 2 - 1);
    }
  }

  paint_bookmarks(c, row, k) {
    const { view } = this, { bookmarks, offset } = row.capture, y = row.top + row.height / 2 - 1, right = view.names + view.inner();
    c.fillStyle = k.mark;
    bookmarks.forEach((m, i) => {
      const x = view.xOf(m.time - offset);
      if (x < view.names || x > right) return;
      diamond(c, x, y);
      const next = i + 1 < bookmarks.length ? Math.min(right, view.xOf(bookmarks[i + 1].time - offset)) : right;
      if (next - x > 40) c.fillText(fitted(c, m.text, next - x - 16), x + 7, y);
    });
  }

  /** Errors and warnings are higher than other messages. */
  paint_logs(c, row, k) {
    const { view } = this, { logs, offset } = row.capture, base = row.top + row.height - 3;
    const worst = new Map();
    for (const m of logs) {
      const x = Math.round(view.xOf(m.time - offset));
      if (x < view.names || x > view.names + view.inner()) continue;
      const level = /^(Error|Fatal)/.test(m.verbosity) ? 2 : m.verbosity === 'Warning' ? 1 : 0;
      if (!(worst.get(x) >= level)) worst.set(x, level);
    }
    for (const [x, level] of worst) {
      c.fillStyle = [k.bar, k.over, k.hitch][level];
      const height = [4, 8, 12][level];
      c.fillRect(x, base - height, 1, height);
    }
  }

  /** Small pictures, as many as have space; the others are lines. */
  paint_screenshots(c, row, k) {
    const { view } = this, { shots, offset } = row.capture, height = row.height - 4, right = view.names + view.inner();
    let free = view.names;
    for (const shot of shots.list) {
      const x = view.xOf(shot.time - offset), width = Math.max(8, Math.min(80, height * shot.width / Math.max(1, shot.height)));
      if (x < view.names || x > right) continue;
      c.fillStyle = k.mark;
      c.fillRect(Math.round(x), row.top, 1, height);
      if (x < free || x + width > right) continue;
      const picture = shots.picture(shot);
      if (picture) c.drawImage(picture, x + 2, row.top, width - 2, height);
      else c.fillText('◫', x + 3, row.top + height / 2);
      free = x + width + 3;
    }
  }

  /** The shot at a pixel: the last one before it whose picture is there. */
  shotAt(row, x) {
    const { view } = this, { shots, offset } = row.capture;
    return shots.list.filter(s => { const at = view.xOf(s.time - offset); return at <= x + 2 && at >= x - 80; }).pop() || null;
  }

  rowAt(y) { return this.rows().find(r => y >= r.top && y < r.top + r.height) || null; }

  /** What is at a pixel: a text, and from when to when. */
  at(x, y) {
    const row = this.rowAt(y), { view } = this;
    if (!row || x < view.names) return null;
    const { capture } = row, t = view.timeAt(x) + capture.offset, near = (view.range.to - view.range.from) / view.inner() * 4;
    if (row.kind === 'frames') {
      const i = above(capture.game.begin, t) - 1;
      if (i < 0 || capture.game.begin[i] + capture.game.length[i] < t) return null;
      return { text: `frame ${i * capture.game.group}\n${span(capture.game.length[i])} at ${moment(capture.game.begin[i])}`,
        from: capture.game.begin[i] - capture.offset, to: capture.game.begin[i] + capture.game.length[i] - capture.offset };
    }
    if (row.kind === 'regions') {
      const r = capture.regions.find(o => o.row === row.band && o.begin <= t + near && o.end >= t - near);
      return r ? { text: `region ${r.name}\n${span(r.end - r.begin)} at ${moment(r.begin)}`, from: r.begin - capture.offset, to: r.end - capture.offset } : null;
    }
    if (row.kind === 'screenshots') {
      const shot = this.shotAt(row, x);
      return shot ? { text: capture.shots.textOf(shot), from: shot.time - capture.offset, shot } : null;
    }
    const marks = (row.kind === 'bookmarks' ? capture.bookmarks.map(m => ({ ...m, verbosity: 'bookmark' })) : capture.logs).filter(m => Math.abs(m.time - t) <= near);
    if (!marks.length) return null;
    const lines = marks.slice(0, 4).map(m => `${moment(m.time)} ${m.verbosity}${m.category ? ' ' + m.category : ''}: ${m.text}`.slice(0, 300));
    return { text: lines.join('\n') + (marks.length > 4 ? `\nand ${marks.length - 4} more` : ''), from: marks[0].time - capture.offset };
  }

  textAt(x, y) {
    const hit = this.at(x, y);
    return hit && hit.text;
  }

  click(x, y) {
    const hit = this.at(x, y);
    if (!hit) return;
    this.view.say(hit.text.replace(/\n/g, ', '));
    if (hit.shot) this.rowAt(y).capture.shots.open(hit.shot);
    if (hit.to !== undefined) this.view.select(hit.from, hit.to, null);
  }
}

