"""The command line of checks that make their captures by seeds, with the symbol files of a folder."""
import argparse
import pathlib

import commands
import report


def main(doc, check, seeds):
    """check(result, tools, maker, symbols, seed) for each seed; the exit status."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bin', required=True)
    parser.add_argument('--maker', required=True)
    parser.add_argument('--seeds', type=int, default=seeds)
    parser.add_argument('folder', type=pathlib.Path)
    arguments = parser.parse_args()
    tools = commands.Commands(arguments.bin)
    found = report.Report()
    for seed in range(arguments.seeds):
        found.run('seed %d' % seed, check, tools, arguments.maker, arguments.folder / 'symbols', seed)
    return found.close()
