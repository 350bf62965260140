/* Captures of other tools, cut at every byte and with every byte changed: what can be read is read, errors
 * have a cause, and what came before a cut stays. */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

static struct tk_err err;

/* ---- captures, small and of all kinds of content ---- */

static const char json[] =
    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made\":\"by hand\",\"n\":7},\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"Main\"}},\n"
    "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":0.5,\"name\":\"outer\",\"args\":{\"a\":[1,{\"b\":null}],\"c\":"
    "\"\\u00e9\"}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1e0,\"dur\":\"2.25\",\"name\":\"inner\"},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":9},\n"
    "{\"ph\":\"b\",\"cat\":\"x\",\"id\":\"0x1\",\"pid\":1,\"ts\":1,\"name\":\"work\"},\n"
    "{\"ph\":\"e\",\"cat\":\"x\",\"id\":\"0x1\",\"pid\":1,\"ts\":5,\"name\":\"work\"},\n"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":3,\"name\":\"c\",\"args\":{\"v\":-1.5}},\n"
    "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":3,\"name\":\"frame\",\"s\":\"t\"},\n"
    "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":6,\"name\":\"frame\",\"s\":\"g\"}\n"
    "],\"metadata\":{}}\n";

enum { SAMPLES = 3, MOST = 4096 };

static struct sample {
    const char *name;
    uint8_t p[MOST];
    size_t n;
} samples[SAMPLES];

static void put(struct sample *s, const void *p, size_t n)
{
    ck_assert_uint_le(s->n + n, MOST);
    memcpy(s->p + s->n, p, n);
    s->n += n;
}

/* ---- protobuf ---- */

static void varint(struct sample *s, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        put(s, &(uint8_t){(uint8_t)(v | 0x80)}, 1);
    put(s, &(uint8_t){(uint8_t)v}, 1);
}

static void number(struct sample *s, unsigned field, uint64_t v)
{
    varint(s, field << 3);
    varint(s, v);
}

static void text(struct sample *s, unsigned field, const char *v)
{
    varint(s, field << 3 | 2);
    varint(s, strlen(v));
    put(s, v, strlen(v));
}

static void message(struct sample *s, unsigned field, const struct sample *inner)
{
    varint(s, field << 3 | 2);
    varint(s, inner->n);
    put(s, inner->p, inner->n);
}

/* A packet of sequence 1 with a message in it, at a time where that is not 0. */
static void packet(struct sample *s, unsigned field, const struct sample *inner, uint64_t time)
{
    struct sample body = {.n = 0};
    if (time)
        number(&body, 8, time);
    number(&body, 10, 1);
    number(&body, 13, s->n ? 2 : 1);
    message(&body, field, inner);
    message(s, 1, &body);
}

static void event(struct sample *s, uint64_t time, unsigned type, unsigned track, const char *name)
{
    struct sample e = {.n = 0};
    number(&e, 9, type);
    number(&e, 11, track);
    if (type == 4)
        number(&e, 30, 5);
    else if (name)
        text(&e, 23, name);
    packet(s, 11, &e, time);
}

static void make_perfetto(struct sample *s)
{
    struct sample clock = {.n = 0}, snapshot = clock, thread = clock, track = clock, counter = clock,
                  none = clock;
    struct sample change = clock, kernel = clock, bundle = clock, change2 = clock, kernel2 = clock;
    s->name = "perfetto";
    number(&clock, 1, 6);
    number(&clock, 2, 10000);
    message(&snapshot, 1, &clock);
    packet(s, 6, &snapshot, 0);
    number(&thread, 1, 1);
    number(&thread, 2, 2);
    text(&thread, 5, "Main");
    number(&track, 1, 2);
    message(&track, 4, &thread);
    packet(s, 60, &track, 0);
    number(&counter, 1, 3);
    text(&counter, 2, "c");
    message(&counter, 8, &none);
    packet(s, 60, &counter, 0);
    event(s, 100, 1, 2, "outer");
    event(s, 101, 3, 2, "frame");
    event(s, 102, 4, 3, NULL);
    event(s, 103, 1, 2, "inner");
    event(s, 104, 2, 2, NULL);
    event(s, 105, 2, 2, NULL);
    number(&change, 6, 77);
    number(&kernel, 1, 100);
    message(&kernel, 4, &change);
    number(&change2, 6, 0);
    number(&kernel2, 1, 110);
    message(&kernel2, 4, &change2);
    number(&bundle, 1, 0);
    message(&bundle, 2, &kernel);
    message(&bundle, 2, &kernel2);
    packet(s, 1, &bundle, 0);
}

/* ---- words ---- */

static void make_fuchsia(struct sample *s)
{
    static const uint64_t words[] = {
        0x0016547846040010,
        0x0010000000710020,
        'm', /* the magic number, provider 7 */
        0x21,
        1000000000, /* ticks a second */
        0x0000000400010022,
        0x6b726f77, /* string 1: "work" */
        0x10033,
        7,
        9, /* thread 1 */
        0x0001000101020024,
        100, /* begin */
        0x0001000101040034,
        110,
        120, /* whole */
        0x0001000101110054,
        115,
        0x0000000700010021,
        0, /* counter, a number of 32 bits */
        0x0001000101030024,
        200, /* end */
        0x0000000100040039,
        150,
        0x21676f6c, /* log: "log!" */
        0x1000000000000048,
        160,
        9,
        11, /* switch */
    };
    s->name = "fuchsia";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (unsigned k = 0; k < 8; k++)
            put(s, &(uint8_t){(uint8_t)(words[i] >> (8 * k))}, 1);
}

