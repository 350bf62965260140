/*
 * Which captures of a merge are pieces of one that follow each other, and what the joined sections share.
 */
#include "base/sort.h"
#include "edit/tracy/merge_in.h"

#include <string.h>

/* ---- records of cuts ---- */

/* A record under way. */
struct text {
    const char *p, *end;
};

static bool skip_text(struct text *t, const char *what)
{
    const size_t n = strlen(what);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, what, n) != 0)
        return false;
    t->p += n;
    return true;
}

static bool find_text(struct text *t, const char *what)
{
    while (t->p < t->end && !skip_text(t, what))
        t->p++;
    return t->p < t->end;
}

/* Not below -1. */
static bool read_number(struct text *t, int64_t *v)
{
    const bool below = skip_text(t, "-");
    unsigned digits = 0;
    for (*v = 0; t->p < t->end && *t->p >= '0' && *t->p <= '9' && digits < 18; t->p++, digits++)
        *v = *v * 10 + (*t->p - '0');
    *v = below ? -*v : *v;
    return digits && *v >= -1;
}

static bool read_list(struct text *t, const char *name, struct tk_tracy_continued_list *list, bool *failed)
{
    list->v.n = 0;
    if (!skip_text(t, name))
        return false;
    for (int64_t last = -1; !skip_text(t, "]");) {
        struct tk_tracy_continued one = {0};
        int64_t tree;
        if ((list->v.n && !skip_text(t, ",")) || !skip_text(t, "[") || !read_number(t, &tree) ||
            tree <= last || !skip_text(t, ",") || !read_number(t, &one.zones) || !skip_text(t, "]"))
            return false;
        one.tree = (uint64_t)(last = tree);
        if (tk_vec_push(&list->v, one)) {
            *failed = true;
            return false;
        }
    }
    return true;
}

/* The last one is that of the edit that wrote the file. */
static const struct tk_str *own_record(const struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_strings *s = &part->c->strings;
    const struct tk_str *last = s->v.n ? &s->v.v[s->v.n - 1] : NULL;
    return tk_tracy_edit_is(last) ? last : NULL;
}

bool tk_tracy_join_is_own(const struct tk_tracy_merge_part *part, size_t string)
{
    return own_record(part) && string + 1 == part->c->strings.v.n;
}

static struct text text_of(const struct tk_str *s)
{
    return (struct text){s->p, s->p + s->n};
}

/* What was left out, replaced or missing: from there to the times. */
static struct tk_str left_of(const struct tk_str *record)
{
    struct text t = text_of(record), times;
    static const char left[] = ",\"dropped\":";
    if (!find_text(&t, left))
        return (struct tk_str){0};
    t.p -= sizeof left - 1;
    times = t;
    if (!find_text(&times, TK_TRACY_EDIT_TIMES))
        return (struct tk_str){0};
    return (struct tk_str){t.p, (uint32_t)(times.p - t.p - (ptrdiff_t)(sizeof TK_TRACY_EDIT_TIMES - 1)),
                           record->enc};
}

static bool read_piece(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_str *record = own_record(part);
    bool failed = false;
    if (!record || !left_of(record).n)
        return false;
    struct tk_tracy_edit edit;
    struct text t = text_of(record);
    tk_tracy_edit_read(record, &edit);
    part->since = edit.from;
    part->until = edit.to;
    const bool read = find_text(&t, TK_TRACY_EDIT_CONTINUED) &&
                      read_list(&t, "\"threads\":[", &part->continued[0], &failed) &&
                      read_list(&t, ",\"gpu\":[", &part->continued[1], &failed);
    if (failed)
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return read;
}

void tk_tracy_join_record(const struct tk_tracy_merge *m, struct tk_str *left, struct tk_str *continued)
{
    const struct tk_str *record = own_record(&m->parts[0]);
    struct text t = text_of(record);
    *left = left_of(record);
    *continued = (struct tk_str){0};
    if (find_text(&t, TK_TRACY_EDIT_CONTINUED))
        *continued = (struct tk_str){t.p, (uint32_t)(t.end - t.p), record->enc};
}

