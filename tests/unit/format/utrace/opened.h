/*
 * A capture opened from bytes in memory, and what readings of it tell, as lines. First include of a test.
 *
 *   t2 #42 Demo.Hit Value=1.5     thread, serial, fields; then "@time", "+<attachment>", "incomplete"
 *   clock 5000 1000               start, frequency
 *   scopes t2: +0@100 -@120       scopes of a thread, all runs joined: timer@time; s: stamped, L: late slot
 */
#ifndef TK_TESTS_UNIT_UTRACE_OPENED_H
#define TK_TESTS_UNIT_UTRACE_OPENED_H

#include "os/posix/posix.h"

#include "format/utrace/reading/reading_common.h"
#include "io/file.h"
#include "io/scratch/pool.h"
#include "lines.h"
#include "utrace_writer.h"

#include <unistd.h>

#define OPENED_THREADS 64

struct opened {
    struct tk_options options;
    struct tk_context ctx;
    struct tk_file *file;
    struct tk_capture *capture; /* NULL when it could not be opened */
    struct tk_err err;
    int rc; /* of opening, then of reading */
    struct lines reported;
    struct lines scopes[OPENED_THREADS]; /* by lane number */
    uint32_t scope_threads[OPENED_THREADS];
    size_t batches;
    uint64_t last_seq; /* of the records reported, for the wraps */
};

