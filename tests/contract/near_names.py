"""What somebody mistyped, and what the commands then name: options, commands, and every kind of name that a capture, a
budget or the commands themselves have."""

import json

COMMANDS = ('trace-info', 'trace-events', 'trace-stats', 'trace-export', 'trace-diff', 'trace-check', 'trace-trend',
            'trace-baseline', 'trace-edit', 'trace-query', 'trace-mcp')

# Words behind the command and capture, and what the message has to name.
CAPTURE = (
    ('trace-stats --table timrs', 'timers'),
    ('trace-stats --table timers --columns tmer', 'timer'),
    ('trace-stats --table timers --sort cuont', 'count'),
    ('trace-stats --format cvs', 'csv'),
    ('trace-stats --unit mss', 'ms'),
    ('trace-stats --color allways', 'always'),
    ('trace-stats --by thred', 'thread'),
    ('trace-stats --thread GamThread', 'GameThread'),
    ('trace-stats --timer UWrld::Tick', 'UWorld::Tick'),
    ('trace-stats --callers UWorld::Tik', 'UWorld::Tick'),
    ('trace-stats --histogram UWorld::Tik', 'UWorld::Tick'),
    ('trace-stats --limit timrs=3', 'timers'),
    ('trace-events Cpuprofiler.EventSpek', 'CpuProfiler.EventSpec'),
    ('trace-events --columns tme', 'time'),
    ('trace-events --order tme', 'time'),
    ('trace-export --format sqllite', 'sqlite'),
    ('trace-export --preset insihts', 'insights'),
    ('trace-export --preset tracy --table zonse', 'zones'),
    ('trace-export --format csv --table tmers', 'timers'),
    ('trace-export --format csv --table timers --columns timr', 'timer'),
    ('trace-export --format folded --weight cuont', 'count'),
    ('trace-export --format chrome --args al', 'all'),
)
RUNS = (('trace-diff --report markdwn', 'markdown'), ('trace-check --budget {budget} --report junt', 'junit'))
BUDGETS = (({'kind': 'frame', 'name': 'p99', 'eror': 1}, 'error'), ({'kind': 'timr', 'name': 'x', 'error': 1}, 'timer'))
ALONE = (('tracekit statz', 'stats'), ('tracekit --versoin', '--version'))


def calls(capture, baseline, work):
    """(words, what has to be named) of every mistake."""
    for name in COMMANDS:
        yield [name, '--strct', capture], '--strict'
    for line, wanted in CAPTURE:
        name, *words = line.split()
        yield [name, capture, *words], wanted
    for number, (budget, wanted) in enumerate(BUDGETS):
        path = work / ('%d.json' % number)
        path.write_text(json.dumps({'budgets': [budget]}))
        yield ['trace-check', baseline, '--budget', path], wanted
    for line, wanted in RUNS:
        name, *words = line.format(budget=path).split()
        yield [name, baseline, *([baseline] if name == 'trace-diff' else []), *words], wanted
    for line, wanted in ALONE:
        yield line.split(), wanted
