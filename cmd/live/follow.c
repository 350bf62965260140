/*
 * Following a capture that grows: see follow.h. A report reads the capture from its start, so that it is what
 * any report on the same bytes would be; the pauses between them are longer than the readings.
 */
#include "live/follow.h"

#include "base/err.h"
#include "live/follow_source.h"
#include "live/figures.h"
#include "live/live_line.h"
#include "os/clock.h"
#include "os/socket.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "terminal/pager.h"

#include <stdlib.h>
#include <string.h>

#define EVERY       1.0 /* seconds between reports, */
#define EVERY_ADDED 0.4 /* of those that add to the ones before, */
#define SHARE       2.0 /* or so many times what the last one took */
#define HELD        1.5 /* seconds without bytes in which such reports still add what they held back */
#define LOOK        0.1

struct follow {
    const struct tk_follow *asked;
    struct tk_follow_source source;
    double idle, next, grew; /* when the next report is due; when bytes came last */
    uint64_t reported;       /* bytes at the last report */
    int code;
};

static void head(const struct follow *f)
{
    char size[TK_FIGURE];
    if (f->asked->adds)
        return;
    if (tk_host_terminal(stdout))
        printf("\033[H\033[2J"); /* the report takes the place of the one before */
    else if (!f->asked->quiet)
        printf("--- %s\n", tk_live_size(f->source.bytes, size));
    tk_host_flush();
}

static void report(struct follow *f, bool last)
{
    const double begin = tk_os_seconds(), every = f->asked->adds ? EVERY_ADDED : EVERY;
    if (f->asked->each || last) {
        if (f->asked->each)
            head(f);
        f->reported = f->source.bytes;
        f->code = f->asked->report(f->asked->ctx, f->source.path, f->source.bytes, last);
        tk_host_flush();
    }
    const double end = tk_os_seconds(), pause = SHARE * (end - begin);
    f->next = end + (pause > every ? pause : every);
}

/* One look. TK_ITEM: it goes on; TK_OK: that was all; negative: it cannot be followed. */
static int step(struct follow *f, struct tk_err *err)
{
    const uint64_t before = f->source.bytes;
    const int rc = tk_follow_source_look(&f->source, LOOK, err);
    const double now = tk_os_seconds();
    if (rc < 0)
        return rc;
    if (f->source.bytes != before)
        f->grew = now;
    const bool over = rc == TK_OK || (f->source.silent_end && now - f->grew >= f->idle);
    const bool news = f->source.bytes != f->reported || (f->asked->adds && now - f->grew < HELD);
    if (!over && f->source.bytes >= TK_FOLLOW_LEAST && news && now >= f->next)
        report(f, false);
    return over ? TK_OK : TK_ITEM;
}

int tk_follow_run(const struct tk_follow *asked)
{
    struct follow f = {.asked = asked, .idle = 10};
    char message[TK_OPT_MESSAGE];
    struct tk_err err = {0};
    if (!tk_opt_real("idle", asked->idle, false, &f.idle, message))
        return tk_message_usage(asked->call->program, message);
    tk_host_note_stop();
    tk_pager_forbid();
    int rc = tk_follow_source_open(&f.source, asked->call->operands->v[0], &err);
    f.grew = tk_os_seconds();
    while (rc == TK_OK && !tk_host_stopped() && (rc = step(&f, &err)) == TK_ITEM)
        rc = TK_OK;
    /* rc is TK_OK where it was stopped, too: then what is shown is the last report */
    if (rc == TK_OK && !tk_host_stopped())
        report(&f, true);
    if (rc < 0) {
        tk_message_error(asked->call->program, NULL, rc, &err);
        f.code = (int)tk_exit_of(rc);
    }
    tk_follow_source_close(&f.source);
    return f.code;
}
