/*
 * Images, times on cores and hardware samples of the window (tracy-file 5.15 to 5.17, 5.21). Part of a pass.
 */
#include "edit/tracy/edit_tracy.h"

#include <stdio.h>
#include <string.h>

enum { IMAGE_HEAD = 5, CPUS = 256, HARDWARE_LISTS = 6, CPU_RUN = 18, MOST_RUN = 36 };

/* ---- images ---- */

void tk_tracy_pass_images(struct tk_tracy_pass *p)
{
    if (p->c->layout.image_dictionary) {
        const uint32_t n = tk_tracy_u32(p->in, "dictionary of images");
        tk_tracy_pass_put(p, n, 4);
        tk_tracy_pass_copy(p, n);
    }
    const uint64_t n = tk_tracy_u64(p->in, "frame images");
    const size_t count = tk_tracy_pass_count(p, 8);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        const uint8_t *head = tk_tracy_take(p->in, IMAGE_HEAD, "frame image");
        if (!head)
            return;
        const uint64_t bytes = (uint64_t)tk_load16(head) * tk_load16(head + 2) / 2;
        if (p->window.cut && (i >= p->images.n || !p->images.v[i])) {
            tk_tracy_skip(p->in, bytes, "frame image");
            continue;
        }
        tk_tracy_pass_keep(p, count);
        tk_tracy_pass_put_bytes(p, head, IMAGE_HEAD);
        tk_tracy_pass_copy(p, bytes);
    }
}

/* ---- times on cores ---- */

/* Runs: one that waits to be put stands in front of the window, and says from when on nothing ran. */
struct runs {
    size_t times; /* of a run; the last two are its begin and end */
    size_t size, count;
    uint8_t held[MOST_RUN];
    int64_t held_times[3];
    bool holds, ended;
};

static void put_run(struct tk_tracy_pass *p, struct runs *r, const int64_t *times, const uint8_t *run)
{
    tk_tracy_pass_keep(p, r->count);
    for (size_t i = 0; i < r->times; i++)
        tk_tracy_pass_put_time(p, times[i]);
    tk_tracy_pass_put_bytes(p, run + 8 * r->times, r->size - 8 * r->times);
}

static void put_held(struct tk_tracy_pass *p, struct runs *r)
{
    if (r->holds)
        put_run(p, r, r->held_times, r->held);
    r->holds = false;
}

/* What a core did names its thread; the other lists are of one. */
static bool wants_run(const struct tk_tracy_pass *p, const struct runs *r, const uint8_t *run)
{
    if (!p->threads || r->size != CPU_RUN)
        return true;
    const size_t place = tk_load16(run + CPU_RUN - 2);
    return place < p->c->threads.external.n && tk_tracy_pass_has_thread(p, p->c->threads.external.v[place]);
}

/* Those that overlap the window stay as they are, with the one in front of it and the one behind it: what is
 * between is waiting. */
static void pass_run(struct tk_tracy_pass *p, struct runs *r, int64_t *time)
{
    uint8_t run[MOST_RUN];
    int64_t times[3] = {0};
    tk_tracy_copy(p->in, run, r->size, "time on a core");
    if (!tk_tracy_ok(p->in))
        return;
    for (size_t i = 0; i < r->times; i++)
        times[i] = tk_tracy_after(time, run + 8 * i);
    if (!wants_run(p, r, run))
        return;
    const int64_t start = times[r->times - 2], end = times[r->times - 1];
    if (end != -1 && end < p->window.from && start < p->window.from) {
        memcpy(r->held, run, r->size);
        memcpy(r->held_times, times, sizeof times);
        r->holds = true;
        return;
    }
    put_held(p, r);
    if (r->ended)
        return;
    r->ended = start >= p->window.to;
    put_run(p, r, times, run);
}

static uint64_t pass_runs(struct tk_tracy_pass *p, unsigned times, size_t size, bool wanted)
{
    struct runs r = {.times = times, .size = size};
    const uint64_t n = tk_tracy_u64(p->in, "times on cores");
    int64_t time = 0;
    r.count = tk_tracy_pass_count(p, 8);
    tk_tracy_pass_start_times(p, 0);
    if (!wanted)
        tk_tracy_skip(p->in, n * size, "times on cores");
    for (uint64_t i = 0; wanted && i < n && tk_tracy_pass_going(p); i++)
        pass_run(p, &r, &time);
    put_held(p, &r);
    return tk_tracy_pass_noted(p, r.count);
}

void tk_tracy_pass_switches(struct tk_tracy_pass *p)
{
    const struct tk_tracy_layout *layout = &p->c->layout;
    const size_t size = 27u + (layout->switch_thread ? 8u : 0u) + (layout->wakeup_cpu ? 1u : 0u);
    const uint64_t threads = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < threads && tk_tracy_pass_going(p); i++) {
        pass_runs(p, 3, size, tk_tracy_pass_has_thread(p, tk_tracy_pass_number(p)));
    }
}

void tk_tracy_pass_cpu_switches(struct tk_tracy_pass *p)
{
    tk_tracy_skip(p->in, 8, "switches of CPUs");
    const size_t total = tk_tracy_pass_count(p, 8);
    uint64_t runs = 0;
    for (unsigned i = 0; i < CPUS && tk_tracy_pass_going(p); i++)
        runs += pass_runs(p, 2, CPU_RUN, true);
    tk_tracy_pass_set(p, total, runs);
}

/* ---- hardware samples ---- */

static uint64_t pass_hardware_list(struct tk_tracy_pass *p, bool puts)
{
    const uint64_t n = tk_tracy_u64(p->in, "hardware samples");
    const size_t count = tk_tracy_pass_note(p);
    int64_t time = 0;
    if (puts)
        tk_tracy_pass_put(p, tk_tracy_pass_noted(p, count), 8);
    tk_tracy_pass_start_times(p, 0);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        const int64_t at = tk_tracy_time(p->in, &time, "hardware sample");
        if (!tk_tracy_ok(p->in) || !tk_tracy_window_has(&p->window, at))
            continue;
        tk_tracy_pass_keep(p, count);
        if (puts)
            tk_tracy_pass_put_time(p, at);
    }
    return tk_tracy_pass_noted(p, count);
}

/* Addresses without a sample in the window go. */
void tk_tracy_pass_hardware_samples(struct tk_tracy_pass *p)
{
    if (!p->c->layout.code_symbols)
        return;
    const uint64_t addresses = tk_tracy_u64(p->in, "addresses of hardware samples");
    const size_t count = tk_tracy_pass_count(p, 8);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < addresses && tk_tracy_pass_going(p); i++) {
        const uint64_t address = tk_tracy_u64(p->in, "address of hardware samples");
        const size_t found = tk_tracy_pass_note(p);
        const bool puts = tk_tracy_pass_noted(p, found) > 0;
        if (puts)
            tk_tracy_pass_put(p, address, 8);
        uint64_t samples = 0;
        for (unsigned k = 0; k < HARDWARE_LISTS; k++)
            samples += pass_hardware_list(p, puts);
        tk_tracy_pass_set(p, found, samples);
        kept += samples > 0;
    }
    tk_tracy_pass_set(p, count, kept);
}
