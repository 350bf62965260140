/*
 * Judges a capture by rules: the table `rules`.
 */
#include "api/trace.h"
#include "base/given.h"
#include "base/sort.h"
#include "model/capture/can.h"
#include "sql/rules/rules_in.h"
#include "table/cell.h"
#include "tracekit/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of a capture says little of the whole of it. */
enum { FEW_FRAMES = 60 };

enum state { FOUND, NOT_FOUND, RULED_OUT, NOT_JUDGED };

static const char *const state_names[] = {"found", "not found in what was read", "ruled out", "not judged"};

/* What was found of a rule. */
struct finding {
    const struct tk_rule *rule; /* borrowed */
    char *needs, *found;        /* owned: its statements for this capture */
    struct tk_result *rows;     /* owned: the evidence; NULL: none was looked for */
    enum state state;
    char *lacks; /* owned: what the capture has not that a statement is about; NULL: nothing of the kind */
    const struct tk_cell *lost, *hits; /* of the first row; NULL: it has no such column */
};

struct judging {
    struct tk_trace *trace;
    const struct tk_rules_options *options;
    struct tk_sql *sql; /* owned */
    TK_VEC(struct finding) list;
    struct tk_buffer text;
};

/* ---- statements ---- */

/* A copy of a statement with the target in place of :target. NULL if out of memory. */
static char *with_target(const char *statement, double target)
{
    static const char name[] = ":target";
    char number[40] = "NULL";
    size_t n = strlen(statement) + 1;
    if (target > 0)
        snprintf(number, sizeof number, "%.17g", target);
    for (const char *at = statement; (at = strstr(at, name)); at++)
        n += sizeof number;
    char *copy = malloc(n), *to = copy;
    for (const char *at = statement; copy && *at;) {
        const bool is = strncmp(at, name, sizeof name - 1) == 0;
        if (is)
            to += snprintf(to, sizeof number, "%s", number);
        else
            *to++ = *at;
        at += is ? sizeof name - 1 : 1;
    }
    if (copy)
        *to = '\0';
    return copy;
}

/* Says of which rule the failure of a statement is. */
static int failed(const struct finding *f, const struct tk_rule_value *statement, const char *which, int rc,
                  struct tk_err *err)
{
    const struct tk_rule *r = f->rule;
    if (rc == TK_EUSAGE || rc == TK_EMATCH)
        tk_err_add(err, "%s, line %u, -- %s: %.200s", r->path ? r->path : r->name, statement->line, which,
                   tk_err_text(err, rc));
    return rc;
}

static int ignore_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    (void)self;
    (void)table;
    (void)rows;
    (void)err;
    return TK_OK;
}

/* Are all statements right? Nothing is read for it. */
static int check_statements(const struct judging *j, struct tk_err *err)
{
    const struct tk_sink sink = {.rows = ignore_rows};
    int rc = TK_OK;
    for (size_t i = 0; i < j->list.n && rc == TK_OK; i++) {
        const struct finding *f = &j->list.v[i];
        rc = tk_sql_plan(j->sql, f->needs, &sink, err);
        if (rc < 0)
            return failed(f, &f->rule->needs, "needs", rc, err);
        rc = tk_sql_plan(j->sql, f->found, &sink, err);
        if (rc < 0)
            return failed(f, &f->rule->found, "found", rc, err);
    }
    return rc;
}

static const char frames_of[] = "SELECT count FROM frame_stats WHERE type_id = 0";

static int read_ahead(const struct judging *j, struct tk_err *err)
{
    const char **all = calloc(2 * j->list.n + 1, sizeof *all);
    if (!all)
        return tk_err_nomem(err, "the statements of rules");
    size_t n = 0;
    all[n++] = frames_of;
    for (size_t i = 0; i < j->list.n; i++) {
        all[n++] = j->list.v[i].needs;
        all[n++] = j->list.v[i].found;
    }
    const int rc = tk_sql_read_ahead(j->sql, all, n, err);
    free(all);
    return rc;
}

/* ---- one rule ---- */

