#!/usr/bin/env python3
"""Checks that each judgement has one implementation: what is a hitch, what the words of studios mean, roles of threads, what
waits, what a timer is, how a comparison ended.

usage: check_judgements.py ROOT

A line outside of the owner of a judgement that looks like a second implementation is a fault: it names threads, waits or
words in patterns, computes with medians of frames, or sets what a frame is. Places that look like one and are none stand in
ELSEWHERE, with the reason; one that is no longer needed is a fault, too.
"""

import pathlib
import re
import sys

SOURCES = ('libtrace', 'cmd', 'emit', 'python', 'extension', 'schemas')
SUFFIXES = {'.c', '.h', '.inc', '.js', '.html', '.py', '.sql'}

# A text between quotes that is one name of a thread or a pattern for some; "game thread" alone is a word of people.
THREADS = r"""["'][*^%]*(?:(?:game|render|rhi|main|audio)threads?|task ?graph|(?:thread)?poolthread|(?:thread ?pool)|rhisubmission|""" \
          r"""(?:foreground |background )?worker)[*$%]*["']|["'][*^%]*(?:game|render|rhi|main|thread pool) ?thread[*$%]+["']"""

# What compares a name with a text, and the texts that a list of waits would have.
COMPARES = r'(?:glob|strn?cmp|strn?casecmp|memcmp|strstr|begins_with|has_word|pattern|match|includes|startswith|test|LIKE|GLOB)'
A_WAIT = r'(?:wait|idle|sleep|stall|vsync|present\b|yield|swap ?buffers|frame ?limit|rate ?limit|framepac|maxtickrate)'
WAITS = (r"""["'][^"' ]*%s[^"' ]*\*["']|["']\*[^"' ]*%s[^"']*["']""" % (A_WAIT, A_WAIT),
         r"""\b%s\w*\([^"']*["']\w*%s\w*["']""" % (COMPARES, A_WAIT), r"""(?:LIKE|GLOB) ["'][^"']*%s""" % A_WAIT)

FRAMES = r'[\w>.-]*(?:median|expected|p50)\w*'
MEDIANS = r'\b%s(?:\(\w*\))?\s*\*\s*[12](?:\.\d{1,2})?f?(?![\d.])|(?<![\d.])[12](?:\.\d{1,2})?f?\s*\*\s*%s' % (FRAMES, FRAMES)
NAMED = '|'.join(('hitches_min', 'hitch_ratio', 'hitch_time', 'low0?1', 'uneven_frames', 'startup_frames', 'startup_hitches',
                  'loading_hitches'))
WORDS = r"""^(?!.*tk_answer_cell\().*["'](?:%s)["']""" % NAMED

GPU_KIND = r'\bTK_TIMER_GPU(?:_WORK|_WAIT)?\b'
KEYS = (r'%s[^;]*\|\|[^;]*%s' % (GPU_KIND, GPU_KIND), r'case TK_TIMER_GPU\b',      # classes of timers
        r'\bis_function\b\s*(?:\?|&&|\|\|)', r'(?:&&|\|\||!|\()\s*(?:\w+(?:->|\.))*is_function\b\s*(?:&&|\|\|)',
        r"""\bname\w*\b[^;]*==\s*':'[^;]*':'|strstr\([^;]*name[^;]*"::"|\bname\.(?:includes|indexOf|split|find|rsplit|partition)\(["']::""",
        r'tk_hash_\w+\([^;]*\b(?:timer|info)(?:->|\.)name', r'GROUP BY[^;"]*\btimer\b[^;"]*\b(?:file|line)\b')

# How comparisons end: words that only outcomes have, and a choice between outcomes by a condition.
ENDS = r'same data|other machines|worse on other machines|not comparable|nothing recorded|no base|nothing in common|below the floors|' \
       r'on one side only|not stored|first night|no regressions?'
OUTCOMES = (r"""["'](?:%s)["']""" % ENDS, r"""[?:]\s*["'](?:unchanged|improved|accepted|inconclusive|regressed|exceeded|crashed)["']""")