static inline struct tk_file *file_of(const void *p, size_t n)
{
    const char *tmp = getenv("TMPDIR");
    char path[256];
    struct tk_limits limits = tk_limits_default();
    struct tk_file *file = NULL;
    snprintf(path, sizeof path, "%s/tk-unit-utrace-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, p, n), (ssize_t)n);
    ck_assert_int_eq(tk_file_open(&file, path, &(struct tk_options){.size = sizeof(struct tk_options)},
                                  &limits, NULL, NULL),
                     TK_OK);
    close(fd);
    unlink(path);
    return file;
}

/* Sets everything up but does not open; for tests that change limits. */
static inline void prepare(struct opened *o, const void *p, size_t n, unsigned jobs)
{
    memset(o, 0, sizeof *o);
    o->file = file_of(p, n);
    o->options.size = sizeof o->options;
    o->ctx = (struct tk_context){.file = o->file,
                                 .options = &o->options,
                                 .limits = tk_limits_default(),
                                 .pool = tk_pool_open(jobs),
                                 .format = &tk_format_utrace,
                                 .size = n};
    o->ctx.health.max_items = 100;
}

static inline void open_prepared(struct opened *o)
{
    o->rc = tk_format_utrace.open(&o->ctx, &o->capture, &o->err);
    add_line(&o->reported, "%s", "");
}

static inline void open_bytes(struct opened *o, const void *p, size_t n)
{
    prepare(o, p, n, 1);
    open_prepared(o);
    ck_assert_int_eq(o->rc, TK_OK);
}

static inline void open_written(struct opened *o, const struct tk_uw_bytes *bytes)
{
    ck_assert(!bytes->failed);
    open_bytes(o, bytes->data, bytes->size);
}

static inline void close_opened(struct opened *o)
{
    if (o->capture)
        o->capture->ops->close(o->capture);
    tk_file_close(o->file);
    tk_pool_close(o->ctx.pool);
    tk_health_release(&o->ctx.health);
    release_lines(&o->reported);
    for (size_t i = 0; i < OPENED_THREADS; i++)
        release_lines(&o->scopes[i]);
}

static inline struct tk_ut_capture *ut(struct opened *o)
{
    return (struct tk_ut_capture *)o->capture;
}

/* ---- facts ---- */

static inline void tell_record(struct opened *o, const struct tk_fact *f)
{
    const struct tk_fact_record *r = &f->u.record;
    add_line(&o->reported, "t%u ", f->thread);
    if (r->has_serial)
        add_line(&o->reported, "#%u ", r->serial);
    add_record(&o->reported, &r->rec);
    if (r->has_time)
        add_line(&o->reported, " @%lld", (long long)f->time);
    if (r->attachment.kind == TK_BYTES) {
        add_line(&o->reported, " +");
        add_cell(&o->reported, &r->attachment);
    }
    add_line(&o->reported, r->incomplete ? " incomplete" : "");
}

static inline void tell_thread(struct opened *o, const struct tk_fact *f)
{
    const struct tk_fact_thread *t = &f->u.thread_info;
    add_line(&o->reported, "thread %u", f->thread);
    if (!t->named)
        return;
    add_line(&o->reported, " ");
    add_str(&o->reported, t->name);
    add_line(&o->reported, " group ");
    add_str(&o->reported, t->group);
    if (t->has_system)
        add_line(&o->reported, " system %llu", (unsigned long long)t->system_id);
    add_line(&o->reported, " hint %d", t->sort_hint);
}

static inline void tell_timer(struct opened *o, const struct tk_fact_timer *t)
{
    static const char *const kinds[] = {"spec", "metadata", "scoped", "coroutine", "gpu", "zone"};
    add_line(&o->reported, "timer %u %s ", t->id, kinds[t->kind]);
    add_str(&o->reported, t->name);
    if (t->file) {
        add_line(&o->reported, " ");
        add_str(&o->reported, t->file);
        add_line(&o->reported, ":%u", t->line);
    }
}

static inline void tell_message(struct opened *o, const struct tk_fact *f, const struct tk_str *file,
                                uint32_t line, const struct tk_str *text)
{
    add_line(&o->reported, " t%u @%lld ", f->thread, (long long)f->time);
    add_str(&o->reported, file);
    add_line(&o->reported, ":%u ", line);
    add_str(&o->reported, text);
}

static inline void tell_definition(struct opened *o, const struct tk_fact *f)
{
    if (f->kind == TK_FACT_CLOCK) {
        add_line(&o->reported, "clock %llu %llu", (unsigned long long)f->u.clock.start,
                 (unsigned long long)f->u.clock.frequency);
    } else if (f->kind == TK_FACT_SESSION) {
        add_line(&o->reported, "session %.*s=", (int)f->u.session.key->n, f->u.session.key->p);
        add_cell(&o->reported, &f->u.session.value);
    } else if (f->kind == TK_FACT_THREAD) {
        tell_thread(o, f);
    } else if (f->kind == TK_FACT_CHANNEL) {
        add_line(&o->reported, "channel %08X %s%s%s ", f->u.channel.id, f->u.channel.enabled ? "on" : "off",
                 f->u.channel.read_only ? " fixed" : "", f->u.channel.announced ? " announced" : "");
        add_str(&o->reported, f->u.channel.name);
    } else if (f->kind == TK_FACT_TIMER) {
        tell_timer(o, &f->u.timer);
    } else {
        add_line(&o->reported, "late %u is %u", f->u.timer_late.slot, f->u.timer_late.timer);
    }
}

static inline void tell_region(struct opened *o, const struct tk_fact *f)
{
    const struct tk_fact_region *r = &f->u.region;
    add_line(&o->reported, "region t%u %s @%lld ", f->thread, r->begin ? "begin" : "end", (long long)f->time);
    if (r->has_id)
        add_line(&o->reported, "id %llu ", (unsigned long long)r->id);
    add_str(&o->reported, r->name);
    add_line(&o->reported, " ");
    add_str(&o->reported, r->category);
}

static inline void tell_fact(struct opened *o, const struct tk_fact *f)
{
    if (TK_FACT_DEFINITIONS >> f->kind & 1) {
        tell_definition(o, f);
    } else if (f->kind == TK_FACT_RECORD) {
        tell_record(o, f);
    } else if (f->kind == TK_FACT_FRAME) {
        add_line(&o->reported, "frame t%u %s %u @%lld", f->thread, f->u.frame.begin ? "begin" : "end",
                 f->u.frame.type, (long long)f->time);
    } else if (f->kind == TK_FACT_REGION) {
        tell_region(o, f);
    } else if (f->kind == TK_FACT_BOOKMARK) {
        add_line(&o->reported, "bookmark");
        tell_message(o, f, f->u.bookmark.file, f->u.bookmark.line, &f->u.bookmark.text);
    } else if (f->kind == TK_FACT_LOG) {
        add_line(&o->reported, "log ");
        add_str(&o->reported, f->u.log.category);
        add_line(&o->reported, " %u", f->u.log.verbosity);
        tell_message(o, f, f->u.log.file, f->u.log.line, &f->u.log.text);
    } else if (f->kind == TK_FACT_STALL) {
        add_line(&o->reported, "stall t%u @%lld to %lld", f->thread, (long long)f->time,
                 (long long)f->u.stall.end);
    } else if (f->kind == TK_FACT_RECORD_COUNT) {
        add_line(&o->reported, "count %s %llu, %llu bytes", f->u.record_count.type->name,
                 (unsigned long long)f->u.record_count.count, (unsigned long long)f->u.record_count.bytes);
    } else {
        ck_assert_uint_eq(f->kind, TK_FACT_STREAM);
        add_line(&o->reported, "stream %u: %llu packets, %llu bytes, %llu unpacked, %llu events", f->thread,
                 (unsigned long long)f->u.stream.packets, (unsigned long long)f->u.stream.stored,
                 (unsigned long long)f->u.stream.unpacked, (unsigned long long)f->u.stream.events);
    }
    add_line(&o->reported, "\n");
}

static inline void tell_entry(struct lines *l, int64_t time, uint32_t op)
{
    const char *stamped = op & TK_OP_STAMPED ? "s" : "";
    uint32_t timer = op & TK_OP_TIMER;
    if (op == TK_OP_CUT)
        add_line(l, " cut");
    else if (op == TK_OP_CLOSE)
        add_line(l, " close");
    else if (op & TK_OP_END)
        add_line(l, " -%s@%lld", stamped, (long long)time);
    else if (timer >= TK_LATE)
        add_line(l, " +%sL%u@%lld", stamped, timer - TK_LATE, (long long)time);
    else
        add_line(l, " +%s%u@%lld", stamped, timer, (long long)time);
}

static inline void tell_run(struct opened *o, const struct tk_scope_run *run)
{
    ck_assert_uint_lt(run->lane, OPENED_THREADS);
    o->scope_threads[run->lane] = run->thread;
    for (size_t i = 0; i < run->n; i++)
        tell_entry(&o->scopes[run->lane], run->time[i], run->op[i]);
}

static inline void tell_batch(struct opened *o, const struct tk_batch *batch, uint64_t facts)
{
    o->batches++;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (batch->facts[i].size != sizeof(struct tk_fact))
            ck_abort_msg("a fact without its size");
        if (facts >> batch->facts[i].kind & 1)
            tell_fact(o, &batch->facts[i]);
        if (batch->facts[i].kind == TK_FACT_RECORD && batch->facts[i].seq != TK_NO_SEQ)
            o->last_seq = batch->facts[i].seq;
    }
    for (size_t i = 0; i < batch->n_runs; i++)
        tell_run(o, &batch->runs[i]);
}

