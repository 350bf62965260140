/*
 * GPU contexts and their zones, cut by the time of the GPU (tracy-file 5.11). Part of a pass.
 */
#include "base/stack.h"
#include "edit/tracy/tracy_pass.h"

enum { HEAD = 31, TAIL = 16, NOTE = 16 };

struct timeline {
    int64_t cpu, gpu;         /* running times */
    int64_t put_cpu, put_gpu; /* the same of what is written */
    int64_t last;             /* the last time that the GPU gave */
    uint64_t left;
    int16_t location; /* of the first zone */
    bool any;
};

static void put_times(struct tk_tracy_pass *p, struct timeline *t, int64_t cpu, int64_t gpu)
{
    tk_tracy_pass_put(p, (uint64_t)cpu - (uint64_t)t->put_cpu, 8);
    tk_tracy_pass_put(p, (uint64_t)gpu - (uint64_t)t->put_gpu, 8);
    t->put_cpu = cpu;
    t->put_gpu = gpu;
}

/* Where the GPU never gave a time, the last one counts that it gave. */
static int64_t time_of(struct timeline *t)
{
    if (t->gpu >= 0)
        t->last = t->gpu;
    return t->last == INT64_MIN ? t->cpu : t->last;
}

/* Where a zone stands that is not of the window. */
static int64_t outside(const struct tk_tracy_pass *p)
{
    return p->window.from > 0 ? p->window.from - 1 : p->window.to;
}

static void begin_zone(struct tk_tracy_pass *p, struct timeline *t)
{
    uint64_t children = 0;
    const uint8_t *bytes = tk_tracy_take(p->in, HEAD, "begin of a GPU zone");
    if (!bytes)
        return;
    const int64_t cpu = tk_tracy_after(&t->cpu, bytes), gpu = tk_tracy_after(&t->gpu, bytes + 8);
    const int64_t begin = time_of(t);
    const bool kept = tk_tracy_tree_begin(&p->gpu_tree, begin, tk_load64(bytes + 23), &children);
    struct tk_tracy_tree_level *level = tk_stack_top(&p->gpu_tree.levels);
    if (level) {
        level->left = t->left - 1;
        level->location = (int16_t)tk_load16(bytes + 16);
        t->location = t->any ? t->location : level->location;
        t->any = true;
    }
    t->left = tk_load64(bytes + 23);
    if (!kept)
        return;
    put_times(p, t, cpu,
              level && level->outside  ? outside(p)
              : begin < p->window.from ? p->window.from
                                       : gpu);
    tk_tracy_pass_put_bytes(p, bytes + 16, HEAD - 16 - 8);
    tk_tracy_pass_put(p, children, 8);
}

static void end_zone(struct tk_tracy_pass *p, struct timeline *t)
{
    const size_t size = TAIL + (p->c->layout.gpu_notes ? 2 : 0);
    const struct tk_tracy_tree_level level = *tk_stack_top(&p->gpu_tree.levels);
    const uint8_t *bytes = tk_tracy_take(p->in, size, "end of a GPU zone");
    if (!bytes)
        return;
    const int64_t cpu = tk_tracy_after(&t->cpu, bytes), gpu = tk_tracy_after(&t->gpu, bytes + 8);
    t->left = level.left;
    if (!tk_tracy_tree_end(&p->gpu_tree, time_of(t), false))
        return;
    if (!p->out)
        p->zones_of[1][(uint16_t)level.location]++;
    put_times(p, t, cpu, level.outside ? outside(p) : gpu < 0 ? gpu : tk_tracy_window_clip(&p->window, gpu));
    tk_tracy_pass_put_bytes(p, bytes + 16, size - 16);
}

/* How many of its zones stay. */
static uint64_t pass_timeline(struct tk_tracy_pass *p)
{
    struct timeline t = {.last = INT64_MIN};
    tk_tracy_pass_copy(p, 8);
    t.left = tk_tracy_u64(p->in, "zones of a GPU timeline");
    const size_t roots = tk_tracy_pass_count(p, 8);
    tk_tracy_tree_open(&p->gpu_tree);
    while ((t.left || p->gpu_tree.levels.n) && tk_tracy_pass_going(p)) {
        if (t.left)
            begin_zone(p, &t);
        else
            end_zone(p, &t);
        p->failed |= p->gpu_tree.failed;
    }
    tk_tracy_tree_close(&p->gpu_tree);
    if (tk_tracy_tree_keep_one(&p->gpu_tree))
        p->zones_of[1][(uint16_t)t.location]++;
    tk_tracy_pass_set(p, roots, p->gpu_tree.roots);
    return p->gpu_tree.zones;
}

static void pass_notes(struct tk_tracy_pass *p)
{
    const uint64_t queries = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < queries && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 2);
        tk_tracy_pass_copy(p, tk_tracy_pass_number(p) * NOTE);
    }
}

static uint64_t pass_context(struct tk_tracy_pass *p)
{
    const struct tk_tracy_layout *layout = &p->c->layout;
    uint64_t zones = 0;
    tk_tracy_pass_copy(p, 8 + 1);
    tk_tracy_skip(p->in, 8, "zones of a GPU context");
    const size_t count = tk_tracy_pass_count(p, 8);
    tk_tracy_pass_copy(p, 4 + 1);
    if (layout->gpu_name)
        tk_tracy_pass_index(p, TK_TRACY_ROLE_NAME);
    tk_tracy_pass_copy(p, layout->gpu_overflow ? 8 : 0);
    const uint64_t names = layout->gpu_notes ? tk_tracy_pass_number(p) : 0;
    for (uint64_t i = 0; i < names && tk_tracy_pass_going(p); i++) {
        tk_tracy_pass_copy(p, 8);
        tk_tracy_pass_index(p, TK_TRACY_ROLE_NAME);
    }
    const uint64_t timelines = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < timelines && tk_tracy_pass_going(p); i++)
        zones += pass_timeline(p);
    if (layout->gpu_notes)
        pass_notes(p);
    tk_tracy_pass_set(p, count, zones);
    return zones;
}

void tk_tracy_pass_gpu(struct tk_tracy_pass *p)
{
    tk_tracy_skip(p->in, 16, "numbers of GPU zones");
    const size_t total = tk_tracy_pass_count(p, 8), parents = tk_tracy_pass_count(p, 8);
    const uint64_t contexts = tk_tracy_pass_number(p);
    uint64_t zones = 0;
    for (uint64_t i = 0; i < contexts && tk_tracy_pass_going(p); i++)
        zones += pass_context(p);
    tk_tracy_pass_set(p, total, zones);
    p->kept[p->section] += p->out ? 0 : zones;
    tk_tracy_pass_set(p, parents, p->gpu_tree.parents);
}
