/*
 * An open .utrace: what the index pass learned, and what readings of it share.
 */
#ifndef TK_UTRACE_CAPTURE_H
#define TK_UTRACE_CAPTURE_H

#include "base/intern.h"
#include "fact/format.h"
#include "utrace/header.h"
#include "utrace/index.h"
#include "utrace/references.h"
#include "utrace/schema.h"

struct tk_ut_capture {
    struct tk_capture base;
    struct tk_context *ctx; /* borrowed */
    struct tk_ut_header header;
    struct tk_ut_index index;
    struct tk_ut_schema schema;
    struct tk_intern strings;           /* all texts of definitions and facts */
    struct tk_arena arena;              /* values of definitions */
    struct tk_fact_clock clock;         /* frequency 0 until known */
    TK_VEC(struct tk_fact) definitions; /* said by the index pass and by readings since, in order */
    struct tk_ut_references references;
    void **states;      /* of the families, by their index; owned */
    uint64_t important; /* events on tid 1 */
    bool complete;      /* a reading reached the end: all definitions are known */
    bool read_once;     /* a reading was begun */
};

/* Opens (tk_format.open) and runs the index pass. */
int tk_ut_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

/* Opens a reading in file order, or in serial order. */
int tk_ut_source_file(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);
int tk_ut_source_serial(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                        struct tk_err *err);

/* Opens a reading of the last packets of all lanes only (tk_request.ends). */
int tk_ut_source_ends(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);

/* Tables of the format: `file`, `streams`, `types`. NULL-terminated. */
extern const struct tk_table *const tk_ut_tables[];

/* tk_capture_ops.describe */
int tk_ut_describe(struct tk_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err);

#endif