static bool says_grows(const struct tk_str *left)
{
    static const char grows[] = TK_TRACY_EDIT_GROWS;
    const size_t n = sizeof grows - 1;
    return left->n >= n && memcmp(left->p + left->n - n, grows, n) == 0;
}

/* ---- pieces that follow each other ---- */

static int by_time(const void *a, const void *b)
{
    const struct tk_tracy_merge_part *x = a, *y = b;
    return (x->since > y->since) - (x->since < y->since);
}

static bool same_text(const struct tk_str *a, const struct tk_str *b)
{
    return a->n == b->n && (!a->n || memcmp(a->p, b->p, a->n) == 0);
}

void tk_tracy_join_look(struct tk_tracy_merge *m)
{
    bool pieces = true;
    for (size_t i = 0; i < m->n && pieces; i++)
        pieces = read_piece(m, &m->parts[i]);
    if (!pieces)
        return;
    if (tk_sort(m->parts, m->n, sizeof *m->parts, by_time))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    const struct tk_str left = left_of(own_record(&m->parts[0]));
    for (size_t i = 0; i < m->n && pieces; i++) {
        const struct tk_str other = left_of(own_record(&m->parts[i]));
        pieces = same_text(&left, &other) && (!i || m->parts[i].since == m->parts[i - 1].until) &&
                 m->parts[i].since < m->parts[i].until;
    }
    m->joins = pieces;
    m->grows = pieces && says_grows(&left);
}

static bool same_bytes(struct tk_bytes a, struct tk_bytes b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* Earlier edits were those of the capture. */
static bool same_records(const struct tk_tracy_merge_part *a, const struct tk_tracy_merge_part *b)
{
    const struct tk_tracy_strings *x = &a->c->strings, *y = &b->c->strings;
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < x->v.n - 1 && !tk_tracy_edit_is(&x->v.v[i]))
            i++;
        while (k < y->v.n - 1 && !tk_tracy_edit_is(&y->v.v[k]))
            k++;
        if (i == x->v.n - 1 || k == y->v.n - 1)
            return i == x->v.n - 1 && k == y->v.n - 1;
        if (!same_text(&x->v.v[i], &y->v.v[k]))
            return false;
    }
}

/* The tables of a piece that grows begin as those of the one before it. */
static bool begins_with(const uint64_t *a, size_t n, const uint64_t *b, size_t others)
{
    return n <= others && (!n || memcmp(a, b, n * sizeof *a) == 0);
}

static bool has_grown(const struct tk_tracy_merge_part *a, const struct tk_tracy_merge_part *b)
{
    const struct tk_tracy_head *head = &a->head, *other = &b->head;
    const struct tk_tracy_threads *s = &a->c->threads, *t = &b->c->threads;
    const struct tk_tracy_locations *k = &a->c->locations, *l = &b->c->locations;
    return a->c->version == b->c->version && head->t.capture == other->t.capture &&
           head->t.executable == other->t.executable && head->h.pid == other->h.pid &&
           head->h.last_time <= other->h.last_time && head->h.resolution == other->h.resolution &&
           head->h.frame_offset == other->h.frame_offset &&
           same_bytes(head->capture_name, other->capture_name) && same_bytes(head->program, other->program) &&
           a->callstacks <= b->callstacks && k->statics.n <= l->statics.n && k->dynamics.n <= l->dynamics.n &&
           begins_with(k->expand.v, k->expand.n, l->expand.v, l->expand.n) &&
           begins_with(s->local.v, s->local.n, t->local.v, t->local.n) &&
           begins_with(s->external.v, s->external.n, t->external.v, t->external.n);
}

static bool same_ids(const uint64_t *a, size_t n, const uint64_t *b, size_t others)
{
    return n == others && (!n || memcmp(a, b, n * sizeof *a) == 0);
}

