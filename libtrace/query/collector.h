/*
 * Gather: what most tables have in common. Facts are taken one by one into a state; when all are read, what
 * was found is put in order and becomes a row each. A table says only what is its own: a struct tk_collecting
 * next to its columns, and TK_COLLECTS in its builder.
 */
#ifndef TK_QUERY_COLLECTOR_H
#define TK_QUERY_COLLECTOR_H

#include "base/hash.h"
#include "base/health/row_limit.h"
#include "base/vec.h"
#include "query/builder.h"

#include <stddef.h>

/* What the state of such a table begins with. */
struct tk_collector {
    const struct tk_collecting *how;
    const struct tk_query_context *view;
    uint64_t columns;                 /* requested: bit i is column i */
    struct tk_row_limit capacity;     /* for the rows of the table */
    struct tk_map index;              /* for a table that looks its things up: key -> place */
    struct tk_emit *emit;             /* while rows are sent, for texts that have to be made */
    struct tk_external_sort *spilled; /* owned: things that memory has no space for; NULL: none yet */
};

/* self: the state. Hooks that return int: 0 or more, or a negative number if out of memory. */
struct tk_collecting {
    const char *what; /* what memory is needed for, in errors */
    size_t size;      /* of the state, which comes cleared to 0 */

    int (*start)(void *self);                            /* may be NULL */
    int (*take)(void *self, const struct tk_fact *fact); /* every fact there is, wanted or not */
    int (*settle)(void *self);                           /* when all are read; may be NULL */
    void (*release)(void *self);                         /* what is alongside index and things; may be NULL */

    /* Where in the state the TK_VEC of things is of which each becomes a row, and how long one is: see
     * TK_COLLECTOR_ROWS. It is released after `release`, which may have done so. */
    size_t rows, row_size;
    void (*release_thing)(void *thing);         /* what a thing owns; may be NULL */
    int (*order)(const void *a, const void *b); /* NULL: as they are */
    bool spills; /* things are in order, own nothing, and nobody looks at one that was added before: where
                    they are many, they wait in a temporary file */
    bool (*displayed)(const void *self, const void *thing); /* NULL: all are */
    void (*fill)(const void *self, const void *thing, struct tk_cell *row);

    /* Instead of what a thing becomes: sends the rows. */
    int (*send)(void *self, struct tk_emit *emit);
};

/* The things are in this TK_VEC of the state. */
#define TK_COLLECTOR_ROWS(state, vec)                                                                        \
    .size = sizeof(state), .rows = offsetof(state, vec), .row_size = sizeof *((state *)0)->vec.v

/* The hooks of a builder (struct tk_builder). */
#define TK_COLLECTS(how)                                                                                     \
    .gathering = &(how), .open = tk_collector_open, .feed = tk_collector_feed,                               \
    .finish = tk_collector_finish, .close = tk_collector_close

int tk_collector_open(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t columns,
                      void **self, struct tk_err *err);
int tk_collector_feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err);
int tk_collector_finish(void *self, struct tk_emit *emit, struct tk_err *err);
void tk_collector_close(void *self);

#endif
