/*
 * Zones of pieces: those that were divided where two pieces meet become one again.
 */
#include "base/arena.h"
#include "edit/tracy/merge_in.h"

#include <string.h>

/* ---- trees ---- */

typedef bool read_fn(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                     struct tk_tracy_merge_zone *zone);

static void put_begin(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_zone_begin(out, zone->begin.location, zone->begin.cpu, zone->extra,
                            (uint32_t)zone->begin.children);
}

static void put_end(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_zone_end(out, zone->end.cpu);
}

static bool read_gpu_begin(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                           struct tk_tracy_merge_zone *zone)
{
    return tk_tracy_merge_read_gpu_begin(m, part, &zone->begin);
}

static bool read_gpu_end(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                         struct tk_tracy_merge_zone *zone)
{
    return tk_tracy_merge_read_gpu_end(m, part, &zone->end);
}

static void put_gpu_begin(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_gpu_begin(out, &zone->begin);
}

static void put_gpu_end(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone)
{
    tk_tracy_put_gpu_end(out, &zone->end);
}

static const struct tree_kind {
    read_fn *read_begin, *read_end;
    void (*put_begin)(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone);
    void (*put_end)(struct tk_tracy_writer *out, const struct tk_tracy_merge_zone *zone);
} kinds[] = {
    {tk_tracy_merge_read_begin, tk_tracy_merge_read_end, put_begin, put_end},
    {read_gpu_begin, read_gpu_end, put_gpu_begin, put_gpu_end},
};

/* A tree of a piece. */
struct piece {
    uint64_t roots;
    size_t continued; /* zones of the piece before */
    size_t first;     /* the first one of these in struct trees.children */
    bool outside;     /* its one zone only says that there are some */
};

/* A tree, in all pieces. */
struct trees {
    const struct tree_kind *kind;
    unsigned which;
    size_t parents; /* place */
    struct piece *v;
    TK_VEC(uint64_t) children; /* of zones that continue, in their pieces */
    TK_VEC(uint32_t) extras;   /* of the same */
    TK_VEC(uint64_t) left;     /* to be read, of the top and of each zone that is open */
    uint64_t number;           /* of the tree */
    uint64_t item;             /* in the list under way */
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
    const int64_t n = tk_tracy_join_has(&m->parts[i], t->which, t->item)
                          ? continued_of(&m->parts[i], t->which, t->number)
                          : 0;
    p->outside = n < 0 && p->roots == 1;
    p->continued = n < 0 || i == 0 ? 0 : (size_t)n;
    m->parts[i].in->time = m->parts[i].in->gpu_time = 0;
}

static void read_continued(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    struct piece *p = &t->v[i];
    uint64_t around = p->roots;
    p->first = t->children.n;
    for (size_t k = 0; k < p->continued && tk_tracy_merge_going(m); k++) {
        struct tk_tracy_merge_zone zone;
        zone.extra = 0;
        if (!around || !t->kind->read_begin(m, &m->parts[i], &zone) ||
            (t->which ? zone.begin.gpu : zone.begin.cpu) > m->parts[i].since) {
            tk_tracy_join_refuse(m);
            return;
        }
        around = zone.begin.children;
        if (tk_vec_push(&t->children, around) || tk_vec_push(&t->extras, zone.extra))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    }
}

static void leave_out_outside(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    struct tk_tracy_merge_zone zone;
    if (!t->v[i].outside)
        return;
    if (t->kind->read_begin(m, &m->parts[i], &zone) && zone.begin.children)
        tk_tracy_join_refuse(m);
    else
        (void)t->kind->read_end(m, &m->parts[i], &zone);
    t->v[i].roots = 0;
    t->outside++;
}

