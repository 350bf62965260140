#!/usr/bin/env python3
"""Compares GPU queues, tasks and context switches with the truth of their producer.

usage: check_families_execution.py --bin DIRECTORY PATH...

PATH is a truth file (NAME.truth.json, its capture beside it) or a directory, searched for them. What the truth does
not state (waits, chains, idling, percentiles) is computed here from the events of the capture, one by one.
"""

import bisect
import collections
import itertools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
sys.path.insert(0, str(HERE))
import check_truth  # noqa: E402
from tables import integer  # noqa: E402

TABLES = ('gpu', 'gpu_queues', 'gpu_frames', 'gpu_fences', 'gpu_scopes', 'tasks', 'task_rows', 'task_waits', 'task_counters',
          'task_counter_values', 'switches', 'switch_rows', 'cores', 'running', 'samples', 'sample_rows', 'locks', 'lock_rows')
SHARES = {'median': 0.5, 'p95': 0.95, 'p99': 0.99}
RELATIVE_ERROR = 0.008
SPREAD = ('min', 'max', 'mean', 'median', 'p95', 'p99')


class Captured:
    """What the commands say about a capture."""

    def __init__(self, runner, path):
        self.runner, self.path = runner, path

    def table(self, name, *columns, options=()):
        return self.runner.table(self.path, name, columns, *options)

    def events(self, *patterns):
        """(event name, fields, thread) in the order of serial numbers."""
        return [(event['event'].split('.', 1)[1], event['fields'], event['thread_id'])
                for event in self.runner.events(self.path, *patterns, order='serial')]


