/* What a format writes for given rows, as one text. */
#ifndef TK_TESTS_UNIT_SINK_WRITTEN_H
#define TK_TESTS_UNIT_SINK_WRITTEN_H

#include "run.h"
#include "tracekit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A file name of its own for this process. */
static inline const char *scratch_path(void)
{
    static char path[256];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tracekit-sink-%ld", dir ? dir : "/tmp", (long)getpid());
    return path;
}

struct writing {
    struct tk_output *out;
    struct tk_writer *writer;
    struct tk_sink sink;
};

static inline struct writing writing_begin(const char *format, const struct tk_writer_options *opt)
{
    struct writing w;
    struct tk_err err = {0};
    ck_assert_msg(tk_output_open(&w.out, scratch_path(), true, &err) == TK_OK, "%s", err.text[0]);
    ck_assert_msg(tk_writer_new(&w.writer, format, w.out, opt, &err) == TK_OK, "%s", err.text[0]);
    w.sink = tk_writer_sink(w.writer);
    return w;
}

static inline void writing_table(struct writing *w, const struct tk_table *table, const struct tk_cell *cells,
                                 size_t n_rows)
{
    struct tk_rows rows = {.n = n_rows, .cells = cells};
    ck_assert_int_eq(w->sink.begin(w->sink.self, table, NULL), TK_OK);
    if (n_rows)
        ck_assert_int_eq(w->sink.rows(w->sink.self, table, &rows, NULL), TK_OK);
    ck_assert_int_eq(w->sink.end(w->sink.self, table, NULL), TK_OK);
}

/* All that was written, NUL-terminated; valid until the next call. */
static inline const char *writing_end(struct writing *w)
{
    static char *text;
    ck_assert_int_eq(tk_writer_finish(w->writer, NULL), TK_OK);
    tk_writer_free(w->writer);
    ck_assert_int_eq(tk_output_commit(w->out, NULL), TK_OK);
    FILE *f = fopen(scratch_path(), "rb");
    ck_assert_ptr_nonnull(f);
    size_t capacity = 1 << 22;
    free(text);
    text = malloc(capacity);
    size_t n = fread(text, 1, capacity - 1, f);
    text[n] = 0;
    fclose(f);
    remove(scratch_path());
    return text;
}

/* One table in one go. */
static inline const char *written(const char *format, const struct tk_writer_options *opt,
                                  const struct tk_table *table, const struct tk_cell *cells, size_t n_rows)
{
    struct writing w = writing_begin(format, opt);
    writing_table(&w, table, cells, n_rows);
    return writing_end(&w);
}

/* A table `t` of one column `v` of a kind. */
static inline struct tk_table *one_column(uint8_t kind, enum tk_unit unit)
{
    static struct tk_column column;
    static struct tk_table table;
    column = (struct tk_column){.name = "v", .kind = kind};
    table = (struct tk_table){.name = "t", .columns = &column, .n_columns = 1, .unit = unit};
    return &table;
}

/* One cell alone in a table, without the header line in csv and tsv, without the last line feed. */
static inline const char *written_cell(const char *format, struct tk_cell cell, enum tk_unit unit)
{
    static char line[4096];
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    opt.no_header = true;
    snprintf(line, sizeof line, "%s", written(format, &opt, one_column(cell.kind, unit), &cell, 1));
    line[strcspn(line, "\n")] = 0;
    return line;
}

/* n bytes of text in an encoding. */
static inline struct tk_cell text_of(const char *p, size_t n, uint8_t enc)
{
    return (struct tk_cell){.kind = TK_TEXT, .enc = enc, .n = (uint32_t)n, .v.p = p};
}

static inline struct tk_cell text(const char *s)
{
    return text_of(s, strlen(s), TK_ENC_UTF8);
}

static inline struct tk_cell integer(uint8_t kind, int64_t v)
{
    return (struct tk_cell){.kind = kind, .v.i = v};
}

static inline struct tk_cell natural(uint8_t kind, uint64_t v)
{
    return (struct tk_cell){.kind = kind, .v.u = v};
}

static inline struct tk_cell real(uint8_t kind, double v)
{
    return (struct tk_cell){.kind = kind, .v.r = v};
}

static inline struct tk_cell nothing(void)
{
    return (struct tk_cell){.kind = TK_NONE};
}

/* Records of the tests: impl is the values. */
static inline void value_at(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    *out = ((const struct tk_cell *)rec->impl)[field];
}

static inline struct tk_cell record_of(struct tk_record *rec, struct tk_record_type *type,
                                       const struct tk_str *names, uint32_t n, const struct tk_cell *values)
{
    *type = (struct tk_record_type){.name = "R", .n_fields = n, .fields = names, .value = value_at};
    *rec = (struct tk_record){type, values};
    return (struct tk_cell){.kind = TK_RECORD, .v.p = rec};
}

#endif
