"""Every call of every thread with the stack it was made on, the slow way: batches decoded number by number from what
trace-events prints, merged with the scopes of the logger Cpu, whose stamps trace-events does not print: their begins
and ends are taken from the table `scopes`, which other checks hold against the truth.

Of two things at one time a stamped begin or end comes before a begin of a batch and after an end of it.
"""

import bisect
import collections
import dataclasses

import brute
import brute_labels

STAMPED = 'scoped_event'


@dataclasses.dataclass
class Call:
    """A call that ended. Times in cycles since the start."""
    thread: int
    path: tuple             # of timers, each (kind, name), the outermost first
    begin: int
    end: int = None
    children: list = dataclasses.field(default_factory=list)        # (begin, end) of what was called directly
    own: int = None         # time without them
    text: str = ''          # of its metadata
    around: object = None   # the call that it was made in

    @property
    def timer(self):
        return self.path[-1]

    @property
    def outer(self):
        return self.timer not in self.path[:-1]

    @property
    def span(self):
        return self.end - self.begin

    def inside(self, begin, end):
        """Time in [begin, end), and own time."""
        total = overlap(self.begin, self.end, begin, end)
        return total, total - sum(overlap(*child, begin, end) for child in self.children)


def overlap(begin, end, first, last):
    return max(0, min(end, last) - max(begin, first))


class Stack(brute.Thread):
    """The stack of a thread, which takes what apply_batch() says of it."""

    def __init__(self, thread, stamped):
        self.thread = thread
        self.open = []                  # [Call, stamped]
        self.done = []
        self.pending = collections.deque(sorted(stamped, key=lambda mark: (mark[0], mark[1])))

    def catch_up(self, cycle, ties):
        while self.pending and (self.pending[0][0] < cycle or ties and self.pending[0][0] == cycle):
            time, _, timer, text = self.pending.popleft()
            self.put(timer, time, True, text)

    def put(self, timer, cycle, stamped, text=''):
        if timer:
            above = self.open[-1][0].path if self.open else ()
            around = self.open[-1][0] if self.open else None
            self.open.append([Call(self.thread, (*above, timer), cycle, text=text, around=around), stamped])
            return
        index = next((i for i in reversed(range(len(self.open))) if self.open[i][1] == stamped), None)
        if index is None:
            return
        call = self.open.pop(index)[0]
        call.end = cycle
        call.own = call.span - sum(end - begin for begin, end in call.children)
        if index:
            self.open[index - 1][0].children.append((call.begin, call.end))
        self.done.append(call)

    def begin(self, timer, cycle):
        timer, text = timer if isinstance(timer[0], tuple) else (timer, '')         # those of coroutines have none
        self.catch_up(cycle, True)
        self.put(timer, cycle, False, text)

    def end(self, cycle):
        self.catch_up(cycle, False)
        self.put(None, cycle, False)

    def finish(self):
        self.catch_up(float('inf'), False)


class Calls(brute.Profile):
    """All calls of a capture, in `done`."""

    def __init__(self, tools, path):
        self.start = start_of(tools, path)
        self.labels = brute_labels.Labels(tools, path)
        stamped, met = collections.defaultdict(list), collections.Counter()
        for row in tools.table(path, 'scopes', ('thread_id', 'timer', 'kind', 'start', 'dur', 'scope_id'),
                               '--sort', 'scope_id:asc'):
            if row['kind'] != STAMPED:
                continue
            place = int(row['thread_id']), row['timer']
            text = self.labels.events[place][met[place]]
            met[place] += 1
            if row['dur']:
                begin, name = int(row['start']), (STAMPED, row['timer'])
                number = int(row['scope_id'])
                stamped[int(row['thread_id'])] += [(begin, (1, number), name, text),
                                                   (begin + int(row['dur']), (0, -number), None, '')]
        self.stamped = stamped
        super().__init__(tools.events(path, 'CpuProfiler.*'), self.start, self.thread)
        self.done = [call for thread in self.threads.values() for call in thread.done]

    def timer(self, number, form):
        """With the text of the metadata."""
        text = self.labels.instances.get(number >> 1, '') if form == 3 and number & 1 else ''
        return super().timer(number, form), text

    def thread(self, number):
        return Stack(number, self.stamped.get(number, ()))


class Queue(Stack):
    """The stack of a GPU queue, whose thread is its name."""

    def __init__(self, name):
        super().__init__(name, ())


def queue_calls(tools, path):
    """Passes of GPU queues as calls, from the events of queues (those of a whole GPU are not among them)."""
    names, queues, timers = {}, {}, {}
    if not any(event.startswith('GpuProfiler.') for event in tools.count(path)):
        return []
    for event in tools.events(path, 'GpuProfiler.*'):
        kind, fields = event['event'].split('.')[1], event['fields']
        if kind == 'QueueSpec':
            number = fields['QueueId']
            names[number] = 'GPU%d-%s%d' % (number >> 8 & 0xff, fields['TypeString'], number >> 16 & 0xff)
        elif kind == 'EventBreadcrumbSpec':
            timers[fields['SpecId']] = 'gpu', fields['StaticName']
        elif kind in ('EventBeginBreadcrumb', 'EventEndBreadcrumb'):
            queue = queues.setdefault(fields['QueueId'], Queue(names.get(fields['QueueId'])))
            if kind == 'EventBeginBreadcrumb':
                queue.put(timers[fields['SpecId']], fields['GPUTimestampTOP'], False)
            else:
                queue.put(None, fields['GPUTimestampBOP'], False)
    return [call for queue in queues.values() for call in queue.done]


def start_of(tools, path):
    events = tools.events(path, '$Trace.NewTrace')
    return events[0]['fields']['StartCycle'] if events else 0


def frames_of(tools, path, kind=0):
    """[begin, end] of the game frames that have an end, in order; frames that overlap are not distinguished."""
    if 'Misc.BeginFrame' not in tools.count(path):
        return []
    marks = [(event['fields']['Cycle'], event['event'] == 'Misc.BeginFrame')
             for event in tools.events(path, 'Misc.BeginFrame', 'Misc.EndFrame', order='serial')
             if event['fields']['FrameType'] == kind]
    frames, begun = [], None
    for cycle, begins in marks:
        if begins:
            begun = cycle
        elif begun is not None:
            frames.append((begun, cycle))
            begun = None
    return frames


def in_frames(frames, begin, end):
    """Time of [begin, end) inside frames."""
    first = max(0, bisect.bisect_right(frames, (begin,)) - 1)
    total = 0
    for frame in frames[first:]:
        if frame[0] >= end:
            break
        total += overlap(begin, end, *frame)
    return total


def frames_touched(frames, call):
    """Numbers of the frames that a call may lie in."""
    first = max(0, bisect.bisect_right(frames, (call.begin,)) - 1)
    while first < len(frames) and frames[first][0] <= call.end:
        yield first
        first += 1
