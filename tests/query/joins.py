"""Questions about several captures, made at random: joins, groups, subqueries and sets, over tables with a capture_id."""

import random
import sqlite3

import questions
from questions import name, quote

# How rows of two tables belong together, in addition the capture: conditions on the aliases a and b.
PAIRS = (
    ('scopes', 'scopes', 'b.scope_id = a.parent_id'),
    ('scopes', 'threads', 'b.thread_id = a.thread_id'),
    ('scopes', 'timers', 'b.timer = a.timer'),
    ('timers', 'timers', 'b.timer = a.timer'),
    ('timers', 'scopes', 'b.timer = a.timer AND b.dur >= a.median'),
    ('threads', 'threads', 'b.thread = a.thread'),
    ('threads', 'scopes', 'b.thread_id = a.thread_id AND b.depth = 0'),
    ('frames', 'scopes', 'b.start >= a.start AND b.start < a."end" AND b.depth = 0'),
    ('frames', 'frames', 'b.frame = a.frame + 1 AND b.type_id = a.type_id'),
    ('regions', 'frames', 'b.start BETWEEN a.start AND a."end"'),
    ('bookmarks', 'logs', 'b.time >= a.time'),
    ('logs', 'threads', 'b.thread_id = a.thread_id'),
    ('logs', 'scopes', 'b.thread_id = a.thread_id AND b.start <= a.time AND b.start + b.dur > a.time'),
    ('counter_values', 'frames', 'b.frame = a.frame AND b.type_id = 0'),
    ('counter_values', 'counter_values', 'b.counter = a.counter AND b.time > a.time'),
    ('events', 'threads', 'b.thread_id = a.thread_id'),
)


def joined(paths):
    """One database with the tables of several exports, each row with the place of its capture."""
    base = sqlite3.connect(':memory:')
    for i, path in enumerate(paths):
        base.execute('ATTACH ? AS c%d' % (i + 1), (str(path),))
    for table, (columns, _) in questions.TABLES.items():
        parts = []
        for i in range(1, len(paths) + 1):
            there = {row[1] for row in base.execute('PRAGMA c%d.table_info("%s")' % (i, table))}
            if there:
                listed = ', '.join(name(c) if c in there else 'NULL AS ' + name(c) for c in columns)
                parts.append('SELECT %d AS capture_id, %s FROM c%d.%s' % (i, listed, i, name(table)))
        if parts:
            base.execute('CREATE TABLE %s AS %s' % (name(table), ' UNION ALL '.join(parts)))
            for column in {'timer', 'thread_id', 'scope_id', 'counter'} & set(columns):
                base.execute('CREATE INDEX "i_%s_%s" ON %s(%s)' % (table, column, name(table), name(column)))
    base.execute('ANALYZE')
    return base


