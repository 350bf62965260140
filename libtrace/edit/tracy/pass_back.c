/*
 * Images, times on cores and hardware samples of the window (tracy-file 5.15 to 5.17, 5.21). Part of a pass.
 */
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/pass_in.h"

#include <stdio.h>
#include <string.h>

enum { CPUS = 256, HARDWARE_LISTS = 6 };

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
        struct tk_tracy_image image;
        if (!tk_tracy_read_image(p->in, &image))
            return;
        const uint64_t bytes = (uint64_t)image.width * image.height / 2;
        if (p->window.cut && (i >= p->images.n || !p->images.v[i])) {
            tk_tracy_skip(p->in, bytes, "frame image");
            continue;
        }
        tk_tracy_pass_keep(p, count);
        tk_tracy_pass_put_image(p, &image);
        tk_tracy_pass_copy(p, bytes);
    }
}

/* ---- times on cores ---- */

/* Of a thread, or of a CPU. */
struct run {
    int64_t start, end;
    struct tk_tracy_switch of_thread;
    struct tk_tracy_cpu_run of_cpu;
};

/* Runs: one that waits to be put stands in front of the window, and says from when on nothing ran. */
struct runs {
    bool of_cpu;
    size_t count;
    struct run held;
    bool holds, ended;
};

static bool read_run(struct tk_tracy_pass *p, const struct runs *r, struct run *run)
{
    const bool whole =
        r->of_cpu ? tk_tracy_read_cpu_run(p->in, &run->of_cpu) : tk_tracy_read_switch(p->in, &run->of_thread);
    run->start = r->of_cpu ? run->of_cpu.start : run->of_thread.start;
    run->end = r->of_cpu ? run->of_cpu.end : run->of_thread.end;
    return whole;
}

static void put_run(struct tk_tracy_pass *p, struct runs *r, const struct run *run)
{
    tk_tracy_pass_keep(p, r->count);
    if (r->of_cpu)
        tk_tracy_pass_put_cpu_run(p, &run->of_cpu);
    else
        tk_tracy_pass_put_switch(p, &run->of_thread);
}

static void put_held(struct tk_tracy_pass *p, struct runs *r)
{
    if (r->holds)
        put_run(p, r, &r->held);
    r->holds = false;
}

/* What a core did names its thread; the other lists are of one. */
static bool wants_run(const struct tk_tracy_pass *p, const struct runs *r, const struct run *run)
{
    if (!p->threads || !r->of_cpu)
        return true;
    const size_t place = run->of_cpu.thread;
    return place < p->c->threads.external.n && tk_tracy_pass_has_thread(p, p->c->threads.external.v[place]);
}

/* Those that overlap the window stay as they are, with the one in front of it and the one behind it: what is
 * between is waiting. */
static void pass_run(struct tk_tracy_pass *p, struct runs *r)
{
    struct run run = {0};
    if (!read_run(p, r, &run) || !wants_run(p, r, &run))
        return;
    if (run.end != -1 && run.end < p->window.from && run.start < p->window.from) {
        r->held = run;
        r->holds = true;
        return;
    }
    put_held(p, r);
    if (r->ended)
        return;
    r->ended = run.start >= p->window.to;
    put_run(p, r, &run);
}

static uint64_t pass_runs(struct tk_tracy_pass *p, bool of_cpu, bool wanted)
{
    struct runs r = {.of_cpu = of_cpu};
    const uint64_t n = tk_tracy_u64(p->in, "times on cores");
    const size_t size = of_cpu ? tk_tracy_cpu_run_size(&p->c->layout) : tk_tracy_switch_size(&p->c->layout);
    r.count = tk_tracy_pass_count(p, 8);
    tk_tracy_pass_start_times(p, 0);
    if (!wanted)
        tk_tracy_skip(p->in, n * size, "times on cores");
    for (uint64_t i = 0; wanted && i < n && tk_tracy_pass_going(p); i++)
        pass_run(p, &r);
    put_held(p, &r);
    return tk_tracy_pass_noted(p, r.count);
}

static void pass_thread(struct tk_tracy_pass *p)
{
    struct tk_tracy_switches of;
    if (!tk_tracy_read_switches(p->in, &of))
        return;
    tk_tracy_pass_put_switches(p, &of);
    pass_runs(p, false, tk_tracy_pass_has_thread(p, of.tid));
}

void tk_tracy_pass_switches(struct tk_tracy_pass *p)
{
    tk_tracy_pass_each(p, pass_thread);
}

void tk_tracy_pass_cpu_switches(struct tk_tracy_pass *p)
{
    tk_tracy_skip(p->in, 8, "switches of CPUs");
    const size_t total = tk_tracy_pass_count(p, 8);
    uint64_t runs = 0;
    for (unsigned i = 0; i < CPUS && tk_tracy_pass_going(p); i++)
        runs += pass_runs(p, true, true);
    tk_tracy_pass_set(p, total, runs);
}

/* ---- hardware samples ---- */

static uint64_t pass_hardware_list(struct tk_tracy_pass *p, bool puts)
{
    const uint64_t n = tk_tracy_u64(p->in, "hardware samples");
    const size_t count = tk_tracy_pass_note(p);
    if (puts)
        tk_tracy_pass_put(p, tk_tracy_pass_noted(p, count), 8);
    tk_tracy_pass_start_times(p, 0);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_hardware_sample v;
        if (!tk_tracy_read_hardware_sample(p->in, &v) || !tk_tracy_window_has(&p->window, v.time))
            continue;
        tk_tracy_pass_keep(p, count);
        if (puts)
            tk_tracy_pass_put_hardware_sample(p, &v);
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
        struct tk_tracy_hardware of;
        if (!tk_tracy_read_hardware(p->in, &of))
            return;
        const size_t found = tk_tracy_pass_note(p);
        const bool puts = tk_tracy_pass_noted(p, found) > 0;
        if (puts)
            tk_tracy_pass_put_hardware(p, &of);
        uint64_t samples = 0;
        for (unsigned k = 0; k < HARDWARE_LISTS; k++)
            samples += pass_hardware_list(p, puts);
        tk_tracy_pass_set(p, found, samples);
        if (!p->out && p->unlinks && samples)
            p->failed |= tk_vec_push(&p->used.samples, of.address) != 0;
        kept += samples > 0;
    }
    tk_tracy_pass_set(p, count, kept);
}
