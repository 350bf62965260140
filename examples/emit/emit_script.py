#!/usr/bin/env python3
"""A script that counts words: TRACEKIT_EMIT=script.utrace PYTHONPATH=emit/python ./emit_script.py [TURNS]"""

import collections
import sys

import tracekit_emit as tke


@tke.traced
def count(text):
    return collections.Counter(text.split())


def main():
    tke.start()
    tke.thread_name('Main')
    words = collections.Counter()
    for turn in range(int(sys.argv[1]) if len(sys.argv) > 1 else 100):
        with tke.scope('turn'):
            words += count('one two three ' * (turn + 1))
            tke.counter('words', sum(words.values()))
    tke.log('LogWords', '%d words' % sum(words.values()))
    tke.stop()


if __name__ == '__main__':
    main()