static int run(const struct judging *j, const char *statement, struct tk_result **out, struct tk_err *err)
{
    int rc = tk_result_new(out, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(*out);
    return tk_sql_run(j->sql, statement, &sink, err);
}

/* The number of a result of one cell; nothing and NULL are 0. *good: it is such a result. */
static bool number_of(const struct tk_result *result, bool *good)
{
    size_t rows = 0;
    const struct tk_table *table = tk_result_count(result) ? tk_result_table(result, 0, &rows) : NULL;
    *good = !table || (table->n_columns == 1 && rows <= 1);
    if (!table || !*good || rows == 0)
        return false;
    const struct tk_cell *cell = tk_result_row(result, 0, 0);
    *good = cell->kind != TK_TEXT && cell->kind != TK_BYTES;
    if (cell->kind == TK_REAL || cell->kind == TK_MEAN)
        return cell->v.r > 0 || cell->v.r < 0;
    return cell->kind != TK_NONE && cell->v.u != 0;
}

static int ask_needs(const struct judging *j, struct finding *f, bool *can, struct tk_err *err)
{
    struct tk_result *result = NULL;
    bool good = true;
    int rc = run(j, f->needs, &result, err);
    *can = rc == TK_OK && number_of(result, &good);
    tk_result_free(result);
    if (rc == TK_OK && !good)
        return tk_rule_fail(f->rule, f->rule->needs.line, err, "'-- needs' has to give one number");
    return rc < 0 ? failed(f, &f->rule->needs, "needs", rc, err) : rc;
}

static const struct tk_cell *first_cell(const struct finding *f, const char *column)
{
    size_t rows;
    const int at = tk_table_column(tk_result_table(f->rows, 0, &rows), column);
    const struct tk_cell *cell = at < 0 || rows == 0 ? NULL : &tk_result_row(f->rows, 0, 0)[at];
    return cell && cell->kind != TK_NONE ? cell : NULL;
}

static int look_at_evidence(struct finding *f, struct tk_err *err)
{
    size_t rows = 0;
    const struct tk_table *table = tk_result_table(f->rows, 0, &rows);
    int rc = tk_rule_template_names(f->rule, TK_RULE_SAYS, table, err);
    if (rc == TK_OK)
        rc = tk_rule_template_names(f->rule, TK_RULE_COMMAND, table, err);
    f->state = rows ? FOUND : RULED_OUT;
    f->lost = first_cell(f, "lost");
    f->hits = first_cell(f, "hits");
    return rc;
}

/* A table of game frames says that there are none: the rule is not judged then. */
static int take_lack(struct finding *f, int rc, struct tk_err *err)
{
    const char *text = tk_err_cause(err, 0);
    const size_t n = strlen(text ? text : "") + 1;
    if (rc != TK_EMATCH)
        return rc;
    f->lacks = malloc(n);
    if (!f->lacks)
        return tk_err_nomem(err, "rules");
    memcpy(f->lacks, text ? text : "", n);
    *err = (struct tk_err){0};
    return TK_OK;
}

static int judge_rule(const struct judging *j, struct finding *f, struct tk_err *err)
{
    bool can = false;
    int rc = ask_needs(j, f, &can, err);
    f->state = NOT_JUDGED;
    if (rc < 0 || !can)
        return take_lack(f, rc, err);
    rc = run(j, f->found, &f->rows, err);
    if (rc == TK_OK)
        return look_at_evidence(f, err);
    rc = failed(f, &f->rule->found, "found", rc, err);
    return take_lack(f, rc, err);
}

/* What is damaged, lost or short does not rule out what it has no sign of. */
static int weigh(const struct judging *j, struct tk_err *err)
{
    struct tk_result *result = NULL;
    int rc = run(j, frames_of, &result, err);
    size_t rows = 0;
    if (rc == TK_OK && tk_result_count(result))
        tk_result_table(result, 0, &rows);
    const bool whole = rows && tk_result_row(result, 0, 0)->v.u >= FEW_FRAMES && !tk_damaged(j->trace) &&
                       !tk_partial(j->trace) && !tk_lossy(j->trace);
    tk_result_free(result);
    for (size_t i = 0; i < j->list.n && !whole; i++)
        if (j->list.v[i].state == RULED_OUT)
            j->list.v[i].state = NOT_FOUND;
    return rc;
}

/* ---- the order ---- */

static double real_of(const struct tk_cell *cell)
{
    if (!cell)
        return -1;
    return cell->kind == TK_REAL || cell->kind == TK_MEAN ? cell->v.r : (double)cell->v.i;
}

static int level_of(const struct finding *f)
{
    const char *level = f->rule->keys[TK_RULE_LEVEL].text;
    return *level == 'e' ? 0 : *level == 'w' ? 1 : 2;
}

static int compare_findings(const void *one, const void *two)
{
    const struct finding *a = one, *b = two;
    const double lost_a = real_of(a->lost), lost_b = real_of(b->lost);
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (lost_a < lost_b || lost_a > lost_b)
        return lost_a > lost_b ? -1 : 1;
    if (level_of(a) != level_of(b))
        return level_of(a) - level_of(b);
    return strcmp(a->rule->name, b->rule->name);
}

/* ---- the table ---- */

enum {
    RULE,
    STATE,
    LOST,
    HITS,
    EVIDENCE,
    FRAMES,
    QUESTION,
    ADVICE,
    RECORD,
    COMMAND,
    LEVEL,
    FILE_NAME,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [RULE] = {"rule", TK_TEXT, 0, NULL, "name of the rule"},
    [STATE] = {"state", TK_TEXT, 0, NULL, "found, not found in what was read, ruled out, not judged"},
    [LOST] = {"lost", TK_DURATION, 0, NULL, "time that it lost in all"},
    [HITS] = {"hits", TK_UINT, 0, NULL, "how often it was found"},
    [EVIDENCE] = {"evidence", TK_TEXT, 0, NULL, "the worst of what was found"},
    [FRAMES] = {"frames", TK_TEXT, TK_COL_OPTIONAL, NULL,
                "game frames where it was found, worst first, at most 10"},
    [QUESTION] = {"question", TK_TEXT, TK_COL_OPTIONAL, NULL, "what the rule is about"},
    [ADVICE] = {"advice", TK_TEXT, TK_COL_OPTIONAL, NULL, "what to do where it is found"},
    [RECORD] = {"record", TK_TEXT, TK_COL_OPTIONAL, NULL,
                "what the capture lacks where it is not judged, and what records it"},
    [COMMAND] = {"command", TK_TEXT, TK_COL_OPTIONAL, NULL, "command that displays what was found"},
    [LEVEL] = {"level", TK_TEXT, TK_COL_OPTIONAL, NULL, "error, warning, note"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_OPTIONAL, NULL, "file of a rule that was added"},
};

static const struct tk_table table = {
    .name = "rules",
    .help = "questions about what may be wrong, each found with evidence, ruled out, or not judged",
    .columns = columns,
    .n_columns = COLUMNS,
    .none = "no rules",
};

static void begin_text(struct judging *j)
{
    j->text.n = 0;
}

/* The text until now as a cell, until the next one begins. */
static struct tk_cell text_cell(const struct judging *j, size_t from)
{
    return (struct tk_cell){
        .kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)(j->text.n - from), .v.p = j->text.p + from};
}

