/* Captures from memory, descriptors and what a program reads itself. */
#include "os/posix/posix.h"

#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>

/* From tiny.truth.json and game.truth.json: frames. */
enum { TINY_FRAMES = 10, GAME_FRAMES = 1200, MOST = 16 << 20 };

static struct tk_err err;
static uint8_t bytes[MOST];

static const char *fixture(const char *name)
{
    static char path[1024];
    const char *fixtures = getenv("TK_FIXTURES");
    snprintf(path, sizeof path, "%s/%s", fixtures ? fixtures : "fixtures", name);
    return path;
}

static size_t load(const char *name)
{
    FILE *in = fopen(fixture(name), "rb");
    ck_assert_ptr_nonnull(in);
    size_t n = fread(bytes, 1, MOST, in);
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_lt(n, MOST);
    fclose(in);
    return n;
}

static int count(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *e)
{
    (void)table;
    (void)e;
    *(size_t *)self += rows->n;
    return TK_OK;
}

static size_t frames_of(struct tk_trace *trace)
{
    static const char *const tables[] = {"frames"};
    struct tk_query query = TK_INIT(struct tk_query);
    size_t n = 0;
    const struct tk_sink sink = {.self = &n, .rows = count};
    query.tables = tables;
    query.n_tables = 1;
    int rc = tk_query_run(trace, &query, &sink, &err);
    ck_assert_msg(rc == TK_OK, "%s", tk_err_text(&err, rc));
    return n;
}

START_TEST(memory)
{
    static const struct {
        const char *name;
        size_t frames;
    } cases[] = {{"tiny.utrace", TINY_FRAMES}, {"game.utrace.zst", GAME_FRAMES}};
    for (size_t i = 0; i < 2; i++) {
        struct tk_options options = TK_INIT(struct tk_options);
        struct tk_trace *trace;
        size_t n = load(cases[i].name);
        options.map = true; /* there is nothing to map */
        options.jobs = 3;
        ck_assert_int_eq(tk_open_memory(&trace, bytes, n, &options, &err), TK_OK);
        ck_assert_uint_eq(frames_of(trace), cases[i].frames);
        ck_assert(!tk_damaged(trace));
        ck_assert(!tk_truncated(trace));
        tk_close(trace);
    }
}
END_TEST

START_TEST(memory_that_is_no_capture)
{
    struct tk_trace *trace = (struct tk_trace *)bytes;
    memset(bytes, 'x', 5000);
    for (size_t n = 0; n <= 5000; n += 2500) {
        ck_assert_int_eq(tk_open_memory(&trace, bytes, n, NULL, &err), TK_EFORMAT);
        ck_assert_ptr_null(trace);
    }
    ck_assert_int_eq(tk_open_memory(&trace, NULL, 0, NULL, &err), TK_EFORMAT);
}
END_TEST

START_TEST(memory_that_is_cut)
{
    struct tk_trace *trace;
    size_t n = load("tiny.utrace");
    ck_assert_int_eq(tk_open_memory(&trace, bytes, n - 5, NULL, &err), TK_OK);
    frames_of(trace);
    ck_assert(tk_truncated(trace));
    tk_close(trace);
}
END_TEST

START_TEST(descriptors)
{
    struct tk_trace *trace;
    int fd = open(fixture("tiny.utrace"), O_RDONLY);
    ck_assert_int_ge(fd, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(tk_open_descriptor(&trace, fd, NULL, &err), TK_OK);
        ck_assert_uint_eq(frames_of(trace), TINY_FRAMES);
        tk_close(trace);
        ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 0); /* still open, and where it was */
    }
    ck_assert_int_eq(close(fd), 0);
    ck_assert_int_eq(tk_open_descriptor(&trace, fd, NULL, &err), TK_EIO);
    ck_assert_ptr_null(trace);
    ck_assert_ptr_nonnull(strstr(err.text[0], "the descriptor"));
    ck_assert_int_eq(tk_open_descriptor(&trace, -1, NULL, &err), TK_EIO);
}
END_TEST

START_TEST(descriptor_that_stands_elsewhere)
{
    struct tk_trace *trace;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    size_t n = load("tiny.utrace");
    ck_assert_uint_eq(fwrite("before", 1, 6, file), 6);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fflush(file), 0);
    ck_assert_int_eq(lseek(fileno(file), 6, SEEK_SET), 6);
    ck_assert_int_eq(tk_open_descriptor(&trace, fileno(file), NULL, &err), TK_OK);
    ck_assert_uint_eq(frames_of(trace), TINY_FRAMES);
    tk_close(trace);
    fclose(file);
}
END_TEST

/* The first and last bytes of a capture, far from each other; what is between them is no packet. */
struct far_apart {
    uint64_t n;
    size_t front, back; /* bytes of the capture */
    uint64_t read;      /* so far */
};

static int read_far_apart(void *ctx, uint64_t offset, void *p, size_t n, size_t *got)
{
    struct far_apart *far = ctx;
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = offset + i, left = far->n - at;
        ((uint8_t *)p)[i] = at < far->front     ? bytes[at]
                            : left <= far->back ? bytes[far->front + far->back - left]
                                                : 0xAA;
    }
    far->read += n;
    *got = n;
    return TK_OK;
}

static int last_of(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *e)
{
    const int at = tk_table_column(table, "last");
    (void)e;
    ck_assert_int_ge(at, 0);
    *(int64_t *)self = rows->cells[at].v.i;
    return TK_OK;
}

