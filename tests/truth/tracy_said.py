"""What `trace-events` says of a capture (tracy_layout.py): each event with its time, thread and fields."""

import collections

NO_NAME = b'???'
GPU_TYPES = ('invalid', 'OpenGL', 'Vulkan', 'OpenCL', 'Direct3D 12', 'Direct3D 11', 'Metal', 'custom', 'CUDA', 'ROCm',
             'WebGPU')
PLOT_TYPES = ('user', 'memory', 'CPU use', 'power')
PLOT_FORMATS = ('number', 'memory', 'percent', 'watt')
LOCK_KINDS = ('wait', 'obtain', 'release', 'wait shared', 'obtain shared', 'release shared')
COUNTERS = ('cycles', 'retired instructions', 'cache references', 'cache misses', 'retired branches', 'branch misses')
FIBER = 99  # the reason of a switch of fibers
NOWHERE = {'name': (0, 0), 'function': (0, 0), 'file': (0, 0), 'line': 0, 'colour': 0}


def text(raw):
    """As JSON has it."""
    try:
        return raw if raw is None else raw.decode('utf-8')
    except UnicodeDecodeError:
        return {'bytes': raw.hex()}


def walk(zones):
    """(zone, does it begin?, depth), in the order of the file."""
    stack = [(iter(zones), None)]
    while stack:
        zone = next(stack[-1][0], None)
        if zone is not None:
            yield zone, True, len(stack) - 1
            stack.append((iter(zone['kids']), zone))
        else:
            zone = stack.pop()[1]
            if zone is not None:
                yield zone, False, len(stack) - 1


def ended(time):
    return time if time >= 0 else None


