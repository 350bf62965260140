/*
 * Zones of pieces: those that were divided where two pieces meet become one again.
 */
#include "base/arena.h"
#include "edit/tracy/join_in.h"

/* ---- trees ---- */

typedef bool read_fn(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                     struct tk_tracy_merge_times *t, struct tk_tracy_merge_zone *zone);

static void put_begin(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_zone_begin(out, zone->z.location, zone->z.cpu_start, zone->extra,
                            (uint32_t)zone->z.children);
}

static void put_end(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_zone_end(out, zone->z.cpu_end);
}

static void put_gpu_begin(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_gpu_zone_begin(out, &zone->z);
}

static void put_gpu_end(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_gpu_zone_end(out, &zone->z);
}

static const struct tree_kind {
    read_fn *read_begin, *read_end;
    void (*put_begin)(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone);
    void (*put_end)(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone);
} kinds[] = {
    {tk_tracy_merge_read_begin, tk_tracy_merge_read_end, put_begin, put_end},
    {tk_tracy_merge_read_gpu_begin, tk_tracy_merge_read_gpu_end, put_gpu_begin, put_gpu_end},
};

/* A tree of a piece. */
struct piece {
    uint64_t roots;
    size_t continued; /* zones of the piece before */
    size_t first;     /* the first one of these in struct trees.children */
    bool outside;     /* its one zone only says that there are some */
    struct tk_tracy_merge_times times;
};

/* A tree, in all pieces. */
struct trees {
    const struct tree_kind *kind;
    unsigned which;
    size_t parents; /* place */
    struct piece *v;
    TK_VEC(uint64_t) children; /* of zones that continue, in their pieces */
    TK_VEC(uint64_t) left;     /* to be read, of the top and of each zone that is open */
    uint64_t number;           /* of the tree */
    uint64_t joined, outside;  /* zones that are no more */
};

static int64_t continued_of(struct tk_tracy_merge_part *part, unsigned which, uint64_t tree)
{
    const struct tk_tracy_continued_list *list = &part->continued[which];
    size_t *at = &part->at_continued[which];
    while (*at < list->v.n && list->v.v[*at].tree < tree)
        ++*at;
    return *at < list->v.n && list->v.v[*at].tree == tree ? list->v.v[*at].zones : 0;
}

/* The zones of the first level of a piece were counted: what else is to be known of it. */
static void open_piece(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    struct piece *p = &t->v[i];
    const int64_t n = continued_of(&m->parts[i], t->which, t->number);
    p->outside = n < 0 && p->roots == 1;
    p->continued = n < 0 || i == 0 ? 0 : (size_t)n;
    p->times = (struct tk_tracy_merge_times){0, 0};
}

static void read_continued(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    struct piece *p = &t->v[i];
    uint64_t around = p->roots;
    p->first = t->children.n;
    for (size_t k = 0; k < p->continued && tk_tracy_merge_going(m); k++) {
        struct tk_tracy_merge_zone zone;
        if (!around || !t->kind->read_begin(m, &m->parts[i], &p->times, &zone) ||
            (t->which ? zone.z.gpu_start : zone.z.cpu_start) > m->parts[i].since) {
            tk_tracy_join_refuse(m);
            return;
        }
        around = zone.z.children;
        if (tk_vec_push(&t->children, around))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    }
}

static void leave_out_outside(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    struct tk_tracy_merge_zone zone;
    if (!t->v[i].outside)
        return;
    if (t->kind->read_begin(m, &m->parts[i], &t->v[i].times, &zone) && zone.z.children)
        tk_tracy_join_refuse(m);
    else
        (void)t->kind->read_end(m, &m->parts[i], &t->v[i].times, &zone);
    t->v[i].roots = 0;
    t->outside++;
}

