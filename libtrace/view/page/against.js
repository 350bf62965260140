// Against: the timers and calls of a selection next to those of the rest of the capture, or of a selection that was kept. Times
// are per second of each side, as the sides are not equally long.
import { askJson, newest } from './server.js';
import { node } from './stacks.js';

const ALL_ROWS = 20000, SECOND = 1e9;

/** A side: a capture, parts of its time [from, to], and lanes (null: all). Times are those of the capture. */
export function sideOf(capture, from, to, lanes) { return { capture, parts: [[from, to]], lanes }; }

/** What of the capture of a side is before it and behind it. */
export function restOf(side) {
  const { capture } = side, [[from, to]] = side.parts, first = Math.min(0, capture.first);
  return { capture, lanes: side.lanes, parts: [[first, from], [to, capture.end]].map(p => p.map(Math.round)).filter(([a, b]) => b > a) };
}

export function lengthOf(side) { return side.parts.reduce((sum, [a, b]) => sum + b - a, 0); }

/** Rows of a table of each part of a side. Each side has numbers of its own, so that none overtakes the other. */
async function rowsOf(side, table, number, more) {
  const out = [];
  for (const [i, [a, b]] of side.parts.entries()) {
    const asked = { ...side.capture.asked, t: table, a: Math.round(a), b: Math.max(Math.round(a) + 1, Math.round(b)), top: ALL_ROWS, ...more, ...newest(48 + 4 * number + i) };
    if (side.lanes && side.lanes.length) asked.l = side.lanes.map(l => l.number).join('.');
    const answer = await askJson('/rows', asked);
    if (!answer) return null;
    out.push(answer);
  }
  return out;
}

function cellsOf(data, name) {
  const c = data.columns.find(o => o.name === name);
  if (!c) return () => null;
  return c.kind === 11 ? i => c.cells[i] < 0 ? '' : data.names[c.cells[i]] : i => c.cells[i];
}

/** Timers of a side by name, file and line: calls and exclusive time of all parts. */
function timersOf(answers) {
  const out = new Map();
  for (const { table: data } of answers) {
    const [name, file, line, calls, excl] = ['timer', 'file', 'line', 'count', 'excl'].map(n => cellsOf(data, n));
    for (let i = 0; i < data.rows; i++) {
      const key = [name(i), file(i), line(i)].join('\n'), known = out.get(key) || { name: name(i), calls: 0, excl: 0 };
      known.calls += calls(i);
      known.excl += excl(i);
      out.set(key, known);
    }
  }
  return out;
}

/** A table of both sides as columns: the greatest difference of exclusive time a second first. Null: a newer question came. */
export async function timersAgainst(mine, other) {
  const [a, b] = [await rowsOf(mine, 'timers', 0, {}), await rowsOf(other, 'timers', 1, {})];
  if (!a || !b) return null;
  const sides = [timersOf(a), timersOf(b)], lengths = [lengthOf(mine) / SECOND, lengthOf(other) / SECOND], none = { calls: 0, excl: 0 };
  const rows = [...new Set([...sides[0].keys(), ...sides[1].keys()])].map(key => {
    const [x, y] = sides.map(s => s.get(key) || none), per = [x.excl / lengths[0], y.excl / lengths[1]];
    return { timer: (sides[0].get(key) || sides[1].get(key)).name, excl: x.excl, calls: x.calls, per, other: y.excl, otherCalls: y.calls, change: per[0] - per[1] };
  });
  rows.sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || x.timer.localeCompare(y.timer));
  return columnsOf(rows);
}

function columnsOf(rows) {
  const names = [...new Set(rows.map(r => r.timer))], at = new Map(names.map((n, i) => [n, i])), column = (name, kind, title, of) => ({ name, kind, title, cells: rows.map(of) });
  return { rows: rows.length, names, columns: [
    column('timer', 11, 'name', r => at.get(r.timer)),
    column('change_a_second', 8, 'exclusive time a second here, minus that there', r => Math.round(r.change)),
    column('excl_a_second', 8, 'exclusive time a second of the selection', r => Math.round(r.per[0])),
    column('other_a_second', 8, 'exclusive time a second of the other side', r => Math.round(r.per[1])),
    column('excl', 8, 'exclusive time in the selection', r => r.excl), column('other_excl', 8, 'exclusive time in the other side', r => r.other),
    column('calls', 3, 'calls in the selection', r => r.calls), column('other_calls', 3, 'calls in the other side', r => r.otherCalls)] };
}

/** The calls of a side, or its samples, as a tree whose roots are threads; those of all parts put together. Null: a newer question
 * came. */
export async function treeOfSide(side, number, table = 'tree') {
  const answers = await rowsOf(side, table, 2 + number, {}), root = node('all threads', null);
  if (!answers) return null;
  for (const { table: data } of answers) addTree(root, data, side.capture);
  root.incl = root.children.reduce((sum, c) => sum + c.incl, 0);
  return root;
}

function childOfCall(parent, name) {
  if (!parent.byName) parent.byName = new Map();
  let child = parent.byName.get(name);
  if (!child) {
    parent.byName.set(name, child = node(name, parent));
    parent.children.push(child);
  }
  return child;
}

/** Adds rows of the table `tree` or `sample_tree`, in which threads have depth 0. */
function addTree(root, data, capture) {
  const samples = data.columns.some(c => c.name === 'function'), [depth, timer, calls, incl, excl] = ['depth', samples ? 'function' : 'timer', samples ? 'incl' : 'count', 'incl', 'excl'].map(n => cellsOf(data, n));
  const waits = new Set([...capture.waits].map(t => capture.names.name(t))), open = [];
  for (let i = 0; i < data.rows; i++) {
    const parent = depth(i) ? open[depth(i) - 1] : root;
    if (!parent) throw new Error('a call stands without its caller');
    const child = childOfCall(parent, timer(i) || 'without a name');
    child.thread = parent === root;
    child.waits = !child.thread && waits.has(child.name);
    child.count += calls(i);
    child.incl += incl(i);
    child.excl += excl(i);
    open[depth(i)] = child;
    open.length = depth(i) + 1;
  }
}
