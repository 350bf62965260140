// Arrows: from where a task was launched to where it started, across the lanes of threads. They come for the visible range where
// there are not too many to be followed.
import { askJson, newest } from './server.js';

const FEW = 400, TIP = 5;

/** Tasks of a range of a capture, and what is known of them. */
export class Arrows {
  constructor(capture) {
    this.capture = capture;
    this.have = null;
  }

  /** Is what is known enough for a range: all of it, or that there are too many in a part of it? */
  knows(a, b) {
    const h = this.have;
    return h !== null && (h.whole ? h.from <= a && h.to >= b : a <= h.from && b >= h.to);
  }

  async want(from, to) {
    const { capture } = this, a = Math.floor(from + capture.offset), b = Math.max(a + 1, Math.ceil(to + capture.offset));
    if (!capture.amount('task') || this.knows(a, b)) return;
    const asked = { ...capture.asked, t: 'task_rows', a, b, top: FEW, enough: 1, extra: 1, ...newest(capture.index * 8 + 3) };
    const answer = await askJson('/rows', asked).catch(() => null);
    if (!answer) return;
    this.have = { from: a, to: b, whole: answer.all <= FEW, tasks: answer.all <= FEW ? tasksOf(answer.table) : [] };
    capture.changed();
  }

  get tasks() { return this.have ? this.have.tasks : []; }
}

/** Those whose launch and start are known, with the threads of both. */
function tasksOf(data) {
  const of = name => data.columns.find(c => c.name === name), [task, launcher, runner, launched, started] = ['task', 'launcher_id', 'thread_id', 'launched', 'started'].map(of), out = [];
  for (let i = 0; i < data.rows; i++) {
    if ([launcher, runner, launched, started].some(c => !c || c.cells[i] === null)) continue;
    out.push({ name: data.names[task.cells[i]] || '', from: launcher.cells[i], to: runner.cells[i], launched: launched.cells[i], started: started.cells[i] });
  }
  return out;
}

/** Where an arrow begins and ends in the picture of lanes; null: one of its threads has no lane there. */
export function placeOf(lanes, capture, task, bar) {
  const { view } = lanes, at = id => lanes.items.find(i => i.kind === 'lane' && i.capture === capture && i.lane.kind === 'thread' && i.lane.id === id && !i.lane.part);
  const [a, b] = [at(task.from), at(task.to)];
  if (!a || !b) return null;
  const x = t => view.xOf(t - capture.offset), y = item => item.top - lanes.top + bar / 2;
  return { x0: x(task.launched), y0: y(a), x1: x(task.started), y1: y(b) };
}

export function paintArrows(c, lanes, capture, bar, k) {
  const { view } = lanes, left = view.names, right = left + view.inner();
  let n = 0;
  c.save();
  c.beginPath();
  c.rect(left, 0, view.inner(), lanes.scroll.clientHeight);
  c.clip();
  c.strokeStyle = c.fillStyle = k.mark;
  c.globalAlpha = Math.max(0.25, Math.min(1, 20 / (1 + capture.arrows.tasks.length)));    // many are a texture, few are read one by one
  for (const task of capture.arrows.tasks) {
    const p = placeOf(lanes, capture, task, bar);
    if (!p || Math.max(p.x0, p.x1) < left || Math.min(p.x0, p.x1) > right) continue;
    const bend = Math.max(8, (p.x1 - p.x0) / 2);
    c.beginPath();
    c.moveTo(p.x0, p.y0);
    c.bezierCurveTo(p.x0 + bend, p.y0, p.x1 - bend, p.y1, p.x1, p.y1);
    c.stroke();
    c.beginPath();
    c.moveTo(p.x1, p.y1);
    c.lineTo(p.x1 - TIP, p.y1 - TIP / 1.6);
    c.lineTo(p.x1 - TIP, p.y1 + TIP / 1.6);
    c.fill();
    n++;
  }
  c.restore();
  return n;
}