/* How many zones there are on the first level together. */
static uint64_t open_trees(struct tk_tracy_merge *m, struct trees *t)
{
    uint64_t roots = 0;
    bool inside = false;
    t->children.n = 0;
    t->joined = t->outside = 0;
    for (size_t i = 0; i < m->n; i++) {
        open_piece(m, t, i);
        inside |= t->v[i].roots && !t->v[i].outside;
    }
    if (!inside)
        t->v[0].outside = false;
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++) {
        read_continued(m, t, i);
        leave_out_outside(m, t, i);
        roots += t->v[i].roots - (t->v[i].continued > 0);
        t->joined += t->v[i].continued;
    }
    t->number++;
    return roots;
}

static uint64_t children_of(const struct trees *t, const struct piece *p, size_t depth)
{
    return t->children.v[p->first + depth];
}

/* Is nothing left on all levels? */
static bool is_last(const struct trees *t)
{
    for (size_t i = 0; i < t->left.n; i++)
        if (t->left.v[i])
            return false;
    return true;
}

/* Is the zone of a depth that goes on in a piece its last one, too? */
static bool goes_through(const struct trees *t, const struct piece *p, size_t depth)
{
    bool last = p->roots == 1;
    for (size_t k = 0; k < depth && last; k++)
        last = children_of(t, p, k) == 1;
    return last;
}

/* Children that a zone of a depth has in the pieces behind a piece; the last of one may go on in the next. */
static uint64_t later_children(const struct tk_tracy_merge *m, const struct trees *t, size_t i, size_t depth)
{
    uint64_t n = 0;
    bool last = true;
    while (++i < m->n && last && t->v[i].continued > depth) {
        n += children_of(t, &t->v[i], depth) - (t->v[i].continued > depth + 1);
        last = goes_through(t, &t->v[i], depth);
    }
    return n;
}

static void push_left(struct tk_tracy_merge *m, struct trees *t, uint64_t left)
{
    if (tk_vec_push(&t->left, left))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
}

static void join_begin(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    const size_t depth = t->left.n - 1;
    struct tk_tracy_merge_zone zone;
    t->left.v[depth]--;
    if (!t->kind->read_begin(m, &m->parts[i], &t->v[i].times, &zone))
        return;
    const uint64_t children = zone.z.children;
    if (i + 1 < m->n && t->v[i + 1].continued > depth && is_last(t))
        zone.z.children += later_children(m, t, i, depth);
    tk_tracy_join_add(m, t->parents, zone.z.children > 0);
    if (m->counts_only)
        m->zones_of[t->which][(uint16_t)zone.z.location]++;
    t->kind->put_begin(m->out, &zone);
    push_left(m, t, children);
}

/* False where what is open goes on in the next piece. */
static bool join_end(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    const size_t depth = t->left.n - 1, next = i + 1 < m->n ? t->v[i + 1].continued : 0;
    struct tk_tracy_merge_zone zone;
    if (depth == next && is_last(t))
        return false;
    if (depth == 0) {
        tk_tracy_join_refuse(m);
        return false;
    }
    t->left.n--;
    if (t->kind->read_end(m, &m->parts[i], &t->v[i].times, &zone))
        t->kind->put_end(m->out, &zone);
    return true;
}

/* What is open of the pieces before is open in this one, too. */
static void join_piece(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    const struct piece *p = &t->v[i];
    struct tk_tracy_merge_zone zone;
    bool going = true;
    t->left.v[0] = p->roots - (p->continued > 0);
    for (size_t k = 0; k < p->continued; k++)
        t->left.v[k + 1] = children_of(t, p, k) - (k + 1 < p->continued);
    while (going && tk_tracy_merge_going(m)) {
        if (*tk_stack_top(&t->left))
            join_begin(m, t, i);
        else
            going = join_end(m, t, i);
    }
    for (size_t k = 1; k < t->left.n && tk_tracy_merge_going(m); k++)
        (void)t->kind->read_end(m, &m->parts[i], &t->v[i].times, &zone);
}

static void join_trees(struct tk_tracy_merge *m, struct trees *t)
{
    t->left.n = 0;
    push_left(m, t, 0);
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++)
        join_piece(m, t, i);
}

