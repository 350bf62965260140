/*
 * Conditions of statements: what a table takes over of them (plans) changes no row. The input chooses a
 * WHERE; its rows have to be those that SQLite finds by itself, also where joins may keep little in memory.
 */
#include "base/hash.h"
#include "rig.h"
#include "tracekit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT = 2048, WAYS = 3, LITTLE = 12 << 10 };

struct answer {
    uint64_t rows, sum; /* sum: of hashes of rows, in no order */
};

static struct tk_sql *ways[WAYS]; /* as usual, nothing pushed down, little kept in memory */

static const char *const columns[] = {"s.thread_id", "s.thread", "s.timer",     "s.start", "s.dur",
                                      "s.depth",     "s.frame",  "s.parent_id", "s.kind",  "s.scope_id"};
static const char *const operators[] = {"=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT", "LIKE", "GLOB"};
static const char *const texts[] = {
    "GameThread", "FEngineLoop::Tick",  "cpu", "spec", "metadata", "F*", "%Tick%", "", "Worker 1",
    "*",          "a thread's \"name\""};

/* ---- statements ---- */

static void put(char *out, const char *text)
{
    const size_t n = strlen(out);
    snprintf(out + n, STATEMENT - n, "%s", text);
}

static void put_text(char *out, const char *text)
{
    put(out, "'");
    for (const char *p = text; *p; p++)
        put(out, (const char[]){*p, *p == '\'' ? '\'' : '\0', '\0'});
    put(out, "'");
}

static void put_value(char *out, struct fuzz_in *in)
{
    char number[40];
    const uint8_t kind = fuzz_u8(in);
    if (kind % 4 == 0) {
        put_text(out, texts[fuzz_u8(in) % (sizeof texts / sizeof *texts)]);
        return;
    }
    if (kind == 1) {
        put(out, "NULL");
        return;
    }
    snprintf(number, sizeof number, kind % 4 == 1 ? "%.0f" : "%.0f.5", (double)fuzz_uint(in, kind % 5));
    put(out, number);
}

static void put_condition(char *out, struct fuzz_in *in)
{
    const uint8_t how = fuzz_u8(in);
    put(out, how & 1 ? "NOT (" : "(");
    put(out, columns[fuzz_u8(in) % (sizeof columns / sizeof *columns)]);
    if (how % 8 == 2) {
        put(out, " IN (");
        put_value(out, in);
        put(out, ", ");
        put_value(out, in);
        put(out, ")");
    } else if (how % 8 == 4) {
        put(out, " BETWEEN ");
        put_value(out, in);
        put(out, " AND ");
        put_value(out, in);
    } else {
        put(out, " ");
        put(out, operators[fuzz_u8(in) % (sizeof operators / sizeof *operators)]);
        put(out, " ");
        put_value(out, in);
    }
    put(out, ")");
}

static void make(char *out, struct fuzz_in *in)
{
    static const char *const froms[] = {
        "SELECT s.thread_id, s.timer, s.start, s.dur FROM scopes s WHERE ",
        ("SELECT f.frame, s.timer, s.dur FROM frames f JOIN scopes s ON s.start >= f.start AND s.start < "
         "f.end WHERE "),
        "SELECT t.timer, s.start FROM timers t JOIN scopes s ON s.timer = t.timer WHERE ",
        "SELECT s.timer, count(*), sum(s.dur) FROM scopes s WHERE "};
    const uint8_t from = fuzz_u8(in) % 4, n = fuzz_u8(in) % 4;
    out[0] = '\0';
    put(out, froms[from]);
    put_condition(out, in);
    for (uint8_t i = 0; i < n; i++) {
        put(out, fuzz_u8(in) % 3 ? " AND " : " OR ");
        put_condition(out, in);
    }
    put(out, from == 3 ? " GROUP BY s.timer" : "");
}

/* ---- answers ---- */

static uint64_t hash_of(const struct tk_cell *c, uint64_t seed)
{
    if (c->kind == TK_TEXT || c->kind == TK_BYTES)
        return tk_hash_bytes(c->v.p, c->n, seed + 1);
    return c->kind == TK_NONE ? seed * 31 + 7 : tk_hash_bytes((const char *)&c->v.u, sizeof c->v.u, seed);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct answer *a = self;
    (void)err;
    for (size_t i = 0; i < rows->n; i++) {
        uint64_t hash = 0;
        for (uint32_t k = 0; k < table->n_columns; k++)
            hash = hash_of(&rows->cells[i * table->n_columns + k], hash + k);
        a->sum += hash;
        a->rows++;
    }
    return TK_OK;
}

static void open_ways(void)
{
    struct tk_err err = {0};
    for (unsigned i = 0; i < WAYS && !ways[i]; i++) {
        struct tk_sql_options options = TK_INIT(struct tk_sql_options);
        options.nothing_pushed = i == 1;
        options.memory = i == 2 ? LITTLE : 0;
        fuzz_promise(tk_sql_new(&ways[i], &options, &err) == TK_OK, "a session");
        fuzz_promise(tk_sql_add(ways[i], FUZZ_CAPTURE, NULL, &err) == TK_OK, "a capture");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct answer answers[WAYS] = {{0}};
    char statement[STATEMENT];
    open_ways();
    make(statement, &in);
    fuzz_tell("statement", statement, strlen(statement));
    for (unsigned i = 0; i < WAYS; i++) {
        struct tk_err err = {0};
        const struct tk_sink sink = {.self = &answers[i], .rows = take_rows};
        const int rc = tk_sql_run(ways[i], statement, &sink, &err);
        fuzz_tell("cause", tk_err_text(&err, rc), strlen(tk_err_text(&err, rc)));
        fuzz_promise(rc == TK_OK || rc == TK_EMATCH, "statements that are made are answered");
    }
    fuzz_promise(answers[0].rows == answers[1].rows && answers[0].sum == answers[1].sum,
                 "what is pushed down changes no row");
    fuzz_promise(answers[2].rows == answers[1].rows && answers[2].sum == answers[1].sum,
                 "what is on disk is what would be in memory");
    return 0;
}
