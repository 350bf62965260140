/*
 * Chooses what a table does of a statement's conditions, and what that costs.
 *
 * The unit of costs is a row that is decoded. Rows of small tables are kept from the first use on; a
 * condition on a big table selects what is decoded, and where its value changes from row to row of another
 * table the rows are kept in the order of that column.
 */
#include "sql/tables/tables_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_ROWS 1000

/*
 * Share of a reading that a selection costs. It is so great that SQLite never puts the rows of two selections
 * together by their rowid, for OR: ids of scopes may be others with another selection.
 */
#define SELECTED 0.8

/* Columns of big tables with few values. */
static const char *const few_values[] = {"thread", "thread_id", "timer",   "depth", "kind",     "frame",
                                         "event",  "counter",   "counter", "queue", "queue_id", "file"};

struct making {
    const struct tk_sql_shape *shape;
    sqlite3_index_info *info;
    char *text;    /* of SQLite's */
    unsigned n;    /* terms so far */
    bool reported; /* SQLite says constants, lists and groups */
    bool no_push, join, by_thread, failed;
    double read, rows; /* share of the rows that is decoded, that is left */
};

static void append(struct making *m, const char *name, const char *end)
{
    char *longer = sqlite3_mprintf("%z%s%s%s", m->text, m->text && *m->text ? " " : "", name, end);
    m->text = longer;
    m->failed |= !longer;
}

static bool find_operator(unsigned char op, enum tk_sql_operator *out)
{
    static const struct {
        unsigned char theirs;
        enum tk_sql_operator ours;
    } list[] = {{SQLITE_INDEX_CONSTRAINT_EQ, TK_SQL_EQ},
                {SQLITE_INDEX_CONSTRAINT_LT, TK_SQL_LT},
                {SQLITE_INDEX_CONSTRAINT_LE, TK_SQL_LE},
                {SQLITE_INDEX_CONSTRAINT_GT, TK_SQL_GT},
                {SQLITE_INDEX_CONSTRAINT_GE, TK_SQL_GE}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].theirs == op) {
            *out = list[i].ours;
            return true;
        }
    return false;
}

static const char *const operators[] = {[TK_SQL_EQ] = "=", [TK_SQL_LT] = "<",  [TK_SQL_LE] = "<=",
                                        [TK_SQL_GT] = ">", [TK_SQL_GE] = ">=", [TK_SQL_IN] = "@"};

/* ---- one condition ---- */

struct condition {
    int at; /* in the list of SQLite */
    const struct tk_sql_column *column;
    enum tk_sql_operator op;
    bool constant, list;
};

static void take(struct making *m, const struct condition *c, bool omit)
{
    char end[4];
    struct sqlite3_index_constraint_usage *usage = &m->info->aConstraintUsage[c->at];
    if (m->n >= TK_SQL_TERMS)
        return;
    snprintf(end, sizeof end, "%s%c", operators[c->op], c->constant ? '!' : '?');
    append(m, c->column->name, end);
    usage->argvIndex = (int)++m->n;
    usage->omit = omit;
    m->join |= !c->constant;
}

/* Captures are taken or left out by their name or number alone. */
static bool is_of_capture(const struct condition *c)
{
    return c->column->kind == TK_SQL_CAPTURE_ID || c->column->kind == TK_SQL_CAPTURE;
}

static bool is_selected(const struct making *m, const struct condition *c)
{
    const bool equal = c->op == TK_SQL_EQ;
    switch (c->column->kind) {
    case TK_SQL_CAPTURE_ID:
    case TK_SQL_CAPTURE:
        return equal;
    case TK_SQL_FRAME:
        return !c->list && tk_sql_shape_selects_frames(m->shape);
    case TK_SQL_OWN:
    case TK_SQL_REF:
        return c->column->role == TK_SQL_TIME ? !c->list : c->column->role != TK_SQL_NO_ROLE && equal;
    default:
        return false;
    }
}

/* What a condition leaves of the rows, and of what is decoded. */
static void count_in(struct making *m, const struct condition *c)
{
    const bool selects = is_selected(m, c) && m->shape->big && c->column->kind != TK_SQL_ROW;
    const double left =
        c->op == TK_SQL_EQ || c->op == TK_SQL_IN ? (c->column->role == TK_SQL_THREAD ? 0.2 : 0.02) : 0.2;
    m->rows *= left;
    if (selects)
        m->read = SELECTED;
}

