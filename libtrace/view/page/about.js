// About: what a capture is, in words: the program and its build, when and for how long it ran, and what is in the file.
import { span, size, count } from './text.js';
import { listOf } from './capture.js';

const FORMATS = { utrace: 'Unreal Engine (.utrace)', tracy: 'Tracy (.tracy)', chrome_json: 'Chrome trace events (JSON)', perfetto: 'Perfetto', fuchsia: 'Fuchsia', frame_csv: 'frame times (CSV)' };

function threadsOf(c) {
  const threads = c.order.filter(l => l.kind === 'thread' && !l.part).length;
  return threads ? `${count(threads)} with scopes` : '';
}

function damageOf(c) {
  const { damaged, partial, lossy } = c.overview;
  if (damaged) return 'no, it is damaged; what could be read is shown';
  if (lossy) return 'no, some of it was lost while it was recorded';
  return partial ? 'no, a limit was reached' : 'yes';
}

/** Labels and texts; empty ones are not shown. */
export function aboutRows(c) {
  const one = listOf(c.overview.capture)[0] || {}, game = c.game, value = name => one[name] === null || one[name] === undefined ? '' : String(one[name]);
  const build = [value('build'), value('branch') && value('branch') !== value('build') ? `branch ${value('branch')}` : ''].filter(Boolean).join(', ');
  const project = value('project') !== value('app') ? value('project') : '';
  return [['program', [value('app'), project].filter(Boolean).join(', ')], ['build', build], ['engine', value('engine')], ['platform', value('platform')],
    ['computer', value('host')], ['recorded', value('recorded')], ['length', one.dur > 0 ? span(one.dur) : ''],
    ['frames', game && game.n ? `${count(game.n * game.group)}${game.group > 1 ? ' or so' : ''}, ${count(c.hitches.length)} of them hitches` : ''],
    ['threads', threadsOf(c)], ['timers', value('timers') && count(one.timers)], ['scopes', count(c.scopes)],
    ['log messages', c.overview.logs_all ? count(c.overview.logs_all) : ''], ['format', FORMATS[value('format')] || value('format')],
    ['size', one.bytes > 0 ? size(one.bytes) : ''], ['file', c.path], ['complete', damageOf(c)]];
}
