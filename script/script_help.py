"""What scripts answer before they do anything else; help.sh is the same for those of the shell."""

import pathlib
import re
import sys


def answer(doc):
    """--help prints the first comment of the script; an option that the comment does not name is refused."""
    name = 'script/' + pathlib.Path(sys.argv[0]).name
    named = set(re.findall(r'(?<![\w-])--?[a-z][a-z-]*', doc))
    for word in sys.argv[1:]:
        if word in ('-h', '--help'):
            print(doc.strip())
            sys.exit(0)
        if re.match(r'-[^\d]', word) and word.split('=')[0] not in named:
            print("%s: there is no option '%s'; %s --help names those that there are" % (name, word, name), file=sys.stderr)
            sys.exit(2)