static bool is_binary(struct making *m, int at)
{
    const char *collation = sqlite3_vtab_collation(m->info, at);
    return !collation || sqlite3_stricmp(collation, "BINARY") == 0;
}

/* What SQLite says of a condition. An older one says nothing. */
static void ask_of(struct making *m, struct condition *c)
{
    sqlite3_value *value;
    if (!m->reported)
        return;
    c->constant = sqlite3_vtab_rhs_value(m->info, c->at, &value) == SQLITE_OK;
    c->list = sqlite3_vtab_in(m->info, c->at, -1);
}

static void consider(struct making *m, struct condition *c)
{
    ask_of(m, c);
    if (m->no_push || !is_binary(m, c->at))
        return;
    const bool selected = is_selected(m, c);
    if (is_of_capture(c) && !selected)
        return;
    if (c->list && selected && (m->shape->big || is_of_capture(c))) {
        sqlite3_vtab_in(m->info, c->at, 1);
        c->op = TK_SQL_IN;
        c->constant = true; /* a list is gathered once */
    } else if (c->list && (m->shape->big || c->column->kind != TK_SQL_OWN)) {
        return;
    } else if (!selected && (c->constant && m->shape->big)) {
        return;
    }
    if (c->column->kind == TK_SQL_ROW || (c->column->kind == TK_SQL_REF && c->column->role != TK_SQL_TIMER))
        return;
    take(m, c, c->column->kind == TK_SQL_CAPTURE); /* a name may be shortened */
    count_in(m, c);
}

/* An argument has to be known. */
static int take_argument(struct making *m, struct condition *c, bool usable)
{
    if (c->op != TK_SQL_EQ)
        return SQLITE_OK;
    if (!usable)
        return SQLITE_CONSTRAINT;
    ask_of(m, c);
    c->list = false;
    take(m, c, true);
    return SQLITE_OK;
}

