#!/usr/bin/env python3
"""tracekit mcp while a tool works: pings are answered, calls are cancelled, progress is sent to those who want it.

usage: check_serving.py --bin DIRECTORY FIXTURES
"""

import argparse
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import client  # noqa: E402
import report  # noqa: E402

LONG = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t'
SHORT = 'SELECT 1 AS n'


def send_call(ask, number, statement, token=None):
    params = {'name': 'sql', 'arguments': {'capture': 'tiny.utrace', 'statement': statement}}
    if token is not None:
        params['_meta'] = {'progressToken': token}
    ask.send({'jsonrpc': '2.0', 'id': number, 'method': 'tools/call', 'params': params})


def cancel(ask, number):
    ask.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': number, 'reason': 'test'}})


def ping(ask, number):
    """Milliseconds to its answer, which is the next message."""
    begun = time.monotonic()
    ask.send({'jsonrpc': '2.0', 'id': number, 'method': 'ping'})
    answer = ask.receive()
    assert answer == {'jsonrpc': '2.0', 'id': number, 'result': {}}, answer
    return (time.monotonic() - begun) * 1e3


def check_pings(result, ask):
    send_call(ask, 'long', LONG)
    times = sorted(ping(ask, i) for i in range(20))
    result.true('the median of pings takes %.1f ms' % times[10], times[10] < 50)
    cancel(ask, 'long')
    send_call(ask, 'next', SHORT)
    begun = time.monotonic()
    result.equal('the cancelled one has no answer', ask.receive()['id'], 'next')
    result.true('it stopped at once', time.monotonic() - begun < 5)


def check_cancelled(result, ask):
    """Calls that wait are cancelled, too; what is not known is ignored."""
    for number in range(100, 104):
        send_call(ask, number, LONG if number == 100 else SHORT)
    cancel(ask, 102)
    cancel(ask, '101')
    cancel(ask, 7777)
    cancel(ask, 100)
    result.equal('answers', [ask.receive()['id'] for _ in range(2)], [101, 103])
    cancel(ask, 103)
    result.true('after its answer', ping(ask, 104) < 5000)


def check_progress(result, ask):
    """Numbers that grow, with the token of the call, and nothing behind the answer."""
    send_call(ask, 200, LONG, 'token')
    messages = [ask.receive() for _ in range(4)]
    cancel(ask, 200)
    send_call(ask, 201, SHORT, 9)
    while (last := ask.receive()).get('id') != 201:
        messages.append(last)
    result.equal('methods', {m['method'] for m in messages}, {'notifications/progress'})
    result.equal('tokens', {m['params']['progressToken'] for m in messages}, {'token'})
    values = [m['params']['progress'] for m in messages]
    result.equal('growing', values, sorted(set(values)))
    send_call(ask, 202, LONG)
    time.sleep(1)
    result.true('no progress for who does not want it', ping(ask, 203) >= 0)
    cancel(ask, 202)


def check_end(result, ask):
    """What was asked is answered when no more requests come."""
    for number in range(300, 303):
        send_call(ask, number, SHORT)
    ask.process.stdin.close()
    result.equal('answers', [ask.receive()['id'] for _ in range(3)], [300, 301, 302])
    result.equal('nothing else', ask.process.stdout.read(), b'')
    result.equal('status', ask.process.wait(), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    run = report.Report()
    ask = client.Client([str(options.bin / 'tracekit'), 'mcp', str(options.fixtures)])
    for name, check in (('pings', check_pings), ('cancelled', check_cancelled), ('progress', check_progress), ('the end', check_end)):
        run.run(name, check, ask)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
