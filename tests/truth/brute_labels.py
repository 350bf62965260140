"""Texts of scopes the slow way: CBOR values filled into formats by Python, events matched with scopes one by one."""

import collections
import os.path
import struct


def cbor(data):
    """The values of a run of CBOR."""
    data, at, values = bytes(data), 0, []
    while at < len(data):
        kind, more = data[at] >> 5, data[at] & 31
        size = {24: 1, 25: 2, 26: 4, 27: 8}.get(more, 0)
        body = data[at + 1:at + 1 + size]
        number = int.from_bytes(body, 'big') if size else more
        at += 1 + size
        if kind == 7 and more in (26, 27):
            values.append(struct.unpack('>f' if size == 4 else '>d', body)[0])
        elif kind == 7 and more in (20, 21):
            values.append(more == 21)
        elif kind in (2, 3):
            values.append(data[at:at + number].decode())
            at += number
        elif kind < 2:
            values.append(-1 - number if kind else number)
    return values


def rest_of(name, format):
    """A format without the run that the name begins with, too."""
    same = len(os.path.commonprefix((name, format)))
    return (format[same:] if same > 1 else format).lstrip(' ')


def plain(value):
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return '0x%X' % value if isinstance(value, int) and value > 999999999 else str(value)


class Labels:
    """instances: metadata instance -> text; events[thread, timer]: texts of scoped events, in order."""

    def __init__(self, tools, path):
        formats, self.instances, self.events = {}, {}, collections.defaultdict(list)
        names = tools.count(path)
        metadata = tools.events(path, 'CpuProfiler.Metadata*') if 'CpuProfiler.Metadata' in names else []
        for event in metadata:
            fields = event['fields']
            if event['event'] == 'CpuProfiler.MetadataSpec':
                formats[fields['Id']] = rest_of(fields['Name'], fields['NameFormat'])
        for event in metadata:
            fields = event['fields']
            if event['event'] == 'CpuProfiler.Metadata' and fields['Metadata']:
                format, values = formats[fields['SpecId']], cbor(fields['Metadata'])
                self.instances[fields['Id']] = format % tuple(values) if format else ', '.join(map(plain, values))
        if any(name.startswith('Cpu.') for name in names):
            for event in tools.events(path, 'Cpu.*'):
                text = ', '.join(plain(value) for value in event['fields'].values())
                self.events[event['thread_id'], event['event']].append(text)