RULES = {  # judgement: who owns it, what a second implementation has in it, whether case counts
    'when a frame is a hitch': ('libtrace/judge/hitches', (
        r'\|=\s*TK_FRAME_IS_', MEDIANS, r'HitchFrameTimeThreshold.*\d', r'\b33\.9\b', r'\b60(?:\.0)?\s*/\s*33')),
    'the words of studios': ('libtrace/judge/smoothness', (
        WORDS, r'1\.05\s*\*\s*1000|1000(?:\.0)?\s*\*\s*1\.05', r'\bfloor\([^)]*(?:target|fps)[^)]*\)')),
    'roles of threads': ('libtrace/judge/work', (THREADS,)),
    'what waits': ('libtrace/judge/work', (*WAITS, r'TK_TIMER_GPU_WAIT\s*\|\|')),
    'what a timer is': ('libtrace/judge/timer_key', KEYS),
    'how a comparison ended': ('libtrace/judge/outcomes', OUTCOMES),
}

ELSEWHERE = {  # (file, judgement): why it is no second implementation
    ('libtrace/night/night.h', 'the words of studios'): 'names of its columns',
    ('libtrace/query/query_fields.h', 'the words of studios'): 'the field of a query that says whether they count',
    ('libtrace/compare/report/budget_report.c', 'how a comparison ended'): 'levels of budgets, which runs with a flaw do not have',
    ('libtrace/compare/report/report_html.c', 'how a comparison ended'): 'a class of its style',
    ('libtrace/compare/report/report_sides.c', 'how a comparison ended'): 'a line about one run',
    ('libtrace/format/events/names.c', 'what a timer is'): 'which definitions of a file are one, for which the place counts',
    ('libtrace/trend/report/trend_html.c', 'how a comparison ended'): 'a class of its style',
    ('libtrace/trend/report/trend_words.c', 'how a comparison ended'): 'the heading of a section',
    ('libtrace/edit/anonymise/public_words.c', 'roles of threads'): 'words of the engine that everybody knows, which stay readable',
    ('libtrace/edit/utrace/cut/cut_classes.c', 'what waits'): 'types of events, of which a cut keeps some',
    ('libtrace/format/utrace/families/marks/csv_series.c', 'roles of threads'): 'names that the CSV profiler gives to series',
    ('libtrace/format/utrace/families/marks/fam_thread.c', 'roles of threads'): 'names that the protocol gives to threads without one',
    ('libtrace/model/frames/frame_classes.c', 'when a frame is a hitch'): 'marks the frames in regions that tk_region_loads names',
    ('libtrace/model/timers/threads.c', 'roles of threads'): 'groups of threads of the engine, in its order',
}


def looks(text, patterns):
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def code_of(path):
    """Numbered lines without comments."""
    text = path.read_text(encoding='utf-8', errors='replace')
    if path.suffix in {'.c', '.h', '.inc', '.js'}:
        text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m.group().count('\n'), text, flags=re.DOTALL)
        text = re.sub(r'(?m)(?<![:"\'])//.*$', '', text)
    return enumerate(text.splitlines(), 1)


def faults_of(name, lines):
    """(judgement, line number, line) of what looks like a second implementation in the file `name`."""
    for number, line in lines:
        for judgement, (owner, patterns) in RULES.items():
            if not name.startswith(owner + '.') and looks(line, patterns):
                yield judgement, number, line.strip()


def main():
    root = pathlib.Path(sys.argv[1])
    faults, needed, files = [], set(), 0
    for folder in SOURCES:
        for path in sorted((root / folder).rglob('*')):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            files += 1
            name = path.relative_to(root).as_posix()
            for judgement, number, line in faults_of(name, code_of(path)):
                if (name, judgement) in ELSEWHERE:
                    needed.add((name, judgement))
                else:
                    faults.append('%s:%d: looks like a second implementation of "%s": %.90s' % (name, number, judgement, line))
    faults += ['%s, "%s": nothing there looks like one: remove it from ELSEWHERE' % one for one in sorted(set(ELSEWHERE) - needed)]
    for owner, _ in RULES.values():
        faults += [] if (root / (owner + '.c')).is_file() else [owner + '.c: is not there']
    faults += [] if files > 500 else ['only %d files were looked at' % files]
    print('\n'.join(faults) or '%d files, %d judgements' % (files, len(RULES)))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