static void make(void)
{
    memset(samples, 0, sizeof samples);
    samples[0].name = "chrome-json";
    put(&samples[0], json, sizeof json - 1);
    make_perfetto(&samples[1]);
    make_fuchsia(&samples[2]);
}

static void done(void)
{
}

/* ---- reading ---- */

struct seen {
    size_t rows, scopes;
};

static int see(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *e)
{
    struct seen *s = self;
    (void)e;
    s->rows += rows->n;
    if (strcmp(table->name, "scopes") == 0)
        s->scopes += rows->n;
    return TK_OK;
}

/* All that there is to see, with options; TK_EFORMAT where it is no capture. partial: was a limit reached? */
static int read_with(const uint8_t *p, size_t n, const struct tk_options *options, struct seen *s,
                     bool *partial)
{
    static const char *const tables[] = {"threads", "timers",    "scopes",         "regions", "logs",
                                         "frames",  "bookmarks", "counter_values", "events",  "health"};
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.self = s, .rows = see};
    struct tk_trace *trace = NULL;
    memset(s, 0, sizeof *s);
    int rc = tk_open_memory(&trace, p, n, options, &err);
    query.tables = tables;
    query.n_tables = sizeof tables / sizeof *tables;
    if (rc == TK_OK)
        rc = tk_query_run(trace, &query, &sink, &err);
    *partial = rc == TK_OK && tk_partial(trace);
    tk_close(trace);
    ck_assert_msg(rc == TK_OK || rc == TK_EFORMAT, "%d: %s", rc, err.text[0]);
    if (rc != TK_OK)
        ck_assert_uint_gt(err.n, 0);
    return rc;
}

static int read_all(const uint8_t *p, size_t n, struct seen *s)
{
    bool partial;
    return read_with(p, n, NULL, s, &partial);
}

START_TEST(as_they_are)
{
    static const size_t scopes[] = {2, 2, 2};
    for (size_t i = 0; i < SAMPLES; i++) {
        struct seen s;
        ck_assert_int_eq(read_all(samples[i].p, samples[i].n, &s), TK_OK);
        ck_assert_msg(s.scopes == scopes[i], "%s: %zu scopes", samples[i].name, s.scopes);
    }
}
END_TEST

/* What comes before a cut stays: there are never fewer scopes than with fewer bytes. */
START_TEST(cut_anywhere)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        struct seen s = {0};
        size_t before = 0;
        for (size_t n = 0; n <= samples[i].n; n++) {
            uint8_t *copy = malloc(n + 1);
            ck_assert_ptr_nonnull(copy);
            memcpy(copy, samples[i].p, n);
            int rc = read_all(copy, n, &s);
            ck_assert_msg(rc == TK_EFORMAT || s.scopes >= before, "%s, %zu bytes", samples[i].name, n);
            before = rc == TK_OK ? s.scopes : before;
            free(copy);
        }
    }
}
END_TEST

START_TEST(changed_anywhere)
{
    static const uint8_t changes[] = {0xff, 0x01, 0x80};
    static uint8_t bytes[MOST];
    for (size_t i = 0; i < SAMPLES; i++) {
        struct seen s;
        ck_assert_uint_le(samples[i].n, MOST);
        for (size_t at = 0; at < samples[i].n; at++)
            for (size_t k = 0; k < sizeof changes; k++) {
                memcpy(bytes, samples[i].p, samples[i].n);
                bytes[at] ^= changes[k];
                read_all(bytes, samples[i].n, &s);
            }
    }
}
END_TEST

/* Of more threads, counters or events than a limit allows the first are kept. */
START_TEST(beyond_limits)
{
    static const struct {
        const char *limit;
        size_t scopes;
    } cases[] = {{"threads=5", 5}, {"kept_events=7", 7}, {"counters=3", 10}};
    static char many[MOST];
    size_t n = (size_t)snprintf(many, sizeof many, "[");
    for (int i = 0; i < 10; i++)
        n += (size_t)snprintf(many + n, sizeof many - n,
                              "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":1,\"name\":\"n\"},\n", i,
                              i, i);
    for (int i = 0; i < 10; i++)
        n += (size_t)snprintf(many + n, sizeof many - n,
                              "{\"ph\":\"C\",\"pid\":1,\"ts\":9,\"name\":\"c%d\",\"args\":{\"v\":1}}%s", i,
                              i < 9 ? ",\n" : "]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_options options = TK_INIT(struct tk_options);
        struct seen s;
        bool partial;
        options.limits = &cases[i].limit;
        options.n_limits = 1;
        ck_assert_int_eq(read_with((const uint8_t *)many, n, &options, &s, &partial), TK_OK);
        ck_assert_msg(s.scopes == cases[i].scopes && partial, "%s: %zu scopes", cases[i].limit, s.scopes);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {beyond_limits, as_they_are, cut_anywhere, changed_anywhere};
    return RUN_TESTS_AROUND("imports", tests, make, done);
}
