/*
 * Shapes: which columns a virtual table has. Those of the table of the library come first or, where the views
 * of an exported database want it so, behind capture_id and with numbers for texts; then what is added: the
 * capture, the frame, and hidden columns that ask the question of the table.
 */
#ifndef TK_SQL_TABLES_SHAPE_H
#define TK_SQL_TABLES_SHAPE_H

#include "base/arena.h"
#include "sql/tables/connection.h"
#include "tracekit/tables.h"

enum tk_sql_column_kind {
    TK_SQL_OWN,        /* of the table */
    TK_SQL_REF,        /* the number of a text of the table */
    TK_SQL_CAPTURE_ID, /* place of the capture among those of the schema, from 1 */
    TK_SQL_CAPTURE,    /* its name */
    TK_SQL_FRAME,      /* game frame in which the row begins */
    TK_SQL_WALL_CLOCK, /* when that was, in nanoseconds since 1970 */
    TK_SQL_ROW,        /* number of the row, from 1 */
    TK_SQL_ARGUMENT    /* hidden: `argument` */
};

/* What a constraint on a column selects in the library, which may be more than that. */
enum tk_sql_role { TK_SQL_NO_ROLE, TK_SQL_TIME, TK_SQL_THREAD, TK_SQL_TIMER };

enum tk_sql_argument {
    TK_SQL_FROM,
    TK_SQL_TO,
    TK_SQL_FRAMES,
    TK_SQL_REGION,
    TK_SQL_OF_THREAD,
    TK_SQL_OF_TIMER,
    TK_SQL_GROUPED_BY,
    TK_SQL_OF,
    TK_SQL_RULE,
    TK_SQL_LONGER,
    TK_SQL_MEDIANS,
    TK_SQL_MOST,
    TK_SQL_TARGET,
    TK_SQL_ARGUMENTS
};

struct tk_sql_column {
    const char *name;
    enum tk_sql_column_kind kind;
    enum tk_sql_role role;
    enum tk_sql_argument argument;
    uint32_t own; /* TK_SQL_OWN, TK_SQL_REF: in the table */
    bool hidden;
    bool group; /* a column by which the table is grouped only where it is named */
};

/* A table of baselines that captures have, too, by becoming runs: it has no "baseline_" before its name. */
bool tk_sql_is_of_both(const char *name);

enum tk_sql_flavour { TK_SQL_PLAIN, TK_SQL_PHYSICAL };

struct tk_sql_shape {
    const struct tk_table *table;
    const char *baseline; /* name of the table of baselines; NULL: it is one of captures */
    enum tk_sql_flavour flavour;
    bool big;          /* may have a row for each event of a capture */
    uint32_t frame_of; /* own column with the time whose game frame is in `frame`; UINT32_MAX: none */
    uint32_t wall_of;  /* the same of `wall_clock` */
    bool known_by_id;  /* its column scope_id distinguishes rows, whatever is selected */
    struct tk_sql_column *columns; /* owned */
    uint32_t n;
    struct tk_arena names;
    uint64_t groups; /* own columns of which TK_SQL_GROUP is set */
};

/* The name is of a table of captures, or "baseline_" and one of baselines. TK_OK, TK_EMATCH, TK_ENOMEM. */
int tk_sql_shape_make(struct tk_sql_shape *shape, const char *name, enum tk_sql_flavour flavour, bool several,
                      struct tk_err *err);
void tk_sql_shape_release(struct tk_sql_shape *shape);

/* Is a condition on its column `frame` one on the time that is read? Else all rows are read. */
bool tk_sql_shape_selects_frames(const struct tk_sql_shape *shape);

/* CREATE TABLE for sqlite3_declare_vtab; to be freed with sqlite3_free. NULL if out of memory. */
char *tk_sql_shape_declare(const struct tk_sql_shape *shape);

/* The column of a name, or UINT32_MAX. */
uint32_t tk_sql_shape_find(const struct tk_sql_shape *shape, const char *name, size_t n);

/* Kind of the values of a column by the type that it was declared with; TK_NONE where that says none. */
enum tk_kind tk_sql_shape_kind(const char *declared);

/* Their unit where the kind does not imply it, or NULL. Static. */
const char *tk_sql_shape_unit(const char *declared);

/* The names of arguments, in the order of enum tk_sql_argument. */
extern const char *const tk_sql_argument_names[TK_SQL_ARGUMENTS];

#endif
