"""Questions made at random: statements over the tables of a database, with values that its rows have."""

import random

# What statements are made of, by table: columns to compare, to group by, and to select.
TABLES = {
    'scopes': (('thread_id', 'thread', 'timer', 'start', 'dur', 'depth', 'scope_id', 'parent_id'),
               ('timer', 'thread', 'thread_id', 'depth')),
    'timers': (('timer', 'kind', 'line', 'count', 'incl', 'total', 'excl', 'min', 'max', 'median'), ('kind', 'file')),
    'threads': (('thread_id', 'thread', 'group', 'scopes', 'open', 'busy'), ('group',)),
    'frames': (('type_id', 'frame', 'start', 'end', 'dur', 'type'), ('type_id', 'type')),
    'regions': (('name', 'category', 'start', 'end', 'dur', 'thread'), ('category', 'name')),
    'bookmarks': (('time', 'thread', 'text', 'line'), ('thread',)),
    'logs': (('time', 'thread_id', 'thread', 'category', 'verbosity', 'line', 'text'), ('category', 'thread')),
    'counter_values': (('time', 'counter', 'value', 'frame'), ('counter',)),
    'events': (('time', 'thread_id', 'thread', 'event', 'serial', 'offset'), ('event', 'thread')),
    'gpu_scopes': (('queue_id', 'queue', 'timer', 'start', 'dur', 'depth', 'kind'), ('timer', 'kind')),
    'task_rows': (('task_id', 'thread_id', 'launcher_id', 'launched', 'started'), ('thread_id',)),
}


def quote(value):
    if value is None:
        return 'NULL'
    if isinstance(value, bytes):
        return "x'%s'" % value.hex()
    if isinstance(value, str):
        return "'%s'" % value.replace("'", "''")
    return repr(value)


def name(column):
    return '"%s"' % column