/* Reads everything that is requested and says the facts of these kinds. Borrowed until the next reading. */
static inline const char *say_requested(struct opened *o, const struct tk_request *request)
{
    struct tk_source *source;
    struct tk_batch batch;
    clear_lines(&o->reported);
    for (size_t i = 0; i < OPENED_THREADS; i++)
        clear_lines(&o->scopes[i]);
    ck_assert_int_eq(o->capture->ops->read(o->capture, request, &source, &o->err), TK_OK);
    while ((o->rc = tk_source_next(source, &batch, &o->err)) == TK_ITEM)
        tell_batch(o, &batch, request->facts);
    for (size_t i = 0; i < OPENED_THREADS; i++)
        if (o->scopes[i].n)
            add_line(&o->reported, "scopes t%u:%s\n", o->scope_threads[i], o->scopes[i].text);
    tk_source_close(source);
    return o->reported.text;
}

static inline const char *tell_in_order(struct opened *o, uint64_t facts, enum tk_order order)
{
    struct tk_request request = {.facts = facts, .order = order};
    const char *reported = say_requested(o, &request);
    ck_assert_int_eq(o->rc, TK_OK);
    return reported;
}

static inline const char *tell(struct opened *o, uint64_t facts)
{
    return tell_in_order(o, facts, TK_ORDER_FILE);
}

/* Opens, reads, compares and closes. */
static inline void check_reported(const void *p, size_t n, uint64_t facts, enum tk_order order,
                                  const char *expected)
{
    struct opened o;
    open_bytes(&o, p, n);
    check_text(tell_in_order(&o, facts, order), expected);
    close_opened(&o);
}

/* ---- health ---- */

static inline uint64_t faults(const struct opened *o, enum tk_health_kind kind)
{
    return o->ctx.health.counts[kind];
}

static inline uint64_t all_faults(const struct opened *o)
{
    uint64_t n = 0;
    for (int i = 0; i < TK_HEALTH_COUNT; i++)
        n += o->ctx.health.counts[i];
    return n;
}

static inline uint64_t part(const struct opened *o, enum tk_ledger_part which)
{
    return o->ctx.health.ledger[which];
}

/* Every byte of the file is in the ledger exactly once. */
static inline void check_ledger(const struct opened *o)
{
    uint64_t sum = 0;
    for (int i = 0; i < TK_LEDGER_COUNT; i++)
        sum += o->ctx.health.ledger[i];
    ck_assert_uint_eq(sum, o->ctx.size);
}

#endif
