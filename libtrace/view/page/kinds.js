// Kinds of lanes besides those of threads and queues. Each has a file here, row_X.js, which says what it is called, where it lies,
// what of it is a wait, and which question of the table `can` says how it is recorded, or what does where other things of that
// question are recorded; and one of the server, view/index/row_X.c.
import { ROW_CORES } from './row_cores.js';
import { ROW_FENCES } from './row_fences.js';
import { ROW_LOCKS } from './row_locks.js';
import { ROW_TASKS } from './row_tasks.js';
import { ROW_FILES } from './row_files.js';
import { ROW_REQUESTS } from './row_requests.js';
import { ROW_PACKAGES } from './row_packages.js';

/** @typedef {{kind: string, title: string, question: string, how?: string, below?: string, label?: string, isWait?: (name: string) => boolean}} Kind */

/** Lanes of their own lie in a group, which is folded at first; those of a thread or queue lie below its lane.
 * @type {Kind[]} */
export const KINDS = [...ROW_CORES, ...ROW_FENCES, ...ROW_LOCKS, ...ROW_TASKS, ...ROW_FILES, ...ROW_REQUESTS, ...ROW_PACKAGES];

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
  { kind: 'waits', title: 'Dashed arrows from a wait to what was waited for: a task, who held the lock, who signalled the fence', question: 'what threads wait for' },
  { kind: 'wakes', title: 'Dotted arrows from who woke a thread to its run, where the lanes of cores are unfolded', question: 'what threads wait for', how: "Perfetto records them with sched/sched_waking" },
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
  const kind = kindOf(lane.kind);
  return Boolean(kind && kind.isWait && kind.isWait(name));
}
