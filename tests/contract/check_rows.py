#!/usr/bin/env python3
"""--where against the same conditions requested here of all rows: random columns, operators and values of many tables."""
import argparse
import json
import os
import random
import subprocess
import sys

SEVERITIES = ['nologging', 'fatal', 'error', 'warning', 'display', 'log', 'verbose', 'veryverbose']


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows_of(bin_dir, capture, table, conditions=()):
    command = [os.path.join(bin_dir, 'trace-stats'), capture, '-t', table, '-f', 'ndjson', '--quiet']
    for condition in conditions:
        command += ['--where', condition]
    done = run(command)
    if done.returncode not in (0, 4):
        raise SystemExit(f'{" ".join(command)}: {done.returncode}: {done.stderr}')
    return [line for line in done.stdout.splitlines() if line]


def number_condition(rng, column, value, kind):
    """A condition on a number, as text and as a function of a row."""
    sign = rng.choice(['=', '!=', '<', '<=', '>', '>='])
    text = f'{value}ns' if kind in ('time', 'duration') else f'{value}'
    order = {'=': lambda a: a == value, '!=': lambda a: a != value, '<': lambda a: a < value,
             '<=': lambda a: a <= value, '>': lambda a: a > value, '>=': lambda a: a >= value}[sign]
    if sign == '!=':
        return f'{column}{sign}{text}', lambda row: row.get(column) is None or order(row[column])
    return f'{column}{sign}{text}', lambda row: row.get(column) is not None and order(row[column])


def text_condition(rng, column, value):
    sign = rng.choice(['=', '!=', '~', '!~'])
    if sign in '=!=':
        return f'{column}{sign}{value}', lambda row: (row.get(column) == value) == (sign == '=')
    part = value[len(value) // 3:len(value) // 3 + 4]
    fold = part == part.lower()

    def holds(row):
        text = row.get(column) or ''
        return (part in (text.lower() if fold else text)) == (sign == '~')
    return f'{column}{sign}{part}', holds


def severity_condition(rng, column, value):
    at = SEVERITIES.index(value.lower())
    return f'{column}<={value.lower()}', lambda row: SEVERITIES.index(row[column].lower()) <= at


def usable(value):
    """Texts that stand for themselves as patterns, in an ASCII that needs no thought about case."""
    return isinstance(value, str) and len(value) > 6 and value.isascii() and \
        not any(c in value for c in '*?|[]') and value.strip() == value and any(c.isupper() for c in value)


def condition(rng, rows, kinds):
    column = rng.choice(sorted(kinds))
    values = [row[column] for row in rows if row.get(column) is not None]
    if not values:
        return None
    value = rng.choice(values)
    if column == 'verbosity':
        return severity_condition(rng, column, value)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, int):
        return number_condition(rng, column, value, kinds[column])
    return text_condition(rng, column, value) if usable(value) else None


def kinds_of(bin_dir, table):
    done = run([os.path.join(bin_dir, 'trace-stats'), '--list', table, '-f', 'ndjson'])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row['column']: row['kind'] for row in rows if row.get('column') and row.get('shown') is None}


def check(args, rng, capture, table):
    lines = rows_of(args.bin, capture, table)
    rows = [json.loads(line) for line in lines]
    if not rows:
        return 0, 0
    kinds = {column: kind for column, kind in kinds_of(args.bin, table).items()
             if kind in ('integer', 'time', 'duration', 'size', 'text') and column in rows[0]}
    made = [c for c in (condition(rng, rows, kinds) for _ in range(6)) if c][:rng.choice([1, 1, 2])]
    if not made:
        return 0, 0
    want = [line for line, row in zip(lines, rows) if all(holds(row) for _, holds in made)]
    got = rows_of(args.bin, capture, table, [text for text, _ in made])
    if got == want:
        return 1, 0
    print(f'{capture} {table} {[text for text, _ in made]}: {len(got)} rows, expected {len(want)} of {len(lines)}')
    return 1, 1


def check_frames(args, rng, capture):
    """--frames with lists and ranges in any order against the numbers of all rows."""
    def frames(*options):
        done = run([os.path.join(args.bin, 'trace-stats'), capture, '-t', 'frames', '-f', 'ndjson', '-q', *options])
        return [row for row in map(json.loads, done.stdout.splitlines()) if row['type_id'] == 0]
    rows, bad = frames(), 0
    for _ in range(8):
        ranges = [sorted(rng.choices(range(len(rows)), k=2)) for _ in range(rng.randint(1, 4))]
        text = ','.join(rng.choice([f'{a}-{b}', f'{a}..{b}']) if a != b else str(a) for a, b in ranges)
        want = [row for row in rows if any(a <= row['frame'] <= b for a, b in ranges)]
        if frames('--frames', text) != want:
            print(f'--frames {text} of {len(rows)} frames')
            bad += 1
    return bad


