/*
 * The crash: of which thread, when, why. Thread 0: there was none.
 *
 *   u64 tid, i64 time, u64 pointer of the message, u32 callstack                              tracy-file 4
 */
#include "format/tracy/walk/section.h"

/* The text of the message is known only when the strings are. */
static int define_crash(struct tk_tracy_walk *w, const struct tk_tracy_crash *crash)
{
    w->c->crash_message = crash->message;
    int rc = tk_tracy_define_session(w->c, "CrashThread", tk_cell_of_uint(crash->tid));
    if (rc == TK_OK)
        rc = tk_tracy_define_session(w->c, "CrashTime", tk_cell_of_int(crash->time));
    return rc == TK_OK ? tk_tracy_define_session(w->c, "CrashCallstack", tk_tracy_id_cell(crash->callstack))
                       : rc;
}

static int step_crash(struct tk_tracy_walk *w, void *state)
{
    (void)state;
    struct tk_tracy_crash crash;
    const bool whole = tk_tracy_read_crash(&w->in, &crash);
    w->items = crash.tid != 0;
    return w->defining && whole && crash.tid ? define_crash(w, &crash) : TK_OK;
}

const struct tk_tracy_section tk_tracy_sec_crash = {.name = "crash", .step = step_crash};