class Said:
    def __init__(self, capture):
        self.capture = capture
        self.by_key = {string['key']: string['text'] for string in capture['strings']}
        self.by_pointer = {item['pointer']: self.by_key[item['key']] for item in capture['pointers']
                           if item['key'] in self.by_key}
        self.static = {location['address']: location for location in capture['static']}
        self.tids = list(capture['local'])
        self.tids += [thread['tid'] for thread in capture['threads'] if thread['tid'] not in self.tids]
        self.events = collections.defaultdict(list)
        for part in ('frames', 'sections', 'locks', 'messages', 'threads', 'gpu', 'plots', 'memory', 'code',
                     'switches', 'rest'):
            getattr(self, 'say_' + part)(capture)

    def on_demand(self):
        header = self.capture['header']
        return bool(header['on_demand'] if 'on_demand' in header else header['frame_offset'])

    # ---- what numbers stand for ----

    def indexed(self, index):
        return text(self.capture['strings'][index - 1]['text']) if index else None

    def referred(self, reference):
        value, flags = reference
        if not flags & 2:
            return None
        return self.capture['strings'][value]['text'] if flags & 1 else self.by_pointer.get(value, NO_NAME)

    def place(self, number):
        """Name, file, line, function, colour of a location."""
        if number < 0:
            found = self.capture['dynamic'][-number - 1]
        else:
            found = self.static.get(self.capture['expand'][number], NOWHERE)
        name, function, file = (self.referred(found[key]) for key in ('name', 'function', 'file'))
        name = name if name is not None else function if function is not None else NO_NAME
        return {'Name': text(name), 'File': text(file), 'Line': found['line'], 'Function': text(function),
                'colour': found['colour'], 'raw': name, 'raw_file': NO_NAME if file is None else file}

    def thread(self, tid):
        return self.tids.index(tid) if tid and tid in self.tids else None

    def say(self, event, time, thread, **fields):
        self.events['Tracy.' + event].append((time, thread, fields))

    # ---- sections ----

    def say_frames(self, c):
        for frames in c['frames']:
            name = text(self.by_pointer.get(frames['name'], NO_NAME))
            for number, frame in enumerate(frames['frames']):
                self.say('Frame', frame['start'], None, Set=name, Number=number, Start=frame['start'],
                         End=ended(frame.get('end', -1)), Image=ended(frame['image']))

    def say_sections(self, c):
        described = {item['category']: self.indexed(item['text']) for item in c.get('categories', ())}
        for category in c.get('sections', ()):
            for item in category['items']:
                self.say('Section', item['start'], None, Category=category['category'], Start=item['start'],
                         End=item['end'],
                         Text=self.indexed(item['text']), Description=described.get(category['category']))

    def lock_name(self, lock):
        return self.indexed(lock['name']) if lock['name'] else self.place(lock['location'])['Function']

    def say_locks(self, c):
        for lock in c['locks']:
            self.say('Lock', lock['announced'], None, Lock=lock['id'], Name=self.lock_name(lock),
                     Shared=lock['type'] == 1,
                     Valid=lock['valid'] == 1, Announced=lock['announced'], Terminated=ended(lock['terminated']),
                     Threads=len(lock['threads']))
            for event in lock['events']:
                place, thread = self.place(event['location']), self.thread(lock['threads'][event['thread']])
                self.say('LockEvent', event['time'], thread, Lock=lock['id'], Kind=LOCK_KINDS[event['type']],
                         Thread=thread,
                         Function=place['Function'], File=place['File'],
                         Line=None if place['File'] is None else place['Line'])

    def say_messages(self, c):
        owners = {key: self.thread(thread['tid']) for thread in c['threads'] for key in thread['messages']}
        for message in c['messages']:
            self.say('Message', message['time'], owners.get(message['key']), Text=text(self.referred(message['text'])),
                     Severity=message.get('severity', 2), Source=message.get('source', 0),
                     Colour=hex(message['colour']),
                     Callstack=message['stack'] or None)

    def say_threads(self, c):
        for item in c['threads']:
            thread = self.thread(item['tid'])
            for zone, begins, depth in walk(item['zones']):
                if begins:
                    place, extra = self.place(zone['location']), c['extras'][zone['extra']]
                    self.say('ZoneBegin', zone['start'], thread, Text=self.indexed(extra['text']),
                             OwnName=self.indexed(extra['name']), Colour=hex(extra.get('colour') or place['colour']),
                             Callstack=extra['stack'] or None, Children=len(zone['kids']),
                             **{key: place[key] for key in ('Name', 'File', 'Line', 'Function')})
                elif zone['end'] >= 0:
                    self.say('ZoneEnd', zone['end'], thread, Depth=depth)
            for event, key in (('SwitchSample', 'switch_samples'), ('Sample', 'samples')):
                for sample in item.get(key, ()):
                    self.say(event, sample['time'], thread, Callstack=sample['stack'] or None)

    def say_gpu(self, c):
        for number, context in enumerate(c['gpu']):
            self.say('GpuContext', None, None, Context=number, Name=self.indexed(context.get('name', 0)),
                     Type=GPU_TYPES[context['type']], Calibrated=context['calibrated'] == 1, Period=context['period'],
                     Zones=context['count'], Overflow=context.get('overflow', 0))
            for timeline in context['timelines']:
                thread = self.thread(timeline['tid'] or context['tid'])
                for zone, begins, depth in walk(timeline['zones']):
                    self.say_gpu_zone(number, zone, begins, depth, thread)
            names = {note['id']: self.indexed(note['name']) for note in context.get('note_names', ())}
            for query in context.get('queries', ()):
                for note in query['notes']:
                    self.say('GpuNote', None, None, Context=number, Query=query['query'], Note=note['id'],
                             Name=names.get(note['id']), Value=note['value'])

    def say_gpu_zone(self, number, zone, begins, depth, thread):
        if not begins:
            self.say('GpuZoneEnd', zone['end'], thread, Context=number, CpuEnd=zone['cpu_end'], GpuEnd=zone['end'],
                     Query=zone.get('query'), Depth=depth)
            return
        place = self.place(zone['location'])
        self.say('GpuZoneBegin', zone['start'], thread, Context=number, CpuStart=zone['cpu_start'],
                 GpuStart=zone['start'],
                 Thread=thread, Callstack=zone['stack'] or None, Children=len(zone['kids']),
                 **{key: place[key] for key in ('Name', 'File', 'Line')})

    def say_plots(self, c):
        for number, plot in enumerate(c['plots']):
            name = text(self.by_pointer.get(plot['name'], NO_NAME))
            self.say('Plot', None, None, Plot=number, Name=name, Type=PLOT_TYPES[plot['type']],
                     Format=PLOT_FORMATS[plot['format']], Steps=plot.get('steps', 0) == 1,
                     Fill=plot.get('fill', 1) == 1,
                     Colour=hex(plot.get('colour', 0)), Min=plot['min'], Max=plot['max'], Sum=plot.get('sum', 0),
                     Points=len(plot['points']))
            for point in plot['points']:
                self.say('PlotPoint', point['time'], None, Plot=number, Name=name, Value=point['value'])

    def say_memory(self, c):
        for number, pool in enumerate(c['memory']):
            name = text(self.by_pointer.get(pool['name'])) if pool.get('name') else None
            self.say('MemoryPool', None, None, Pool=number, Name=name, Events=len(pool['events']),
                     Active=pool['active'],
                     High=hex(pool['high']), Low=hex(pool['low']), Bytes=pool['bytes'])
            for event in pool['events']:
                freed = event['life'] >= 0
                self.say('MemoryEvent', event['time'], event['thread'] or None, Pool=number, Name=name,
                         Address=hex(event['address']), Size=event['size'], AllocCallstack=event['stack'] or None,
                         Freed=event['time'] + event['life'] if freed else None,
                         FreeCallstack=event['free_stack'] or None,
                         FreeThread=(event['free_thread'] or None) if freed else None)

    def say_code(self, c):
        for number, frames in enumerate(c['callstacks']):
            self.say('Callstack', None, None, Callstack=number + 1, Depth=len(frames), Frames=frames)
        for frame in c['code_frames']:
            for inline, place in enumerate(frame['places']):
                self.say('CallstackFrame', None, None, Frame=hex(frame['id']), Inline=inline, Line=place['line'],
                         Function=self.indexed(place['function']), File=self.indexed(place['file']),
                         Symbol=hex(place['symbol']), Image=self.indexed(frame['image']))
        for item in c['symbols']:
            self.say('Symbol', None, None, Address=hex(item['address']), Name=self.indexed(item['name']),
                     File=self.indexed(item['file']), Line=item['line'], Image=self.indexed(item['image']),
                     CallFile=self.indexed(item['call_file']), CallLine=item['call_line'], Inline=item['inline'] == 1,
                     Size=item['size'])
        for item in c['code']:
            self.say('SymbolCode', None, None, Address=hex(item['address']), Bytes=len(item['bytes']))
        for item in c.get('code_symbols', ()):
            self.say('CodeSymbol', None, None, Code=hex(item['code']), Symbol=hex(item['symbol']))
        for item in c.get('hardware', ()):
            for event, times in zip(COUNTERS, item['lists']):
                for time in times:
                    self.say('HardwareSample', time, None, Address=hex(item['address']), Event=event)

    def say_switches(self, c):
        others = {item['tid']: (text(self.by_key[item['process']]), text(self.by_key[item['thread']]))
                  for item in c['other_names']}
        for thread in c['switches']:
            for item in thread['items']:
                kind = 'FiberSwitch' if item['reason'] == FIBER else 'ContextSwitch'
                self.say(kind, item['start'], self.thread(thread['tid']), Wakeup=item['wakeup'],
                         Start=item['start'],
                         End=item['end'], Cpu=item['cpu'], Reason=item['reason'], State=item['state'],
                         Other=item.get('thread') or None, WakeupCpu=item.get('wakeup_cpu'))
        for cpu, items in enumerate(c['cpus']):
            for item in items:
                tid = c['external'][item['thread']]
                process, name = others.get(tid, (None, None))
                self.say('CpuSwitch', item['start'], None, Cpu=cpu, Start=item['start'], End=item['end'], Thread=tid,
                         Process=process, ThreadName=name)

    def say_rest(self, c):
        for reference in c['app_info']:
            self.say('AppInfo', None, None, Text=text(self.referred(reference)))
        for number, image in enumerate(c['images']):
            self.say('FrameImage', None, None, Image=number, Width=image['width'], Height=image['height'],
                     Flipped=image['flipped'] == 1, Bytes=len(image['data']))
        for item in c['processes']:
            self.say('ThreadProcess', None, None, Thread=item['tid'], Process=item['pid'])
        for item in c['cpu_use']:
            self.say('ThreadCpu', None, None, Thread=item['tid'], Running=item['running'], Regions=item['regions'],
                     Migrations=item['migrations'])
        for item in c['sources']:
            self.say('SourceFile', None, None, Name=text(item['name']), Bytes=len(item['text']))
