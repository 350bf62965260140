#!/usr/bin/env python3
"""tracekit mcp by a client of its own: questions whose answers the producer of a capture wrote down, hostile requests,
paths outside of the folders, sizes.

usage: check_mcp.py --bin DIRECTORY FIXTURES
"""

import argparse
import json
import os
import pathlib
import random
import re
import sqlite3
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import client  # noqa: E402
import questions  # noqa: E402
import report  # noqa: E402


class Truth:
    def __init__(self, fixtures, name):
        self.capture = name + '.utrace'
        self.truth = json.loads((fixtures / (name + '.truth.json')).read_text())
        self.scale = 1000000000 // self.truth['frequency']

    def ns(self, cycle):
        return (cycle - self.truth['start_cycle']) * self.scale

    def timers(self, thread=None):
        """timer -> (count, total)"""
        sums = {}
        for t in self.truth['threads']:
            for x in t.get('timers', ()) if thread in (None, t['name']) else ():
                count, total = sums.get(x['timer'], (0, 0))
                sums[x['timer']] = count + x['count'], total + x['incl'] * self.scale
        return {timer: value for timer, value in sums.items() if value[0]}

    def frames(self):
        return [(self.ns(begin), self.ns(end)) for kind, begin, end in self.truth['frames'] if kind == 0]


