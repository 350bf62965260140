/*
 * Progress, and teams that make it.
 */
#include "terminal/progress.h"

#include "os/thread.h"
#include "terminal/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_AFTER 0.3 /* seconds: what is done sooner needs no line */
#define DRAW_EVERY  0.1
#define RATE_AFTER  0.3
#define BAR         30
#define LINE        200

static struct {
    const char *name; /* of the file, borrowed; NULL: nothing is to be displayed */
    double since, drawn;
    uint64_t done;
    bool visible;
} line;

void tk_progress_begin(const char *path, bool wanted)
{
    tk_progress_end();
    if (!wanted || !tk_host_terminal(stderr))
        return;
    line.name = strcmp(path, "-") == 0 ? "standard input" : tk_host_base_name(path);
    line.since = line.drawn = tk_host_seconds();
    line.done = 0;
}

static void put_size(char *out, size_t capacity, double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    size_t i = 0;
    while (bytes >= 999.5 && i + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        i++;
    }
    snprintf(out, capacity, "%.*f %s", i && bytes < 9.95 ? 1 : 0, bytes, units[i]);
}

/* "12 s", "3 min 05 s", "2 h 10 min" */
static void put_wait(char *out, size_t capacity, double seconds)
{
    const unsigned s = seconds < 1e6 ? (unsigned)(seconds + 0.5) : 1000000;
    if (s < 60)
        snprintf(out, capacity, "%u s", s);
    else if (s < 3600)
        snprintf(out, capacity, "%u min %02u s", s / 60, s % 60);
    else
        snprintf(out, capacity, "%u h %02u min", s / 3600, s / 60 % 60);
}

/* What is known at a moment. */
struct moment {
    double done, total; /* bytes; total 0: not known */
    double rate;        /* bytes a second; 0: not known yet */
};

static int put_percent(char *out, size_t capacity, const struct moment *m)
{
    return m->total > 0 ? snprintf(out, capacity, " %3d %%", (int)(m->done / m->total * 100)) : 0;
}

static int put_bar(char *out, size_t capacity, const struct moment *m)
{
    const int full = m->total > 0 ? (int)(m->done / m->total * BAR) : 0;
    return m->total > 0
               ? snprintf(out, capacity, " [%.*s%*s]", full, "##############################", BAR - full, "")
               : 0;
}

static int put_rate(char *out, size_t capacity, const struct moment *m)
{
    char size[32];
    put_size(size, sizeof size, m->rate);
    return m->rate > 0 ? snprintf(out, capacity, "  %s/s", size) : 0;
}

static int put_left(char *out, size_t capacity, const struct moment *m)
{
    char wait[32];
    if (m->rate <= 0 || m->total <= m->done)
        return 0;
    put_wait(wait, sizeof wait, (m->total - m->done) / m->rate);
    return snprintf(out, capacity, "  %s left", wait);
}

static int put_name_progress(char *out, size_t capacity, const struct moment *m)
{
    (void)m;
    return snprintf(out, capacity, "  %.60s", line.name);
}

/* What does not fit the width is left out. */
static void draw(const struct moment *m)
{
    static int (*const parts[])(char *, size_t, const struct moment *) = {put_percent, put_bar, put_rate,
                                                                          put_left, put_name_progress};
    const unsigned columns = tk_host_width(stderr);
    const size_t width = columns == 0 ? 79 : columns < LINE ? columns - 1 : LINE - 1;
    char text[LINE] = "reading", part[LINE];
    size_t n = strlen(text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const int k = parts[i](part, sizeof part, m);
        if (k <= 0 || n + (size_t)k > width)
            continue;
        memcpy(text + n, part, (size_t)k + 1);
        n += (size_t)k;
    }
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = '?';
    fprintf(stderr, "\r%s\x1b[K", text);
    fflush(stderr);
    line.visible = true;
}