static bool is_of_no_column(unsigned char op)
{
    return op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

static int look_at(struct making *m, int at)
{
    const struct sqlite3_index_constraint *from = &m->info->aConstraint[at];
    struct condition c = {.at = at};
    if (from->iColumn < 0 || (uint32_t)from->iColumn >= m->shape->n || is_of_no_column(from->op))
        return SQLITE_OK;
    c.column = &m->shape->columns[from->iColumn];
    m->by_thread |= c.column->group;
    if (!find_operator(from->op, &c.op))
        return SQLITE_OK;
    if (c.column->kind == TK_SQL_ARGUMENT)
        return take_argument(m, &c, from->usable);
    if (from->usable)
        consider(m, &c);
    return SQLITE_OK;
}

/* ---- the whole ---- */

static bool has_few_values(const char *name)
{
    for (size_t i = 0; i < sizeof few_values / sizeof *few_values; i++)
        if (strcmp(few_values[i], name) == 0)
            return true;
    return false;
}

/* Rows that are wanted group after group. SQLite says so, too, where it wants the groups in order. */
static void take_order(struct making *m)
{
    const int distinct = m->reported ? sqlite3_vtab_distinct(m->info) : 0;
    if (m->no_push || m->info->nOrderBy != 1 || distinct != 1)
        return;
    const int at = m->info->aOrderBy[0].iColumn;
    if (at < 0 || (uint32_t)at >= m->shape->n || at >= 63)
        return;
    const struct tk_sql_column *c = &m->shape->columns[at];
    if (!m->shape->big || m->join || !has_few_values(c->name))
        return;
    append(m, m->info->aOrderBy[0].desc ? "down:" : "group:", c->name);
    m->info->orderByConsumed = 1;
}

/* Is the table grouped by thread, because the statement names it? What names all columns does not. */
static bool names_thread(const struct making *m)
{
    const uint64_t all = m->shape->n >= 64 ? UINT64_MAX : (UINT64_C(1) << m->shape->n) - 1;
    uint64_t used = m->info->colUsed & all, displayed = 0, groups = 0;
    for (uint32_t i = 0; i < m->shape->n && i < 63; i++) {
        const struct tk_sql_column *c = &m->shape->columns[i];
        displayed |= c->hidden ? 0 : UINT64_C(1) << i;
        groups |= c->group ? UINT64_C(1) << i : 0;
    }
    return m->by_thread || ((used & groups) && (used & displayed) != displayed);
}

static void set_costs(const struct making *m, uint64_t rows)
{
    const double n = (double)rows + 10;
    if (!m->shape->big) {
        m->info->estimatedCost = 10 + (m->n ? 0.3 * SMALL_ROWS * m->rows + 5 : 0.3 * SMALL_ROWS);
        m->info->estimatedRows = (sqlite3_int64)(SMALL_ROWS * m->rows) + 1;
        return;
    }
    const double share = m->join ? (m->rows < 0.1 ? 0.02 : 0.2) : m->read;
    m->info->estimatedCost = n * share + n * m->rows * 0.3 + 1;
    m->info->estimatedRows = (sqlite3_int64)(n * m->rows) + 1;
}

/* The columns that are used, as SQLite gives them, and their names for people. */
static void name_used(struct making *m)
{
    const uint64_t used = m->info->colUsed, last = UINT64_C(1) << 63; /* stands for all from there on */
    char bits[40];
    const char *end = "=";
    snprintf(bits, sizeof bits, "%llx", (unsigned long long)used);
    append(m, "columns:", bits);
    for (uint32_t i = 0; i < m->shape->n && !m->failed; i++)
        if (used & (i < 63 ? UINT64_C(1) << i : last)) {
            char *longer = sqlite3_mprintf("%z%s%s", m->text, end, m->shape->columns[i].name);
            m->text = longer;
            m->failed = !longer;
            end = ",";
        }
}

int tk_sql_plan_make(const struct tk_sql_shape *shape, sqlite3_index_info *info, uint64_t rows, bool no_push)
{
    struct making m = {.shape = shape, .info = info, .read = 1, .rows = 1, .no_push = no_push};
    m.reported = sqlite3_libversion_number() >= TK_SQL_REPORTED;
    m.text = sqlite3_mprintf("");
    int rc = m.text ? SQLITE_OK : SQLITE_NOMEM;
    for (int i = 0; i < info->nConstraint && rc == SQLITE_OK; i++)
        rc = look_at(&m, i);
    if (rc == SQLITE_OK) {
        append(&m, "table:", shape->baseline ? shape->baseline : shape->table->name);
        take_order(&m);
        if (shape->groups && names_thread(&m))
            append(&m, "by:", "thread");
        name_used(&m);
        set_costs(&m, rows);
    }
    if (rc != SQLITE_OK || m.failed) {
        sqlite3_free(m.text);
        return rc != SQLITE_OK ? rc : SQLITE_NOMEM;
    }
    info->idxNum = m.join;
    info->idxStr = m.text;
    info->needToFreeIdxStr = 1;
    return SQLITE_OK;
}

/* ---- reading it back ---- */

static void read_term(struct tk_sql_plan *plan, const struct tk_sql_shape *shape, const char *word, size_t n)
{
    const size_t name = strcspn(word, "<>=@");
    const char *op = word + name;
    struct tk_sql_term *term = &plan->terms[plan->n];
    if (plan->n >= TK_SQL_TERMS)
        return;
    term->column = tk_sql_shape_find(shape, word, name);
    term->op = *op == '@'   ? TK_SQL_IN
               : *op == '=' ? TK_SQL_EQ
               : *op == '<' ? (op[1] == '=' ? TK_SQL_LE : TK_SQL_LT)
                            : (op[1] == '=' ? TK_SQL_GE : TK_SQL_GT);
    term->constant = word[n - 1] == '!';
    plan->join |= !term->constant;
    plan->n++;
}

static void read_word(struct tk_sql_plan *plan, const struct tk_sql_shape *shape, const char *word, size_t n)
{
    const char *colon = memchr(word, ':', n);
    const size_t value = colon ? n - (size_t)(colon + 1 - word) : 0;
    if (!colon) {
        read_term(plan, shape, word, n);
    } else if (*word == 'c') {
        plan->used = strtoull(colon + 1, NULL, 16);
    } else if (*word == 'b') {
        plan->by_thread = true;
    } else if (*word != 't') {
        plan->group = tk_sql_shape_find(shape, colon + 1, value);
        plan->down = *word == 'd';
    }
}

void tk_sql_plan_read(struct tk_sql_plan *plan, const struct tk_sql_shape *shape, const char *text)
{
    *plan = (struct tk_sql_plan){.group = UINT32_MAX};
    for (size_t n; text && *text; text += n + (text[n] == ' '))
        if ((n = strcspn(text, " ")) > 0)
            read_word(plan, shape, text, n);
}
