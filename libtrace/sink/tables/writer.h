/*
 * What the table formats share. A format is one file with one struct tk_writer_format, and one line in
 * writers.c.
 */
#ifndef TK_SINK_TABLES_WRITER_H
#define TK_SINK_TABLES_WRITER_H

#include "sink/write/buffer.h"

struct tk_writer;

/*
 * Hooks write to w->out and do not return failures: those stick in w->out.status, which is checked after each
 * call. Hooks may be NULL.
 */
struct tk_writer_format {
    const char *name;
    size_t state_size; /* bytes of w->state, zeroed */
    bool apart;        /* `rows` only reads the state: see made_rows.h */
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

#endif