static bool begin_trees(struct tk_tracy_merge *m, struct trees *t, unsigned which)
{
    *t = (struct trees){.kind = &kinds[which], .which = which, .v = calloc(m->n, sizeof *t->v)};
    for (size_t i = 0; i < m->n; i++)
        m->parts[i].at_continued[which] = 0;
    if (!t->v)
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return t->v != NULL;
}

static void end_trees(struct trees *t)
{
    free(t->v);
    tk_vec_release(&t->children);
    tk_vec_release(&t->left);
}

/* ---- threads ---- */

static struct tk_tracy_thread_head read_head(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_layout *layout = &part->c->layout;
    struct tk_tracy_payload *in = part->in;
    struct tk_tracy_thread_head head = {.tid = tk_tracy_merge_tid(m, part, tk_tracy_u64(in, "thread"))};
    head.zones = tk_tracy_u64(in, "zones of a thread");
    head.kernel_samples = layout->kernel_samples ? tk_tracy_u64(in, "samples of a thread") : 0;
    head.fiber = layout->fiber && tk_tracy_u8(in, "is it a fiber");
    head.hint = layout->group_hint ? (int32_t)tk_tracy_u32(in, "group of a thread") : 0;
    head.roots = tk_tracy_u32(in, "zones of the first level");
    return head;
}

static void join_keys(struct tk_tracy_merge *m)
{
    tk_tracy_merge_put_sum(m);
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++)
            tk_tracy_put(m->out, tk_tracy_merge_key(m, part, tk_tracy_u64(part->in, "message of a thread")),
                         8);
    }
}

static void join_samples(struct tk_tracy_merge *m, bool there, uint64_t *n)
{
    const uint64_t sum = there ? tk_tracy_merge_sum(m) : 0;
    tk_tracy_put_samples(m->out, sum);
    for (size_t i = 0; there && i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        int64_t time = 0;
        n[i] += part->n;
        for (uint64_t k = 0; k < part->n && tk_tracy_merge_going(m); k++) {
            const int64_t at = tk_tracy_time(part->in, &time, "sample");
            const uint32_t callstack = tk_tracy_u24(part->in, "callstack of a sample");
            tk_tracy_put_sample(m->out, at, tk_tracy_merge_callstack(m, part, callstack));
        }
    }
}

/* A cut leaves so many samples of the kernel as there were, or as there are samples at all. */
static uint64_t kernel_samples(const uint64_t *kernel, const uint64_t *samples, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (kernel[i] < samples[i])
            return kernel[i];
        sum += kernel[i];
    }
    return sum;
}

/* Gives how many zones it has. */
static uint64_t join_thread(struct tk_tracy_merge *m, struct trees *t)
{
    uint64_t kernel[TK_TRACY_MERGED_MOST], samples[TK_TRACY_MERGED_MOST] = {0};
    struct tk_tracy_thread_head all = {0};
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_tracy_thread_head head = read_head(m, &m->parts[i]);
        if (i && head.tid != all.tid)
            tk_tracy_join_refuse(m);
        const uint64_t zones = all.zones + head.zones;
        all = i ? all : head;
        all.zones = zones;
        kernel[i] = head.kernel_samples;
        t->v[i].roots = head.roots;
    }
    const size_t of_kernel = tk_tracy_join_note(m);
    all.kernel_samples = tk_tracy_join_noted(m, of_kernel);
    all.roots = (uint32_t)open_trees(m, t);
    all.zones -= t->joined + t->outside;
    tk_tracy_put_thread(m->out, &all);
    join_trees(m, t);
    join_keys(m);
    join_samples(m, m->parts[0].c->layout.switch_samples, samples);
    join_samples(m, true, samples);
    tk_tracy_join_set(m, of_kernel, kernel_samples(kernel, samples, m->n));
    return all.zones;
}

void tk_tracy_join_threads(struct tk_tracy_merge *m)
{
    struct trees t;
    (void)tk_tracy_merge_sum(m);
    (void)tk_tracy_merge_sum(m);
    const size_t zones = tk_tracy_join_count(m, 8), parents = tk_tracy_join_count(m, 8);
    const uint64_t n = tk_tracy_join_number(m);
    tk_tracy_put(m->out, n, 8);
    if (!begin_trees(m, &t, 0))
        return;
    t.parents = parents;
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        tk_tracy_join_add(m, zones, join_thread(m, &t));
    end_trees(&t);
}

