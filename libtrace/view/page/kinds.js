// Kinds of lanes besides those of threads and queues: what they are called, where they lie, and which question of the table
// `can` says how they are recorded. The server has a file for each, view/index/row_KIND.c.

/** Lanes of their own lie in a group, which is folded at first; those of a thread or queue lie below its lane. */
export const KINDS = [
  { kind: 'running', title: 'Cores of threads, and what ran instead', below: 'thread', question: 'what threads wait for' },
  { kind: 'fence', title: 'Fences that GPU queues wait at', below: 'gpu', question: 'GPU time' },
  { kind: 'core', title: 'Cores', question: 'what threads wait for' },
  { kind: 'lock', title: 'Locks', question: 'what threads wait for' },
  { kind: 'task', title: 'Tasks that wait to run', question: 'what threads wait for' },
  { kind: 'file', title: 'Files', question: 'loading' },
  { kind: 'package', title: 'Loading of packages', question: 'loading' },
];

/** Rows of marks above the timeline. */
export const MARKS = [
  { kind: 'frames', title: 'Frames', question: 'frames' },
  { kind: 'regions', title: 'Regions', question: 'regions and bookmarks' },
  { kind: 'bookmarks', title: 'Bookmarks', question: 'regions and bookmarks' },
  { kind: 'logs', title: 'Log messages', question: 'log' },
  { kind: 'screenshots', title: 'Screenshots and images of frames', how: "Unreal records them with the channel 'screenshot' on, Tracy with FrameImage" },
];

/** What is neither. */
export const OTHERS = [
  { kind: 'arrows', title: 'Arrows from the launch of a task to its start', question: 'what threads wait for' },
  { kind: 'samples', title: 'Samples, as dots', question: 'samples' },
  { kind: 'counters', title: 'Counters and plots', question: 'counters' },
];

const ALL = [...MARKS, ...KINDS, ...OTHERS];

export const kindOf = kind => KINDS.find(k => k.kind === kind) || null;
export const isKind = kind => ALL.some(k => k.kind === kind);

/** Does a lane hold scopes, which tables know by its thread or queue? */
export const hasScopes = lane => kindOf(lane.kind) === null;

/** Is a name of such a lane a time in which something waits? */
export function isWait(lane, name) {
  return lane.kind === 'fence' || lane.kind === 'task' || (lane.kind === 'running' && !/^core \d+$/.test(name)) || (lane.kind === 'lock' && name.endsWith(' waits'));
}