class Maker:
    def __init__(self, base, seed):
        self.random = random.Random(seed)
        there = {row[0] for row in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        filled = {t for t in questions.TABLES if t in there and base.execute('SELECT count(*) FROM ' + name(t)).fetchone()[0]}
        self.one = {t: questions.Maker(base, t, '%s %s' % (seed, t)) for t in filled}
        self.captures = [row[0] for row in base.execute('SELECT DISTINCT capture_id FROM threads ORDER BY 1')]
        self.pairs = [p for p in PAIRS if p[0] in filled and p[1] in filled]
        for maker in self.one.values():
            maker.columns = [c for c in maker.columns if any(v is not None for v in maker.values[c])]
            maker.groups = [c for c in maker.groups if c in maker.columns]

    def condition(self, table, alias, some=False):
        """Of one table; `some`: one that few rows meet."""
        maker = self.one[table]
        column = self.random.choice(maker.columns)
        value = maker.value(column)
        kind = self.random.random()
        at = '%s.%s' % (alias, name(column))
        if kind < 0.2:
            return '%s.capture_id = %d' % (alias, self.random.choice(self.captures))
        if kind < 0.3:
            return '%s.capture_id IN (%s)' % (alias, ', '.join(map(str, self.random.sample(self.captures, 2))))
        if some or kind < 0.6:
            return '%s = %s' % (at, quote(value))
        if kind < 0.7:
            return '%s IN (%s)' % (at, ', '.join(quote(maker.value(column)) for _ in range(3)))
        if kind < 0.8:
            return '%s IS %sNULL' % (at, self.random.choice(['', 'NOT ']))
        return '%s %s %s' % (at, self.random.choice(['<', '<=', '>', '>=', '<>']), quote(value))

    def where(self, *tables):
        parts = [self.condition(t, a) for t, a in tables for _ in range(self.random.choice([0, 0, 1, 1, 2]))]
        return ' WHERE ' + ' AND '.join(parts) if parts else ''

    def number(self, table, alias):
        maker = self.one[table]
        numbers = [c for c in maker.columns if all(isinstance(v, int) or v is None for v in maker.values[c])]
        return '%s.%s' % (alias, name(self.random.choice(numbers))) if numbers else '1'

    def group(self, table, alias):
        groups = self.one[table].groups + ['capture_id']
        return '%s.%s' % (alias, name(self.random.choice(groups)))

    def pair(self):
        a, b, on = self.random.choice(self.pairs)
        kind = self.random.random()
        same = 'b.capture_id = a.capture_id AND ' if kind < 0.75 else 'b.capture_id > a.capture_id AND ' if kind < 0.9 else ''
        return a, b, same + on

    def join(self):
        a, b, on = self.pair()
        how = self.random.choice(['JOIN', 'JOIN', 'LEFT JOIN'])
        source = '%s a %s %s b ON %s%s' % (a, how, b, on, self.where((a, 'a'), (b, 'b')))
        kind = self.random.random()
        if kind < 0.3:
            return 'SELECT count(*), sum(%s), min(%s), max(b.capture_id) FROM %s' % (self.number(a, 'a'), self.number(b, 'b'), source)
        g = self.group(self.random.choice([a]), 'a')
        if kind < 0.6:
            return 'SELECT %s, count(*), count(%s), sum(%s) FROM %s GROUP BY 1' % (g, self.number(b, 'b'), self.number(a, 'a'), source)
        if kind < 0.8:
            h = self.group(b, 'b')
            return 'SELECT %s, %s, count(*), max(%s) FROM %s GROUP BY 1, 2 HAVING count(*) > 1' % (g, h, self.number(b, 'b'), source)
        return 'SELECT DISTINCT a.capture_id, b.capture_id, %s FROM %s' % (g, source)

    def subquery(self):
        a, b, on = self.pair()
        while a in ('scopes', 'events'):    # would be gone through once for each row
            a, b, on = self.pair()
        few = self.where((a, 'a'))
        both = few or ' WHERE 1'
        inner = '%s b WHERE %s' % (b, on)
        kind = self.random.random()
        g = self.group(a, 'a')
        if kind < 0.25:
            return ('SELECT %s, count(*) FROM %s a%s AND %sEXISTS (SELECT 1 FROM %s AND %s) GROUP BY 1'
                    % (g, a, both, self.random.choice(['', 'NOT ']), inner, self.condition(b, 'b')))
        if kind < 0.45:
            limited = "a.capture_id = %d" % self.random.choice(self.captures)
            return ('SELECT %s, sum((SELECT count(*) FROM %s)) FROM %s a%s AND %s GROUP BY 1' % (g, inner, a, both, limited))
        if kind < 0.65:
            column = self.group(b, 'b')
            other = self.random.choice([t for t in self.one if column.split('.')[1].strip('"') in self.one[t].groups + ['capture_id']])
            at = 'a.' + column.split('.')[1]
            return ('SELECT count(*), count(DISTINCT %s) FROM %s a WHERE %s %sIN (SELECT %s FROM %s b%s)'
                    % (at, other, at, self.random.choice(['', 'NOT ']), column, b, self.where((b, 'b'))))
        if kind < 0.8:
            g1, g2 = self.group(a, 'a'), self.group(b, 'b')
            return ('SELECT %s FROM %s a%s %s SELECT %s FROM %s b%s'
                    % (g1, a, few, self.random.choice(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT']), g2, b, self.where((b, 'b'))))
        if kind < 0.9:
            return ('WITH few AS (SELECT a.capture_id AS k, %s AS g, count(*) AS n FROM %s a%s GROUP BY 1, 2) '
                    'SELECT x.g, count(*), sum(x.n + y.n) FROM few x JOIN few y ON y.g IS x.g AND y.k > x.k GROUP BY 1' % (g, a, few))
        return ('SELECT a.capture_id, count(*) FROM %s a%s AND %s > (SELECT avg(%s) FROM %s b WHERE b.capture_id = a.capture_id) GROUP BY 1'
                % (a, both, self.number(a, 'a'), self.number(b, 'b'), b))

    def statement(self):
        """(statement, are its rows in an order)"""
        made = self.join() if self.random.random() < 0.6 else self.subquery()
        if made.startswith('SELECT') and 'GROUP BY 1' in made and self.random.random() < 0.3:
            columns = '1, 2' if 'GROUP BY 1, 2' in made else '1'
            return '%s ORDER BY %s LIMIT %d' % (made, columns, self.random.choice([1, 3, 20])), True
        return made, False
