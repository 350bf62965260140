"""Writes small .utrace files (transport 4, protocol 7, docs/format) with the events that a check asks for. Times are in ns, of a clock of
10 MHz; nothing is compressed."""

import struct

HZ, FIRST = 10_000_000, 1_000_000_000
NUMBERS = {'u8': (0x00, 'B'), 'u16': (0x01, 'H'), 'u32': (0x02, 'I'), 'u64': (0x03, 'Q'), 'i32': (0x12, 'i'), 'i64': (0x13, 'q'),
           'f64': (0x43, 'd')}
ARRAYS = {'bytes': (0x80, 'B'), 'ansi': (0x88, 'B'), 'wide': (0x89, 'H'), 'u64s': (0x83, 'Q'), 'i64s': (0x93, 'q'), 'f64s': (0xC3, 'd')}
IMPORTANT, AUX, UNSYNCED = 1, 2, 4

# name -> important, synchronised, fields
TYPES = {
    '$Trace.NewTrace': (True, False, 'StartCycle:u64 CycleFrequency:u64 Endian:u16 PointerSize:u8'),
    '$Trace.ThreadTiming': (False, False, 'BaseTimestamp:u64'),
    '$Trace.ThreadInfo': (True, False, 'ThreadId:u32 SystemId:u32 SortHint:i32 Name:ansi'),
    'Trace.ChannelAnnounce': (True, False, 'Id:u32 IsEnabled:u8 ReadOnly:u8 Name:ansi'),
    'CpuProfiler.EventSpec': (True, False, 'Id:u32 Name:ansi File:ansi Line:u32'),
    'CpuProfiler.EventBatchV3': (False, False, 'Data:bytes'),
    'Misc.BeginFrame': (False, True, 'Cycle:u64 FrameType:u8'),
    'Misc.EndFrame': (False, True, 'Cycle:u64 FrameType:u8'),
    'Logging.LogCategory': (True, False, 'CategoryPointer:u64 DefaultVerbosity:u8 Name:ansi'),
    'Logging.LogMessageSpec': (True, False, 'LogPoint:u64 CategoryPointer:u64 Line:i32 Verbosity:u8 FileName:ansi FormatString:wide'),
    'Logging.LogMessage': (False, False, 'LogPoint:u64 Cycle:u64 FormatArgs:bytes'),
    'Counters.Spec': (True, False, 'Id:u16 Type:u8 DisplayHint:u8 Name:ansi'),
    'Counters.SetValueFloat': (False, True, 'Cycle:u64 Value:f64 CounterId:u16'),
    'Spatial.PointSpec': (True, False, 'Id:u32 Name:wide Mask:u8'),
    'Spatial.SetPointPos': (False, True, 'Cycle:u64 SpecId:u32 Pos:f64s'),
    'GpuProfiler.Init': (True, False, 'Version:u8'),
    'GpuProfiler.QueueSpec': (True, False, 'QueueId:u32 TypeString:wide'),
    'GpuProfiler.EventFrameBoundary': (False, True, 'QueueId:u32 FrameNumber:u32'),
    'GpuProfiler.EventBeginWork': (False, True, 'QueueId:u32 GPUTimestampTOP:u64 CPUTimestamp:u64'),
    'GpuProfiler.EventEndWork': (False, True, 'QueueId:u32 GPUTimestampBOP:u64'),
    'TaskTrace.Init': (True, False, 'Version:u32'),
    'TaskTrace.Launched': (False, True, 'Timestamp:u64 TaskId:u64 DebugName:wide Tracked:u8 ThreadToExecuteOn:i32 TaskSize:u64'),
    'TaskTrace.Scheduled': (False, True, 'Timestamp:u64 TaskId:u64'),
    'TaskTrace.Started': (False, True, 'Timestamp:u64 TaskId:u64'),
    'TaskTrace.Finished': (False, True, 'Timestamp:u64 TaskId:u64'),
    'TaskTrace.Completed': (False, True, 'Timestamp:u64 TaskId:u64'),
    'TaskTrace.WaitingStarted': (False, True, 'Timestamp:u64 Tasks:u64s'),
    'TaskTrace.WaitingFinished': (False, True, 'Timestamp:u64'),
    'PlatformEvent.ContextSwitch': (False, False, 'StartTime:u64 EndTime:u64 ThreadId:u32 CoreNumber:u8'),
    'PlatformFile.BeginOpen': (False, True, 'Cycle:u64 Path:wide'),
    'PlatformFile.EndOpen': (False, True, 'Cycle:u64 FileHandle:u64'),
    'PlatformFile.BeginRead': (False, True, 'Cycle:u64 ReadHandle:u64 FileHandle:u64 Offset:u64 Size:u64'),
    'PlatformFile.EndRead': (False, True, 'Cycle:u64 ReadHandle:u64 SizeRead:u64'),
    'Memory.Init': (True, False, 'PageSize:u64 MarkerPeriod:u32 Version:u8 MinAlignment:u8 SizeShift:u8'),
    'Memory.Marker': (False, True, 'Cycle:u64'),
    'Memory.Alloc': (False, True, 'Address:u64 CallstackId:u32 Size:u32 AlignmentPow2_SizeLower:u8 RootHeap:u8'),
    'Memory.Free': (False, True, 'Address:u64 CallstackId:u32 RootHeap:u8'),
    'LoadTime.NewAsyncPackage': (False, False, 'AsyncPackage:u64'),
    'LoadTime.PackageSummary': (False, False, 'AsyncPackage:u64 TotalHeaderSize:u32 ImportCount:u32 ExportCount:u32 Name:wide'),
    'LoadTime.BeginProcessSummary': (False, False, 'Cycle:u64 AsyncPackage:u64'),
    'LoadTime.EndProcessSummary': (False, False, 'Cycle:u64'),
    'LLM.TagsSpec': (True, False, 'TagId:u64 ParentId:u64 Name:ansi'),
    'LLM.TrackerSpec': (True, False, 'TrackerId:u8 Name:ansi'),
    'LLM.TagValue': (False, True, 'TrackerId:u8 Cycle:u64 Tags:u64s Values:i64s'),
}


