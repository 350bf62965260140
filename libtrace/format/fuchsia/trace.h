/*
 * A walk over a Fuchsia trace: what its records say. Shared by the files of this folder.
 */
#ifndef TK_FORMAT_FUCHSIA_TRACE_H
#define TK_FORMAT_FUCHSIA_TRACE_H

#include "format/fuchsia/providers.h"
#include "format/fuchsia/records.h"
#include "format/fuchsia/words.h"

/* A thread that runs on a core. */
struct tk_fx_core {
    bool running;
    int64_t since;
    uint64_t koid;
};

/* Where the thread of two koids is in the capture. */
struct tk_fx_place {
    bool known;
    uint64_t process_koid, thread_koid;
    uint32_t process, thread;
};

enum { TK_FX_ARGS = 15, TK_FX_PLACES = 256 };

struct tk_fx_arg {
    uint32_t name; /* TK_EV_NO_NAME: empty */
    uint8_t kind;  /* of the format: 0 null, 1 int32, ... */
    uint64_t bits; /* of a number */
    uint32_t text; /* of a text: a name */
};

struct tk_fx_trace {
    struct tk_ev_capture *c; /* borrowed */
    struct tk_fx_providers providers;
    struct tk_fx_provider *provider; /* the current one; in the list */
    TK_VEC(struct tk_fx_core) cores;
    TK_VEC(uint8_t) text; /* in the making */
    uint64_t offset;      /* of the record at work */
    struct tk_fx_arg args[TK_FX_ARGS];
    unsigned n_args;
    struct tk_fx_place places[TK_FX_PLACES]; /* by some bits of a hash: the last ones looked up */
};

/* TK_FX_FINE, TK_FX_SHORT: the record is too short for what it says; TK_FX_NO_MEMORY. */
enum { TK_FX_FINE = 1, TK_FX_SHORT = -1, TK_FX_NO_MEMORY = -2 };

/* A whole record, its header included. */
int tk_fx_record(struct tk_fx_trace *t, const uint8_t *p, size_t n, uint64_t offset);

/* A reference to a string, whose text may follow. TK_EV_NO_NAME: empty. Sets c's fault where it is too short.
 */
uint32_t tk_fx_string(struct tk_fx_trace *t, struct tk_cur *c, uint64_t ref);

/* A reference to a thread, whose koids may follow. */
void tk_fx_thread(struct tk_fx_trace *t, struct tk_cur *c, uint64_t ref, uint64_t *process, uint64_t *thread);

/* Reads n arguments to t->args. */
void tk_fx_args(struct tk_fx_trace *t, struct tk_cur *c, unsigned n);

/* The arguments as a text; NULL: there are none, or out of memory. */
const struct tk_str *tk_fx_args_text(struct tk_fx_trace *t);

/* The place of a thread of koids; UINT32_MAX if out of memory. */
uint32_t tk_fx_place(struct tk_fx_trace *t, uint64_t process, uint64_t thread, uint32_t *process_place);

/* Records of type 4 and 8. */
int tk_fx_event(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header);
int tk_fx_scheduling(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header);

#endif
