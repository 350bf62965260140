/*
 * What fuzz targets share.
 */
#define _GNU_SOURCE /* memfd_create */

#include "rig.h"

#include "api/trace.h"
#include "base/checksum.h"
#include "base/vec.h"
#include "questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { MOST_TABLES = 160, MOST_REPORTED = 160 };

/* AddressSanitizer requests it. Memory that is freed comes back soon enough to be in a cache, and each
 * allocation notes a short stack: targets that read whole captures run half as long. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:malloc_context_size=6";
}

void fuzz_promise(bool kept, const char *promise)
{
    if (kept)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

void fuzz_error(int rc, const struct tk_err *err)
{
    fuzz_promise(rc >= 0 || (err->code == rc && err->n > 0 && err->text[0][0]), "an error has a cause");
}

bool fuzz_telling;

void fuzz_tell(const char *what, const void *text, size_t n)
{
    const uint8_t *p = text;
    if (!fuzz_telling)
        return;
    printf("%s: ", what);
    for (size_t i = 0; i < n && i < MOST_REPORTED; i++)
        printf(p[i] < ' ' || p[i] > '~' ? "\\x%02x" : "%c", p[i]);
    printf(n > MOST_REPORTED ? "... (%zu bytes)\n" : "\n", n);
}

void fuzz_tell_health(const struct tk_health *health)
{
    for (size_t i = 0; i < health->n_items; i++) {
        const struct tk_health_item *item = &health->items[i];
        fuzz_tell(tk_health_name(item->kind), item->text, strlen(item->text));
    }
}

uint8_t fuzz_u8(struct fuzz_in *in)
{
    return (uint8_t)fuzz_uint(in, 1);
}

uint64_t fuzz_uint(struct fuzz_in *in, unsigned bytes)
{
    struct fuzz_in taken = fuzz_take(in, bytes);
    uint64_t v = 0;
    for (size_t i = 0; i < taken.n; i++)
        v |= (uint64_t)taken.p[i] << (8 * i);
    return v;
}

struct fuzz_in fuzz_take(struct fuzz_in *in, size_t n)
{
    struct fuzz_in taken = {in->p, n < in->n ? n : in->n};
    in->p += taken.n;
    in->n -= taken.n;
    return taken;
}

uint8_t *fuzz_copy(const void *p, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    fuzz_promise(copy != NULL, "memory for a copy");
    if (n)
        memcpy(copy, p, n);
    return copy;
}

const char *fuzz_path(const void *p, size_t n)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
#ifdef __linux__
        fd = memfd_create("fuzz", 0);
#else
        FILE *file = tmpfile();
        fd = file ? fileno(file) : -1;
#endif
        snprintf(path, sizeof path, "/dev/fd/%d", fd);
    }
    fuzz_promise(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, p, n, 0) == (ssize_t)n,
                 "a file for the input");
    return path;
}

void fuzz_ledger(const struct tk_context *ctx)
{
    uint64_t sum = 0;
    for (int i = 0; i < TK_LEDGER_COUNT; i++) {
        fuzz_promise(ctx->health.ledger[i] <= ctx->size, "no part of the ledger is larger than the file");
        sum += ctx->health.ledger[i];
    }
    fuzz_promise(sum == ctx->size, "the parts of the ledger sum to the size of the file");
}

/* ---- rows as one number ---- */

static void hash_cell(uint64_t *hash, const struct tk_cell *c);

static void hash_record(uint64_t *hash, const struct tk_record *record)
{
    for (uint32_t i = 0; i < record->type->n_fields; i++) {
        struct tk_cell value = {0};
        record->type->value(record, i, &value);
        hash_cell(hash, &value);
    }
}

static void hash_cell(uint64_t *hash, const struct tk_cell *c)
{
    *hash = *hash * UINT64_C(0x9e3779b97f4a7c15) + c->kind;
    if (c->kind == TK_RECORD)
        hash_record(hash, c->v.p);
    else if (c->kind == TK_LIST)
        for (uint32_t i = 0; i < c->n; i++)
            hash_cell(hash, (const struct tk_cell *)c->v.p + i);
    else if (c->kind == TK_TEXT || c->kind == TK_BYTES)
        *hash = tk_checksum(c->v.p, c->n, *hash);
    else if (c->kind == TK_ARRAY)
        *hash = tk_checksum(c->v.p, (size_t)c->n * c->width, *hash);
    else if (c->kind != TK_NONE)
        *hash += c->v.u;
}

static int hash_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)err;
    for (size_t i = 0; i < rows->n * table->n_columns; i++)
        hash_cell(self, &rows->cells[i]);
    return TK_OK;
}

/* ---- questions ---- */

/* Small, so that limits are met. */
static const char *const limits[] = {"unpacked_bytes=16777216",
                                     "strings=4194304",
                                     "event_bytes=1048576",
                                     "group_bytes=262144",
                                     "packets=65536",
                                     "types=4096",
                                     "metadata_instances=65536",
                                     "tree_nodes=4096",
                                     "nesting=1024",
                                     "rows=65536",
                                     "alive_allocations=65536",
                                     "memory_groups=4096",
                                     "callstack_bytes=1048576",
                                     "counters=4096",
                                     "tasks=4096",
                                     "switches=65536",
                                     "sample_addresses=65536",
                                     "timers=65536",
                                     "ordered_facts=65536",
                                     "held_events=4096",
                                     "pending_scopes=4096"};

/* All tables that need no question. */
static size_t all_tables(const struct tk_trace *trace, const char **names, unsigned flags)
{
    size_t n, found = 0;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n && found < MOST_TABLES; i++)
        if (!(tables[i]->flags & TK_TABLE_ON_REQUEST) &&
            (fuzz_telling || !(flags & 8) || i % 8 == (flags >> 4 & 7)) &&
            tk_has_table(trace, tables[i]->name))
            names[found++] = tables[i]->name;
    return found;
}

