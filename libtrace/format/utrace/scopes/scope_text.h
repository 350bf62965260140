/*
 * Texts of scopes: what the metadata of a scope says, without the name of its timer: "BP_Door_3 (Id 17)" of
 * an instance that was made with the format "%s (Id %u)"; of a scoped event its values with commas between
 * them (events 2.4, 2.5). Part of the state of the CPU family; there where SCOPE_TEXT is asked for.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_SCOPE_TEXT_H
#define TK_FORMAT_UTRACE_SCOPES_SCOPE_TEXT_H

#include "base/hash.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/scopes/metadata_instances.h"

/* How the metadata of a spec is shown. */
struct tk_ut_scope_format {
    const struct tk_str *name; /* of the timer */
    struct tk_str rest;        /* of the format, behind what the name has of it */
};

/* Zero-initialise to begin. */
struct tk_ut_scope_texts {
    TK_VEC(struct tk_ut_scope_format) formats;
    struct tk_map by_spec;                      /* -> index in formats */
    TK_VEC(const struct tk_str *) all;          /* of the strings of the capture, each once */
    struct tk_map by_hash;                      /* of their bytes -> index in all */
    struct tk_ut_metadata_instances *instances; /* metadata instance -> index in all; owned */
    TK_VEC(struct tk_str *) late; /* of instances that come behind their scopes: empty until they come */
    struct tk_map late_instances; /* -> index in late */
    const struct tk_str *others;  /* for those beyond the limit, the last of all; NULL: none so far */
};

/* A spec with a format was defined. `name` is that of its timer. TK_OK or TK_ENOMEM. */
int tk_ut_scope_text_spec(struct tk_ut_feed *feed, uint32_t spec, const struct tk_str *name,
                          const struct tk_str *format);

/* An instance of a spec was defined with CBOR values. TK_OK or TK_ENOMEM. */
int tk_ut_scope_text_instance(struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t instance,
                              uint32_t spec, const struct tk_bytes *values);

/* The text of an instance, or one that is empty until it is defined; NULL where it has none. TK_OK or
 * TK_ENOMEM. */
int tk_ut_scope_text_of(struct tk_ut_feed *feed, uint64_t instance, const struct tk_str **out);

/* The text of a scoped event; NULL where it has no values. TK_OK or TK_ENOMEM. */
int tk_ut_scope_text_event(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str **out);

void tk_ut_scope_texts_release(struct tk_ut_scope_texts *t);

#endif
