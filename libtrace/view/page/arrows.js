// Arrows across lanes: from where a task was launched to where it started, and from a wait to what was waited for: the end of a
// task, the release of a lock, the signal of a fence; and from who woke a thread to its run. They come for the visible range where there are not too many to be followed.
import { askJson, newest } from './server.js';
import { listOf } from './capture.js';

const FEW = 400, TIP = 5;

/** How arrows of each kind are dashed: from launches to starts, from waits, from wake-ups. */
const DASHES = { arrows: [], waits: [4, 3], wakes: [1, 3] };

/** An arrow of a kind of those: from a time in a lane of a kind and number to another one. */
const arrow = (name, kind, from, start, to, end, what) => ({ name, kind, from, start, to, end, what });

/** From launches to starts, where both and their threads are known. */
export function launchesOf(tasks) {
  return tasks.filter(t => [t.launcher_id, t.thread_id, t.launched, t.started].every(v => v !== null && v !== undefined))
    .map(t => arrow(t.task, 'thread', t.launcher_id, t.launched, t.thread_id, t.started, 'arrows'));
}

/** From waits for tasks to the end of the first of them, on the thread that ran it; back, where it had ended before. */
export function taskWaits(waits, tasks) {
  const byId = new Map(tasks.filter(t => t.finished !== null && t.thread_id !== null).map(t => [t.task_id, t]));
  return waits.filter(w => byId.has(w.first_task_id)).map(w => {
    const task = byId.get(w.first_task_id);
    return arrow(w.first_task, 'thread', w.thread_id, w.start, task.thread_id, task.finished, 'waits');
  });
}

/** From waits for locks to the last release before they were obtained, by another thread. */
export function lockWaits(rows) {
  const locks = new Map();
  for (const r of rows) {
    const key = r.lock + '\n' + r.lock_id;
    if (!locks.has(key)) locks.set(key, []);
    locks.get(key).push(r);
  }
  return rows.filter(w => w.requested !== null && w.wait > 0 && w.thread_id !== null).flatMap(w => {
    const holders = locks.get(w.lock + '\n' + w.lock_id).filter(h => h.thread_id !== w.thread_id && h.obtained !== null && h.obtained < w.obtained && h.released > w.requested && h.released <= w.obtained);
    const last = holders.sort((a, b) => b.released - a.released)[0];
    return last ? [arrow(w.lock, 'thread', w.thread_id, w.requested, last.thread_id, last.released, 'waits')] : [];
  });
}

/** From waits of queues to the signals of others. */
export function fenceWaits(rows) {
  return rows.filter(f => f.signal_time !== null && f.time !== null && f.signal_time > f.time && f.other_id !== null)
    .map(f => arrow(`fence ${f.value}`, 'gpu', f.queue_id, f.time, f.other_id, f.signal_time, 'waits'));
}

/** From wake-ups to the runs that they led to, from core to core: who ran there woke the thread. */
export function wakesOf(runs) {
  return runs.filter(r => r.wake !== null && r.waker_core !== null).map(r => {
    const waker = runs.find(o => o.core === r.waker_core && o.start <= r.wake && o.end > r.wake);
    return arrow(`${waker ? waker.thread : `core ${r.waker_core}`} woke ${r.thread}`, 'core', r.waker_core, r.wake, r.core, r.start, 'wakes');
  });
}

/** Arrows of a range of a capture, and what is known of them. */
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

  /** Rows of a table in a range; null: a newer question came, or it cannot be read; an empty list where there are too many. */
  async rows(t, a, b, number) {
    const asked = { ...this.capture.asked, t, a, b, top: FEW, enough: 1, extra: 1, ...newest(this.capture.index * 8 + number) };
    const answer = await askJson('/rows', asked).catch(() => null);
    if (!answer) return null;
    if (answer.all > FEW) this.whole = false;
    return answer.all <= FEW ? listOf(answer.table) : [];
  }

  /** One table after the other: those that the capture has. */
  async want(from, to, hidden) {
    const { capture } = this, a = Math.floor(from + capture.offset), b = Math.max(a + 1, Math.ceil(to + capture.offset)), waits = hidden.has('waits') ? [] : capture.waitTables();
    const launches = capture.amount('task') > 0 && !hidden.has('arrows'), wakes = capture.amount('wakes') > 0 && capture.openKinds.has('core') && !hidden.has('wakes'), kinds = [launches, wakes, ...waits].join();
    if ((!launches && !wakes && !waits.length) || (this.kinds === kinds && this.knows(a, b))) return;
    const lists = {};
    this.whole = true;
    for (const [i, t] of [...(launches || waits.some(w => w[0] === 'task_waits') ? ['task_rows'] : []), ...waits.map(w => w[0]), ...(wakes ? ['switch_rows'] : [])].entries()) {
      lists[t] = await this.rows(t, a, b, 3 + i);
      if (!lists[t]) return;
    }
    const tasks = lists.task_rows || [];
    this.kinds = kinds;
    this.have = { from: a, to: b, whole: this.whole, list: [...(launches ? launchesOf(tasks) : []), ...taskWaits(lists.task_waits || [], tasks), ...lockWaits(lists.lock_rows || []), ...fenceWaits(lists.gpu_fences || []), ...wakesOf(lists.switch_rows || [])] };
    capture.changed();
  }

  get list() { return this.have ? this.have.list : []; }
}

/** Where an arrow begins and ends in the picture of lanes; null: one of its lanes is not there. */
export function placeOf(lanes, capture, a, bar) {
  const { view } = lanes, at = id => lanes.items.find(i => i.kind === 'lane' && i.capture === capture && i.lane.kind === a.kind && i.lane.id === id && !i.lane.part);
  const [one, other] = [at(a.from), at(a.to)];
  if (!one || !other) return null;
  const x = t => view.xOf(t - capture.offset), y = item => item.top - lanes.top + bar / 2;
  return { x0: x(a.start), y0: y(one), x1: x(a.end), y1: y(other) };
}

export function paintArrows(c, lanes, capture, bar, k) {
  const { view } = lanes, left = view.names, right = left + view.inner(), list = capture.arrows.list.filter(a => !view.hidden.has(a.what));
  let n = 0;
  c.save();
  c.beginPath();
  c.rect(left, 0, view.inner(), lanes.scroll.clientHeight);
  c.clip();
  c.globalAlpha = Math.max(0.25, Math.min(1, 20 / (1 + list.length)));    // many are a texture, few are read one by one
  for (const a of list) {
    const p = placeOf(lanes, capture, a, bar);
    if (!p || Math.max(p.x0, p.x1) < left || Math.min(p.x0, p.x1) > right) continue;
    const bend = Math.max(8, (p.x1 - p.x0) / 2);
    c.strokeStyle = c.fillStyle = a.what === 'arrows' ? k.mark : k.ink;
    c.setLineDash(DASHES[a.what]);
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
