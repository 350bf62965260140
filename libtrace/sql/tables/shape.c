/*
 * Columns of virtual tables.
 */
#include "sql/tables/shape.h"

#include "api/trace.h"
#include "table/sink.h"
#include "tracekit/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tk_sql_argument_names[TK_SQL_ARGUMENTS] = {
    [TK_SQL_FROM] = "from_ns",          [TK_SQL_TO] = "to_ns",
    [TK_SQL_FRAMES] = "frames",         [TK_SQL_REGION] = "region",
    [TK_SQL_OF_THREAD] = "thread",      [TK_SQL_OF_TIMER] = "timer",
    [TK_SQL_GROUPED_BY] = "grouped_by", [TK_SQL_OF] = "of",
    [TK_SQL_RULE] = "hitch_rule",       [TK_SQL_LONGER] = "longer_than_ns",
    [TK_SQL_MEDIANS] = "medians",       [TK_SQL_MOST] = "most",
    [TK_SQL_TARGET] = "target",
};

/* Tables that may be long, and their columns whose constraints select the same rows in the library. */
static const struct {
    const char *table, *time, *thread, *timer;
} long_tables[] = {
    {"scopes", "start", "thread", "timer"},
    {"events", "time", "thread", NULL},
    {"generic_events", "time", "thread", NULL},
    {"gpu_scopes", NULL, NULL, NULL},
    {"counter_values", NULL, NULL, NULL},
    {"stat_values", NULL, NULL, NULL},
    {"csv_values", NULL, NULL, NULL},
    {"llm_values", NULL, NULL, NULL},
    {"sample_rows", NULL, NULL, NULL},
    {"task_rows", NULL, NULL, NULL},
    {"lock_rows", NULL, NULL, NULL},
    {"switch_rows", NULL, NULL, NULL},
    {"allocations", NULL, NULL, NULL},
    {"file_activity", NULL, NULL, NULL},
    {"net_packets", NULL, NULL, NULL},
    {"net_content", NULL, NULL, NULL},
    {"net_values", NULL, NULL, NULL},
};

