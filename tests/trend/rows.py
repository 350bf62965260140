"""Events of a history as rows: what trace-trend prints, and what a file found.csv says."""
import csv
import io
import subprocess

FIELDS = ('lo', 'hi', 'until', 'series', 'kind', 'cause')
RATIO = 1e-4    # of the ratio, relative
TIE = 1e-3      # of the ratio of a change that is reported at another night of the same interval
CHANCE = 0.1    # of the chance, which has two digits


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def trend(bin_folder, *arguments):
    """Status, rows and what was said."""
    run = subprocess.run([bin_folder + '/trace-trend', '--open', *arguments, '-f', 'csv'], capture_output=True, text=True)
    return run.returncode, read(run.stdout), run.stderr


def same_number(a, b, share):
    x, y = float(a or 'nan'), float(b or 'nan')
    return abs(x - y) <= share * max(abs(x), abs(y)) or (a == '' and b == '')


def same(a, b, tied):
    """tied: the series has a change at another night."""
    place = a['night'] == b['night'] or int(a['lo'] or 0) <= int(a['night']) <= int(a['hi'] or 0)
    return (all(a[f] == b[f] for f in FIELDS) and place and same_number(a['ratio'], b['ratio'], TIE if tied else RATIO) and
            (tied or same_number(a['p'], b['p'], CHANCE)))


def key(row):
    return row['series'], row['kind'], int(row['lo'] or row['night']), int(row['night'])


def differences(found, wanted):
    """Rows that are not the same, as sentences.

    A night whose value is far beyond the bound of the loss can be on either side of a change at the same cost. The
    reference lets rounding decide; so one change of a history may be reported at another night of its interval."""
    out = []
    found, wanted = sorted(found, key=key), sorted(wanted, key=key)
    ties = [a['series'] for a, b in zip(found, wanted) if a['night'] != b['night']]
    if len(found) != len(wanted):
        out.append('%d rows, and not %d' % (len(found), len(wanted)))
    for a, b in zip(found, wanted):
        if not same(a, b, a['series'] in ties):
            out.append('%s, and not %s' % ([a[f] for f in ('night',) + FIELDS + ('ratio', 'p')],
                                           [b[f] for f in ('night',) + FIELDS + ('ratio', 'p')]))
    if len(ties) > 1:
        out.append('%d changes are told at another night' % len(ties))
    return out