static int ask(struct tk_trace *trace, const char *const *tables, size_t n_tables, unsigned flags,
               uint64_t *hash, struct tk_err *err)
{
    const char *names[MOST_TABLES];
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.self = hash, .rows = hash_rows};
    query.n_tables = tables ? 0 : all_tables(trace, names, flags);
    for (size_t i = 0; i < n_tables; i++)
        if (tk_has_table(trace, tables[i]))
            names[query.n_tables++] = tables[i];
    query.tables = names;
    query.mixed = true;
    int rc = query.n_tables ? tk_query_run(trace, &query, &sink, err) : TK_OK;
    fuzz_error(rc, err);
    if (rc == TK_OK)
        rc = tk_health(trace, &sink, err);
    fuzz_ledger(&trace->ctx);
    return rc;
}

static void export_all(struct tk_trace *trace)
{
    static const char *const formats[] = {"ndjson", "chrome", "perfetto", "speedscope", "folded", "pprof"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct tk_query query = TK_INIT(struct tk_query);
        struct tk_export_options options = TK_INIT(struct tk_export_options);
        struct tk_err err = {0};
        options.format = formats[i];
        options.path = "/dev/null";
        options.force = options.args = true;
        fuzz_error(tk_export_run(trace, &query, &options, &err), &err);
    }
}

/* New memory is filled with another byte for each number of jobs, so that rows differ into which memory came
 * that nobody wrote. 0: with none again. */
static void fill_memory(unsigned jobs)
{
#ifdef __GLIBC__
    mallopt(M_PERTURB, jobs ? (int)('a' + jobs) : 0);
#else
    (void)jobs;
#endif
}

static bool ask_with(const char *path, unsigned jobs, bool strict, const char *const *tables, size_t n_tables,
                     unsigned flags, uint64_t *hash)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    options.jobs = jobs;
    options.strict = strict;
    options.limits = limits;
    options.n_limits = sizeof limits / sizeof *limits;
    int rc = tk_open(&trace, path, &options, &err);
    fuzz_error(rc, &err);
    *hash = (uint64_t)rc;
    if (rc < 0) {
        fuzz_tell("error", err.text[0], strlen(err.text[0]));
        return false;
    }
    fuzz_ledger(&trace->ctx);
    *hash += (uint64_t)ask(trace, tables, n_tables, flags, hash, &err);
    fuzz_tell_health(&trace->ctx.health);
    if (flags & FUZZ_EXPORT)
        export_all(trace);
    if (flags & FUZZ_QUESTION(0))
        fuzz_question(trace, flags >> 8);
    tk_close(trace);
    return true;
}

bool fuzz_ask(const void *p, size_t n, const char *const *tables, size_t n_tables, unsigned flags)
{
    const char *path = fuzz_path(p, n);
    uint64_t hash = 0, other = 0;
    fill_memory(flags & FUZZ_JOBS ? 1 : 0);
    bool opened = ask_with(path, 1, false, tables, n_tables, flags, &hash);
    if (opened && (flags & FUZZ_JOBS)) {
        fill_memory(2);
        ask_with(path, 2, false, tables, n_tables, flags & FUZZ_PART(7), &other);
        fuzz_promise(hash == other, "the same rows with two jobs");
    }
    fill_memory(0);
    if (opened && (flags & FUZZ_STRICT))
        ask_with(path, 1, true, tables, n_tables, flags & FUZZ_PART(7), &other);
    return opened;
}

/* ---- pairs of tables ---- */

static bool says_what_was_found(const char *table)
{
    static const char *const names[] = {"health", "capture", "ledger", "coverage", "quality"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(table, names[i]) == 0)
            return true;
    return false;
}

static uint64_t rows_of(struct tk_trace *trace, const char *table)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_err err = {0};
    uint64_t hash = 0;
    const struct tk_sink sink = {.self = &hash, .rows = hash_rows};
    if (!tk_has_table(trace, table))
        return 0;
    query.tables = &table;
    query.n_tables = 1;
    const int rc = tk_query_run(trace, &query, &sink, &err);
    fuzz_error(rc, &err);
    return hash + (uint64_t)rc;
}

static void give_up(struct tk_trace *trace, const char *table)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_cursor *cursor = NULL;
    const struct tk_table *of;
    struct tk_rows rows;
    if (!tk_has_table(trace, table))
        return;
    query.tables = &table;
    query.n_tables = 1;
    if (tk_cursor_open(&cursor, trace, &query, NULL) == TK_OK)
        (void)tk_cursor_next(cursor, &of, &rows, NULL);
    tk_cursor_close(cursor);
}

static struct tk_trace *open_pair(const char *path)
{
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    options.jobs = 1;
    options.limits = limits;
    options.n_limits = sizeof limits / sizeof *limits;
    return tk_open(&trace, path, &options, NULL) < 0 ? NULL : trace;
}

void fuzz_pair(const void *p, size_t n, const char *first, const char *second)
{
    const char *path = fuzz_path(p, n);
    struct tk_trace *trace = open_pair(path);
    if (!trace)
        return;
    const uint64_t alone = rows_of(trace, second);
    tk_close(trace);
    for (unsigned stopped = 0; stopped < 2 && (trace = open_pair(path)); stopped++) {
        if (stopped)
            give_up(trace, first);
        else
            rows_of(trace, first);
        const uint64_t behind = rows_of(trace, second);
        fuzz_promise(behind == alone || says_what_was_found(second), "the rows that a table has alone");
        tk_close(trace);
    }
}
