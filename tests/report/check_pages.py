#!/usr/bin/env python3
"""Pages of trace-diff and trace-check: their figures against the JSON reports, names as text, no script, no request.

usage: check_pages.py --bin DIRECTORY --hostile PROGRAM FIXTURES
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'harness')]
import commands  # noqa: E402
import page      # noqa: E402
import report    # noqa: E402

page.ELEMENTS.update('details summary svg g rect line circle path text polyline'.split())
NAMES = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<svg onload=alert(1)>', "' onmouseover='x", '</title>']


def check_static(result, shown):
    """What holds for pages without a script."""
    for fault in shown.faults:
        result.true(fault, False)
    result.equal('scripts', shown.scripts + list(shown.blocks), [])
    result.equal('policies', len(shown.policies), 1)
    result.true('the policy has a script', 'script-src' not in shown.policies[0])
    result.equal('hash of the style', [page.digest(text) for text in shown.styles], shown.allowed('style'))


def number(cell):
    return None if cell[0] in (None, 'null') else float(cell[0])


def near(got, wanted):
    return (got is None) == (wanted is None) and (got is None or abs(got - wanted) <= 1e-6 * abs(wanted))


def reports(result, tools, work, command, *arguments):
    """The page and the JSON of one comparison, with the status."""
    html, plain = work / 'page.html', work / 'plain.json'
    done = tools.run(command, *arguments, '--report', 'html=%s' % html, '--report', 'json=%s' % plain)
    result.true(done.describe(), done.status in (0, 1))
    text = html.read_text(encoding='utf-8')
    shown = page.Page(text)
    check_static(result, shown)
    return shown, json.loads(plain.read_text(encoding='utf-8')), text


def check_diff(result, tools, fixtures, work):
    shown, plain, text = reports(result, tools, work, 'trace-diff', fixtures / 'baseline-v1-a.tkb', '--vs', fixtures / 'baseline-v1-b.tkb')
    changes = plain['changes']
    for verdict in ('regressed', 'improved', 'added', 'removed', 'renamed', 'inconclusive'):
        wanted = [c for c in changes if c['verdict'] == verdict]
        table = shown.table(verdict)
        result.equal('a table of ' + verdict, table is not None, bool(wanted))
        if not wanted:
            continue
        for row, change in zip(table.rows, wanted):
            what = row[1][1]
            result.true('%r instead of %r' % (what, change['name']), what.startswith(change['name']))
            result.true('%s before: %r' % (what, row[2]), near(number(row[2]), change['baseline']))
            result.true('%s after: %r' % (what, row[3]), near(number(row[3]), change['candidate']))
    result.equal('percentiles', [row[1][1].split('frame')[0] for row in shown.table('frames').rows if 'hitches' not in row[1][1]],
                 [c['name'] for c in changes if c['kind'] == 'frame'])
    for change in changes:
        runs = change.get('baseline_runs')
        if change['kind'] == 'frame' and runs:
            mean = sum(runs) / len(runs)
            result.true('mean of the runs of %s: %r' % (change['name'], mean), near(round(mean, 9), change['baseline'])
                        or abs(mean - change['baseline']) < 1e-5 * mean)
    folded = tools.run('trace-diff', fixtures / 'baseline-v1-a.tkb', '--vs', fixtures / 'baseline-v1-b.tkb', '--report', 'folded').out
    result.equal('a flame graph where there are paths', 'Calls of both sides' in text, bool(folded.strip()))
    again = work / 'again.html'
    tools.run('trace-diff', fixtures / 'baseline-v1-a.tkb', '--vs', fixtures / 'baseline-v1-b.tkb', '--report', 'html=%s' % again)
    result.true('other bytes the second time', again.read_text(encoding='utf-8') == text)


def check_budgets(result, tools, fixtures, work):
    budget = work / 'budget.json'
    budgets = [{'kind': 'frame', 'name': 'p50', 'error': 1000}, {'kind': 'frame', 'name': 'max', 'error': 0.001}]
    budgets += [{'kind': 'timer', 'name': name, 'error': 1} for name in NAMES]
    budget.write_text(json.dumps({'budgets': budgets}), encoding='utf-8')
    shown, plain, _ = reports(result, tools, work, 'trace-check', fixtures / 'baseline-v1-a.tkb', '--budget', budget)
    rows = shown.table('budgets').rows
    order = {'error': 0, 'warning': 1, 'missing': 2, 'passed': 3}
    wanted = sorted(plain['budgets'], key=lambda b: order[b['verdict']])
    result.equal('budgets', len(rows), len(wanted))
    for row, b in zip(rows, wanted):
        result.true('%r instead of %r' % (row[1][1], b['name']), row[1][1].startswith(b['name']))
        result.true('verdict of %s' % b['name'], row[0][1].endswith(b['verdict']))
        result.true('value of %s: %r' % (b['name'], row[2]), near(number(row[2]), b['value']))


def check_hostile(result, tools, hostile, work):
    names, captures = work / 'names', [work / ('%d.utrace' % i) for i in range(2)]
    for i, capture in enumerate(captures):
        names.write_text(''.join(name.encode('utf-8').hex() + '\n' for name in NAMES + ['run %d' % i]))
        subprocess.run([hostile, names, capture], check=True)
    html = work / 'hostile.html'
    done = tools.run('trace-diff', *captures, '--report', 'html=%s' % html)
    if done.status in (0, 1):
        check_static(result, page.Page(html.read_text(encoding='utf-8')))
    else:
        result.true(done.describe(), done.status == 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path, help='the directory of the commands')
    parser.add_argument('--hostile', required=True, type=pathlib.Path, help='writes a capture of names')
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    tools, run = commands.Commands(options.bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run.run('diff', check_diff, tools, options.fixtures, work)
        run.run('check', check_budgets, tools, options.fixtures, work)
        run.run('hostile names', check_hostile, tools, options.hostile, work)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