/* How many zones there are on the first level together. */
static uint64_t open_trees(struct tk_tracy_merge *m, struct trees *t)
{
    uint64_t roots = 0;
    bool inside = false;
    t->children.n = t->extras.n = 0;
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

/* What the last piece knows of such a zone: texts may come until it ends. */
static uint32_t later_extra(const struct tk_tracy_merge *m, const struct trees *t, size_t i, size_t depth,
                            uint32_t extra)
{
    bool last = true;
    while (++i < m->n && last && t->v[i].continued > depth) {
        const uint32_t later = t->extras.v[t->v[i].first + depth];
        extra = later ? later : extra;
        last = goes_through(t, &t->v[i], depth);
    }
    return extra;
}

static void push_left(struct tk_tracy_merge *m, struct trees *t, uint64_t left)
{
    if (tk_vec_push(&t->left, left))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
}

static void join_begin(struct tk_tracy_merge *m, struct trees *t, size_t i)
{
    const size_t depth = t->left.n - 1;
    struct tk_tracy_merge_zone zone = {.extra = 0};
    t->left.v[depth]--;
    if (!t->kind->read_begin(m, &m->parts[i], &zone))
        return;
    const uint64_t children = zone.begin.children;
    if (i + 1 < m->n && t->v[i + 1].continued > depth && is_last(t)) {
        zone.begin.children += later_children(m, t, i, depth);
        zone.extra = m->grows ? later_extra(m, t, i, depth, zone.extra) : zone.extra;
    }
    tk_tracy_join_add(m, t->parents, zone.begin.children > 0);
    if (m->counts_only)
        m->zones_of[t->which][(uint16_t)zone.begin.location]++;
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
    if (t->kind->read_end(m, &m->parts[i], &zone))
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
        (void)t->kind->read_end(m, &m->parts[i], &zone);
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
    tk_vec_release(&t->extras);
    tk_vec_release(&t->left);
}

/* ---- threads ---- */

static void join_keys(struct tk_tracy_merge *m, uint64_t number)
{
    tk_tracy_put(m->out, tk_tracy_join_sum(m, 0, number), 8);
    for (size_t i = 0; i < m->n; i++)
        tk_tracy_merge_put_n(m, &m->parts[i], m->parts[i].n, tk_tracy_merge_put_thread_message);
}

static void join_samples(struct tk_tracy_merge *m, bool there, uint64_t *n, uint64_t number)
{
    tk_tracy_put_list(m->out, there ? tk_tracy_join_sum(m, 0, number) : 0);
    for (size_t i = 0; there && i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        part->in->time = 0;
        n[i] += part->n;
        tk_tracy_merge_put_n(m, part, part->n, tk_tracy_merge_put_sample);
    }
}

/* A cut leaves so many samples of the kernel as there were, or as there are samples at all. */
static uint64_t kernel_samples(const uint64_t *kernel, const uint64_t *samples, size_t n, bool grows)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (kernel[i] < samples[i] && !grows)
            return kernel[i];
        sum += kernel[i];
    }
    return sum;
}

/* Gives how many zones it has. */
static uint64_t join_thread(struct tk_tracy_merge *m, struct trees *t)
{
    uint64_t kernel[TK_TRACY_MERGED_MOST] = {0}, samples[TK_TRACY_MERGED_MOST] = {0}, sampled = 0;
    struct tk_tracy_thread all = {0};
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_thread head;
        t->v[i].roots = 0;
        if (!tk_tracy_join_has(&m->parts[i], 0, t->item))
            continue;
        (void)tk_tracy_merge_read_thread(m, &m->parts[i], &head);
        if (any && head.tid != all.tid)
            tk_tracy_join_refuse(m);
        const uint64_t zones = all.zones + head.zones;
        all = any && !m->grows ? all : head;
        all.zones = zones;
        any = true;
        kernel[i] = head.kernel_samples;
        t->v[i].roots = tk_tracy_u32(m->parts[i].in, "zones of the first level");
    }
    const size_t of_kernel = tk_tracy_join_note(m);
    all.kernel_samples = tk_tracy_join_noted(m, of_kernel);
    const uint32_t roots = (uint32_t)open_trees(m, t);
    all.zones -= t->joined + t->outside;
    tk_tracy_put_thread(m->out, &all);
    tk_tracy_put_roots(m->out, roots);
    join_trees(m, t);
    join_keys(m, t->item);
    join_samples(m, m->parts[0].c->layout.switch_samples, samples, t->item);
    memset(samples, 0, m->grows ? sizeof samples : 0); /* those of switches do not count below */
    join_samples(m, true, samples, t->item);
    for (size_t i = 0; i < m->n; i++)
        sampled += samples[i];
    if (m->grows && (all.zones || sampled) && tk_map_put(&m->active, all.tid, 0))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    tk_tracy_join_set(m, of_kernel, kernel_samples(kernel, samples, m->n, m->grows));
    return all.zones;
}

