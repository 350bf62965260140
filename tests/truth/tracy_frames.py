"""Captures of Tracy whose frames were left to be resolved later: what capture.json describes, written by the layout of the paper. The
symbol address of such a frame is its offset in the image, which has no id and no size."""

import tracy_layout

VERSION = (0, 13, 1)
THREAD, ADDRESS_BITS = 1002, (1 << 62) - 1


class Texts:
    """Strings by their number, from 1."""

    def __init__(self):
        self.numbers = {}

    def __call__(self, text):
        return self.numbers.setdefault(text.encode(), len(self.numbers) + 1)

    def listed(self):
        return [{'key': 0x5000 + i, 'text': text} for i, text in enumerate(self.numbers)]


def code_frames(case, texts):
    """One for each address that a module holds; of the others nothing is known."""
    paths = {module['name'].replace('\\', '/').rsplit('/', 1)[-1]: module['name'] for module in case['modules']}
    frames = {}
    for stack in case['callstacks'] + case['samples']:
        for frame in stack['frames']:
            if frame['module'] is not None:
                place = {'function': texts('[unresolved]'), 'file': texts('[unknown]'), 'line': 0, 'symbol': int(frame['offset'], 16)}
                image = texts(paths[frame['module'].replace('\\', '/').rsplit('/', 1)[-1]])
                frames[int(frame['address'], 16) & ADDRESS_BITS] = {'image': image, 'places': [place]}
    return [{'id': frame, **reported} for frame, reported in sorted(frames.items())]


def addresses(stack):
    return [int(frame['address'], 16) & ADDRESS_BITS for frame in stack['frames']]


def capture(case):
    texts = Texts()
    frames, name = code_frames(case, texts), texts('Worker')
    stacks = [addresses(stack) for stack in case['callstacks']] + [addresses(sample) for sample in case['samples']]
    samples = sorted(({'time': sample['time_us'] * 1000, 'stack': 1 + len(case['callstacks']) + i}
                      for i, sample in enumerate(case['samples'])), key=lambda sample: sample['time'])
    events = [{'address': 0x10000 + 0x100 * i, 'size': 0x100, 'stack': 1 + i, 'free_stack': 0, 'time': 10 + i, 'life': -1, 'thread': 1,
               'free_thread': 0} for i in range(len(case['callstacks']))]
    return {
        'version': VERSION,
        'header': {'delay': 0, 'resolution': 1, 'multiplier': 1.0, 'last': 10 ** 10, 'frame_offset': 0, 'pid': 7, 'period': 100_000,
                   'architecture': 0, 'cpu': 0, 'manufacturer': bytes(12), 'on_demand': 0, 'name': b'open', 'program': b'open', 'time': 1,
                   'executable': 1, 'host': b'here'},
        'crash': {'tid': 0, 'time': 0, 'message': 0, 'stack': 0},
        'strings': texts.listed(), 'pointers': [], 'names': [{'tid': THREAD, 'key': 0x5000 + name - 1}],
        'local': [0, THREAD], 'expand': [0], 'extras': [{'stack': 0, 'text': 0, 'name': 0, 'colour': 0}],
        'zones': (0, 0), 'gpu_zones': (0, 0), 'memory_events': len(events),
        'threads': [{'tid': THREAD, 'count': 0, 'kernel': 0, 'fiber': 0, 'group': 0, 'zones': [], 'messages': [], 'switch_samples': [],
                     'samples': samples}],
        'memory': [{'name': 0, 'active': len(events), 'frees': 0, 'events': events, 'high': 1 << 47, 'low': 0, 'bytes': 0x100 * len(events)}],
        'callstacks': stacks, 'code_frames': frames, 'dictionary': b'', 'cpu_switches': 0, 'cpus': [[] for _ in range(256)],
        'symbol_counts': (0, 0)}


def write(case, path):
    path.write_bytes(tracy_layout.pack(tracy_layout.encode(capture(case)), 1))
