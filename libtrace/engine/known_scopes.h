/*
 * What a reading has to do with what is known of the capture (scope_memory.h): it asks its source for less,
 * gives tables what is known already, or records what it finds out. Private to capture_reading.c.
 */
#ifndef TK_ENGINE_KNOWN_SCOPES_H
#define TK_ENGINE_KNOWN_SCOPES_H

#include "engine/capture_reading.h"
#include "engine/scope_recorder.h"

struct tk_known_scopes {
    const struct tk_scope_memory *memory; /* borrowed; NULL: nothing is used */
    uint64_t facts;                       /* of them, what tables are given */
    bool given;                           /* they were */
    struct tk_scope_plan plan;            /* without pieces: all is read */
    bool planned;
    struct tk_scope_recorder recorder;
    uint64_t beside;                  /* facts that are recorded alone */
    TK_VEC(struct tk_fact) own;       /* of a batch, without those */
    TK_VEC(struct tk_scope_run) runs; /* of lanes that are set to a state */
};

/* Looks at what the tables first .. first + n - 1 of a run ask of their source, and changes it. TK_OK,
 * TK_ENOMEM, or what compiling the selection of the run says. *k is to be released either way. */
int tk_known_scopes_ask(struct tk_known_scopes *k, struct tk_run *run, size_t first, size_t n,
                        struct tk_request *request, struct tk_err *err);

/* A batch comes: *own is what tables are to see of it. TK_OK or TK_ENOMEM. */
int tk_known_scopes_see(struct tk_known_scopes *k, const struct tk_scope_model *m,
                        const struct tk_batch *batch, struct tk_batch *own, struct tk_err *err);

/* Facts that are known, once, as a batch to be given to tables. TK_ITEM; TK_OK: there are none, or they were
 * given; TK_ENOMEM. */
int tk_known_scopes_give(struct tk_known_scopes *k, struct tk_batch *batch, struct tk_err *err);

/* Lanes of selected threads that are known where a batch begins, as runs without entries, to be given to
 * tables. TK_ITEM; TK_OK: there are none; TK_ENOMEM. */
int tk_known_scopes_lanes(struct tk_known_scopes *k, const struct tk_request *request,
                          const struct tk_batch *batch, struct tk_batch *lanes, struct tk_err *err);

/* Sets these lanes of the model to where the batch begins. TK_OK or TK_ENOMEM. */
int tk_known_scopes_resume(const struct tk_known_scopes *k, struct tk_scope_model *m,
                           const struct tk_batch *batch, const struct tk_batch *lanes, struct tk_err *err);

void tk_known_scopes_release(struct tk_known_scopes *k);

#endif