def check_spread(result, what, row, values, prefix=''):
    """Extremes, mean and percentiles of a row against all values."""
    result.equal('%s: min, max' % what, [integer(row[prefix + 'min']), integer(row[prefix + 'max'])],
                 [min(values), max(values)])
    mean = sum(values) / len(values)
    result.true('%s: mean %s instead of %r' % (what, row[prefix + 'mean'], mean),
                abs(float(row[prefix + 'mean']) - mean) <= 1e-9 * abs(mean))
    ranked = sorted(values)
    for column, share in SHARES.items():
        exact = ranked[max(1, -(-len(values) * round(share * 100) // 100)) - 1]
        result.true('%s: %s %s instead of %d' % (what, column, row[prefix + column], exact),
                    abs(float(row[prefix + column]) - exact) <= RELATIVE_ERROR * exact)


# ---- GPU ----

def check_gpu(result, got, truth):
    wanted = truth.get('gpu')
    rows = got.table('gpu', 'queue_id', 'timer', 'kind', 'count', 'open', 'incl', 'total', 'min', 'max')
    queues = got.table('gpu_queues', 'queue_id', 'type', 'work_items', 'work', 'frames', 'draws', 'primitives')
    if not wanted:
        result.equal('GPU tables', (rows, queues), ([], []))
        return
    marks = {(int(row['queue_id']), row['timer']): [int(row[key]) for key in ('count', 'incl', 'min', 'max')]
             for row in rows if row['kind'] == 'gpu'}
    result.equal('GPU timers', marks, {(timer['queue'], timer['timer']): [timer[key] for key in
                                                                          ('count', 'incl', 'min', 'max')]
                                       for timer in wanted['timers']})
    result.equal('number of GPU timers', len(marks), len(wanted['timers']))
    result.equal('open GPU scopes', sum(int(row['open']) for row in rows), 0)
    result.equal('GPU queues', [[int(row['queue_id']), row['type'], int(row['work_items']), int(row['work']), int(row['frames'])]
                                for row in queues],
                 [[queue['id'], queue['name'], queue['works'], queue['work_total'], wanted['frames_per_queue']]
                  for queue in wanted['queues']])
    result.equal('draws', sum(int(row['draws']) for row in queues), wanted['draws'])
    result.equal('primitives', sum(int(row['primitives']) for row in queues), wanted['primitives'])
    frames = collections.Counter()
    for row in got.table('gpu_frames', 'queue_id', 'work'):
        frames[int(row['queue_id'])] += int(row['work'] or 0)
    result.equal('work of frames', frames, {queue['id']: queue['work_total'] for queue in wanted['queues']})
    check_gpu_scopes(result, got, wanted)
    check_labels(result, got)
    check_queues(result, got)


def check_gpu_scopes(result, got, truth):
    """Every scope: they add up to the timers of the truth, and lie inside the scope that each names as its parent."""
    rows = [{key: integer(value) if key not in ('timer', 'kind') else value for key, value in row.items()}
            for row in got.table('gpu_scopes', 'queue_id', 'timer', 'kind', 'start', 'dur', 'depth', 'scope_id', 'parent_id')]
    lengths, by_id = collections.defaultdict(list), {row['scope_id']: row for row in rows}
    result.equal('ids of GPU scopes', len(by_id), len(rows))
    for row in rows:
        parent = by_id.get(row['parent_id'])
        if row['kind'] == 'gpu':
            lengths[row['queue_id'], row['timer']].append(row['dur'])
        fits = row['depth'] == 0 if parent is None else parent['depth'] + 1 == row['depth'] and \
            parent['start'] <= row['start'] and parent['queue_id'] == row['queue_id'] and \
            row['start'] + row['dur'] <= parent['start'] + parent['dur']
        if not fits:
            result.equal('parent of %r' % row, parent, None)
    result.equal('GPU scopes', {key: [len(values), sum(values)] for key, values in lengths.items()},
                 {(timer['queue'], timer['timer']): [timer['count'], timer['incl']] for timer in truth['timers']})


def small_values(data):
    """A number below 65536 and a short text, in CBOR (RFC 8949)."""
    width = {0x18: 1, 0x19: 2}.get(data[0], 0)
    number = int.from_bytes(data[1:1 + width], 'big') if width else data[0]
    text = data[2 + width:]
    if data[0] > 0x19 or data[1 + width] != 0x60 + len(text):
        raise ValueError('other values than expected: %r' % data)
    return '%d %s' % (number, text.decode())


def check_labels(result, got):
    """Names and values of breadcrumbs, as the events have them: none, or those that `%u %s` stands for."""
    specs, wanted = {}, []
    for event, fields, _ in got.events('GpuProfiler.*'):
        if event == 'EventBreadcrumbSpec':
            specs[fields['SpecId']] = fields['StaticName']
        elif event == 'EventBeginBreadcrumb':
            name, values = specs[fields['SpecId']], bytes(fields['Metadata'])
            wanted.append([str(fields['QueueId']), str(fields['GPUTimestampTOP']), name,
                           '%s - %s' % (name, small_values(values)) if values else name])
    rows = got.table('gpu_labels', 'queue_id', 'start', 'timer', 'label')
    result.equal('labels', [list(row.values()) for row in rows], wanted)


class Queue:
    """A queue followed event by event (the captures of the corpus are in good order)."""

    def __init__(self):
        self.stack, self.calls, self.waits = [], collections.defaultdict(list), []
        self.draws = self.primitives = 0
        self.last = self.end = None
        self.idle, self.frames, self.signals = 0, [], []

    def time(self, cycle):
        self.last = cycle
        return cycle


def check_queues(result, got):
    queues = collections.defaultdict(Queue)
    names, fences = {}, []
    for event, fields, _ in got.events('GpuProfiler.*'):
        queue = queues[fields['QueueId']] if 'QueueId' in fields else None
        if event == 'EventBreadcrumbSpec':
            names[fields['SpecId']] = fields['StaticName']
        elif event == 'EventBeginBreadcrumb':
            queue.stack.append((names[fields['SpecId']], queue.time(fields['GPUTimestampTOP'])))
        elif event == 'EventEndBreadcrumb':
            name, begin = queue.stack.pop()
            queue.calls[name].append(queue.time(fields['GPUTimestampBOP']) - begin)
        elif event == 'EventBeginWork':
            if queue.end is not None:
                queue.idle += max(0, fields['CPUTimestamp'] - queue.end)
            queue.time(fields['GPUTimestampTOP'])
        elif event == 'EventEndWork':
            queue.end = queue.time(fields['GPUTimestampBOP'])
        elif event == 'EventWait':
            queue.waits.append(fields['EndTime'] - fields['StartTime'])
            queue.end = queue.time(fields['EndTime'])
        elif event == 'EventStats':
            queue.draws += fields['NumDraws']
            queue.primitives += fields['NumPrimitives']
        elif event == 'EventFrameBoundary':
            queue.frames.append([fields['FrameNumber'], queue.last, queue.draws, queue.primitives])
            queue.draws = queue.primitives = 0
        elif event in ('SignalFence', 'WaitFence'):
            time = max(fields['CPUTimestamp'], queue.end or 0)
            if event == 'SignalFence':
                queue.signals.append((fields['Value'], time))
            else:
                fences.append((fields['QueueId'], fields['QueueToWaitForId'], fields['Value'], time))
    for queue in queues.values():
        if queue.draws or queue.primitives:
            queue.frames.append([None, queue.last, queue.draws, queue.primitives])
    compare_queues(result, got, queues, fences)


def compare_queues(result, got, queues, fences):
    for row in got.table('gpu', 'queue_id', 'timer', 'kind', *SPREAD):
        if row['kind'] == 'gpu':
            check_spread(result, 'GPU timer %s' % row['timer'], row, queues[int(row['queue_id'])].calls[row['timer']])
    rows = got.table('gpu_queues', 'queue_id', 'waits', 'waiting', 'idle', 'signals', 'fences')
    result.equal('waits, idling and fences of queues', [[int(row[key]) for key in row] for row in rows],
                 [[key, len(queue.waits), sum(queue.waits), queue.idle, len(queue.signals),
                   sum(fence[0] == key for fence in fences)] for key, queue in sorted(queues.items())])
    for key, queue in queues.items():
        rows = got.table('gpu_frames', 'queue_id', 'frame', 'time', 'draws', 'primitives')
        result.equal('frames of queue %d' % key, [[integer(row[column]) for column in ('frame', 'time', 'draws', 'primitives')]
                                                 for row in rows if int(row['queue_id']) == key], queue.frames)
    rows = got.table('gpu_fences', 'queue_id', 'other_id', 'value', 'time', 'signal_time')
    result.equal('fences', [[integer(row[key]) for key in row] for row in rows],
                 [[*fence, next((time for value, time in queues[fence[1]].signals if value >= fence[2]), None)]
                  for fence in fences])


# ---- tasks ----

STAGES = ('Created', 'Launched', 'Scheduled', 'Started', 'Finished', 'Completed', 'Destroyed')


def check_tasks(result, got, truth):
    wanted = truth.get('tasks')
    rows = got.table('tasks', 'task', 'count', 'total', 'start_wait')
    if not wanted:
        result.equal('tasks', rows, [])
        return
    result.equal('tasks', [[row['task'], *(int(row[key]) for key in ('count', 'total', 'start_wait'))] for row in rows],
                 [[task['name'], task['count'], task['run_total'], task['wait_total']] for task in wanted['by_name']])
    result.equal('number of tasks', sum(int(row['count']) for row in rows), wanted['count'])
    check_each_task(result, got)
    check_task_counters(result, got)


def check_each_task(result, got):
    tasks, waiting, waits = collections.defaultdict(dict), collections.defaultdict(list), []
    prerequisites = collections.defaultdict(list)
    for event, fields, thread in got.events('TaskTrace.*'):
        if event in STAGES:
            task = tasks[fields['TaskId']]
            task[event] = (fields['Timestamp'], thread)
            if event == 'Launched':
                task['name'], task['tracked'] = fields['DebugName'], bool(fields['Tracked'])
        elif event == 'SubsequentAdded':
            started = tasks[fields['SubsequentId']].get('Started')
            if started is None or started[0] > fields['Timestamp']:
                prerequisites[fields['SubsequentId']].append(fields['TaskId'])
        elif event == 'WaitingStarted':
            waits.append([thread, fields['Timestamp'], None, len(fields['Tasks']), fields['Tasks'][0]])
            waiting[thread].append(waits[-1])
        elif event == 'WaitingFinished':
            waiting[thread].pop()[2] = fields['Timestamp']
    rows = got.table('task_waits', 'thread_id', 'start', 'end', 'count', 'first_task_id')
    result.equal('waits for tasks', [[integer(row[key]) for key in row] for row in rows], sorted(waits, key=lambda w: w[1]))
    check_wait_names(result, got)
    compare_tasks(result, got, tasks, prerequisites, find_chains(tasks, prerequisites))


def check_wait_names(result, got):
    """The name of the first task that a thread waited for, and the thread that ran it."""
    threads = {int(row['thread_id']): row['thread'] for row in got.table('threads', 'thread_id', 'thread')}
    names, ran = {}, {}
    for event, fields, thread in got.events('TaskTrace.*'):
        if event == 'Launched':
            names[fields['TaskId']] = fields['DebugName']
        elif event == 'Started':
            ran[fields['TaskId']] = threads[thread]
    for row in got.table('task_waits', 'first_task_id', 'first_task', 'ran_on'):
        task = int(row['first_task_id'])
        result.equal('task %d' % task, [row['first_task'], row['ran_on']], [names.get(task, ''), ran.get(task, '')])


TASK_COUNTS = {'Tasks::WaitingForPrerequisitesTasks': ('Launched', 'Scheduled'), 'Tasks::RunningTasks': ('Started', 'Finished'),
               'Tasks::AliveTasks': ('Launched', 'Destroyed')}


def most_at_once(steps):
    return max(itertools.accumulate(step for _, step in steps))


def check_task_counters(result, got):
    """What is between two stages, counted from the times of all tasks, each of which says its stages or leaves the
    making to the launch. At one time the order of steps is not known."""
    times = collections.defaultdict(list)
    for event, fields, _ in got.events('TaskTrace.*'):
        times[event].append(fields.get('Timestamp'))
    rows = {row['counter']: row for row in got.table('task_counters', 'counter', 'count', 'last', 'max')}
    if not times['Launched']:
        result.equal('counters of tasks', rows, {})
        return
    result.equal('tasks that are made', times['Created'], [])
    for name, (first, end) in TASK_COUNTS.items():
        steps = sorted([(time, 1) for time in times[first]] + [(time, -1) for time in times[end]])
        row = {key: int(value) for key, value in rows[name].items() if key != 'counter'}
        result.equal('values of ' + name, [row['count'], row['last']], [len(steps), sum(step for _, step in steps)])
        least, most = most_at_once(steps), most_at_once(sorted(steps, key=lambda step: (step[0], -step[1])))
        result.true('maximum of %s is %d, not %d to %d' % (name, row['max'], least, most), least <= row['max'] <= most)


def find_chains(tasks, prerequisites):
    """The longest chain that ends with each task; what it waited for and had not finished yet did not hold it up."""
    chains = {}
    for key, task in sorted(tasks.items(), key=lambda item: (item[1]['Started'][0], item[1]['Finished'][0])):
        held_up = [chains[other] for other in prerequisites[key]
                   if other in chains and tasks[other]['Finished'][0] <= task['Started'][0]]
        before = max(held_up, default=(0, 0))
        chains[key] = (before[0] + task['Finished'][0] - task['Started'][0], before[1] + 1)
    return chains


def compare_tasks(result, got, tasks, prerequisites, chains):
    rows = got.table('task_rows', 'task_id', 'task', 'tracked', 'launched', 'scheduled', 'started', 'finished', 'completed',
                     'destroyed', 'thread_id', 'prerequisites', 'chain', 'chain_length')
    wanted = [[str(key), task['name'], 'true' if task['tracked'] else 'false',
               *(str(task[stage][0]) for stage in STAGES[1:]), str(task['Started'][1]), str(len(prerequisites[key])),
               *map(str, chains[key])] for key, task in sorted(tasks.items())]
    result.equal('task rows', [list(row.values()) for row in rows], wanted)
    by_name = collections.defaultdict(list)
    for key, task in tasks.items():
        by_name[task['name']].append(key)
    columns = ('task', 'tracked', 'ran', 'schedule_wait', 'chain', *SPREAD, *('start_wait_' + name for name in SPREAD),
               *('schedule_wait_' + name for name in SPREAD))
    for row in got.table('tasks', *columns):
        keys = by_name[row['task']]

        def spans(one, other):
            return [tasks[key][other][0] - tasks[key][one][0] for key in keys]
        result.equal('task %s' % row['task'], [int(row[key]) for key in ('tracked', 'ran', 'schedule_wait', 'chain')],
                     [sum(tasks[key]['tracked'] for key in keys), len(keys), sum(spans('Launched', 'Scheduled')),
                      max(chains[key][0] for key in keys)])
        check_spread(result, 'runs of ' + row['task'], row, spans('Started', 'Finished'))
        check_spread(result, 'waits of ' + row['task'], row, spans('Scheduled', 'Started'), 'start_wait_')
        check_spread(result, 'waits of ' + row['task'], row, spans('Launched', 'Scheduled'), 'schedule_wait_')


# ---- the operating system ----

def check_switches(result, got, truth):
    wanted = truth.get('context_switches')
    rows = got.table('switches', 'system_id', 'thread_id', 'thread', 'count', 'running')
    if not wanted:
        result.equal('context switches', rows, [])
        return
    result.equal('context switches', [[row['thread'], int(row['system_id']), int(row['count']), int(row['running'])]
                                      for row in rows if row['thread_id']],
                 [[entry['thread'], entry['system_id'], entry['count'], entry['total']] for entry in wanted])
    check_each_switch(result, got)


def gaps(runs):
    """Times between runs, which are in order."""
    found, end = [], runs[0][0]
    for run in runs:
        if run[0] > end:
            found.append(run[0] - end)
        end = max(end, run[1])
    return found


def check_each_switch(result, got):
    runs, cores, names = collections.defaultdict(list), collections.defaultdict(list), {}
    everything = []
    for event, fields, _ in got.events('PlatformEvent.*'):
        if event == 'ContextSwitch':
            run = (fields['StartTime'], fields['EndTime'], fields['ThreadId'], fields['CoreNumber'])
            runs[run[2]].append(run)
            cores[run[3]].append(run)
            everything.append(run)
        elif event == 'ThreadName':
            names[fields['ThreadId']] = (fields['Name'], fields['ProcessId'])
    known = {int(row['system_id']) for row in got.table('threads', 'system_id', 'thread_id') if row['system_id']}
    rows = got.table('switch_rows', 'start', 'end', 'system_id', 'core')
    result.equal('runs', sorted(tuple(int(row[key]) for key in row) for row in rows), sorted(everything))
    result.equal('order of runs', [int(row['start']) for row in rows], sorted(run[0] for run in everything))
    for row in got.table('switches', 'system_id', 'thread', 'process_id', 'waits', 'waiting', 'cores', 'migrations', *SPREAD):
        mine = sorted(runs[int(row['system_id'])])
        between = gaps(mine)
        result.equal('waits of %s' % row['thread'], [int(row[key]) for key in ('waits', 'waiting', 'cores', 'migrations')],
                     [len(between), sum(between), len({run[3] for run in mine}),
                      sum(one[3] != other[3] for one, other in zip(mine, mine[1:]))])
        check_spread(result, 'runs of ' + row['thread'], row, [run[1] - run[0] for run in mine])
        name = names.get(int(row['system_id']))
        if name:
            result.equal('process of ' + row['thread'], int(row['process_id']), name[1])
        if name and int(row['system_id']) not in known:
            result.equal('name of a thread of another process', row['thread'], name[0])
    rows = got.table('cores', 'core', 'count', 'busy', 'own', 'idle', 'threads')
    result.equal('cores', [[int(row[key]) for key in row] for row in rows],
                 [[core, len(mine), sum(run[1] - run[0] for run in mine),
                   sum(run[1] - run[0] for run in mine if run[2] in known), sum(gaps(sorted(mine))),
                   len({run[2] for run in mine})] for core, mine in sorted(cores.items())])


def check_running(result, got, truth):
    """Every scope of a thread laid over the times that it ran."""
    if not truth.get('context_switches'):
        result.equal('running times', got.table('running', 'timer'), [])
        return
    name = min((thread for thread in truth['threads'] if thread.get('scopes') and thread['timers']),
               key=lambda thread: thread['scopes'])['name']
    runs = sorted((int(row['start']), int(row['end'])) for row in got.table('switch_rows', 'start', 'end', 'thread')
                  if row['thread'] == name)
    begins, before = [run[0] for run in runs], [0, *itertools.accumulate(run[1] - run[0] for run in runs)]

    def ran(time):
        at = bisect.bisect_right(begins, time)
        return before[at] - max(0, runs[at - 1][1] - time) if at else 0
    wanted = collections.defaultdict(list)
    for row in got.table('scopes', 'timer', 'start', 'dur', options=('--thread', name)):
        if row['dur']:
            begin, length = int(row['start']), int(row['dur'])
            wanted[row['timer']].append((ran(begin + length) - ran(begin), length))
    rows = got.table('running', 'timer', 'count', 'total', 'running', 'waiting', *SPREAD, options=('--thread', name))
    result.equal('timers that ran', sorted(row['timer'] for row in rows), sorted(wanted))
    for row in rows:
        found = wanted[row['timer']]
        spans = [sum(span[0] for span in found), sum(span[1] for span in found)]
        result.equal('running of %s' % row['timer'], [int(row[key]) for key in ('count', 'total', 'running', 'waiting')],
                     [len(found), spans[1], spans[0], spans[1] - spans[0]])
        check_spread(result, 'running of %s' % row['timer'], row, [span[0] for span in found])


def check_jobs(result, got, truth):
    """The same bytes for every number of threads that work; no damage in a sound capture."""
    del truth
    arguments = [word for table in TABLES for word in ('--table', table)]
    outputs = [got.runner.must('trace-stats', got.path, *arguments, '--format', 'ndjson', '--jobs', jobs).out
               for jobs in (1, 4)]
    result.equal('output with 4 jobs', outputs[1], outputs[0])


def check_capture(result, runner, path, truth):
    got = Captured(runner, path)
    for check in (check_gpu, check_tasks, check_switches, check_running, check_jobs):
        result.attempt(check, got, truth)


def main():
    return check_truth.check_captured(__doc__.splitlines()[0], lambda truth: 'event_counts' in truth, check_capture)


if __name__ == '__main__':
    sys.exit(main())
