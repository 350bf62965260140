// Stacks: trees of calls as nodes, made of the columns of a block or of the scopes of a window, and what is asked of
// them: time without waiting, who called a timer, what it called.
import { columns, indices } from './blocks.js';

/** A node: what it is, how often, how long, its own time, and what it called. */
export function node(name, parent) {
  return { name, parent, count: 0, incl: 0, excl: 0, value: 0, waits: false, depth: parent ? parent.depth + 1 : 0, children: [] };
}

/** The call tree of a block, whose rows stand in order of depth first; roots are threads. */
export function treeOf(data, waits) {
  const n = columns(data.timer, data.depth, data.count, data.incl, data.excl);
  indices(data.timer, data.names);
  const root = node('all threads', null), open = [root];
  for (let i = 0; i < n; i++) {
    const depth = data.depth[i];
    if (!Number.isInteger(depth) || depth < 0 || depth + 1 > open.length) throw new Error('a call stands without its caller');
    const parent = open[depth], child = node(data.names[data.timer[i]], parent);
    child.count = data.count[i];
    child.incl = data.incl[i];
    child.excl = data.excl[i];
    child.thread = depth === 0;
    child.waits = depth > 0 && waits.has(child.name);
    parent.children.push(child);
    open.length = depth + 1;
    open.push(child);
  }
  root.incl = root.children.reduce((sum, c) => sum + c.incl, 0);
  return root;
}

/** The tree of the scopes of a window, cut to [from, to): threads as roots, calls of one name put together. */
export function treeOfWindow(win, from, to, waits) {
  const root = node('all threads', null), lanes = new Map();
  for (const s of win.scopes) {
    if (s.lane.path) continue;
    const start = Math.max(s.start, from), end = Math.min(s.end, to);
    if (end <= start) continue;
    let lane = lanes.get(s.lane);
    if (!lane) {
      lane = { node: node(s.lane.name, root), open: [] };
      lane.node.thread = true;
      lanes.set(s.lane, lane);
      root.children.push(lane.node);
    }
    while (lane.open.length && (lane.open[lane.open.length - 1].depth >= s.depth || lane.open[lane.open.length - 1].end <= s.start)) lane.open.pop();
    const parent = lane.open.length ? lane.open[lane.open.length - 1].node : lane.node;
    let child = parent.children.find(c => c.name === s.name);
    if (!child) {
      child = node(s.name, parent);
      child.waits = waits.has(s.name);
      parent.children.push(child);
    }
    child.count++;
    child.incl += end - start;
    child.excl += end - start;
    if (parent === lane.node) parent.incl += end - start;
    else parent.excl -= end - start;
    lane.open.push({ depth: s.depth, end: s.end, node: child });
  }
  root.incl = root.children.reduce((sum, c) => sum + c.incl, 0);
  return root;
}

/** All nodes below one, itself first. No recursion: a capture decides how deep it is. */
export function* walk(top) {
  const todo = [top];
  while (todo.length) {
    const next = todo.pop();
    yield next;
    for (let i = next.children.length - 1; i >= 0; i--) todo.push(next.children[i]);
  }
}

/** Gives each node its value, and puts the greatest first: with its waiting, or without. */
export function weigh(top, withWaits) {
  const all = [...walk(top)];
  for (let i = all.length - 1; i >= 0; i--) {
    const n = all[i];
    n.value = withWaits ? n.incl : (n.waits ? 0 : Math.max(0, n.excl)) + n.children.reduce((sum, c) => sum + c.value, 0);
    n.children.sort((a, b) => b.value - a.value);
  }
}

/** The outermost nodes below one that fit. */
export function outermost(top, fits) {
  const found = [], todo = [top];
  while (todo.length) {
    const next = todo.pop();
    if (next.parent && !next.thread && fits(next.name)) found.push(next);
    else todo.push(...next.children);
  }
  return found;
}

function childOf(parent, name, waits) {
  let child = parent.children.find(c => c.name === name);
  if (!child) {
    child = node(name, parent);
    child.waits = waits;
    parent.children.push(child);
  }
  return child;
}

/** What a timer called, all its calls put together. */
export function calleesOf(top, name) {
  const root = node(name, null);
  for (const found of outermost(top, n => n === name)) {
    const todo = [[found, root]];
    while (todo.length) {
      const [from, to] = todo.pop();
      to.count += from.count;
      to.incl += from.incl;
      to.excl += from.excl;
      to.value += from.value;
      to.waits = from.waits;
      for (const c of from.children) todo.push([c, childOf(to, c.name, c.waits)]);
    }
  }
  sortAll(root);
  return root;
}

/** Who called a timer: its callers as children, theirs below them. */
export function callersOf(top, name) {
  const root = node(name, null);
  for (const found of outermost(top, n => n === name)) {
    let to = root;
    for (let at = found; at && at.parent; at = at.parent) {
      if (at !== found) to = childOf(to, at.name, at.waits);
      to.count += found.count;
      to.incl += found.incl;
      to.value += found.value;
    }
  }
  sortAll(root);
  return root;
}

function sortAll(root) {
  for (const n of walk(root)) n.children.sort((a, b) => b.value - a.value);
}
