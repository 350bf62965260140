/*
 * The format of Fuchsia's traces: the file, record after record (import 4.1, 4.4).
 */
#include "format/fuchsia/fuchsia.h"

#include "format/events/window.h"
#include "format/fuchsia/fuchsia_in.h"
#include "tracekit/captures.h"

#include <stdlib.h>

enum { STEP = 4096, WORD = 8, LARGE = 15, LAST_TYPE = 10 };

struct walk {
    struct tk_ev_window w;
    struct tk_fx_trace t;
};

static uint64_t here(const struct walk *d)
{
    return tk_ev_window_here(&d->w);
}

static bool says(const struct walk *d)
{
    return d->t.c->pass == TK_EV_GATHER;
}

static uint64_t size_of(uint64_t header)
{
    return WORD * ((header & 15) == LARGE ? tk_fx_bits(header, 4, 32) : tk_fx_bits(header, 4, 12));
}

static uint64_t left(const struct walk *d)
{
    return tk_file_size(d->w.file) - here(d);
}

/* The file ends: inside of a record, or in a word that is not whole. */
static int say_truncated(struct walk *d, uint64_t size)
{
    if (says(d)) {
        struct tk_health *health = &d->t.c->ctx->health;
        d->t.c->truncated = true;
        tk_health_move(health, TK_LEDGER_EVENTS, TK_LEDGER_TRUNCATED, left(d));
        tk_health_note(health, TK_HEALTH_FILE_TRUNCATED, here(d), 1,
                       "the record at offset %llu has %llu bytes, the file ends after %llu",
                       (unsigned long long)here(d), (unsigned long long)size, (unsigned long long)left(d));
    }
    return TK_OK;
}

static int say_trailing(struct walk *d)
{
    if (left(d) && says(d)) {
        struct tk_health *health = &d->t.c->ctx->health;
        tk_health_move(health, TK_LEDGER_EVENTS, TK_LEDGER_TRUNCATED, left(d));
        tk_health_note(health, TK_HEALTH_FILE_TRUNCATED, here(d), 1,
                       "%llu bytes after the last record are not a whole word", (unsigned long long)left(d));
    }
    return TK_OK;
}

/* A size of 0 says nothing about where the next record is: the first word that could begin one is taken. */
static int skip_words(struct walk *d, struct tk_err *err)
{
    const uint64_t from = here(d);
    tk_ev_note(d->t.c, TK_EV_RECORD_OF_SIZE_0, from);
    for (;;) {
        d->w.at += WORD;
        int rc = tk_ev_window_need(&d->w, WORD, err);
        if (rc < 0)
            return rc;
        uint64_t header = d->w.n - d->w.at >= WORD ? tk_fx_word(d->w.buf + d->w.at) : 0;
        bool over = d->w.n - d->w.at < WORD;
        if (over || ((header & 15) <= LAST_TYPE && size_of(header) && size_of(header) <= left(d))) {
            if (says(d))
                tk_health_move(&d->t.c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_SKIPPED, here(d) - from);
            return over ? say_trailing(d) : TK_ITEM;
        }
    }
}

/* What is larger than a piece may be is only listed: blobs. */
static int skip_large(struct walk *d, uint64_t n, struct tk_err *err)
{
    if (says(d)) {
        tk_ev_count(d->t.c, TK_FX_LARGE, n);
        tk_health_limit(&d->t.c->ctx->health, TK_LIMIT_event_bytes, here(d), 1,
                        "a record of %llu bytes was left out", (unsigned long long)n);
    }
    while (n) {
        size_t have = d->w.n - d->w.at, step = have < n ? have : (size_t)n;
        d->w.at += step;
        n -= step;
        int rc = n ? tk_ev_window_need(&d->w, 1, err) : TK_ITEM;
        if (rc != TK_ITEM)
            return rc;
    }
    return TK_ITEM;
}