/* ---- GPU ---- */

static void join_timeline(struct tk_tracy_merge *m, struct trees *t)
{
    const uint64_t tid = tk_tracy_join_number(m);
    for (size_t i = 0; i < m->n; i++)
        t->v[i].roots = tk_tracy_u64(m->parts[i].in, "zones of a GPU timeline");
    const uint64_t roots = open_trees(m, t);
    tk_tracy_put_gpu_timeline(m->out, tk_tracy_merge_tid(m, m->parts, tid), roots);
    join_trees(m, t);
}

enum { CONTEXT_REST = 4 + 1, INDEX = 3, NOTE_NAME = 8 + INDEX, NOTE = 16 };

/* Calibrated, zones; period, type, name, overflow. */
static uint64_t skip_context(struct tk_tracy_merge_part *part)
{
    tk_tracy_skip(part->in, 1, "GPU context");
    const uint64_t zones = tk_tracy_u64(part->in, "zones of a GPU context");
    tk_tracy_skip(part->in, CONTEXT_REST + INDEX + 8, "GPU context");
    const uint64_t names = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "names of GPU notes") : 0;
    for (uint64_t i = 0; i < names && tk_tracy_ok(part->in); i++)
        tk_tracy_skip(part->in, NOTE_NAME, "names of GPU notes");
    return zones;
}

static void skip_notes(struct tk_tracy_merge_part *part)
{
    const uint64_t queries = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "GPU notes") : 0;
    for (uint64_t i = 0; i < queries && tk_tracy_ok(part->in); i++) {
        tk_tracy_skip(part->in, 2, "GPU notes");
        const uint64_t n = tk_tracy_u64(part->in, "notes of a query");
        for (uint64_t k = 0; k < n && tk_tracy_ok(part->in); k++)
            tk_tracy_skip(part->in, NOTE, "GPU notes");
    }
}

static uint64_t join_context(struct tk_tracy_merge *m, struct trees *t)
{
    struct tk_tracy_merge_part *first = &m->parts[0];
    tk_tracy_put(m->out, tk_tracy_merge_tid(m, first, tk_tracy_join_number(m)), 8);
    tk_tracy_merge_copy(m, first, 1);
    uint64_t zones = tk_tracy_u64(first->in, "zones of a GPU context");
    const size_t count = tk_tracy_join_count(m, 8);
    tk_tracy_merge_copy(m, first, CONTEXT_REST);
    tk_tracy_put_index(m->out, tk_tracy_merge_read_index(first));
    tk_tracy_merge_copy(m, first, 8);
    tk_tracy_merge_note_names(m, first);
    for (size_t i = 1; i < m->n; i++)
        zones += skip_context(&m->parts[i]);
    const uint64_t timelines = tk_tracy_join_number(m);
    tk_tracy_put(m->out, timelines, 8);
    for (uint64_t i = 0; i < timelines && tk_tracy_merge_going(m); i++) {
        join_timeline(m, t);
        zones -= t->joined + t->outside;
    }
    tk_tracy_merge_notes(m, first);
    for (size_t i = 1; i < m->n; i++)
        skip_notes(&m->parts[i]);
    tk_tracy_join_set(m, count, zones);
    return zones;
}

void tk_tracy_join_gpu(struct tk_tracy_merge *m)
{
    struct trees t;
    (void)tk_tracy_merge_sum(m);
    (void)tk_tracy_merge_sum(m);
    const size_t zones = tk_tracy_join_count(m, 8), parents = tk_tracy_join_count(m, 8);
    const uint64_t n = tk_tracy_join_number(m);
    tk_tracy_put(m->out, n, 8);
    if (!begin_trees(m, &t, 1))
        return;
    t.parents = parents;
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        tk_tracy_join_add(m, zones, join_context(m, &t));
    end_trees(&t);
}
