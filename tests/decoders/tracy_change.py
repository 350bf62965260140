"""Changes sound captures (.tracy) into other sound captures, at random."""

import tracy_file
from tracy_figures import leaves

NAMES = ('Update', 'physics, broad "phase"', 'Ränder', '動畫', 'x' * 300, '', 'std::vector<int>::push_back')
CONTAINERS = ((tracy_file.LZ4_OLD, tracy_file.LZ4, (1,)), (tracy_file.ZSTD_OLD, tracy_file.ZSTD, (1,)),
              (tracy_file.STREAMS, tracy_file.LZ4, (1, 2, 4, 255)), (tracy_file.STREAMS, tracy_file.ZSTD, (1, 3, 4, 16)))
LEVELS = (-5, 1, 3, 12)


def container(trace, box, rng):
    magic, codec, streams = rng.choice(CONTAINERS)
    box.magic, box.codec, box.streams, box.level = magic, codec, rng.choice(streams), rng.choice(LEVELS)


def prune(roots, rng, share):
    """Without some zones and what is in them."""
    roots[:] = [zone for zone in roots if rng.random() >= share]
    for zone in roots:
        prune(zone[3], rng, share)


def drop_zones(trace, _, rng):
    share = rng.choice((0.02, 0.1, 0.5, 0.9))
    for thread in trace['threads']:
        prune(thread['zones'], rng, share)


def more_zones(trace, _, rng):
    """Inside of zones without children, which are long enough."""
    for thread in trace['threads']:
        for zone, around in list(leaves(thread['zones'])):
            if not zone[3] and zone[4] - zone[1] > 4 and rng.random() < 0.2 and len(around) < 60:
                one, two = sorted(rng.sample(range(zone[1] + 1, zone[4]), 2))
                zone[3].append([zone[0] if rng.random() < 0.3 else other_place(trace, rng), one, 0, [], two])


def other_place(trace, rng):
    """The number of a location: static ones from 1 on, dynamic ones below 0."""
    known = [number for number in range(1, len(trace['expand']))
             if any(place[0] == trace['expand'][number] for place in trace['statics'])]
    return rng.choice(known + [-number - 1 for number in range(len(trace['dynamics']))] or [0])


def other_places(trace, _, rng):
    numbers = [other_place(trace, rng) for _ in range(5)]
    for thread in trace['threads']:
        for zone, _ in leaves(thread['zones']):
            if rng.random() < 0.2:
                zone[0] = rng.choice(numbers)


def later(trace, _, rng):
    """All zones of a thread happen later, and the capture ends later."""
    if not trace['threads']:
        return
    thread, by = rng.choice(trace['threads']), rng.randrange(1, 1 << rng.choice((10, 30)))
    for zone, _ in leaves(thread['zones']):
        zone[1] += by
        zone[4] += by if zone[4] >= 0 else 0
    trace['last_time'] += by


def open_zones(trace, _, rng):
    """The last zones of a thread never end."""
    for thread in trace['threads']:
        level = thread['zones']
        while level and rng.random() < 0.6:
            level[-1][4] = -1
            level = level[-1][3]


def strings(trace, _, rng):
    trace['strings'] = [(key, rng.choice(NAMES).encode() + b' %d' % index if rng.random() < 0.2 else text)
                        for index, (key, text) in enumerate(trace['strings'])]


def order(trace, _, rng):
    """Lists whose order means nothing."""
    for name in ('threads', 'pointers', 'thread_names', 'statics'):
        trace[name] = rng.sample(trace[name], len(trace[name]))


def plots(trace, _, rng):
    for plot in trace['plots']:
        plot['points'] = [(time, rng.choice((value, -value, 0.0, 1e300, rng.random()))) for time, value in plot['points']
                          if rng.random() < 0.9]
        values = [value for _, value in plot['points']] or [0.0]
        plot['sums'] = (min(values), max(values), sum(values))


def frames(trace, _, rng):
    for found in trace['frame_sets']:
        if found['name'] or rng.random() < 0.5:
            found['frames'] = [frame for frame in found['frames'] if rng.random() < 0.9]


def messages(trace, _, rng):
    trace['messages'] = [message for message in trace['messages'] if rng.random() < 0.8]
    keys = {key for key, _, _ in trace['messages']}
    for thread in trace['threads']:
        thread['messages'] = [key for key in thread['messages'] if key in keys]


def memory(trace, _, rng):
    """Some allocations are not there; of an address the last one may stay alive."""
    for pool in trace['pools']:
        pool['events'] = [event for event in pool['events'] if rng.random() < 0.9]
        last = {event[0]: number for number, event in enumerate(pool['events'])}
        for number in last.values():
            if rng.random() < 0.1:
                event = pool['events'][number]
                pool['events'][number] = (*event[:4], -1 - event[3], event[5])


def samples(trace, _, rng):
    for thread in trace['threads']:
        thread['samples'] = thread['samples'][:rng.randrange(len(thread['samples']) + 1)]
    trace['switches'] = [(tid, items[:rng.randrange(len(items) + 1)]) for tid, items in trace['switches']]
    trace['images'] = trace['images'][:1] if not any(frame[2] > 0 for found in trace['frame_sets']
                                                     for frame in found['frames']) else trace['images']


CHANGES = (container, drop_zones, more_zones, other_places, later, open_zones, strings, order, plots, frames, messages,
           memory, samples)


def settle(trace):
    """Counts that the file states alongside its lists."""
    total = parents = 0
    places = {}
    for thread in trace['threads']:
        thread['count'] = 0
        for zone, _ in leaves(thread['zones']):
            thread['count'] += 1
            parents += bool(zone[3])
            places[zone[0]] = places.get(zone[0], 0) + 1
        total += thread['count']
    trace['zones'], trace['zone_children'] = total, parents
    trace['zone_counts'] = sorted(places.items())
    trace['memory_events'] = sum(len(pool['events']) for pool in trace['pools'])
    for pool in trace['pools']:
        alive = [event for event in pool['events'] if event[4] < 0]
        pool['active'], pool['frees'] = len(alive), len(pool['events']) - len(alive)
        pool['tail'] = (max((sum(event[:2]) for event in pool['events']), default=0),
                        min((event[0] for event in pool['events']), default=(1 << 64) - 1),
                        sum(event[1] for event in alive), pool['tail'][3])


def change(data, rng):
    """The bytes of another capture, and the names of what was changed."""
    box, trace = tracy_file.read(data)
    chosen = rng.sample(CHANGES, rng.randint(1, 5))
    for apply in chosen:
        apply(trace, box, rng)
    settle(trace)
    return tracy_file.pack(box, tracy_file.payload(trace)), [apply.__name__ for apply in chosen]

