"""What Unreal Engine 5.8 writes and earlier versions do not: callstacks in byte codes, objects (changes-since 2 to 6)."""

import collections

import utrace_wire as wire

WRAP = 1 << 64
MOST_FRAMES = 255
NO_OBJECT = 0xFFFFFFFF


class Cut(Exception):
    """The bytes end inside an address, or have a form that there is not."""


# ---- callstacks ----

def little(data, at, n):
    if at + n > len(data):
        raise Cut
    return int.from_bytes(data[at:at + n], 'little'), at + n


def unzigzag(z):
    return (z >> 1) ^ -(z & 1)


def xor_and_rle(data, at, before):
    """2.1: a byte with the number of leading zeros of the difference by XOR, then the rest of it."""
    zeros = data[at]
    if zeros > 64:
        raise Cut
    x, at = little(data, at + 1, -(-(64 - zeros) // 8))
    return before ^ x, at


def delta_7bit(data, at, before):
    """2.2: zigzag, seven bits a byte, the lowest first."""
    z = 0
    for count in range(10):
        if at + count >= len(data):
            raise Cut
        z |= (data[at + count] & 0x7F) << 7 * count
        if data[at + count] < 0x80:
            if z >= WRAP:
                raise Cut
            return (before + unzigzag(z)) % WRAP, at + count + 1
    raise Cut


def delta_varint(data, at, before):
    """2.3: zigzag; the leading ones of the first byte count the others."""
    ones = 8 - (data[at] ^ 0xFF).bit_length()
    raw = data[at:at + 1 + ones]
    if len(raw) != 1 + ones:
        raise Cut
    bits = 8 * ones if ones >= 7 else 7 * (ones + 1)
    return (before + unzigzag(int.from_bytes(raw, 'big') & (1 << bits) - 1)) % WRAP, at + 1 + ones


CODES = {'Memory.CallstackSpecXORAndRLE': xor_and_rle, 'Memory.CallstackSpecDelta7bit': delta_7bit,
         'Memory.CallstackSpecDeltaVarInt': delta_varint}


def unpack(data, code):
    """(addresses, are the bytes sound?)"""
    frames, at = [], 0
    while at < len(data):
        if len(frames) == MOST_FRAMES:
            return frames, False
        try:
            address, at = code(data, at, frames[-1] if frames else 0)
        except Cut:
            return frames, False
        frames.append(address)
    return frames, True


def stacks(events):
    """id -> addresses, the first definition of each."""
    found = {}
    for event in events:
        if event.type.title == 'Memory.CallstackSpec':
            found.setdefault(event.values['CallstackId'], event.values['Frames'])
        elif event.type.title in CODES:
            data = bytes(event.values['CompressedFrames'])
            found.setdefault(event.values['CallstackId'], unpack(data, CODES[event.type.title])[0])
    return found


# ---- objects ----

def snapshots(events):
    """[{class: Counter of figures}], one a snapshot, with its cycle and whether it ended."""
    found, now = [], None
    for event in events:
        if event.type.title == 'CoreUObject.BeginSnapshot':
            now = {'cycle': event.values['Cycle'], 'ended': False, 'objects': collections.defaultdict(dict)}
            found.append(now)
        elif now and event.type.title == 'CoreUObject.EndSnapshot':
            now['ended'], now = True, None
        elif now and event.type.title.startswith('CoreUObject.'):
            take(now['objects'], event.type.title.split('.')[1], event.values)
    return [{'cycle': one['cycle'], 'ended': one['ended'], 'classes': by_class(one['objects'])} for one in found]


def take(objects, name, values):
    if values.get('Id', values.get('ObjectId')) == NO_OBJECT:
        return
    if name == 'ObjectRef':
        found = objects[values['ObjectId']]
        found['references'] = found.get('references', 0) + 1
    elif name == 'ObjectSpec':
        objects[values['Id']].update(name=values['NameAnsi'] or values['NameWide'], kind=values['ClassId'])
    elif name == 'StructExtraSpec':
        objects[values['Id']]['structure'] = values['StructureSize']
    elif name in ('ResourceSizeExtraSpec', 'TotalResourceSizeExtraSpec'):
        prefix = 'total_' if name.startswith('Total') else ''
        objects[values['Id']].update({prefix + 'system': values['SystemMemoryBytes'],
                                      prefix + 'video': values['VideoMemoryBytes']})


def by_class(objects):
    classes = collections.defaultdict(collections.Counter)
    for one in list(objects.values()):
        if 'name' in one:
            kind = objects.get(one['kind'], {})
            sums = classes[kind.get('name', '')]
            sums.update(objects=1, instances=kind.get('structure', 0), references=one.get('references', 0))
            sums.update({key: one.get(key, 0) for key in ('system', 'video', 'total_system', 'total_video')})
    return {name: dict(sums) for name, sums in classes.items()}


# ---- everything ----

def read(data):
    """Events by thread, in their order."""
    capture = wire.read(data)
    return {tid: [event for event in wire.events(capture, tid) if isinstance(event, wire.Event)]
            for tid in capture.streams if tid}
