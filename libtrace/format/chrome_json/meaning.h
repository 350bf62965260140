/*
 * What trace events mean: each phase is passed to the capture (import 3.3 to 3.8).
 */
#ifndef TK_FORMAT_CHROME_JSON_MEANING_H
#define TK_FORMAT_CHROME_JSON_MEANING_H

#include "base/vec.h"
#include "format/chrome_json/event.h"
#include "format/chrome_json/phases.h"
#include "format/events/feed.h"

/* Threads by the bytes of their ids, as they stand in the text: most events are of a few. */
#define TK_CJ_THREADS  256u
#define TK_CJ_ID_BYTES 24u

struct tk_cj_known_thread {
    uint8_t pid[TK_CJ_ID_BYTES], tid[TK_CJ_ID_BYTES];
    uint8_t n_pid, n_tid, pid_kind, tid_kind;
    bool used;
    uint32_t thread, process;
};

/* The same of ids that are numbers of up to eight digits, as nearly all are: their digits as one number. */
struct tk_cj_numbered_thread {
    uint64_t pid, tid; /* 0: not used */
    uint32_t thread;
};

struct tk_cj_meaning {
    struct tk_ev_capture *c;          /* borrowed */
    struct tk_cj_known_thread *known; /* owned */
    struct tk_cj_numbered_thread numbered[TK_CJ_THREADS];
    TK_VEC(uint8_t) text; /* of one that is converted */
};

/* TK_OK or TK_ENOMEM. */
int tk_cj_meaning_open(struct tk_cj_meaning *m, struct tk_ev_capture *c, struct tk_err *err);

/* An event that stands at an offset and takes so many bytes. 0; -1 when memory or a limit is out. */
int tk_cj_meaning_take(struct tk_cj_meaning *m, const struct tk_cj_event *e, uint64_t offset, uint64_t bytes);

/* The number of a name; TK_EV_NO_NAME where the value is no text, or an empty one. */
uint32_t tk_cj_name(struct tk_cj_meaning *m, const struct tk_jscan_value *v);

/* Does that take the member as a whole, or what it looks for in it? */
bool tk_cj_meaning_reads(const struct tk_jscan_value *key, const struct tk_jscan_value *v);

/* A member of the object around the events: what is known of the recording. 0 or -1. */
int tk_cj_meaning_session(struct tk_cj_meaning *m, const struct tk_jscan_value *key,
                          const struct tk_jscan_value *v);

void tk_cj_meaning_close(struct tk_cj_meaning *m);

#endif
