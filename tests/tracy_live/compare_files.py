"""Compares two .tracy files section by section, as Tracy itself would load them: maps as maps.

The parser is that of tests/decoders, which was written from docs/format/tracy-file.md alone. What two recorders may
differ in is what `docs/format/tracy-live.md` lists: keys of strings and messages, the order of maps, the colours of frame
images, the order of what has one time.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'decoders'))
import tracy_file  # noqa: E402


def load(path):
    with open(path, 'rb') as file:
        return tracy_file.read(file.read())[1]


def merged(tree):
    """A tree of the topology as sorted leaves."""
    if isinstance(tree, (list, tuple)) and tree and isinstance(tree[0], tuple):
        return sorted((item[0], merged(item[1])) for item in tree)
    return sorted(tree)


def code_frames(frames):
    return sorted((number, image, tuple(places)) for number, image, places in frames)


def normal(trace):
    """What a trace says, free of keys and of orders that mean nothing."""
    t = dict(trace)
    text = dict(t['strings'])
    named = lambda pairs: sorted((pointer, text.get(key)) for pointer, key in pairs if key in text)  # noqa: E731
    t['pointers'], t['thread_names'] = named(t['pointers']), named(t['thread_names'])
    t['external_names'] = sorted((tid, text.get(process), text.get(thread)) for tid, process, thread in t['external_names'])
    t['strings'] = [data for _, data in t['strings']]
    numbers = {message[0]: index for index, message in enumerate(t['messages'])}
    t['messages'] = [message[1:] for message in t['messages']]
    t['threads'] = [dict(thread, messages=[numbers[key] for key in thread['messages']], samples=sorted(thread['samples']),
                         switch_samples=sorted(thread['switch_samples'])) for thread in t['threads']]
    t['topology'] = merged(t['topology'])
    for name in ('statics', 'zone_counts', 'gpu_zone_counts', 'symbols', 'code', 'code_symbols', 'processes', 'cpu_use',
                 'sources', 'categories', 'hardware'):
        t[name] = sorted(t.get(name, ()))
    t['switches'], t['sections'] = sorted(t['switches']), sorted(t.get('sections', ()))
    t['code_frames'] = code_frames(t['code_frames'])
    t['locks'] = sorted(t['locks'], key=lambda lock: lock['head'][0])
    t['pools'] = sorted(t['pools'], key=lambda pool: pool['name'])
    t['plots'] = [dict(plot, points=sorted(plot['points'])) for plot in t['plots']]
    for gpu in range(len(t['gpus'])):
        values = sorted((query, sorted(notes)) for query, notes in t['gpus'][gpu]['values'])
        t['gpus'][gpu] = dict(t['gpus'][gpu], values=values, notes=sorted(t['gpus'][gpu]['notes']),
                              timelines=sorted(t['gpus'][gpu]['timelines'], key=lambda line: line[0]))
    return t


def images_differ(ours, theirs):
    """Tracy flattens blocks of images: sizes are the same, and most bytes."""
    if [(head, len(data)) for head, data in ours] != [(head, len(data)) for head, data in theirs]:
        return True
    return False


def differences(ours, theirs, but=()):
    """Names of the sections in which they differ."""
    a, b = normal(ours), normal(theirs)
    out = []
    for name in sorted(set(a) | set(b)):
        if name in but or name in ('version', 'clock', 'dictionary'):
            continue
        if name == 'images':
            if images_differ(a[name], b[name]):
                out.append(name)
        elif a.get(name) != b.get(name):
            out.append(name)
    if a['clock'] != b['clock']:
        out.append('clock')
    return out


def main():
    ours, theirs = load(sys.argv[1]), load(sys.argv[2])
    out = differences(ours, theirs)
    for name in out:
        a, b = normal(ours).get(name), normal(theirs).get(name)
        print(name)
        if isinstance(a, list) and isinstance(b, list):
            print('  only ours:  ', [item for item in a if item not in b][:4], len(a))
            print('  only theirs:', [item for item in b if item not in a][:4], len(b))
        else:
            print('  ours:', a, ' theirs:', b)
    return 1 if out else 0


if __name__ == '__main__':
    sys.exit(main())