def cycle(ns):
    return FIRST + round(ns / 100)


def packed(value):
    out = b''
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


class Capture:
    def __init__(self, channels=('Cpu', 'Frame')):
        self.uids = {name: 16 + i for i, name in enumerate(TYPES)}
        self.important_events, self.events, self.threads, self.known = [], [], {}, {}
        self.important('$Trace.NewTrace', FIRST, HZ, 0x524d, 8)
        for channel in channels:
            self.important('Trace.ChannelAnnounce', channel_id(channel), 1, 0, channel)

    def _fields(self, name, values, aux_uid):
        fixed = aux = b''
        for i, (field, value) in enumerate(zip(TYPES[name][2].split(), values)):
            kind = field.partition(':')[2]
            if kind in NUMBERS:
                fixed += struct.pack('<' + NUMBERS[kind][1], value)
                continue
            data = value.encode('utf-16-le') if kind == 'wide' else value.encode() if isinstance(value, str) else \
                struct.pack('<%d%s' % (len(value), ARRAYS[kind][1]), *value)
            aux += struct.pack('<I', len(data) << 13 | i << 8 | aux_uid) + data if data else b''
        return fixed, aux, any(field.partition(':')[2] in ARRAYS for field in TYPES[name][2].split())

    def important(self, name, *values):
        fixed, aux, has_aux = self._fields(name, values, 1)
        data = fixed + aux + (b'\x03' if has_aux else b'')
        self.important_events.append(struct.pack('<HH', self.uids[name], len(data)) + data)

    def once(self, key, name, *values):
        """The event that defines a name, the first time; the number of the key from 1."""
        if key not in self.known:
            self.known[key] = len(self.known) + 1
            self.important(name, *(self.known[key] if value is None else value for value in values))
        return self.known[key]

    def thread(self, name):
        if name not in self.threads:
            self.threads[name] = 2 + len(self.threads)
            self.important('$Trace.ThreadInfo', self.threads[name], 1000 + self.threads[name], self.threads[name], name)
        return self.threads[name]

    def event(self, thread, ns, name, *values):
        self.events.append((cycle(ns), 1, len(self.events), self.thread(thread), name, values))

    def scope(self, thread, timer, start, dur):
        spec = self.once(('timer', timer), 'CpuProfiler.EventSpec', None, timer, 'Game.cpp', 1)
        self.events.append((cycle(start), 1, len(self.events), self.thread(thread), '+', spec))
        self.events.append((cycle(start + dur), 0, -len(self.events), self.thread(thread), '-', 0))

    def frame(self, start, end, thread='GameThread'):
        self.event(thread, start, 'Misc.BeginFrame', cycle(start), 0)
        self.event(thread, end - 100, 'Misc.EndFrame', cycle(end), 0)

    def log(self, ns, category, verbosity, text, thread='GameThread'):
        pointer = self.once(('category', category), 'Logging.LogCategory', None, 5, category)
        point = self.once(('log', category, verbosity), 'Logging.LogMessageSpec', None, pointer, 10, verbosity, 'Game.cpp', '%s')
        self.event(thread, ns, 'Logging.LogMessage', point, cycle(ns), b'\x01\xc1' + text.encode() + b'\0')

    def counter(self, ns, name, value, thread='GameThread'):
        number = self.once(('counter', name), 'Counters.Spec', None, 1, 0, name)
        self.event(thread, ns, 'Counters.SetValueFloat', cycle(ns), value, number)

    def point(self, ns, name, at, thread='GameThread'):
        number = self.once(('point', name), 'Spatial.PointSpec', None, name, 7)
        self.event(thread, ns, 'Spatial.SetPointPos', cycle(ns), number, at)

    def gpu(self, ns, dur, frame, thread='RHIThread'):
        if 'gpu' not in self.known:
            self.important('GpuProfiler.Init', 1)
        self.once('gpu', 'GpuProfiler.QueueSpec', 1, 'Graphics')
        self.event(thread, ns, 'GpuProfiler.EventBeginWork', 1, cycle(ns), cycle(ns))
        self.event(thread, ns, 'GpuProfiler.EventEndWork', 1, cycle(ns + dur))
        self.event(thread, ns, 'GpuProfiler.EventFrameBoundary', 1, frame)

    def _declarations(self):
        for name, (important, synced, fields) in TYPES.items():
            at, rows, names = 0, b'', name.replace('.', '')
            parsed = [field.split(':') for field in fields.split()]
            for field, kind in parsed:
                code, letter = NUMBERS.get(kind) or ARRAYS[kind]
                size = struct.calcsize('<' + letter) if kind in NUMBERS else 0
                rows += struct.pack('<HHHBB', 0, at, size, code, len(field))
                at += size
                names += field
            logger, event = name.split('.')
            flags = (IMPORTANT if important else 0) | (0 if synced else UNSYNCED) | (AUX if any(k in ARRAYS for _, k in parsed) else 0)
            data = struct.pack('<HBBBB', self.uids[name], len(parsed), flags, len(logger), len(event)) + rows + names.encode()
            data += b'\0' * (len(data) & 1)
            yield struct.pack('<HH', 0, len(data)) + data

    def _streams(self):
        streams, batches, last, serial = {tid: [] for tid in self.threads.values()}, {}, {}, 0

        def flush(tid):
            if batches.get(tid):
                data = struct.pack('<H', self.uids['CpuProfiler.EventBatchV3'] * 2 + 1) + struct.pack('<I', len(batches[tid]) << 13 | 2)
                streams[tid].append(data + batches[tid] + b'\x06')
            batches[tid], last[tid] = b'', 0
        for tid in streams:
            flush(tid)
            streams[tid].append(struct.pack('<HQ', self.uids['$Trace.ThreadTiming'] * 2 + 1, 0))
        for at, _, _, tid, name, values in sorted(self.events, key=lambda event: event[:3]):
            if name in '+-':
                delta, last[tid] = at - last[tid], at
                batches[tid] += packed(delta << 2 | 1) + packed(values << 1) if name == '+' else packed(delta << 2)
                if len(batches[tid]) > 200:
                    flush(tid)
                continue
            flush(tid)
            fixed, aux, has_aux = self._fields(name, values, 2)
            number = b''
            if TYPES[name][1]:
                number, serial = struct.pack('<I', serial & 0xffffff)[:3], serial + 1
            streams[tid].append(struct.pack('<H', self.uids[name] * 2 + 1) + number + fixed + (aux + b'\x06' if has_aux else b''))
        for tid in streams:
            flush(tid)
        return streams

    def save(self, path):
        head = b'2CRT' + struct.pack('<HHH', 40, 2, 0xffff) + bytes([16, 1, *range(16), 16, 2, *range(16, 32), 4, 7])
        streams = self._streams()
        packets = [(0, list(self._declarations())), (1, self.important_events), *streams.items()]
        with open(path, 'wb') as file:
            file.write(head)
            for tid, events in packets:
                data = b''
                for event in [*events, None]:
                    if data and (event is None or len(data) + len(event) > 30000):
                        file.write(struct.pack('<HH', len(data) + 4, tid) + data)
                        data = b''
                    data += event or b''


def channel_id(name):
    value = 0x811c9dc5
    for letter in (name[:-1] if name.lower().endswith('s') else name).encode():
        value = ((value ^ (letter | 0x20)) * 0x01000193) & 0xffffffff
    return value
