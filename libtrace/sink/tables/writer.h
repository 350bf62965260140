/*
 * Rows that are made into bytes apart from their writer, in any thread, and put behind each other later:
 * formats that write a row the same way wherever it stands. The exports make rows so with several jobs.
 */
#ifndef TK_SINK_TABLES_WRITER_H
#define TK_SINK_TABLES_WRITER_H

#include "sink/write/buffer.h"

/*
 * What the table formats share. A format is one file with one struct tk_writer_format, and one line in
 * writers.c.
 */

struct tk_writer;

/*
 * Hooks write to w->out and do not return failures: those stick in w->out.status, which is checked after each
 * call. Hooks may be NULL.
 */
struct tk_writer_format {
    const char *name;
    size_t state_size; /* bytes of w->state, zeroed */
    bool apart;        /* `rows` only reads the state */
    void (*open)(struct tk_writer *w);
    void (*begin)(struct tk_writer *w, const struct tk_table *table);
    void (*rows)(struct tk_writer *w, const struct tk_table *table, const struct tk_rows *rows);
    void (*end)(struct tk_writer *w, const struct tk_table *table);
    void (*finish)(struct tk_writer *w);
    uint64_t (*lost)(const struct tk_writer *w, size_t column);
    uint64_t (*rounded)(const struct tk_writer *w, size_t column);
    void (*release)(struct tk_writer *w);
};

struct tk_writer {
    const struct tk_writer_format *format;
    struct tk_writer_options opt;
    struct tk_buffer out;
    struct tk_buffer scratch; /* for a text or value that is made before it is escaped */
    struct tk_buffer clean;   /* for texts that are not valid */
    size_t tables;            /* begun so far */
    uint64_t rows;            /* of all of them */
    void *state;              /* owned: of the format */
};

extern const struct tk_writer_format tk_csv_format;
extern const struct tk_writer_format tk_tsv_format;
extern const struct tk_writer_format tk_json_format;
extern const struct tk_writer_format tk_ndjson_format;
extern const struct tk_writer_format tk_markdown_format;
extern const struct tk_writer_format tk_table_format;
extern const struct tk_writer_format tk_text_format;
extern const struct tk_writer_format tk_plot_format;
extern const struct tk_writer_format tk_parquet_format;
extern const struct tk_writer_format tk_arrow_format;
extern const struct tk_writer_format tk_arrows_format;

/* The bytes of some rows. Zero-initialised it has none, and may be released. */
struct tk_made_rows {
    struct tk_writer as; /* the writer as it was, with buffers of its own */
    struct tk_err err;   /* why as.out.status is what it is */
};

/* Can rows of a format be made apart? */
bool tk_format_makes_apart(const char *format);

/* TK_OK or TK_ENOMEM. */
int tk_made_rows_init(struct tk_made_rows *m, struct tk_err *err);
void tk_made_rows_release(struct tk_made_rows *m);

/* Makes rows of a table that has begun, in place of those that it had. Several may be made at one time, as
 * long as nothing else is requested of the writer. */
void tk_made_rows_make(struct tk_made_rows *m, const struct tk_writer *w, const struct tk_table *table,
                       const struct tk_rows *rows);

/* Writes what was made. TK_OK, or what making or writing failed with. */
int tk_made_rows_put(const struct tk_made_rows *m, struct tk_writer *w, struct tk_err *err);

#endif