static void put_frames(struct judging *j, const struct finding *f)
{
    size_t rows;
    const int at = tk_table_column(tk_result_table(f->rows, 0, &rows), "frame");
    char number[24];
    for (size_t i = 0; at >= 0 && i < rows && i < 10; i++) {
        const struct tk_cell *cell = &tk_result_row(f->rows, 0, i)[at];
        if (cell->kind == TK_NONE)
            continue;
        snprintf(number, sizeof number, "%s%llu", i ? "," : "", (unsigned long long)cell->v.u);
        tk_buffer_text(&j->text, number);
    }
}

static void put_record(struct judging *j, const struct finding *f)
{
    const struct tk_rule_value *k = f->rule->keys;
    const char *how = NULL;
    if (f->lacks) {
        tk_buffer_text(&j->text, f->lacks);
        return;
    }
    const char *lacks = tk_can_lacks(j->trace->ctx.format, k[TK_RULE_NEEDS].text, &how);
    lacks = k[TK_RULE_LACKS].text ? k[TK_RULE_LACKS].text : lacks;
    how = k[TK_RULE_RECORD].text ? k[TK_RULE_RECORD].text : how;
    if (lacks) {
        tk_buffer_text(&j->text, "without ");
        tk_buffer_text(&j->text, lacks);
    }
    if (how) {
        tk_buffer_text(&j->text, lacks ? "; " : "");
        tk_buffer_text(&j->text, how);
    }
}

