/*
 * Edits of a .tracy: a window of time, topics left out, texts replaced, what breaks off mended, blocks
 * compressed anew.
 * Between tk_edit_run and the walks.
 */
#ifndef TK_EDIT_TRACY_EDIT_TRACY_H
#define TK_EDIT_TRACY_EDIT_TRACY_H

#include "edit/tracy/tracy_pass.h"
#include "edit/tracy/tracy_texts.h"
#include "format/tracy/file/packer.h"

/* What is asked. Borrowed. */
struct tk_edit_tracy_request {
    const char *const *keep, *const *drop;
    size_t n_keep, n_drop;
    const char *compress; /* "zstd:LEVEL", "lz4", "lz4hc:LEVEL"; NULL: as it is */
    unsigned streams;     /* 0: as many as there are */
    bool close;           /* zones without an end get one */
    bool counts;          /* how many items each section has is asked for, as tk_edit_tracy_measure says it */
    struct tk_tracy_window window;
    const bool *threads; /* by number, those that stay; NULL: all */
    size_t n_threads;
    struct tk_anon *anon; /* what is replaced, with its first four members set; NULL: nothing */
    tk_tracy_kind_fn *kind;
    void *kind_ctx;
};

/* An edit under way. Zero-initialise, and release. */
struct tk_edit_tracy {
    struct tk_tracy_capture *c;
    struct tk_tracy_survey survey;
    struct tk_tracy_packing packing;
    struct tk_tracy_pass pass;
    struct tk_tracy_texts texts;
    uint32_t dropped;  /* topics of which there is something */
    bool keeps, drops; /* topics were named */
    bool repack;
    bool changes; /* the payload will be another */
};

/* How blocks are written: as those of a capture where nothing else is asked for; versions before 0.11 have
 * one form that its tools read. TK_OK, TK_EUSAGE. */
int tk_edit_tracy_packing(struct tk_tracy_packing *packing, const struct tk_tracy_capture *c,
                          uint32_t version, const char *compress, unsigned streams, struct tk_err *err);

/* The first walks. TK_OK or as tk_edit_run. */
int tk_edit_tracy_plan(struct tk_edit_tracy *e, struct tk_tracy_capture *c,
                       const struct tk_edit_tracy_request *request, struct tk_err *err);

/* The last one. */
int tk_edit_tracy_write(struct tk_edit_tracy *e, tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* The last one without a result: how many bytes each section will have is known then. */
int tk_edit_tracy_measure(struct tk_edit_tracy *e, struct tk_err *err);

/* Does a section stay, and is it there to its end? */
bool tk_edit_tracy_keeps(const struct tk_edit_tracy *e, size_t section);

void tk_edit_tracy_release(struct tk_edit_tracy *e);

#endif