void tk_progress_update(uint64_t done, uint64_t total)
{
    if (!line.name || tk_pager_runs())
        return;
    const double now = tk_host_seconds();
    if (done < line.done) /* another reading begins */
        line.since = now;
    line.done = done;
    if (now - line.drawn < (line.visible ? DRAW_EVERY : BEGIN_AFTER) || (total && done > total))
        return;
    line.drawn = now;
    const double seconds = now - line.since;
    draw(&(struct moment){(double)done, (double)total, seconds >= RATE_AFTER ? (double)done / seconds : 0});
}

void tk_progress_hide(void)
{
    if (line.visible) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
    line.visible = false;
}

void tk_progress_end(void)
{
    tk_progress_hide();
    line.name = NULL;
}

/*
 * Teams.
 */

static void await(struct tk_team *team, size_t i)
{
    team->await(team->ctx, i);
    tk_atomic_set(&team->awaited, i);
}

static bool deal_with(struct tk_team *team, size_t i)
{
    tk_atomic_set(&team->awaited, SIZE_MAX);
    const bool more = team->done(team->ctx, i);
    tk_atomic_set(&team->over, !more);
    return more;
}

struct work {
    struct tk_team *team;
    struct tk_os_monitor lock;
    size_t begun, ended; /* pieces; ended: by done() */
    size_t end;          /* of the pieces that are wanted */
    bool *worked;        /* owned; by piece */
};

static void work(void *ctx)
{
    struct work *r = ctx;
    tk_os_monitor_lock(&r->lock);
    while (r->begun < r->end) {
        if (r->begun >= r->ended + r->team->threads) {
            tk_os_monitor_wait(&r->lock);
            continue;
        }
        size_t i = r->begun++;
        tk_os_monitor_unlock(&r->lock);
        r->team->work(r->team->ctx, i);
        tk_os_monitor_lock(&r->lock);
        r->worked[i] = true;
        tk_os_monitor_tell(&r->lock);
    }
    tk_os_monitor_unlock(&r->lock);
}

/* Waits for all pieces in order. */
static void wait_for_all(struct work *r)
{
    for (size_t i = 0; i < r->end; i++) {
        await(r->team, i);
        tk_os_monitor_lock(&r->lock);
        while (!r->worked[i])
            tk_os_monitor_wait(&r->lock);
        tk_os_monitor_unlock(&r->lock);
        bool more = deal_with(r->team, i);
        tk_os_monitor_lock(&r->lock);
        r->ended++;
        r->end = more ? r->end : i + 1;
        tk_os_monitor_tell(&r->lock);
        tk_os_monitor_unlock(&r->lock);
    }
}

static unsigned start_team(struct work *r, struct tk_os_thread *threads, unsigned n)
{
    unsigned started = 0;
    while (started < n && tk_os_thread_start(&threads[started], work, r))
        started++;
    return started;
}

static void run_alone(struct tk_team *team)
{
    for (size_t i = 0; i < team->n; i++) {
        await(team, i);
        team->work(team->ctx, i);
        if (!deal_with(team, i))
            return;
    }
}

/* false: there are no threads, and nothing has begun. */
static bool run_on_threads(struct tk_team *team, unsigned n)
{
    struct work r = {.team = team, .end = team->n};
    struct tk_os_thread *threads = malloc(n * sizeof *threads);
    unsigned started = 0;
    r.worked = calloc(team->n, sizeof *r.worked);
    if (threads && r.worked && tk_os_monitor_init(&r.lock)) {
        started = start_team(&r, threads, n);
        if (started)
            wait_for_all(&r);
        for (unsigned i = 0; i < started; i++)
            tk_os_thread_join(&threads[i]);
        tk_os_monitor_destroy(&r.lock);
    }
    free(threads);
    free(r.worked);
    return started > 0;
}

void tk_team_work(struct tk_team *team)
{
    const unsigned n = team->threads < team->n ? team->threads : (unsigned)team->n;
    tk_atomic_set(&team->awaited, SIZE_MAX);
    if (n < 2 || !run_on_threads(team, n))
        run_alone(team);
}