void tk_tracy_join_threads(struct tk_tracy_merge *m)
{
    struct trees t;
    (void)tk_tracy_merge_sum(m);
    (void)tk_tracy_merge_sum(m);
    const size_t zones = tk_tracy_join_count(m, 8), parents = tk_tracy_join_count(m, 8);
    const uint64_t n = tk_tracy_join_number(m, 0, 0);
    tk_tracy_put(m->out, n, 8);
    if (!begin_trees(m, &t, 0))
        return;
    t.parents = parents;
    for (; t.item < n && tk_tracy_merge_going(m); t.item++)
        tk_tracy_join_add(m, zones, join_thread(m, &t));
    end_trees(&t);
}

/* ---- GPU ---- */

static void join_timeline(struct tk_tracy_merge *m, struct trees *t)
{
    struct tk_tracy_gpu_timeline all = {0};
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_gpu_timeline one;
        t->v[i].roots = 0;
        if (!tk_tracy_join_has(&m->parts[i], 1, t->item))
            continue;
        (void)tk_tracy_merge_read_gpu_timeline(m, &m->parts[i], &one);
        if (any && one.tid != all.tid)
            tk_tracy_join_refuse(m);
        any = true;
        all.tid = one.tid;
        t->v[i].roots = one.zones;
    }
    all.zones = open_trees(m, t);
    tk_tracy_put_gpu_timeline(m->out, &all);
    m->out->time = m->out->gpu_time = 0;
    join_trees(m, t);
}

/* The context of the base, with the zones of all. */
static struct tk_tracy_gpu_context read_contexts(struct tk_tracy_merge *m, uint64_t number)
{
    struct tk_tracy_gpu_context all = {0};
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_gpu_context one;
        if (!tk_tracy_join_has(&m->parts[i], 0, number))
            continue;
        (void)tk_tracy_merge_read_gpu_context(m, &m->parts[i], &one);
        if (any && one.tid != all.tid)
            tk_tracy_join_refuse(m);
        one.zones += all.zones;
        if (any && !m->grows)
            all.zones = one.zones;
        else
            all = one;
        any = true;
    }
    return all;
}

static void skip_note_names(struct tk_tracy_merge_part *part)
{
    const uint64_t n = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "names of GPU notes") : 0;
    struct tk_tracy_note_name name;
    for (uint64_t i = 0; i < n && tk_tracy_read_note_name(part->in, &name); i++)
        continue;
}

static void skip_notes(struct tk_tracy_merge_part *part)
{
    const uint64_t queries = part->c->layout.gpu_notes ? tk_tracy_u64(part->in, "GPU notes") : 0;
    struct tk_tracy_gpu_query query;
    struct tk_tracy_gpu_note note;
    for (uint64_t i = 0; i < queries && tk_tracy_read_gpu_query(part->in, &query); i++) {
        const uint64_t n = tk_tracy_u64(part->in, "notes of a query");
        for (uint64_t k = 0; k < n && tk_tracy_read_gpu_note(part->in, &note); k++)
            continue;
    }
}

static uint64_t join_context(struct tk_tracy_merge *m, struct trees *t, uint64_t number)
{
    struct tk_tracy_gpu_context all = read_contexts(m, number);
    struct tk_tracy_merge_part *base = &m->parts[tk_tracy_join_base(m)];
    const size_t count = tk_tracy_join_note(m);
    uint64_t zones = all.zones;
    all.zones = tk_tracy_join_noted(m, count);
    tk_tracy_put_gpu_context(m->out, &all);
    tk_tracy_merge_note_names(m, base);
    for (size_t i = 0; i < m->n; i++)
        if (&m->parts[i] != base && tk_tracy_join_has(&m->parts[i], 0, number))
            skip_note_names(&m->parts[i]);
    const uint64_t timelines = tk_tracy_join_number(m, 1, number);
    tk_tracy_put(m->out, timelines, 8);
    for (t->item = 0; t->item < timelines && tk_tracy_merge_going(m); t->item++) {
        join_timeline(m, t);
        zones -= t->joined + t->outside;
    }
    tk_tracy_merge_notes(m, base);
    for (size_t i = 0; i < m->n; i++)
        if (&m->parts[i] != base && tk_tracy_join_has(&m->parts[i], 0, number))
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
    const uint64_t n = tk_tracy_join_number(m, 0, 0);
    tk_tracy_put(m->out, n, 8);
    if (!begin_trees(m, &t, 1))
        return;
    t.parents = parents;
    for (uint64_t k = 0; k < n && tk_tracy_merge_going(m); k++)
        tk_tracy_join_add(m, zones, join_context(m, &t, k));
    end_trees(&t);
}
