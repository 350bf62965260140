#!/usr/bin/env python3
"""Words that were given up do not come back: names of columns, symbols and files, and phrases in messages, help and pages.

usage: check_retired.py --bin DIRECTORY ROOT
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

# Each had another name in another table, or had to be explained.
COLUMNS = ('duration', 'begin', 'size', 'index_', 'callstack', 'heap_name', 'tag_name', 'type_name', 'made_up', 'usual',
           'works', 'moves', 'bad_frames', 'piggyback', 'self_samples', 'told', 'of', 'lacks', 'id', 'header_size')
PHRASES = ('is of no kind that can be read', 'they are in no other figure', 'no time is left to look at', 'smaller changes are none',
           'is what is read, it cannot be written', 'noise is told from', 'taken for an effect of the machine',
           'which would count its noise', 'does not hold its warm-up apart', 'until before this time',
           'all threads laid on each other', 'the mean of what is no longer', 'line by line the same',
           'zones of a thread inside each other', 'there is no run on one of the sides', 'an order that there is not',
           'these columns of the only table, in this', 'what is read of', 'is told apart by',
           'what is there was used', 'a budget is for what is not there', 'nor are changes of timers below',
           'the file of what is accepted', 'where it is looked for', 'which captures do not say',
           'there is no event in it', 'the recorder does not tell', 'of a baseline there is no table', 'and what is beside it hold',
           'blocks of other frames than there are', 'empty where it is not told', 'what is said of runs',
           'has no place for', 'in order of their begins', 'a begin and an end', 'what comes and goes', 'words in place of texts',
           'stand on its head', 'is of application', 'nothing is behind', 'times that are of no use',
           'after so long', 'so many seconds', 'until before B', 'what is read, selected by what', 'is there already and counts once',
           'do not fit what is alive', 'is no way to compress', 'cannot be mended', 'which is taken as freed',
           'nothing but zeros stand', 'that nobody had asked for', 'one behind the other; all',
           'than those that are known saved it', 'is no class of information', 'is no kind of things', 'is no day and no time',
           'the map makes one of two', 'is nothing to expect', 'is nothing to record from',
           'its time is over', 'nothing came any more', 'are in no time', 'is not there; %zu bytes', 'that cannot be; what follows',
           'at the same night', 'by what follows it, says', 'had been given out',
           'memory is out', 'memory was out', 'whoever reads', 'no capture that can be read', 'the request makes no sense', 'the effect of the machine')
SYMBOLS = ('tk_room', 'TK_GATHERS', 'TK_COL_PEOPLE', 'TK_COL_SPARE', 'TK_COL_LEAST', 'TK_BY_PEOPLE', 'tk_walk', 'TK_SPAN', 'tk_span',
           'TK_SLICE_STRAY', 'tk_comparison_worse', 'tk_comparison_unsure', 'tk_trend_worse')
# By the last folder and the name, without an ending: the same word may be right elsewhere.
FILES = ('model/near', 'model/room', 'model/pull', 'model/gather', 'model/carry', 'model/view', 'model/told_waits', 'stats/running',
         'base/live', 'model/alive', 'memory/alive', 'base/whole', 'base/sized', 'base/ahead', 'parallel/ahead', 'base/relay',
         'parallel/relay', 'io/beside', 'output/beside', 'io/pack', 'io/packer', 'io/unpack', 'input/unpack', 'output/pack',
         'output/packer', 'utrace/points', 'utrace/names', 'utrace/row', 'tracy/held', 'tracy/out', 'state/held', 'state/out',
         'lanes/lane_new', 'lanes/lane_old', 'gpu/gpu_old', 'stats/covers', 'stats/stretches', 'stats/part_sums', 'stats/agg',
         'stats/children', 'stats/longest', 'stats/spread', 'compare/test', 'compare/chance', 'compare/made_rows', 'verdict/test',
         'verdict/chance', 'tables/text', 'tables/lines', 'sink/look', 'sink/draw', 'sink/clean', 'sink/single', 'tables/look',
         'drawing/draw', 'encode/clean', 'tables/single', 'sink/viewer', 'timelines/viewer', 'cmd/deep', 'cmd/show', 'cmd/captures')
FOLDERS = ('libtrace', 'cmd', 'man', 'docs')
LITERALS = re.compile(r'(?<!\\)" "(?=\w)|(?<= )" "')  # a text of C in several pieces
ENDINGS = ('.c', '.h', '.md', '.1', '.3', '.5')


def columns(binaries):
    printed = subprocess.run([str(binaries / 'trace-stats'), '--list', '-f', 'ndjson'], check=True, capture_output=True,
                             text=True).stdout
    rows = [json.loads(line) for line in printed.splitlines()]
    return [(row['table'], row['column']) for row in rows if row['column']]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('root', type=pathlib.Path)
    options = parser.parse_args()
    listed = columns(options.bin)
    found = ['table %s has a column %s' % one for one in listed if one[1] in COLUMNS]
    sources = [path for folder in ('libtrace', 'cmd') for path in sorted((options.root / folder).rglob('*.[ch]'))]
    found += ['%s has a name that was given up' % path.relative_to(options.root) for path in sources
              if '%s/%s' % (path.parent.name, path.stem) in FILES]
    words = re.compile(r'\b(%s)\b' % '|'.join(SYMBOLS))
    found += ['%s has %s' % (path.relative_to(options.root), symbol) for path in sources
              for symbol in sorted(set(words.findall(path.read_text(encoding='utf-8'))))]
    files = [path for folder in FOLDERS for path in sorted((options.root / folder).rglob('*'))
             if path.suffix in ENDINGS and 'format' not in path.parts[len(options.root.parts) + 1:]]
    for path in [options.root / 'README.md', *files]:
        text = LITERALS.sub('', ' '.join(path.read_text(encoding='utf-8').split()))
        found += ["%s says '%s'" % (path.relative_to(options.root), phrase) for phrase in PHRASES if phrase in text]
    for one in found:
        print(one)
    print('%d columns, %d files, %d retired words' % (len(listed), len(files), len(found)))
    return 0 if listed and files and not found else 1


if __name__ == '__main__':
    sys.exit(main())
