"""The public header with its chapters, which stand in the folder alongside it."""

import pathlib
import re


def chapters(path):
    """(name of a file, its text) of each chapter, in the order of the first numbers in them."""
    files = [(file.name, file.read_text(encoding='utf-8')) for file in pathlib.Path(path).with_suffix('').glob('*.h')]
    return sorted(files, key=lambda file: int(re.search(r'^/\* ---- (\d+) ', file[1], re.M)[1]))


def read(path):
    """The text of tracekit.h and of all chapters behind it."""
    return pathlib.Path(path).read_text(encoding='utf-8') + ''.join(text for _, text in chapters(path))