/* The last scope of threads.utrace ends after 161249.5 us by its truth; a terabyte is not read. */
START_TEST(in_part)
{
    static const char *const tables[] = {"capture"}, *const limits[] = {"whole_bytes=1000000000"};
    enum { ALL = 161250, HALF = 90000 }; /* us */
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_query query = TK_INIT(struct tk_query);
    const size_t n = load("threads.utrace");
    struct far_apart far = {.n = UINT64_C(1) << 40, .front = n / 2, .back = n - n / 2};
    struct tk_trace *trace;
    char text[64];
    int64_t last = 0;
    const struct tk_sink sink = {.self = &last, .rows = last_of};
    options.in_part = true;
    query.tables = tables;
    query.n_tables = 1;
    query.in_passing = true;
    ck_assert_int_eq(tk_open_reader(&trace, read_far_apart, &far, far.n, &options, &err), TK_OK);
    ck_assert_int_eq(tk_in_part(trace, text, sizeof text), 1);
    ck_assert_str_eq(text, "the first and last 256 KiB");
    ck_assert_int_eq(tk_query_run(trace, &query, &sink, &err), TK_OK);
    ck_assert_int_gt(last, HALF * INT64_C(1000));
    ck_assert_int_lt(last, ALL * INT64_C(1000));
    ck_assert_uint_lt(far.read, 16 << 20);
    ck_assert(!tk_damaged(trace) && !tk_truncated(trace) && !tk_empty(trace) && !tk_lossy(trace));
    tk_close(trace);
    options.limits = limits;
    options.n_limits = 1;
    ck_assert_int_eq(tk_open_memory(&trace, bytes, n, &options, &err), TK_OK);
    ck_assert_int_eq(tk_in_part(trace, text, 1), 0);
    ck_assert_str_eq(text, "");
    tk_close(trace);
}
END_TEST

struct source {
    size_t n;      /* of bytes */
    size_t ends;   /* gives nothing from here on */
    size_t most;   /* at once */
    int status;    /* what fails from `fails` on */
    size_t fails;  /* offset */
    bool too_many; /* says that it gave more than it was requested */
    int inside;    /* threads */
};

static int read_source(void *ctx, uint64_t offset, void *p, size_t n, size_t *got)
{
    struct source *s = ctx;
    ck_assert_int_eq(s->inside++, 0);
    ck_assert_uint_le(offset + n, s->n);
    size_t left = offset < s->ends ? s->ends - (size_t)offset : 0;
    *got = n < left ? n : left;
    if (*got > s->most)
        *got = s->most;
    if (*got)
        memcpy(p, bytes + offset, *got);
    if (s->too_many)
        *got = n + 1;
    s->inside--;
    return offset >= s->fails ? s->status : TK_OK;
}

static struct source source_of(const char *name)
{
    size_t n = load(name);
    return (struct source){.n = n, .ends = n, .most = n, .fails = SIZE_MAX};
}

START_TEST(readers)
{
    static const size_t most[] = {7, 1000, MOST};
    for (size_t i = 0; i < 3; i++)
        for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
            struct source s = source_of(i == 2 ? "game.utrace.zst" : "tiny.utrace");
            struct tk_options options = TK_INIT(struct tk_options);
            struct tk_trace *trace;
            s.most = most[i];
            options.jobs = jobs;
            ck_assert_int_eq(tk_open_reader(&trace, read_source, &s, s.n, &options, &err), TK_OK);
            ck_assert_uint_eq(frames_of(trace), i == 2 ? GAME_FRAMES : TINY_FRAMES);
            ck_assert(!tk_truncated(trace));
            tk_close(trace);
        }
}
END_TEST

START_TEST(reader_that_ends_early)
{
    struct source s = source_of("tiny.utrace");
    struct tk_trace *trace;
    s.ends = s.n - 100;
    ck_assert_int_eq(tk_open_reader(&trace, read_source, &s, s.n, NULL, &err), TK_OK);
    frames_of(trace);
    ck_assert(tk_damaged(trace)); /* as a file that shrank */
    tk_close(trace);
}
END_TEST

START_TEST(readers_that_fail)
{
    static const struct {
        int gives, comes;
    } cases[] = {{TK_ECANCELED, TK_ECANCELED},
                 {TK_ENOMEM, TK_ENOMEM},
                 {TK_EIO, TK_EIO},
                 {TK_EMATCH, TK_EIO},
                 {-1000, TK_EIO}};
    static const char *const names[] = {"tiny.utrace", "game.utrace.zst"};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct source s = source_of(names[k]);
            struct tk_trace *trace;
            s.fails = 0;
            s.status = cases[i].gives;
            ck_assert_int_eq(tk_open_reader(&trace, read_source, &s, s.n, NULL, &err), cases[i].comes);
            ck_assert_ptr_null(trace);
            ck_assert_ptr_nonnull(strstr(err.text[0], "failed at byte 0"));
        }
}
END_TEST

START_TEST(reader_that_gives_too_much)
{
    struct source s = source_of("tiny.utrace");
    struct tk_trace *trace;
    s.too_many = true;
    ck_assert_int_eq(tk_open_reader(&trace, read_source, &s, s.n, NULL, &err), TK_EIO);
    ck_assert_ptr_nonnull(strstr(err.text[0], "more bytes than requested"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {memory,
                                  memory_that_is_no_capture,
                                  memory_that_is_cut,
                                  descriptors,
                                  descriptor_that_stands_elsewhere,
                                  in_part,
                                  readers,
                                  reader_that_ends_early,
                                  readers_that_fail,
                                  reader_that_gives_too_much};
    return RUN_TESTS("open-from", tests);
}
