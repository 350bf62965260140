"""Small captures of other tools with one trouble each, and what has to be found in them.

The outcomes were worked out by hand from import 1.2 and 3: `scopes` is name -> scopes that have an end, `health` kind ->
offset of the first, as the table `health` has them; None where a kind has no place in the file.
"""

import collections
import gzip
import struct

Case = collections.namedtuple('Case', 'name ending content status scopes health says')


def json_case(name, text, status=0, scopes=None, health=None, says=''):
    content = text if isinstance(text, bytes) else text.encode('utf-8', 'surrogateescape')
    return Case(name, 'json', content, status, scopes, health or {}, says)


def x(name, ts, dur, more=''):
    return '{"ph":"X","name":"%s","ts":%s,"dur":%s,"pid":1,"tid":1%s}' % (name, ts, dur, more)


def own_frames(phases):
    """An export of Tracekit with begins and ends of frames, one a microsecond."""
    events = ['{"ph":"M","pid":3,"tid":9,"name":"%s_name","args":{"name":"%s"}}' % name
              for name in (('process', 'Frames'), ('thread', 'game/frames'))]
    events += ['{"ph":"%s","pid":3,"tid":9,"ts":%d,"name":"game"}' % (phase, at) for at, phase in enumerate(phases)]
    return '{"otherData":{"tool":"tracekit 0.2.0"},"traceEvents":[%s]}' % ','.join(events)