/* A cut leaves all of this as it is. */
static bool same_recording(const struct tk_tracy_merge_part *a, const struct tk_tracy_merge_part *b)
{
    const struct tk_tracy_head *head = &a->head, *other = &b->head;
    const struct tk_tracy_header *x = &head->h, *y = &other->h;
    const struct tk_tracy_threads *s = &a->c->threads, *t = &b->c->threads;
    const struct tk_tracy_locations *k = &a->c->locations, *l = &b->c->locations;
    return a->c->version == b->c->version && head->t.capture == other->t.capture &&
           head->t.executable == other->t.executable && x->pid == y->pid && x->last_time == y->last_time &&
           x->resolution == y->resolution && x->frame_offset == y->frame_offset && x->cpu_id == y->cpu_id &&
           same_bytes(head->capture_name, other->capture_name) && same_bytes(head->program, other->program) &&
           same_bytes(head->host, other->host) && a->callstacks == b->callstacks &&
           k->statics.n == l->statics.n && k->dynamics.n == l->dynamics.n && k->expand.n == l->expand.n &&
           same_ids(s->local.v, s->local.n, t->local.v, t->local.n) &&
           same_ids(s->external.v, s->external.n, t->external.v, t->external.n) && same_records(a, b);
}

/* Numbers, addresses and pointers are those of the one capture. */
void tk_tracy_join_confirm(struct tk_tracy_merge *m)
{
    for (size_t i = 1; i < m->n && m->joins; i++)
        m->joins =
            m->grows ? has_grown(&m->parts[i - 1], &m->parts[i]) : same_recording(&m->parts[0], &m->parts[i]);
    m->grows &= m->joins;
    for (size_t i = 0; i < m->n && m->joins; i++) {
        m->parts[i].number = 0;
        m->parts[i].first_callstack = 0;
    }
}

/* ---- for sections ---- */

void tk_tracy_join_refuse(struct tk_tracy_merge *m)
{
    tk_tracy_merge_fail(m, TK_EFORMAT,
                        "the captures say that they are pieces of one, but what they hold does not fit "
                        "together");
}

uint64_t tk_tracy_join_number(struct tk_tracy_merge *m, unsigned level, uint64_t outer)
{
    uint64_t most = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        const bool there = level == 0 || tk_tracy_join_has(part, 0, outer);
        part->items[level] = there ? tk_tracy_u64(part->in, "a number") : 0;
        if (part->items[level] < most || (i && !m->grows && part->items[level] != most))
            tk_tracy_join_refuse(m);
        most = part->items[level];
    }
    return most;
}

uint64_t tk_tracy_join_sum(struct tk_tracy_merge *m, unsigned level, uint64_t k)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        part->n = tk_tracy_join_has(part, level, k) ? tk_tracy_u64(part->in, "a list") : 0;
        sum += part->n;
    }
    return sum;
}

size_t tk_tracy_join_note(struct tk_tracy_merge *m)
{
    if (!m->counts_only)
        return m->at++;
    if (tk_vec_push(&m->counts, 0))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return m->counts.n - 1;
}

size_t tk_tracy_join_count(struct tk_tracy_merge *m, unsigned bytes)
{
    const size_t place = tk_tracy_join_note(m);
    tk_tracy_put(m->out, tk_tracy_join_noted(m, place), bytes);
    return place;
}

void tk_tracy_join_skip_others(struct tk_tracy_merge *m, size_t section)
{
    for (size_t i = 0; i < m->n; i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        if (i == tk_tracy_join_base(m))
            continue;
        const uint64_t at = tk_tracy_at(part->in), end = part->ends[section];
        if (tk_tracy_ok(part->in) && at <= end)
            tk_tracy_skip(part->in, end - at, "a section");
        else if (tk_tracy_ok(part->in))
            tk_tracy_join_refuse(m);
    }
}