class Maker:
    """Makes statements about one table of a database of the export."""

    def __init__(self, base, table, seed):
        self.random = random.Random(seed)
        self.table = table
        there = {row[1] for row in base.execute('PRAGMA table_info("%s")' % table)}
        self.columns = [c for c in TABLES[table][0] if c in there]
        self.groups = [c for c in TABLES[table][1] if c in there]
        rows = base.execute('SELECT %s FROM "%s" ORDER BY random() LIMIT 200'
                            % (', '.join(map(name, self.columns)), table)).fetchall()
        self.values = {c: [row[i] for row in rows] or [None] for i, c in enumerate(self.columns)}

    def value(self, column):
        found = self.random.choice(self.values[column])
        kind = self.random.random()
        if isinstance(found, str):
            return found if kind < 0.8 and '\0' not in found else self.random.choice(['', 'no such name', 'A*', '?|x'])
        if isinstance(found, int):
            return found if kind < 0.7 else found + self.random.choice([-1, 1, 1000, -1000]) if kind < 0.9 else found + 0.5
        if isinstance(found, float):
            return found
        return 0

    def condition(self, depth=0):
        column = self.random.choice(self.columns)
        kind = self.random.random()
        if depth < 2 and kind < 0.3:
            joined = ' AND ' if kind < 0.2 else ' OR '
            return '(%s)' % joined.join(self.condition(depth + 1) for _ in range(self.random.choice([2, 2, 3])))
        if depth < 2 and kind < 0.34:
            return 'NOT ' + self.condition(depth + 1)
        if kind < 0.40:
            return '%s IS %sNULL' % (name(column), self.random.choice(['', 'NOT ']))
        if kind < 0.52:
            return '%s IN (%s)' % (name(column), ', '.join(quote(self.value(column))
                                                           for _ in range(self.random.choice([1, 2, 5]))))
        if kind < 0.60:
            low, high = self.value(column), self.value(column)
            return '%s BETWEEN %s AND %s' % (name(column), quote(low), quote(high))
        texts = [c for c in self.columns if isinstance(self.values[c][0], str)]
        if kind < 0.66 and texts:
            column = self.random.choice(texts)
            part = (self.value(column) or 'x')[:4].replace('%', '_')
            return '%s %s %s' % (name(column), *self.random.choice(
                [('LIKE', quote(part + '%')), ('GLOB', quote(part.replace('[', '?') + '*'))]))
        if kind < 0.70:
            return '%s = NULL' % name(column)
        return '%s %s %s' % (name(column), self.random.choice(['=', '=', '=', '<', '<=', '>', '>=', '<>']),
                             quote(self.value(column)))

    def where(self):
        conditions = [self.condition() for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
        return ' WHERE ' + ' AND '.join(conditions) if conditions else ''

    def statement(self):
        """(statement, are its rows in an order)"""
        kind = self.random.random()
        some = self.random.sample(self.columns, self.random.randint(1, min(4, len(self.columns))))
        listed = ', '.join(map(name, some))
        group = name(self.random.choice(self.groups)) if self.groups else None
        number = name(self.random.choice([c for c in self.columns if isinstance(self.values[c][0], int)]
                                         or self.columns[:1]))
        if kind < 0.15:
            return 'SELECT count(*) FROM %s%s' % (self.table, self.where()), False
        if kind < 0.30 and group:
            return 'SELECT DISTINCT %s FROM %s%s' % (group, self.table, self.where()), False
        if kind < 0.50 and group:
            return ('SELECT %s, count(*), sum(%s), min(%s) FROM %s%s GROUP BY %s'
                    % (group, number, number, self.table, self.where(), group), False)
        if kind < 0.56 and len(self.groups) > 1:
            both = ', '.join(map(name, self.random.sample(self.groups, 2)))
            return 'SELECT %s, count(*) FROM %s%s GROUP BY %s' % (both, self.table, self.where(), both), False
        if kind < 0.62 and group:
            return ('SELECT %s, max(%s) FROM %s%s GROUP BY %s HAVING count(*) > 1 ORDER BY 1 DESC'
                    % (group, number, self.table, self.where(), group), True)
        if kind < 0.80:
            order = ', '.join('%s %s' % (name(c), self.random.choice(['ASC', 'DESC'])) for c in some)
            return ('SELECT %s FROM %s%s ORDER BY %s LIMIT %d OFFSET %d'
                    % (listed, self.table, self.where(), order, self.random.choice([1, 5, 50]),
                       self.random.choice([0, 0, 3])), True)
        return 'SELECT %s FROM %s%s' % (listed, self.table, self.where()), False


# By hand: joins, subqueries, names of Perfetto, NULL in comparisons. In databases of the export and here.
BY_HAND = (
    'SELECT s.timer, p.timer, count(*) FROM scopes s JOIN scopes p ON p.scope_id = s.parent_id GROUP BY 1, 2 ORDER BY 1, 2',
    'SELECT t.thread, count(*) FROM scopes s JOIN threads t ON t.thread_id = s.thread_id GROUP BY 1 ORDER BY 1',
    'SELECT f.frame, count(*) FROM frames f JOIN scopes s ON s.start >= f.start AND s.start < f."end"'
    ' WHERE f.type_id = 0 GROUP BY 1 ORDER BY 1',
    'SELECT f.frame, count(s.scope_id) FROM frames f LEFT JOIN scopes s ON s.start BETWEEN f.start AND f."end"'
    ' AND s.depth = 0 WHERE f.frame < 5 GROUP BY f.type_id, 1 ORDER BY f.type_id, 1',
    'SELECT t.timer, t.count, (SELECT count(*) FROM scopes s WHERE s.timer = t.timer AND s.dur IS NOT NULL)'
    ' FROM timers t ORDER BY 1, 2',
    'SELECT timer FROM timers t WHERE NOT EXISTS (SELECT 1 FROM scopes s WHERE s.timer = t.timer) ORDER BY 1',
    'SELECT count(*) FROM scopes WHERE dur > (SELECT avg(dur) FROM scopes)',
    'SELECT count(*) FROM scopes WHERE start > (SELECT max(start) FROM frames)',
    'SELECT count(*) FROM scopes a, threads b WHERE a.thread_id <= b.thread_id',
    'SELECT timer, sum(dur) OVER (PARTITION BY thread_id ORDER BY start, scope_id) FROM scopes ORDER BY scope_id LIMIT 20',
    'WITH roots AS (SELECT scope_id, timer FROM scopes WHERE parent_id IS NULL)'
    ' SELECT r.timer, count(*) FROM roots r JOIN scopes s ON s.parent_id = r.scope_id GROUP BY 1 ORDER BY 1',
    'WITH RECURSIVE up(id, parent_id, n) AS (SELECT scope_id, parent_id, 0 FROM (SELECT * FROM scopes ORDER BY depth DESC, scope_id'
    ' LIMIT 1) UNION ALL SELECT s.scope_id, s.parent_id, n + 1 FROM up JOIN scopes s ON s.scope_id = up.parent_id)'
    ' SELECT n, id FROM up ORDER BY n',
    'SELECT count(*), min(ts), max(ts + dur) FROM slice',
    'SELECT name, count(*), sum(dur) FROM slice GROUP BY name ORDER BY name',
    'SELECT thread_name, name, count(*) FROM thread_slice WHERE dur >= 0 GROUP BY 1, 2 ORDER BY 1, 2',
    'SELECT t.name, s.name, count(*) FROM slice s JOIN thread_track k ON k.id = s.track_id JOIN thread t USING (utid)'
    ' GROUP BY 1, 2 ORDER BY 1, 2',
    "SELECT count(*) FROM slice WHERE name = 'Frame'",
    'SELECT parent.name, child.name, count(*) FROM slice child JOIN slice parent ON child.parent_id = parent.id'
    ' GROUP BY 1, 2 ORDER BY 1, 2',
    'SELECT t.name, count(*), sum(c.value) FROM counter c JOIN counter_track t ON t.id = c.track_id GROUP BY 1 ORDER BY 1',
    'SELECT count(*), count(DISTINCT id) FROM track',
    'SELECT utid, tid, name FROM thread ORDER BY 1',
    'SELECT timer, count FROM top_timers ORDER BY 1, 2',
    'SELECT count(*) FROM scopes WHERE timer = NULL',
    'SELECT count(*) FROM scopes WHERE parent_id IS NULL OR dur IS NULL',
    "SELECT count(*) FROM scopes WHERE thread IN ('no such thread') OR depth = 1",
    'SELECT a.n, b.n FROM (SELECT count(*) n FROM scopes WHERE depth = 0) a, (SELECT count(*) n FROM scopes) b',
    'SELECT depth FROM scopes UNION SELECT type_id FROM frames ORDER BY 1',
    'SELECT count(*) FROM (SELECT DISTINCT thread_id, depth FROM scopes)',
)