/* Arguments beyond those of all tables, and the tables that take them. */
static const struct {
    const char *table;
    enum tk_sql_argument argument;
} questions[] = {
    {"timers", TK_SQL_GROUPED_BY}, {"tree", TK_SQL_GROUPED_BY},   {"running", TK_SQL_GROUPED_BY},
    {"memory", TK_SQL_GROUPED_BY}, {"groups", TK_SQL_GROUPED_BY}, {"callers", TK_SQL_OF},
    {"callees", TK_SQL_OF},        {"histogram", TK_SQL_OF},      {"per_frame", TK_SQL_OF},
    {"source_lines", TK_SQL_OF},   {"sample_callers", TK_SQL_OF}, {"sample_callees", TK_SQL_OF},
    {"hitches", TK_SQL_LONGER},    {"hitches", TK_SQL_MEDIANS},   {"hitches", TK_SQL_MOST},
    {"slowest", TK_SQL_MOST},      {"hitches", TK_SQL_RULE},      {"late_frames", TK_SQL_RULE},
    {"smoothness", TK_SQL_RULE},   {"smoothness", TK_SQL_TARGET},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* What the database of an export leaves out of `scopes`. */
static bool is_left_out(const struct tk_table *table, const char *column)
{
    static const char *const names[] = {"thread", "role", "process_id", "process", "kind", "file", "line"};
    for (size_t i = 0; strcmp(table->name, "scopes") == 0 && i < COUNT(names); i++)
        if (strcmp(names[i], column) == 0)
            return true;
    return false;
}

static bool is_named(const char *a, const char *b)
{
    return b && strcmp(a, b) == 0;
}

static enum tk_sql_role role_of(const struct tk_sql_shape *s, const char *column)
{
    for (size_t i = 0; i < COUNT(long_tables) && !s->baseline; i++)
        if (strcmp(long_tables[i].table, s->table->name) == 0)
            return is_named(column, long_tables[i].time)     ? TK_SQL_TIME
                   : is_named(column, long_tables[i].thread) ? TK_SQL_THREAD
                   : is_named(column, long_tables[i].timer)  ? TK_SQL_TIMER
                                                             : TK_SQL_NO_ROLE;
    return TK_SQL_NO_ROLE;
}

static bool is_long(const char *table)
{
    for (size_t i = 0; i < COUNT(long_tables); i++)
        if (strcmp(long_tables[i].table, table) == 0)
            return true;
    return false;
}

static struct tk_sql_column *add(struct tk_sql_shape *s, const char *name, enum tk_sql_column_kind kind,
                                 bool hidden)
{
    s->columns[s->n] = (struct tk_sql_column){.name = name, .kind = kind, .hidden = hidden};
    return &s->columns[s->n++];
}

/* The column of the numbers of texts; NULL if out of memory. */
static const char *number_name(struct tk_sql_shape *s, const char *name)
{
    const size_t n = strlen(name) + sizeof "_ref";
    char *longer = tk_arena_bytes(&s->names, n);
    if (longer)
        snprintf(longer, n, "%s_ref", name);
    return longer;
}

static void add_own(struct tk_sql_shape *s)
{
    for (uint32_t i = 0; i < s->table->n_columns; i++) {
        const struct tk_column *from = &s->table->columns[i];
        const bool physical = s->flavour == TK_SQL_PHYSICAL;
        if (physical && is_left_out(s->table, from->name))
            continue;
        struct tk_sql_column *c =
            add(s, from->name, physical && from->kind == TK_TEXT ? TK_SQL_REF : TK_SQL_OWN, false);
        c->own = i;
        if (c->kind == TK_SQL_REF)
            c->name = number_name(s, from->name);
        c->role = role_of(s, from->name);
        c->group = from->flags & TK_COL_GROUP && strcmp(s->table->name, "memory") != 0;
        if (c->group)
            s->groups |= UINT64_C(1) << i;
    }
}

static void add_argument(struct tk_sql_shape *s, enum tk_sql_argument argument)
{
    const char *name = tk_sql_argument_names[argument];
    if (tk_sql_shape_find(s, name, strlen(name)) == UINT32_MAX)
        add(s, name, TK_SQL_ARGUMENT, true)->argument = argument;
}

static void add_arguments(struct tk_sql_shape *s)
{
    for (unsigned i = 0; i <= TK_SQL_OF_TIMER; i++)
        add_argument(s, (enum tk_sql_argument)i);
    for (size_t i = 0; i < COUNT(questions); i++)
        if (strcmp(questions[i].table, s->table->name) == 0)
            add_argument(s, questions[i].argument);
}

/* Where the table has a column of the name, that one counts. */
static void add_new(struct tk_sql_shape *s, const char *name, enum tk_sql_column_kind kind, bool hidden)
{
    if (tk_sql_shape_find(s, name, strlen(name)) == UINT32_MAX)
        add(s, name, kind, hidden);
}

/* Tables that say it themselves have a column of their own. */
static void add_moments(struct tk_sql_shape *s)
{
    s->wall_of = tk_table_begin(s->table);
    s->frame_of = tk_table_column(s->table, "frame") < 0 ? s->wall_of : UINT32_MAX;
    if (s->frame_of != UINT32_MAX)
        add(s, "frame", TK_SQL_FRAME, true);
    if (s->wall_of != UINT32_MAX)
        add_new(s, "wall_clock", TK_SQL_WALL_CLOCK, true);
}

static void lay_out_sql(struct tk_sql_shape *s, bool several)
{
    if (s->flavour == TK_SQL_PHYSICAL) {
        add(s, "capture_id", TK_SQL_CAPTURE_ID, false);
        add_own(s);
        add(s, "rowid", TK_SQL_ROW, true);
        return;
    }
    add_own(s);
    add_new(s, "capture_id", TK_SQL_CAPTURE_ID, !several);
    add_new(s, "capture", TK_SQL_CAPTURE, !several);
    if (s->baseline)
        return;
    add_moments(s);
    add_arguments(s);
}

/* ---- finding ---- */

static const char prefix[] = "baseline_";

static const struct tk_table *find_baseline(const char *name)
{
    const struct tk_table *table;
    for (size_t i = 0; (table = tk_baseline_table(i)); i++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

bool tk_sql_is_of_both(const char *name)
{
    return strcmp(name, "hitch_causes") == 0;
}

int tk_sql_shape_make(struct tk_sql_shape *shape, const char *name, enum tk_sql_flavour flavour, bool several,
                      struct tk_err *err)
{
    const bool both = tk_sql_is_of_both(name),
               baseline = both || strncmp(name, prefix, sizeof prefix - 1) == 0;
    *shape = (struct tk_sql_shape){.flavour = flavour, .frame_of = UINT32_MAX, .wall_of = UINT32_MAX};
    shape->table = baseline ? find_baseline(both ? name : name + sizeof prefix - 1) : tk_table_find(name);
    if (!shape->table || shape->table->n_columns > 64)
        return tk_tables_fail(name, err);
    shape->baseline = baseline ? shape->table->name : NULL;
    shape->big = !baseline && is_long(name);
    shape->known_by_id = !baseline && strcmp(name, "scopes") == 0;
    shape->columns = calloc(shape->table->n_columns + 5u + TK_SQL_ARGUMENTS, sizeof *shape->columns);
    if (!shape->columns)
        return tk_err_nomem(err, "a table");
    lay_out_sql(shape, several);
    return shape->names.failed ? tk_err_nomem(err, "a table") : TK_OK;
}

void tk_sql_shape_release(struct tk_sql_shape *shape)
{
    free(shape->columns);
    tk_arena_release(&shape->names);
    *shape = (struct tk_sql_shape){0};
}

bool tk_sql_shape_selects_frames(const struct tk_sql_shape *shape)
{
    return shape->frame_of != UINT32_MAX && shape->big &&
           role_of(shape, shape->table->columns[shape->frame_of].name) == TK_SQL_TIME;
}

uint32_t tk_sql_shape_find(const struct tk_sql_shape *shape, const char *name, size_t n)
{
    for (uint32_t i = 0; i < shape->n; i++)
        if (shape->columns[i].name && strlen(shape->columns[i].name) == n &&
            memcmp(shape->columns[i].name, name, n) == 0)
            return i;
    return UINT32_MAX;
}

/* ---- declaring ---- */

/* The first word is what SQLite heeds, the second says how people see the values. */
static const char *const types[] = {
    [TK_NONE] = "",
    [TK_BOOL] = "INTEGER BOOL",
    [TK_INT] = "INTEGER",
    [TK_UINT] = "INTEGER",
    [TK_HEX] = "INTEGER HEX",
    [TK_REAL32] = "REAL",
    [TK_REAL] = "REAL",
    [TK_TIME] = "INTEGER TIME",
    [TK_DURATION] = "INTEGER DURATION",
    [TK_MEAN] = "REAL DURATION",
    [TK_SIZE] = "INTEGER BYTES",
    [TK_TEXT] = "TEXT",
    [TK_BYTES] = "BLOB",
    [TK_ARRAY] = "TEXT JSON",
    [TK_LIST] = "TEXT JSON",
    [TK_RECORD] = "TEXT JSON",
};

/* Bytes that may be negative. */
static const char signed_bytes[] = "INTEGER SIGNED BYTES";

static const char *type_of_own(const struct tk_column *column)
{
    const bool bytes = column->kind == TK_INT && column->unit && strcmp(column->unit, "bytes") == 0;
    return bytes ? signed_bytes : types[column->kind];
}

static const char *type_of(const struct tk_sql_shape *s, const struct tk_sql_column *c)
{
    switch (c->kind) {
    case TK_SQL_OWN:
        return type_of_own(&s->table->columns[c->own]);
    case TK_SQL_CAPTURE:
        return "TEXT";
    case TK_SQL_ARGUMENT:
        return "";
    default:
        return "INTEGER";
    }
}

char *tk_sql_shape_declare(const struct tk_sql_shape *shape)
{
    char *sql = sqlite3_mprintf("CREATE TABLE x(");
    for (uint32_t i = 0; i < shape->n && sql; i++) {
        const struct tk_sql_column *c = &shape->columns[i];
        char *longer = sqlite3_mprintf("%z%s\"%w\" %s%s", sql, i ? "," : "", c->name, type_of(shape, c),
                                       c->hidden ? " HIDDEN" : "");
        sql = longer;
    }
    return sql ? sqlite3_mprintf("%z)", sql) : NULL;
}

enum tk_kind tk_sql_shape_kind(const char *declared)
{
    for (unsigned k = TK_BOOL; declared && k < COUNT(types); k++)
        if (strcmp(types[k], declared) == 0)
            return (enum tk_kind)k;
    return tk_sql_shape_unit(declared) ? TK_INT : TK_NONE;
}

const char *tk_sql_shape_unit(const char *declared)
{
    return declared && strcmp(declared, signed_bytes) == 0 ? "bytes" : NULL;
}
