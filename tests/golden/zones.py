"""What must be on the pages about a .tracy; see facts.py."""

import csv
import fractions

import facts
from facts import Table, exactly


class Zones(facts.Facts):
    """A .tracy with the zones that the profiler's own csvexport printed; zones of no length are in none of them."""
    frequency, start = 10 ** 9, 0

    def table_file(self, options):
        del options
        return Table((), [{'format': 'tracy', 'bytes': exactly(len(self.data)), 'truncated': False,
                           'version': self.path.stem.split('-')[1], 'compression': 'zstd'}],
                     ('container', 'streams', 'blocks'))

    def table_timers(self, options):
        del options
        own = {(row['name'], row['src_line']): int(row['total_ns']) for row in self.rows('-self')}
        rows = []
        for row in self.rows(''):
            count, total = int(row['counts']), int(row['total_ns'])
            rows.append({'timer': row['name'], 'kind': 'zone', 'file': row['src_file'],
                         'line': exactly(int(row['src_line'])), 'count': exactly(count),
                         'total': self.span(total), 'min': self.span(int(row['min_ns'])),
                         'max': self.span(int(row['max_ns'])), 'excl': self.span(own[row['name'], row['src_line']]),
                         'mean': exactly(fractions.Fraction(total, count))})
        return Table(('timer', 'line'), rows, ('open', 'incl', 'working', 'sources', 'places', *facts.PERCENTILES), lambda row: row['count'] == '0')

    def rows(self, kind):
        """csvexport quotes nothing: rows are read from the right."""
        lines = self.path.with_name('%s.csvexport%s.csv' % (self.path.stem, kind)).read_text().splitlines()
        names = next(csv.reader(lines[:1]))
        for line in lines[1:]:
            place, *figures = line.rsplit(',', len(names) - 3)
            yield dict(zip(names, [*place.rsplit(',', 2), *figures]))