/* Offsets of the texts of a row in the buffer, which moves while it grows. */
struct texts {
    size_t evidence, frames, command, record, end;
};

static struct texts put_texts(struct judging *j, const struct finding *f)
{
    const char *file = j->options->file ? j->options->file : j->trace->path ? j->trace->path : "CAPTURE";
    const struct tk_cell *row = f->state == FOUND ? tk_result_row(f->rows, 0, 0) : NULL;
    size_t rows;
    const struct tk_table *of = row ? tk_result_table(f->rows, 0, &rows) : NULL;
    struct texts t;
    begin_text(j);
    t.evidence = j->text.n;
    if (row)
        tk_rule_template_put(&j->text, f->rule, TK_RULE_SAYS, of, row, file);
    t.frames = j->text.n;
    if (row)
        put_frames(j, f);
    t.command = j->text.n;
    if (row)
        tk_rule_template_put(&j->text, f->rule, TK_RULE_COMMAND, of, row, file);
    t.record = j->text.n;
    if (f->state == NOT_JUDGED)
        put_record(j, f);
    t.end = j->text.n;
    return t;
}

static struct tk_cell piece(const struct judging *j, size_t from, size_t to)
{
    struct tk_cell cell = text_cell(j, from);
    cell.n = (uint32_t)(to - from);
    return from == to ? (struct tk_cell){.kind = TK_NONE} : cell;
}

static uint64_t hits_of(const struct finding *f)
{
    size_t rows = 0;
    if (f->rows)
        tk_result_table(f->rows, 0, &rows);
    return f->hits ? (uint64_t)real_of(f->hits) : rows;
}

static int send_row(struct judging *j, const struct finding *f, const struct tk_sink *sink,
                    struct tk_err *err)
{
    const struct tk_rule_value *k = f->rule->keys;
    const struct texts t = put_texts(j, f);
    struct tk_cell row[COLUMNS] = {
        [RULE] = tk_cell_of_c(f->rule->name),
        [STATE] = tk_cell_of_c(state_names[f->state]),
        [EVIDENCE] = piece(j, t.evidence, t.frames),
        [FRAMES] = piece(j, t.frames, t.command),
        [QUESTION] = tk_cell_of_c(k[TK_RULE_QUESTION].text),
        [ADVICE] = tk_cell_of_c(k[TK_RULE_ADVICE].text),
        [RECORD] = piece(j, t.record, t.end),
        [COMMAND] = piece(j, t.command, t.record),
        [LEVEL] = tk_cell_of_c(k[TK_RULE_LEVEL].text),
    };
    if (j->text.status < 0)
        return tk_err_nomem(err, "the evidence of a rule");
    if (f->state == FOUND && f->lost)
        row[LOST] = tk_cell_of_span((int64_t)real_of(f->lost));
    if (f->state == FOUND)
        row[HITS] = tk_cell_of_uint(hits_of(f));
    if (f->rule->path)
        row[FILE_NAME] = tk_cell_of_c(f->rule->path);
    const struct tk_rows rows = {1, row};
    return sink->rows ? sink->rows(sink->self, &table, &rows, err) : TK_OK;
}

/* The evidence of a rule as a table of its name. */
static int send_evidence(const struct finding *f, const struct tk_sink *sink, struct tk_err *err)
{
    size_t n;
    struct tk_table named = *tk_result_table(f->rows, 0, &n);
    named.name = f->rule->name;
    named.help = f->rule->keys[TK_RULE_QUESTION].text;
    int rc = sink->begin ? sink->begin(sink->self, &named, err) : TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        const struct tk_rows rows = {1, tk_result_row(f->rows, 0, i)};
        rc = sink->rows ? sink->rows(sink->self, &named, &rows, err) : TK_OK;
    }
    return rc == TK_OK && sink->end ? sink->end(sink->self, &named, err) : rc;
}

