#!/usr/bin/env python3
"""The forty questions of tests/agent/questions.py through the SDK of the Model Context Protocol.

usage: mcp.py --bin DIRECTORY --drivers DIRECTORY --work DIRECTORY FIXTURES
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'tests' / 'agent'))
import check_mcp  # noqa: E402
import questions  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('bin', 'drivers', 'work'):
        parser.add_argument('--' + name, required=True, type=pathlib.Path)
    parser.add_argument('fixtures', type=pathlib.Path)
    options = parser.parse_args()
    requested = list(questions.all_of(options.fixtures))
    calls = ''.join(json.dumps({'name': tool, 'arguments': arguments}) + '\n' for _, (tool, arguments, *_), _ in requested)
    out = subprocess.run(['node', options.drivers / 'mcp.mjs', options.work / 'node_modules', options.bin / 'trace-mcp', options.fixtures],
                         input=calls.encode(), stdout=subprocess.PIPE, check=True).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    wrong = len(requested) - len(answers)
    for (question, (_, _, *what), truth), answer in zip(requested, answers):
        if answer.get('isError') or 'structuredContent' not in answer:
            print('FAILED %s %.300s' % (question, answer))
            wrong += 1
        elif check_mcp.rows_of(answer['structuredContent'], *what) != truth:
            print('FAILED %s %.300s' % (question, answer['structuredContent']))
            wrong += 1
    print('%d questions, %d failed' % (len(requested), wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