def check_sentences(args, capture):
    """What is wrong is said, with status 2; no row is no fault."""
    bad = 0
    for options, status, words in (
            (['-t', 'logs', '--where', 'nope=1'], 2, "no column 'nope'; it has"),
            (['-t', 'logs', '--where', 'time>5'], 2, 'a unit'),
            (['-t', 'logs', '--where', 'text'], 2, 'is not a condition'),
            (['-t', 'logs', '--where', 'timers.count>5'], 2, 'not requested'),
            (['-t', 'logs', '--where', 'text=no such text'], 0, '0 of '),
            (['--log', 'no such text'], 0, '0 of '),
            (['--save', os.devnull, '--where', 'count>5'], 2, 'whole tables')):
        done = run([os.path.join(args.bin, 'trace-stats'), capture] + options)
        if done.returncode != status or words not in done.stderr:
            print(f'{options}: status {done.returncode}, {done.stderr!r}')
            bad += 1
    return bad


def check_info(args, capture):
    """trace-info shows the tables with such a column, and of them the threads that the capture was written with."""
    truth = json.load(open(capture.replace('.utrace', '.truth.json'), encoding='utf-8'))
    names = [t['name'] for t in truth['threads']]
    done = run([os.path.join(args.bin, 'trace-info'), capture, '-q', '--where', f'thread={names[0]}'])
    got = {name for name in names if name in done.stdout}
    bad = 0
    if done.returncode or done.stdout.split()[0] != 'threads' or got != {names[0]} or 'channels' in done.stdout:
        print(f'trace-info --where: status {done.returncode}, {done.stdout!r}')
        bad += 1
    done = run([os.path.join(args.bin, 'trace-info'), capture, '-q', '--where', 'nope=1'])
    if done.returncode != 2 or 'nope' not in done.stderr or done.stdout:
        print(f'trace-info --where nope=1: status {done.returncode}, {done.stderr!r}')
        bad += 1
    return bad


def check_operands(args, capture):
    """A value that was meant for the option in front of it is no capture, and that is said."""
    bad = 0
    for operands, words in ((['--hitches', '33'], "'33' is not a file; join the value of an option to it: --hitches=33"),
                            ([capture], 'one capture at a time'), (['--tree', 'GameThread'], "'GameThread' is not a file")):
        done = run([os.path.join(args.bin, 'trace-stats'), capture] + operands)
        if done.returncode != 2 or words not in done.stderr:
            print(f'{operands}: status {done.returncode}, {done.stderr!r}')
            bad += 1
    return bad


def check_list(args, capture):
    """Every form of --list that a person types lists tables; what is neither a table nor a file is named."""
    bad = 0
    for operands, table in ((['--list'], None), (['--list', 'frames'], 'frames'), (['--list=frames,logs'], 'frames'),
                            ([capture, '--list'], None), (['--list', capture], None), ([capture, '--list', 'frames'], 'frames'),
                            (['-l', 'frames'], 'frames'), (['--list', '-t', 'frames'], 'frames')):
        done = run([os.path.join(args.bin, 'trace-stats')] + operands + ['-f', 'csv'])
        tables = {line.split(',')[0] for line in done.stdout.splitlines()[1:]}
        if done.returncode or (tables - {'logs'} != {table} if table else len(tables) < 50) or \
                (capture in operands) != ('same for every capture' in done.stderr):
            print(f'{operands}: status {done.returncode}, {len(tables)} tables, {done.stderr!r}')
            bad += 1
    done = run([os.path.join(args.bin, 'trace-stats'), '--list', 'no.such'])
    if done.returncode != 2 or "there is no table 'no.such'" not in done.stderr:
        print(f'--list no.such: status {done.returncode}, {done.stderr!r}')
        bad += 1
    return bad


def check_idle_threads(args):
    """Threads without scopes are a line for people, and rows for programs."""
    command = [os.path.join(args.bin, 'trace-stats'), os.path.join(args.fixtures, 'threads.utrace'), '-t', 'threads']
    rows = [json.loads(line) for line in run(command + ['-f', 'ndjson']).stdout.splitlines()]
    idle = [row['thread'] for row in rows if not row['scopes'] and not row['open']]
    done = run(command)
    shown = done.stdout.splitlines()[2:]
    if not idle or len(idle) == len(rows) or len(shown) != len(rows) - len(idle) or \
            f'threads: {len(idle)} without scopes: ' not in done.stderr or any(name not in done.stderr for name in idle[:8]):
        print(f'threads: {len(rows)} rows, {len(idle)} idle, {len(shown)} shown, {done.stderr!r}')
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True)
    parser.add_argument('--times', type=int, default=60)
    parser.add_argument('fixtures')
    args = parser.parse_args()
    rng = random.Random(7)
    captures = [os.path.join(args.fixtures, name) for name in ('tiny.utrace', 'net.utrace', 'old-p4-tid.utrace')]
    tables = ['timers', 'scopes', 'logs', 'frames', 'threads', 'event_counts', 'regions', 'net_packets']
    asked = wrong = 0
    for _ in range(args.times):
        a, w = check(args, rng, rng.choice(captures), rng.choice(tables))
        asked, wrong = asked + a, wrong + w
    wrong += check_sentences(args, captures[0]) + check_frames(args, rng, captures[0]) + check_info(args, captures[0])
    wrong += check_operands(args, captures[0]) + check_list(args, captures[0]) + check_idle_threads(args)
    print(f'{asked} questions, {wrong} wrong')
    return 0 if wrong == 0 and asked >= args.times // 3 else 1


if __name__ == '__main__':
    sys.exit(main())