def varint(n):
    out = b''
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """A field of protobuf: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packet(content):
    return field(1, content)


def slice_event(kind, time, clock=None):
    return (field(8, time) + (field(58, clock) if clock else b'') + field(10, 7) +
            field(11, field(9, kind) + field(11, 5) + (field(23, b'a') if kind == 1 else b'')))


def async_event(phase, time):
    """Without a name and a category, of the global id 1."""
    return field(8, time) + field(10, 7) + field(11, field(6, field(2, ord(phase)) + field(11, 1)))


def fxt(name, more=b''):
    """A trace of one scope of a nanosecond, whose name of one letter has seven bytes behind it."""
    words = struct.pack('<QQQ', 1, 1, 2) + name + struct.pack('<Q', 2) + more
    return bytes.fromhex('1000044678541600') + struct.pack('<Q', 4 | len(words) // 8 + 1 << 4 | 4 << 16 | 0x8001 << 48) + words


DESCRIPTOR = field(10, 7) + field(13, 1) + field(60, field(1, 5) + field(4, field(1, 1) + field(2, 1)))
# the clock of the trace is at 10000 where clock 64 of the sequence is at 10, and goes on in differences
# packets of a field that nobody reads, up to 100 bytes before the first MiB, and one of them across it
FILLER = 2 * packet(DESCRIPTOR) + b''.join(packet(field(900, struct.pack('<I', i) + bytes(1996))) for i in range(521))
FILLER += packet(field(900, bytes((1 << 20) - 100 - len(FILLER) - 7)))
ACROSS = packet(slice_event(1, 1000) + field(900, bytes(400)))
CLOCKS = field(1, field(1, 6) + field(2, 10000)) + field(1, field(1, 64) + field(2, 10) + field(3, 1))
A, B, C = x('a', 0, 9), x('b', 1, 2), x('c', 20, 1)
ABC = {'a': 1, 'b': 1, 'c': 1}

CASES = [
    json_case('array', '[%s,%s,%s]' % (A, B, C), scopes=ABC),
    json_case('array unclosed', '[%s,%s' % (A, B), scopes={'a': 1, 'b': 1}, health={'file_truncated': 1 + len(A + B) + 1}),
    json_case('object unclosed', '{"traceEvents":[%s,' % A, scopes={'a': 1}, health={'file_truncated': 17 + len(A)}),
    json_case('cut inside an event', '[%s,%s' % (A, B[:30]), scopes={'a': 1}, health={'file_truncated': 2 + len(A)}),
    json_case('damage between', '[%s,\n{"ph":"X","name":"broken" 5},\n%s]' % (A, C), 4, {'a': 1, 'c': 1},
              {'event_damaged': 3 + len(A)}),
    json_case('byte order mark', '\ufeff[%s]' % A, scopes={'a': 1}, health={'form_mended': 0}),
    json_case('doubled commas', '[,%s,,%s,]' % (A, B), scopes={'a': 1, 'b': 1}, health={'form_mended': 4 + len(A)}),
    json_case('trailing comma in an event', '[%s]' % (A[:-1] + ',}'), scopes={'a': 1}, health={'form_mended': 1}),
    json_case('not a number', '[%s,%s]' % (x('a', 'NaN', 1), C), 4, {'c': 1}, {'event_damaged': 1, 'form_mended': 1}),
    json_case('no duration', '[%s,%s]' % (x('a', 1, '"x"'), C), 4, {'c': 1}, {'event_damaged': 1}),
    json_case('time beyond 64 bits', '[%s,%s]' % (x('a', 9223372036854776, 1), C), 4, {'c': 1}, {'event_damaged': 1}),
    json_case('no time', '[%s,{"ph":"X","name":"a","dur":1,"pid":1,"tid":1},%s]' % (A, C), 4, {'a': 1, 'c': 1},
              {'event_damaged': 2 + len(A)}),
    json_case('no object', '[5,%s]' % A, 4, {'a': 1}, {'event_damaged': 1}),
    json_case('no phase', '[{"name":"a"},%s]' % A, 4, {'a': 1}, {'event_damaged': 1}),
    json_case('behind the end', '[%s]rubbish' % A, 4, {'a': 1}, {'packet_header_damaged': 2 + len(A)}),
    json_case('one after the other', '[%s][%s]' % (A, C), scopes={'a': 1, 'c': 1}, health={'form_mended': 2 + len(A)}),
    json_case('one a line', '%s\n%s\n' % (A, C), scopes={'a': 1, 'c': 1}, health={'form_mended': 1 + len(A)}),
    json_case('partial overlap', '[%s,%s]' % (x('a', 0, 10), x('b', 5, 10)), scopes={'a': 1, 'b': 1},
              health={'scope_overlap': None}),
    json_case('end without a begin', '[{"ph":"E","name":"a","ts":1,"pid":1,"tid":1},%s]' % C, scopes={'c': 1},
              health={'scope_end_unmatched': 1}),
    json_case('end of an outer name', '[%s]' % ','.join(
        '{"ph":"%s","name":"%s","ts":%d,"pid":1,"tid":1}' % event
        for event in (('B', 'a', 0), ('B', 'b', 1), ('E', 'a', 2), ('B', 'c', 3), ('E', 'c', 4))),
        scopes={'a': 1, 'c': 1}, health={'scope_open': None}),
    json_case('ends of one time in any order', '[%s]' % ','.join(
        '{"ph":"%s","name":"%s","ts":%d,"pid":1,"tid":1}' % event
        for event in (('B', 'a', 0), ('B', 'b', 1), ('E', 'a', 2), ('E', 'b', 2))), scopes={'a': 1, 'b': 1}),
    json_case('an end with a name, of a begin without one',
              '[{"ph":"B","ts":1,"pid":1,"tid":1},{"ph":"E","name":"a","ts":2,"pid":1,"tid":1}]',
              scopes={'[No name]': 1}, health={'part_unmatched': None}),
    json_case('a frame without an end in front of others', own_frames('BBEBE'), scopes={}, health={'scope_open': None}),
    json_case('the last frame without an end', own_frames('BEBEB'), scopes={}),
    json_case('frames without an end, one in another', own_frames('BEBB'), scopes={}, health={'scope_open': None}),
    json_case('white space behind colons',
              '[{ "ph" :  "X",\n"name":\t"a","ts":  1, "dur":\n\n2, "pid":  1 ,"tid" :\r\n 1 }]', scopes={'a': 1}),
    json_case('escapes everywhere', '[%s,%s]' % (
        x('\\u0061', '"\\u0031\\u0030"', '"\\u0032"').replace('"ts"', '"t\\u0073"').replace('"pid":1', '"pid":"\\u0031"'),
        '{"ph":"\\u0058","name":"b","ts":"1e1","dur":1,"p\\u0069d":1,"tid":"1"}'), scopes={'a': 1, 'b': 1}),
    json_case('numbers as escaped texts', '[%s]' % ','.join(
        '{"ph":"%s","name":"%s","ts":%d,"pid":%s,"tid":1}' % event
        for event in (('B', 'a', 0, '1'), ('E', 'a', 1, '"\\u0031"'), ('B', 'b', 2, '1'), ('E', 'b', 3, '"1\\u002e0"'))),
        scopes={'a': 1}, health={'scope_open': None, 'scope_end_unmatched': 143}),
    json_case('escaped key', '[{"p\\u0068":"X","name":"a","ts":1,"dur":1}]', scopes={'a': 1}),
    json_case('lone surrogate', '[%s]' % x('\\ud83d', 1, 1), scopes={'\ufffd': 1}),
    json_case('surrogate pair', '[%s]' % x('\\ud83d\\ude00', 1, 1), scopes={'\U0001f600': 1}),
    json_case('invalid UTF-8', b'[' + x('@', 1, 1).encode().replace(b'@', b'\xff') + b']', scopes={'\ufffd': 1},
              health={'form_mended': 1}),
    json_case('no name', '[{"ph":"X","ts":1,"dur":1}]', scopes={'[No name]': 1}),
    json_case('deep arguments', '[%s]' % x('a', 1, 1, ',"args":{"v":' + '[' * 100000 + ']' * 100000 + '}'), scopes={'a': 1}),
    json_case('a million brackets', '[' * 1000000, scopes={}, health={'file_truncated': 1}),
    json_case('a long number', '[%s,%s]' % (x('a', '1' * 1000000, 1), C), 4, {'c': 1}, {'event_damaged': 1}),
    json_case('a long fraction', '[%s]' % x('a', '1.' + '5' * 1000000, 1), scopes={'a': 1}),
    json_case('nothing', '[]'),
    json_case('no events', '{"traceEvents":[]}'),
    json_case('empty object', '{}', 3, says='without trace events'),
    json_case('other JSON', '{"a":[1,2]}', 3, says='without trace events'),
    json_case('events that are no array', '{"traceEvents":5}', 3, says="'traceEvents' is not an array"),
    json_case('CPU profile', '{"nodes":[],"samples":[]}', 3, says='a CPU profile without samples'),
    json_case('old CPU profile', '{"head":{"functionName":"","children":[]},"samples":[],"timestamps":[]}', 3,
              says='a CPU profile without samples'),
    json_case('nodes of something else', '{"nodes":[{"id":1}]}', 3, says='without trace events'),
    json_case('old profile of Firefox', '{"format":"profileJSONWithSymbolicationTable,1","profileJSON":{}}', 3,
              says='an old profile of Firefox'),
    json_case('heap profile', '{"head":{"callFrame":{},"children":[]},"samples":[]}', 3, says='a heap profile of V8'),
    json_case('profile of Firefox', '{"meta":{"version":29},"libs":[],"threads":[]}', 3, says='a profile of Firefox'),
    json_case('recording of Safari', '{"version":1,"recording":{"records":[]}}', 3, says='a recording of Safari'),
    Case('gzip', 'json.gz', gzip.compress(('[%s,%s,%s]' % (A, B, C)).encode()), 0, ABC, {}, ''),
    Case('two members of gzip', 'json.gz', gzip.compress(('[%s,' % A).encode()) + gzip.compress(('%s]' % B).encode()), 0,
         {'a': 1, 'b': 1}, {}, ''),
    Case('damaged tag of a packet', 'pftrace', 2 * packet(DESCRIPTOR) + b'\x02' + packet(slice_event(1, 1000))[1:] +
         packet(slice_event(1, 2000)) + packet(slice_event(2, 3000)), 4, {'a': 1},
         {'packet_damaged': 2 * len(packet(DESCRIPTOR))}, ''),
    Case('damaged tag of a packet across the first MiB', 'pftrace', FILLER + b'\x02' + ACROSS[1:] +
         packet(slice_event(1, 2000)) + packet(slice_event(2, 3000)), 4, {'a': 1}, {'packet_damaged': len(FILLER)}, ''),
    Case('differences of a clock in front of its snapshot', 'pftrace', packet(DESCRIPTOR) + packet(slice_event(1, 1000, 64)) +
         packet(field(10, 7) + field(6, CLOCKS)) + packet(slice_event(1, 5, 64)) + packet(slice_event(2, 20, 64)), 4, {'a': 1},
         {'event_damaged': len(packet(DESCRIPTOR))}, ''),
    Case('asynchronous work of the old phases and of the nestable ones', 'pftrace', packet(DESCRIPTOR) +
         packet(async_event('b', 1000)) + packet(async_event('F', 2000)) + packet(async_event('e', 3000)), 0, {},
         {'part_unmatched': len(packet(DESCRIPTOR) + packet(async_event('b', 1000)))}, ''),
    Case('a track that is broken inside', 'pftrace', 2 * packet(DESCRIPTOR) + packet(field(10, 7) + field(60, field(1, 9) +
         field(4, b'\x05'))), 4, {}, {'packet_damaged': 2 * len(packet(DESCRIPTOR))}, ''),
    Case('a packet that comes twice', 'pftrace', packet(DESCRIPTOR) + 2 * packet(slice_event(1, 1000)) + 2 * packet(slice_event(2, 2000)),
         0, {'a': 2}, {'packet_repeated': len(packet(DESCRIPTOR)) + len(packet(slice_event(1, 1000)))}, ''),
    Case('a row that is too short', 'csv', b'FrameTime,a/b\n10,1\n20\n', 4, None, {'event_damaged': 19}, ''),
    Case('files one behind the other', 'csv', 2 * b'FrameTime,a/b\n10,1\n', 0, None, {'form_mended': 33}, ''),
    Case('a quote that is not closed', 'csv', b'FrameTime,a/b\n10,"1\n', 0, None, {'form_mended': 14}, ''),
    Case('a whole record', 'fxt', fxt(b'a' + bytes(7)), 0, {'a': 1}, {}, ''),
    Case('other bytes than zeros behind a text', 'fxt', fxt(b'a' + bytes(6) + b'b'), 0, {'a': 1}, {'form_mended': 8}, ''),
    Case('a record that is longer than its content', 'fxt', fxt(b'a' + bytes(7), bytes(8)), 0, {'a': 1}, {'form_mended': 8}, ''),
    json_case('NetLog', '{"constants":{},"events":[]}', 3, says='a NetLog of Chrome'),
    *(Case(word, 'bin', head + bytes(40), 3, None, {}, word) for head, word in (
        (b'# tracer: nop\n', 'text of ftrace'), (b'TRACE:\n', 'output of atrace'), (b'\x17\x08Dtracing6', 'trace-cmd report'),
        (b'PERFILE2', 'perf script'), (b'Nettrace', 'dotnet-trace convert'), (b'FLR\0', 'Flight Recorder'), (b'BZh9', 'packed by bzip2'),
        (b'\xfd7zXZ\0', 'packed by xz'), (b'JAVA PROFILE 1.0.2\0', 'heap dump of Java'), (b'*version\n3\n', 'method trace of Android'),
        (b'heap profile: 1', 'pprof -proto'), (b'# callgrind format\n', 'KCachegrind'))),
    Case('page', 'html', b'<!DOCTYPE html><html></html>', 3, None, {}, 'page of HTML'),
]