static int send_all(struct judging *j, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    for (size_t i = 0; i < j->list.n && rc == TK_OK; i++)
        rc = send_row(j, &j->list.v[i], sink, err);
    if (rc == TK_OK && sink->end)
        rc = sink->end(sink->self, &table, err);
    for (size_t i = 0; i < j->list.n && rc == TK_OK && j->options->n_only; i++)
        if (j->list.v[i].state == FOUND)
            rc = send_evidence(&j->list.v[i], sink, err);
    return rc;
}

/* ---- the whole ---- */

static int choose(struct judging *j, const struct tk_rule *rule, struct tk_err *err)
{
    const struct finding f = {.rule = rule,
                              .needs = with_target(rule->needs.text, j->options->target),
                              .found = with_target(rule->found.text, j->options->target)};
    if (f.needs && f.found && !tk_vec_push(&j->list, f))
        return TK_OK;
    free(f.needs);
    free(f.found);
    return tk_err_nomem(err, "rules");
}

static const struct tk_rule *find_rule(const struct tk_rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->list.n; i++)
        if (strcmp(rules->list.v[i]->name, name) == 0)
            return rules->list.v[i];
    return NULL;
}

static int choose_rules(struct judging *j, const struct tk_rules *rules, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < j->options->n_only && rc == TK_OK; i++) {
        const struct tk_rule *rule = find_rule(rules, j->options->only[i]);
        rc = rule ? choose(j, rule, err) : tk_rules_unknown(rules, j->options->only[i], err);
    }
    for (size_t i = 0; i < rules->list.n && j->options->n_only == 0 && rc == TK_OK; i++)
        rc = choose(j, rules->list.v[i], err);
    return rc;
}

static int open_sql(struct judging *j, struct tk_err *err)
{
    int rc = tk_sql_new(&j->sql, NULL, err);
    return rc < 0 ? rc : tk_sql_add_open(j->sql, j->trace, j->trace->path ? j->trace->path : "-", err);
}

static int judge_all(struct judging *j, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = check_statements(j, err);
    if (rc == TK_OK)
        rc = read_ahead(j, err);
    for (size_t i = 0; i < j->list.n && rc == TK_OK; i++)
        rc = judge_rule(j, &j->list.v[i], err);
    if (rc == TK_OK)
        rc = weigh(j, err);
    if (rc < 0)
        return rc;
    qsort(j->list.v, j->list.n, sizeof *j->list.v, compare_findings);
    return send_all(j, sink, err);
}

static void release(struct judging *j)
{
    for (size_t i = 0; i < j->list.n; i++) {
        free(j->list.v[i].needs);
        free(j->list.v[i].found);
        free(j->list.v[i].lacks);
        tk_result_free(j->list.v[i].rows);
    }
    tk_vec_release(&j->list);
    tk_sql_free(j->sql);
    tk_buffer_release(&j->text);
}

int tk_rules_judge(const struct tk_rules *rules, struct tk_trace *trace,
                   const struct tk_rules_options *options, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, rules, trace, sink);
    struct tk_err own = {0};
    struct tk_rules_options given = TK_INIT(struct tk_rules_options);
    struct judging j = {.trace = trace, .options = &given};
    err = err ? err : &own;
    int rc = tk_struct_size_take(&given, sizeof given, options, "the options", err);
    TK_TEXTS_GIVEN(err, given.only, given.n_only);
    if (rc == TK_OK && tk_buffer_init(&j.text, NULL, NULL))
        rc = tk_err_nomem(err, "rules");
    if (rc == TK_OK)
        rc = choose_rules(&j, rules, err);
    if (rc == TK_OK)
        rc = open_sql(&j, err);
    if (rc == TK_OK)
        rc = judge_all(&j, sink, err);
    release(&j);
    return rc;
}
