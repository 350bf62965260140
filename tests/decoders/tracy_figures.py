"""What a .tracy comes to: zones by thread and location, frames, plots, messages, memory, GPU zones, numbers of everything."""

FIBER = 99  # the reason of a switch of fibers


def figures(trace):
    names = Names(trace)
    return {'counts': counts(trace), 'timers': timers(trace, names), 'frames': frames(trace),
            'counters': plots(trace, names), 'messages': messages(trace, names), 'memory': memory(trace),
            'gpu': gpu_timers(trace, names)}


class Names:
    """Strings by their three ways of being reported (tracy-file 3), locations, threads."""

    def __init__(self, trace):
        self.strings = [text for _, text in trace['strings']]
        keys = {key: text for key, text in trace['strings']}
        self.pointers = {pointer: keys[key] for pointer, key in trace['pointers'] if key in keys}
        self.statics, self.dynamics = {place[0]: place[1:] for place in trace['statics']}, trace['dynamics']
        self.expand = trace['expand']
        self.threads = list(trace['local'])
        self.threads += [thread['tid'] for thread in trace['threads'] if thread['tid'] not in self.threads]
        self.index = {}
        for index, tid in enumerate(self.threads):
            self.index.setdefault(tid, index)

    def reference(self, value, flags):
        """A StringRef; None where there is none."""
        if not flags & 2:
            return None
        if flags & 1:
            return self.strings[value].decode('utf-8', 'replace')
        return self.pointers.get(value, b'???').decode('utf-8', 'replace')

    def location(self, number):
        """(name, file, line)."""
        place = self.statics[self.expand[number]] if number >= 0 else self.dynamics[-number - 1]
        name = self.reference(*place[0:2])
        name = self.reference(*place[2:4]) if name is None else name
        return name, self.reference(*place[4:6]), place[6]


def leaves(roots):
    """All zones of a tree in the order of the file, with the zones around."""
    stack = [(zone, ()) for zone in reversed(roots)]
    while stack:
        zone, around = stack.pop()
        yield zone, around
        stack += [(child, (*around, zone)) for child in reversed(zone[3])]


# ---- zones ----

def timers(trace, names):
    rows = {}
    for thread in trace['threads']:
        tid = names.index[thread['tid']]
        for zone, around in leaves(thread['zones']):
            timer = names.location(zone[0])
            inside = any(names.location(other[0]) == timer for other in around)
            below = sum(child[4] - child[1] for child in zone[3] if child[4] >= 0)
            add(rows, (tid, *timer), zone[1], zone[4], below, inside)
    return rows


def add(rows, key, start, end, below, inside):
    row = rows.setdefault(key, {'count': 0, 'open': 0, 'incl': 0, 'total': 0, 'excl': 0, 'min': None, 'max': None})
    if end < 0:
        row['open'] += 1
        return
    length = end - start
    row['count'] += 1
    row['total'] += length
    row['incl'] += 0 if inside else length
    row['excl'] += length - below
    row['min'] = length if row['min'] is None else min(row['min'], length)
    row['max'] = length if row['max'] is None else max(row['max'], length)


def gpu_timers(trace, names):
    """Only numbers: times of GPU zones belong to the clock of their context."""
    rows = {}
    for number, context in enumerate(trace['gpus']):
        for _, roots in context['timelines']:
            for zone, _ in leaves(roots):
                location = int.from_bytes(zone[2][:2], 'little', signed=True)
                row = rows.setdefault((number, *names.location(location)), {'count': 0, 'total': 0})
                if zone[1] >= 0 and zone[5] >= 0:
                    row['count'] += 1
                    row['total'] += zone[5] - zone[1]
    return rows


# ---- the other lists ----

def on_demand(trace):
    """4: the flag behind the manufacturer; where there is none, whether frames came before the connection."""
    program = trace['program']
    return program[41] != 0 if len(program) > 41 else any(program[:8])


def frames(trace):
    """Of the main set without those that no mark began: initialisation, the time after it, on demand the one after that."""
    out = []
    for found in trace['frame_sets']:
        spans = found['frames']
        if found['continuous']:
            ends = [frame[0] for frame in spans[1:]] + [None]
            first = 0 if found['name'] else 3 if on_demand(trace) else 2
            out.append([[frame[0], end] for frame, end in zip(spans, ends)][first:])
        else:
            out.append([[start, end if end >= 0 else None] for start, end, _ in spans])
    return out


def plots(trace, names):
    rows = []
    for plot in trace['plots']:
        name = names.pointers.get(plot['name'], b'???').decode('utf-8', 'replace') if plot['name'] else None
        values = [value for _, value in sorted(plot['points'], key=lambda point: point[0])]
        if values:
            rows.append((name, {'count': len(values), 'first': values[0], 'last': values[-1], 'min': min(values),
                                'max': max(values)}))
    return rows


def messages(trace, names):
    """(time, thread, text) of those that a thread lists."""
    threads = {key: names.index[thread['tid']] for thread in trace['threads'] for key in thread['messages']}
    out = []
    for key, time, rest in trace['messages']:
        text = names.reference(int.from_bytes(rest[:8], 'little'), rest[8])
        out.append((time, threads.get(key), text or ''))
    return sorted(out, key=str)


def memory(trace):
    """allocs, frees, bytes allocated and alive, over all pools."""
    row = dict.fromkeys(('allocs', 'frees', 'alloc_bytes', 'alive_bytes', 'alive_count'), 0)
    for pool in trace['pools']:
        for _, size, _, _, freed, _ in pool['events']:
            row['allocs'] += 1
            row['alloc_bytes'] += size
            row['frees'] += freed >= 0
            row['alive_count'] += freed < 0
            row['alive_bytes'] += size if freed < 0 else 0
    return row if row['allocs'] else None


def counts(trace):
    """How many there are of everything that is an event of its own; each zone has a place for its end, also an open one."""
    zones = sum(1 for thread in trace['threads'] for _ in leaves(thread['zones']))
    gpu = sum(1 for context in trace['gpus'] for _, roots in context['timelines'] for _ in leaves(roots))
    reasons = [rest[1] for _, items in trace['switches'] for _, _, _, rest in items]
    found = {'Frame': sum(len(found['frames']) for found in trace['frame_sets']),
             'ZoneBegin': zones, 'ZoneEnd': zones, 'GpuZoneBegin': gpu, 'GpuZoneEnd': gpu,
             'Lock': len(trace['locks']), 'LockEvent': sum(len(lock['events']) for lock in trace['locks']),
             'Message': len(trace['messages']), 'Plot': len(trace['plots']),
             'PlotPoint': sum(len(plot['points']) for plot in trace['plots']),
             'MemoryEvent': sum(len(pool['events']) for pool in trace['pools']),
             'Sample': sum(len(thread['samples']) for thread in trace['threads']),
             'SwitchSample': sum(len(thread['switch_samples']) for thread in trace['threads']),
             'ContextSwitch': len(reasons) - reasons.count(FIBER), 'FiberSwitch': reasons.count(FIBER),
             'CpuSwitch': sum(map(len, trace['cpus'])), 'Callstack': len(trace['callstacks']),
             'CallstackFrame': sum(len(places) for _, _, places in trace['code_frames']), 'AppInfo': len(trace['application']),
             'FrameImage': len(trace['images']), 'GpuContext': len(trace['gpus']), 'Symbol': len(trace['symbols'])}
    return {'Tracy.' + name: number for name, number in found.items() if number}