static int take_record(struct walk *d, struct tk_err *err)
{
    int rc = tk_ev_window_need(&d->w, WORD, err);
    if (rc < 0)
        return rc;
    if (d->w.n - d->w.at < WORD)
        return say_trailing(d);
    uint64_t size = size_of(tk_fx_word(d->w.buf + d->w.at));
    if (!size)
        return skip_words(d, err);
    if (size > left(d))
        return say_truncated(d, size);
    rc = size <= SIZE_MAX / 4 ? tk_ev_window_need(&d->w, (size_t)size, err) : TK_ELIMIT;
    if (rc == TK_ELIMIT)
        return skip_large(d, size, err);
    if (rc != TK_ITEM)
        return rc < 0 ? rc : say_truncated(d, size);
    rc = tk_fx_record(&d->t, d->w.buf + d->w.at, (size_t)size, here(d));
    if (rc == TK_FX_NO_MEMORY)
        return tk_ev_failed(err);
    if (rc == TK_FX_SHORT) {
        tk_ev_note(d->t.c, TK_EV_RECORD_TOO_SHORT, here(d));
        if (says(d))
            tk_health_move(&d->t.c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE, size);
    }
    d->w.at += (size_t)size;
    return TK_ITEM;
}

static int step_walk(void *walk, struct tk_err *err)
{
    int rc = TK_ITEM;
    for (unsigned i = 0; i < STEP && rc == TK_ITEM; i++)
        rc = take_record(walk, err);
    if (rc == TK_OK && tk_fx_scheduling_finish(&((struct walk *)walk)->t) != TK_FX_FINE)
        return tk_ev_failed(err);
    return rc;
}

static int open_walk(struct tk_ev_capture *c, void **walk, struct tk_err *err)
{
    struct walk *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "a walk over the capture");
    *walk = d;
    d->t.c = c;
    c->container = "records";
    d->t.provider = tk_fx_provider_new(&d->t.providers, 0);
    if (!d->t.provider)
        return tk_err_nomem(err, "providers of the capture");
    return tk_ev_window_open(&d->w, c->ctx->file, c->ctx->limits.event_bytes, c->ctx->options->map, err);
}

static void close_walk(void *walk)
{
    struct walk *d = walk;
    tk_ev_window_close(&d->w);
    tk_fx_providers_release(&d->t.providers);
    tk_vec_release(&d->t.cores);
    tk_vec_release(&d->t.text);
    free(d);
}

/* ---- the format ---- */

static uint64_t reversed(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < WORD; i++)
        v = v << 8 | p[i];
    return v;
}

static int probe(const uint8_t *head, size_t n)
{
    return n >= WORD && tk_fx_word(head) == TK_FX_MAGIC ? 100 : 0;
}

/* Does the file look like records one after another? */
static bool looks_like_records(const uint8_t *head, size_t n)
{
    size_t at = 0;
    unsigned records = 0;
    for (; at + WORD <= n && records < 4; records++) {
        uint64_t header = tk_fx_word(head + at), size = size_of(header);
        if ((header & 15) > LAST_TYPE || !size || size > 32760)
            return false;
        if ((header & 15) == 1 && (size != 16))
            return false;
        at += (size_t)size;
    }
    return records >= 2 && at <= n;
}

static const char *explain(const uint8_t *head, size_t n)
{
    if (n >= WORD && reversed(head) == TK_FX_MAGIC)
        return "the file is a Fuchsia trace with the most significant byte first, which is not supported";
    if (looks_like_records(head, n))
        return "the file does not begin with the magic number record of a Fuchsia trace; the rest looks like "
               "one";
    return NULL;
}

static const struct tk_ev_decoder decoder = {
    .noun = "record",
    .nouns = "records",
    .open = open_walk,
    .step = step_walk,
    .close = close_walk,
    .types = tk_fx_types,
    .n_types = TK_FX_KIND_COUNT,
};

const struct tk_format tk_format_fuchsia = {
    .name = "fuchsia",
    .help = "Fuchsia trace (.fxt), also written by magic-trace and others",
    .probe = probe,
    .explain = explain,
    .open = tk_ev_capture_open,
    .decoder = &decoder,
    .has_processes = true,
    .tables = tk_ev_tables,
    .hints = {
        [TK_HINT_FRAMES] = TK_EV_HINT_FRAMES,
        [TK_HINT_REGIONS] = "they are asynchronous events",
        [TK_HINT_SCOPE_TEXTS] = "they are arguments of durations",
        [TK_HINT_CPU] = "they are duration events",
        [TK_HINT_SWITCHES] = "they are scheduling records",
        [TK_HINT_COUNTERS] = "they are counter events",
        [TK_HINT_LOG] = "they are instants and log records",
    }};