def check_truth(result, ask, t):
    """Questions about one capture, each of which the truth file answers."""
    timers, frames = t.timers(), t.frames()
    rows = ask.rows('table', capture=t.capture, table='timers', columns=['timer', 'count', 'total'], limit=1000,
                    filters=[{'column': 'count', 'op': '>', 'value': 0}])
    result.equal('timers', {r['timer']: (r['count'], r['total']) for r in rows}, timers)
    for timer in sorted(timers)[:6]:
        rows = ask.rows('table', capture=t.capture, table='timers', columns=['timer', 'count'],
                        filters=[{'column': 'timer', 'op': '=', 'value': timer}])
        result.equal('calls of ' + timer, [r['count'] for r in rows], [timers[timer][0]])
        rows = ask.rows('sql', capture=t.capture, statement="SELECT count(*) AS n FROM scopes WHERE dur IS NOT NULL AND "
                        "timer = '%s'" % timer.replace("'", "''"))
        result.equal('scopes of ' + timer, rows, [{'n': timers[timer][0]}])
    for thread in t.truth['threads'][:6]:
        own = t.timers(thread['name'])
        rows = ask.rows('sql', capture=t.capture, statement="SELECT timer, count, total FROM timers WHERE count > 0 AND "
                        "thread = '%s'" % thread['name'])
        result.equal('timers of ' + thread['name'], {r['timer']: (r['count'], r['total']) for r in rows}, own)
    rows = ask.rows('table', capture=t.capture, table='frames', columns=['start', 'end'], limit=1000,
                    filters=[{'column': 'type_id', 'op': '=', 'value': 0}])
    result.equal('frames', [(r['start'], r['end']) for r in rows], frames)
    for i in (0, len(frames) // 2, len(frames) - 1):
        rows = ask.rows('frame', 'frame', capture=t.capture, frame=i)
        result.equal('frame %d' % i, [(r['start'], r['dur']) for r in rows],
                     [(frames[i][0], frames[i][1] - frames[i][0])])
    result.equal('slowest frame', ask.rows('sql', capture=t.capture, statement='SELECT max(dur) AS most FROM frames WHERE '
                                           'type_id = 0'), [{'most': max(e - b for b, e in frames)}])
    rows = ask.rows('overview', 'frames', capture=t.capture)
    result.equal('number of frames', [r['count'] for r in rows if r['type'] == 'game'], [len(frames)])
    for counter in t.truth.get('counters', ())[:6]:
        rows = ask.rows('table', capture=t.capture, table='counters', columns=['count', 'last', 'min', 'max'],
                        filters=[{'column': 'counter', 'op': '=', 'value': counter['name']}])
        result.equal('counter ' + counter['name'], rows, [{k: counter[k] for k in ('count', 'last', 'min', 'max')}])
    tree = ask.rows('call_tree', capture=t.capture, limit=1000)
    result.true('call tree', len(tree) > 0)
    rows = ask.rows('what_can_it_answer', 'questions', capture=t.capture)
    result.true('what it can answer', any(r['answer'] == 'yes' for r in rows))
    frames_of = {r['frame'] for r in ask.rows('hitches', capture=t.capture, limit=1000)}
    grouped = ask.rows('hitches', capture=t.capture, grouped=True)
    result.equal('hitches by cause', sum(r['hitches'] for r in grouped if r['phase'] != 'startup'), len(frames_of))
    changes, failed, _ = ask.call('compare', baseline=t.capture, candidate=t.capture)
    result.true('compared with itself: %.200s' % changes, not failed and changes['verdict'] != 'regressed')


def rows_of(answer, part='result', column=None, having=None):
    """Rows of a part of an answer: a column of them, of those where another column has a value."""
    if isinstance(answer[part], str):
        return answer[part]
    names = answer[part]['columns']
    rows = [row for row in answer[part]['rows'] if not having or row[names.index(having[0])] == having[1]]
    return [[row[names.index(column)]] for row in rows] if column and column != '*' else rows


def check_questions(result, ask, fixtures):
    """Each is one call, whose answer has its size."""
    requested = list(questions.all_of(fixtures))
    result.equal('questions', len({question for question, _, _ in requested}), 40)
    for question, (tool, arguments, *what), truth in requested:
        answer, failed, n = ask.call(tool, **arguments)
        result.true('%s %.200s' % (question, answer), not failed and n <= client.MOST)
        if not failed:
            result.equal(question, rows_of(answer, *what), truth)


def check_schemas(result, ask):
    """Those of tools/list have the members of those in schemas/, and answers that are not so are refused."""
    used = {'cell', 'table', 'note', 'warning'}
    for name, published in ask.outputs.items():
        own = 'rows' if name in client.ROWS else name
        used.add(own)
        result.equal('required by ' + name, published['required'], client.SCHEMAS[own]['required'])
        result.equal('members of ' + name, {m: p['type'] for m, p in published['properties'].items()}, {
            m: 'object' if p.get('$ref') == '#/$defs/table' else 'string' for m, p in client.SCHEMAS[own]['properties'].items()})
    result.equal('definitions', set(client.SCHEMAS), used)
    rows = dict(client.SCHEMAS['rows'], **{'$defs': client.SCHEMAS})
    result.true('an answer without rows', client.schema.first_fault({'note': '', 'result': {'columns': [], 'kinds': [], 'shown': 0}}, rows))
    result.true('one with more', client.schema.first_fault({'note': '', 'result': {'columns': [], 'kinds': [], 'rows': [], 'shown': 0}, 'x': 1}, rows))


def check_tools(result, ask):
    tools = ask.request('tools/list')['result']['tools']
    result.true('%d bytes' % ask.tools_bytes, ask.tools_bytes <= 8000)
    result.equal('names', {t['name'] for t in tools}, {'list_captures', 'what_can_it_answer', 'overview', 'table', 'hitches', 'rules',
                                                       'frame', 'call_tree', 'compare', 'sql'})
    for tool in tools:
        schema = tool['inputSchema']
        result.true(tool['name'], tool['description'] and schema['type'] == 'object'
                    and set(schema['required']) <= set(schema['properties']))
        result.true(tool['name'] + ' only reads', tool['annotations']['readOnlyHint'])


def check_outside(result, ask, fixtures, outside):
    """What is not below the folders does not exist; SQL opens nothing."""
    for path in ('/etc/passwd', '../README.md', '../' * 20 + 'etc/passwd', str(outside), 'link.utrace', '', 'tiny.utrace\u0000x',
                 '/proc/self/environ', str(fixtures.parent / 'README.md')):
        text, failed, _ = ask.call('overview', capture=path)
        result.true('%r: %.200s' % (path, text), failed and 'root:' not in text)
    for statement in ('SELECT 1; SELECT 2', 'SELECT timer FROM timers; SELECT timer FROM timers;', 'SELECT 1 WHERE 0; SELECT 2'):
        text, failed, _ = ask.call('sql', capture='tiny.utrace', statement=statement)
        result.true('%s: %.200s' % (statement, text), failed and 'one statement' in text)
    for statement, rows in (('SELECT 1 AS n; -- the end', [[1]]), ('INCLUDE PERFETTO MODULE x; SELECT 2 AS n;', [[2]]), (' ; SELECT 3 AS n', [[3]]),
                            ("SELECT ';' AS n", [[';']])):
        answer, failed, _ = ask.call('sql', capture='tiny.utrace', statement=statement)
        result.true('%s: %.200s' % (statement, answer), not failed and answer['result']['rows'] == rows)
    for statement in ("ATTACH '/tmp/x.db' AS y", 'PRAGMA writable_schema = ON', "SELECT load_extension('x')",
                      "SELECT readfile('/etc/passwd')", 'CREATE TABLE t(x)', "VACUUM INTO '/tmp/x.db'", 'DELETE FROM timers',
                      "CREATE VIRTUAL TABLE t USING tracekit('/etc/passwd', 'timers')"):
        text, failed, _ = ask.call('sql', capture='tiny.utrace', statement=statement)
        result.true('%s: %.200s' % (statement, text), failed)
    text, failed, _ = ask.call('table', capture='tiny.utrace', table='timers" UNION SELECT 1 --')
    result.true('a table with a quote: %.200s' % text, failed)
    rows = ask.rows('table', capture='tiny.utrace', table='timers', columns=['timer'],
                    filters=[{'column': 'timer', 'op': '=', 'value': "x' OR '1'='1"}])
    result.equal('a value with quotes', rows, [])


def check_listed(result, ask, fixtures, inside):
    """Captures of the folders by their names in them, the newest first, without a link that leads out of them."""
    rows = ask.rows('list_captures', 'captures')
    listed = {r['capture']: r for r in rows}
    result.true('captures', {'game.utrace.zst', 'baseline-v1-a.tkb', 'tracy/small-0.14.0-lz4-j1.tracy'} <= set(listed))
    result.true('no other files', not {'README.md', 'link.utrace'} & set(listed))
    result.equal('each once', len(listed), len(rows))
    result.equal('newest first', rows[0]['capture'], str(inside / 'tiny.utrace'))
    result.equal('newest first', sorted((r['modified'] for r in rows), reverse=True), [r['modified'] for r in rows])
    game = json.loads((fixtures / 'game.truth.json').read_text())
    result.equal('what it is', [listed['game.utrace.zst'][k] for k in ('bytes', 'program', 'build', 'frames')],
                 [(fixtures / 'game.utrace.zst').stat().st_size, game['session']['AppName'], game['session']['BuildVersion'],
                  sum(kind == 0 for kind, _, _ in game['frames'])])
    result.equal('a baseline', [listed['baseline-v1-a.tkb'][k] for k in ('program', 'frames')], ['Orchard', 300])
    # two folders may have files of one name
    result.equal('the other one', listed[str(inside / 'tiny.utrace')]['bytes'], (inside / 'tiny.utrace').stat().st_size)


def check_names(result, ask):
    for name, near in (('gam.utrace', 'game.utrace.zst'), ('tiny-eu5.1', 'tiny-ue5.1.utrace'), ('small-0.14.0-lz4-j2.tracy', 'tracy/small-0.14.0-')):
        text, failed, _ = ask.call('overview', capture=name)
        result.true('%s: %s' % (name, text), failed and 'did you mean ' + near in text)
    result.equal('without its ending', ask.rows('sql', capture='game', statement='SELECT count(*) AS n FROM capture'), [{'n': 1}])
    text, failed, _ = ask.call('sql', capture='tiny.utrace', ask='slow-package')
    result.true(text, failed and 'slow-packages' in text)
    answer, failed, _ = ask.call('sql', capture='game', ask='slow-packages')
    result.true('a predefined question', not failed and answer['result']['rows'])


def check_compared(result, ask):
    answer, _, n = ask.call('compare', baseline='baseline-v1-a.tkb', candidate='baseline-v1-b.tkb')
    result.true('%d bytes' % n, n < 1600)
    result.true('the sentence: ' + answer['sentence'], answer['sentence'] == ask.sentence
                and re.match('1 regressed, .* worst: Streaming.Flush, ', ask.sentence))
    verdicts = [r['verdict'] for r in ask.rows('compare', 'changes', baseline='baseline-v1-a.tkb', candidate='baseline-v1-b.tkb', limit=2)]
    result.equal('changes', verdicts, ['regressed', 'added', 'removed', 'renamed'][:2])
    one, _, _ = ask.call('compare', baseline=['baseline-v1-[a].tkb', 'baseline-v1-a.tkb'], candidate='baseline-v1-b.tkb')
    result.true('no such name: %s' % one, 'baseline-v1-[a].tkb' in one)
    for side in (['baseline-v1-a.tkb'], 'baseline-v1-a*', ['*v1-a.tkb']):
        again, _, _ = ask.call('compare', baseline=side, candidate='baseline-v1-b.tkb')
        result.equal('%s' % side, again, answer)
    text, failed, _ = ask.call('compare', baseline='nothing*', candidate='baseline-v1-b.tkb')
    result.true(text, failed and "matches 'nothing*'" in text)
    text, failed, _ = ask.call('compare', baseline=[], candidate='baseline-v1-b.tkb')
    result.true(text, failed and 'which baseline' in text)
    text, failed, _ = ask.call('compare', baseline=7, candidate='baseline-v1-b.tkb')
    result.true(text, failed and 'a string, or a list' in text)


def check_tree(result, ask, t):
    """Levels and shares that are not asked for are left out."""
    shares = {}
    rows = ask.rows('call_tree', capture=t.capture, min_share=0, depth=1000)
    for depth, share in ((0, 0), (1, 0), (2, 0.05), (1000, 0.2)):
        some = ask.rows('call_tree', capture=t.capture, min_share=share, depth=depth)
        shares[depth, share] = len(some)
        result.equal('depth %d, share %g' % (depth, share), some, [r for r in rows if r['depth'] <= depth and r['share'] >= share])
    result.true('%s' % shares, len(set(shares.values())) == 4)


def check_sizes(result, ask):
    answer, failed, n = ask.call('table', capture='threads.utrace', table='scopes', limit=1000)
    result.true('cut to %d bytes' % n, not failed and client.MOST * 3 / 4 < n <= client.MOST and 'offset' in answer['result']['more'])
    displayed = answer['result']['shown']
    again, _, _ = ask.call('table', capture='threads.utrace', table='scopes', limit=5, offset=displayed)
    more, _, _ = ask.call('sql', capture='threads.utrace', statement='SELECT * FROM scopes LIMIT 5 OFFSET %d' % displayed)
    result.equal('goes on', again['result']['rows'], more['result']['rows'])
    most, _, _ = ask.call('sql', capture='threads.utrace', statement='SELECT * FROM scopes', offset=displayed, limit=5)
    result.equal('sql goes on', most['result']['rows'], more['result']['rows'])
    few, _, _ = ask.call('table', capture='threads.utrace', table='scopes', limit=5)
    result.equal('there are more', few['result']['more'], 'there are more rows: ask again with offset 5')
    text, failed, n = ask.call('sql', capture='tiny.utrace', statement="SELECT printf('%.*c', 100000, 'x') AS long")
    result.true('a long text', not failed and n < 3000)
    wide = ', '.join("printf('%%.400c', 'x') AS c%d" % i for i in range(40))
    answer, failed, n = ask.call('sql', capture='tiny.utrace', statement='SELECT ' + wide)
    result.true('a row that is too large: %s' % answer, not failed and answer['result']['shown'] == 0 and 'fewer columns' in answer['result']['more'])
    for capture in ('game', 'threads.utrace', 'net.utrace'):
        answer, _, _ = ask.call('overview', capture=capture)
        for part, table in answer.items():
            if isinstance(table, dict) and 'more' in table:
                words = re.search(r'ask tool table for table (\w+)(?:, order_by (\w+), descending)? with offset (\d+)$', table['more'])
                rest = ask.rows('table', capture=capture, table=words[1], columns=table['columns'], offset=int(words[3]) - 1, limit=1,
                                **({'order_by': words[2], 'descending': True} if words[2] else {}))
                result.equal('%s of %s' % (part, capture), list(rest[0].values()), table['rows'][-1])


def check_hostile(result, ask):
    codes = (
        (b'{', -32700), (b'\xff\xfe', -32700), (b'[]', -32600), (b'{"jsonrpc":"2.0","id":1}', -32600), (b'7', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql","arguments":[1]}}', -32602),
        (b'[' * 100000, -32700), (b'x' * 3000000, -32600),
    )
    for line, code in codes:
        ask.raw(line)
        result.equal('%.60r' % line, ask.receive()['error']['code'], code)
    for arguments in ({'capture': 7}, {'capture': None}, {'capture': ['x']}, {'captures': 'x'}, {'captures': ['tiny.utrace'] * 9},
                      {'capture': 'tiny.utrace', 'statement': 7}, {'capture': 'tiny.utrace', 'statement': ''}):
        answer = ask.request('tools/call', {'name': 'sql', 'arguments': arguments})
        result.true('%s' % arguments, 'result' in answer)
    for arguments in ({'frame': -1}, {'frame': 1e300}, {'frame': 'x'}, {}):
        result.true('frame %s' % arguments, ask.call('frame', capture='tiny.utrace', **arguments)[1]
                    or ask.call('frame', capture='tiny.utrace', **arguments)[0]['frame']['rows'] == [])
    for limit in (-1, 0, 1.5, 1001, 1e300, 'x', [], True, 10 ** 400):
        text, failed, _ = ask.call('table', capture='tiny.utrace', table='frames', limit=limit)
        result.true('limit %.20r: %.200s' % (limit, text), failed and 'limit' in text)
    result.true('null is not given', not ask.call('table', capture='tiny.utrace', table='frames', limit=None)[1])
    text, failed, _ = ask.call('table', capture='tiny.utrace', table='frames', form_ms=1)
    result.true('an argument that there is not: ' + text, failed and "'form_ms'" in text and 'from_ms' in text)
    result.equal('it still answers', ask.request('ping')['result'], {})


def check_long_texts(result, ask):
    """No function works on long texts for longer than a statement may take: each of these took SQLite's own minutes to years."""
    m = 15 << 20
    long, half = "replace(hex(zeroblob(%d)), '0', 'a')" % (m // 2), "replace(hex(zeroblob(%d)), '0', 'a')" % (m // 4)
    for expression, value in (
            ("instr(%s, %s || 'b')" % (long, half), 0),
            ("instr(%s || 'b', %s || 'b') > 1" % (long, half), 1),
            ("length(replace(%s, %s || 'b', ''))" % (long, half), m // 2 * 2),
            ("length(trim(%s, 'b' || %s))" % (long, half), 0),
            ("length(rtrim(%s, replace(hex(randomblob(4000000)), 'A', 'B')))" % long, m // 2 * 2),
            ("substr(%s, 1, 1 << 20) LIKE '%%' || substr(%s, 1, 240) || 'b'" % (long, half), 0)):
        answer, failed, _ = ask.call('sql', capture='tiny.utrace', statement='SELECT %s AS n' % expression)
        result.true('%s: %.300s' % (expression, answer), not failed and answer['result']['rows'] == [[value]])
    for expression, cause in (
            ("printf('%.*c', 1 << 30, 'x')", None), ("printf('%.99999999f', 1)", None),
            ("printf('" + '%.9999999d' * 30000 + "', 1)", None), ("zeroblob(17 << 20)", 'too big'),
            ("%s LIKE substr(%s, 1, 300)" % (long, half), 'too complex'), ("json_patch('{}', '{}')", 'not authorized')):
        text, failed, _ = ask.call('sql', capture='tiny.utrace', statement='SELECT %s AS n' % expression)
        # printf of what is too long is NULL, in SQLite as in others
        result.true('%.60s: %.300s' % (expression, text), (cause or 'too big') in text if failed else not cause and text['result']['rows'] == [[None]])


def check_search_functions(result, ask):
    """instr, replace and trim are those of SQLite in another program."""
    other, letters = sqlite3.connect(':memory:'), random.Random(1)

    def text(most):
        return "'%s'" % ''.join(letters.choice('aab\u00e4\u20ac\U0001f600') for _ in range(letters.randrange(most)))
    odd = ('NULL', '12', '1.5', "x'6161'", "x'61'", "x''", "''")
    for _ in range(300):
        a, b, c = (letters.choice(odd) if letters.randrange(8) == 0 else text(most) for most in (14, 4, 4))
        sql = 'SELECT ' + ', '.join('%s AS c%d' % pair for pair in ((expression, i) for i, expression in enumerate((
            'instr(%s, %s)' % (a, b), 'replace(%s, %s, %s)' % (a, b, c), 'trim(%s, %s)' % (a, b), 'ltrim(%s, %s)' % (a, b),
            'rtrim(%s, %s)' % (a, b), 'trim(%s)' % a, "ltrim(' ' || %s)" % a, "rtrim(%s || '  ')" % a))))
        answer, failed, _ = ask.call('sql', capture='tiny.utrace', statement=sql)
        wanted = [list(row) for row in other.execute(sql)]
        result.true('%s: %.300s, not %s' % (sql, answer, wanted), not failed and answer['result']['rows'] == wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    run, fixtures = report.Report(), options.fixtures.resolve()
    with tempfile.TemporaryDirectory() as directory:
        outside, inside = pathlib.Path(directory) / 'outside.utrace', pathlib.Path(directory) / 'inside'
        outside.write_bytes((fixtures / 'tiny.utrace').read_bytes())
        inside.mkdir()
        os.symlink(outside, inside / 'link.utrace')
        (inside / 'tiny.utrace').write_bytes((fixtures / 'tiny-ue5.0.utrace').read_bytes())
        os.utime(inside / 'tiny.utrace', (4000000000, 4000000000))
        ask = client.Client([str(options.bin / 'tracekit'), 'mcp', str(fixtures), str(inside)])
        run.run('tools', check_tools, ask)
        run.run('schemas', check_schemas, ask)
        run.run('questions', check_questions, ask, fixtures)
        for name in ('tiny', 'tiny-ue5.0'):
            run.run('truth of ' + name, check_truth, ask, Truth(fixtures, name))
        run.run('outside', check_outside, ask, fixtures, outside)
        run.run('listed', check_listed, ask, fixtures, inside)
        run.run('names', check_names, ask)
        run.run('compared', check_compared, ask)
        run.run('call tree', check_tree, ask, Truth(fixtures, 'tiny'))
        run.run('sizes', check_sizes, ask)
        run.run('hostile', check_hostile, ask)
        run.run('long texts', check_long_texts, ask)
        run.run('functions that search', check_search_functions, ask)
        run.run('the end', lambda result: result.equal('status', ask.close(), (0, '')))
        for version, reported in (('2025-11-25', '2025-11-25'), ('2025-06-18', '2025-06-18'), ('2025-03-26', '2025-03-26'),
                              ('1999-01-01', '2025-11-25')):
            other = client.Client([str(options.bin / 'trace-mcp'), str(inside)], version)
            run.run('version ' + version, lambda result: result.equal('version', other.server['protocolVersion'], reported))
            other.close()
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
