"""Checks of single events: those that a truth file lists, and rules for captures that have rules instead of lists."""

import collections

from values import same_value

LISTS = ('tiny_events', 'nested_events', 'custom_events', 'events')
NOT_FIELDS = ('thread', 'event', 'attachment_bytes')
IMPORTANT = 1
IMPORTANT_THREAD = 1


def stream_of(got, truth, wanted):
    """The id of the thread on which a listed event stands."""
    if got.protocol == 0:
        return 0
    if got.protocol >= 5 and got.types[wanted['event']]['flags'] & IMPORTANT:
        return IMPORTANT_THREAD
    thread = wanted.get('thread', truth['threads'][0]['name'])
    if isinstance(thread, int):
        return thread
    return next(entry['trace_tid'] for entry in truth['threads'] if entry['name'] == thread)


def check_listed(result, got, truth):
    """Each list must be what the file holds of these types: on each thread the same events in the same order."""
    for key in LISTS:
        names = sorted({wanted['event'] for wanted in truth.get(key, ())})
        if not names:
            continue
        streams, found = collections.defaultdict(list), collections.defaultdict(list)
        for wanted in truth[key]:
            streams[stream_of(got, truth, wanted)].append(wanted)
        for event in got.events(*names):
            found[event['thread_id']].append(event)
        result.equal('threads of ' + key, sorted(found), sorted(streams))
        for tid, wanted in streams.items():
            check_stream(result, got, '%s on thread %d' % (key, tid), found[tid], wanted)


def check_stream(result, got, what, events, listed):
    result.equal(what, [event['event'] for event in events], [wanted['event'] for wanted in listed])
    for index, (event, wanted) in enumerate(zip(events, listed)):
        if event['event'] == wanted['event']:
            check_event(result, got, '%s, event %d, %s' % (what, index, wanted['event']), event, wanted)


def defined_texts(truth):
    """Texts of definitions by the name of their type and id: listed by id, or the events that define them."""
    texts = {('Strings.FName', entry['id']): entry['name'] for entry in truth.get('fname_definitions', ())}
    for key in LISTS:
        for event in truth.get(key, ()):
            fields = event.get('fields', {})
            if 'DefinitionId' in fields:
                texts[event['event'], fields['DefinitionId']] = fields.get('DisplayWide') or fields.get('DisplayAnsi')
    return texts


def check_references(result, got, truth):
    """Fields that refer to a definition show its text, and the id."""
    texts = defined_texts(truth)
    refers = {name: {field['name']: field['ref'] for field in entry['fields'] if field.get('ref')}
              for name, entry in got.types.items()}
    names = sorted(name for name, fields in refers.items() if fields)
    for event in got.events(*names) if texts and names else ():
        for name, ref in refers[event['event']].items():
            displayed = event['fields'][name]
            text = texts.get((ref, displayed['id']))
            result.equal('%s of %s' % (name, event['event']), displayed,
                         {'id': displayed['id'], 'text': text} if text else {'id': displayed['id']})


def check_event(result, got, what, event, wanted):
    values = wanted['fields'] if 'fields' in wanted else \
        {key: value for key, value in wanted.items() if key not in NOT_FIELDS}
    result.equal('fields of ' + what, sorted(event['fields']), sorted(values))
    result.true(what + ' is incomplete', not event.get('incomplete'))
    fields = {field['name'] or 'DefinitionId': field for field in got.types[wanted['event']]['fields']}
    for name, value in values.items():
        displayed = event['fields'].get(name)
        result.true('%s.%s is %.80r instead of %.80r' % (what, name, displayed, value),
                    name in event['fields'] and same_value(displayed, value, fields[name], got.protocol))
    if 'attachment_bytes' in wanted:
        result.equal('attachment of ' + what, attachment_length(event), wanted['attachment_bytes'])


def attachment_length(event):
    value = event.get('attachment')
    if isinstance(value, dict):
        return len(value['bytes']) // 2
    if isinstance(value, str):
        return len(value) // 2
    return len(value or ())


def column(events, names, field):
    return [event['fields'][field] for event in events if event['event'] in names]


def check_order(result, got, truth):
    """Order by serial across threads, file order on each."""
    if 'order' not in truth:
        return
    wanted = truth['order']
    events = got.events('Order.*', order='serial')
    sequence = column(events, ('Order.Seq', 'Order.SeqAux'), 'Seq')
    result.equal('order of events', sequence, list(range(wanted['seq_total'])))
    result.equal('order of tokens', column(events, ('Order.Handoff',), 'Token'), list(range(wanted['handoff_total'])))
    result.equal('important events', column(events, ('Order.ImportantSeq',), 'Seq'),
                 list(range(wanted['important_total'])))
    for order in ('file', 'serial'):
        streams = collections.defaultdict(list)
        for event in got.events('Order.*', order=order):
            streams[event['thread_id']].append(event)
        for tid, items in streams.items():
            index = column(items, ('Order.Local',), 'Index')
            result.equal('%s order on thread %d' % (order, tid), index, list(range(len(index))))
    check_seq_aux(result, events)


def check_seq_aux(result, events):
    """Values that follow from the number of the event."""
    for event in events:
        if event['event'] == 'Order.SeqAux':
            fields = event['fields']
            result.true('text of SeqAux %d: %r' % (fields['Seq'], fields['Text']),
                        fields['Text'].startswith('seq-%d-thread-' % fields['Seq']))
            result.equal('array of SeqAux %d' % fields['Seq'], fields['Pad'],
                         [(fields['Seq'] + index) & 255 for index in range(len(fields['Pad']))])


# ---- captures with rules ----

def check_run(result, got, logger, last, first_at_most, specs):
    """A contiguous run of numbered items, and definitions that are each there once."""
    result.equal('damage', [entry for entry in got.info['health'] if entry.get('damage')], [])
    events = got.events(logger + '.*', order='serial')
    items = [event for event in events if event['event'] == logger + '.Item']
    numbers = column(items, (logger + '.Item',), 'Seq')
    result.equal('items', numbers, list(range(numbers[0], last + 1)))
    result.true('first item %d' % numbers[0], numbers[0] <= first_at_most)
    serials = [event['serial'] for event in items]
    result.equal('serials', serials, sorted(serials))
    for item in items:
        text = item['fields']['Text']
        result.true('text %r' % text, text.startswith('item %d' % item['fields']['Seq']))
    ids = [event['fields']['Id'] for event in events if event['event'].endswith('Spec')]
    if ids:
        result.equal('specs', sorted(ids), list(range(specs)))


def rules_of_late(truth):
    """(capture, arguments of check_run) of late.truth.json."""
    late, first = truth['late'], truth['late']['first_item_certain']
    yield 'late', ('Late', late['last_item'], first, late['spec_events'])
    yield 'late_snapshot', ('Late', first - 1, first - 1, truth['snapshot']['spec_events'])


def rules_of_restart(truth):
    a, b = truth['restart_a'], truth['restart_b']
    yield 'restart_a', ('Restart', a['items'][1], a['items'][0], a['specs'][1] + 1)
    yield 'restart_b', ('Restart', b['items_last'], b['items_first_at_most'], b['specs'][1] + 1)


RULES = {'late': rules_of_late, 'restart': rules_of_restart}
