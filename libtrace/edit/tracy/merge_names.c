/*
 * What is known before a merge is written: headers, times, strings, threads and source locations of all
 * captures, and what becomes of them in the result.
 */
#include "edit/tracy/merge_in.h"
#include "format/tracy/walk/own_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_TEXT = 1 << 20,
    STRINGS = (1 << 24) - 2, /* that a file can have */
    LOCAL = UINT16_MAX,      /* threads, likewise */
    STATICS = 32766,         /* places: number 0 is none, and 32767 likewise */
    DYNAMICS = 32767,
    DAY = 24 * 60 * 60 /* s */
};

/* ---- headers ---- */

static struct tk_bytes read_text(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint8_t **keep)
{
    const uint64_t n = tk_tracy_u64(part->in, "length of a text of the header");
    if (n > MOST_TEXT || !(*keep = malloc((size_t)n + 1))) {
        tk_tracy_skip(part->in, n, "text of the header");
        if (n <= MOST_TEXT)
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
        return (struct tk_bytes){NULL, 0};
    }
    tk_tracy_copy(part->in, *keep, (size_t)n, "text of the header");
    return (struct tk_bytes){*keep, (size_t)n};
}

static void read_header(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    struct tk_tracy_head *h = &part->head;
    (void)tk_tracy_read_header(part->in, &h->h);
    if (!part->c->layout.on_demand)
        h->h.on_demand = h->h.frame_offset != 0;
    h->capture_name = read_text(m, part, &part->texts[0]);
    h->program = read_text(m, part, &part->texts[1]);
    (void)tk_tracy_read_header_times(part->in, &h->t);
    h->host = read_text(m, part, &part->texts[2]);
}

/* Time 0 of a capture is when its program began, in whole seconds of the clock of the computer. Where they
 * are more than a day apart the captures were not made together. */
static void align(struct tk_tracy_merge *m)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < m->n; i++) {
        const uint64_t time = m->parts[i].head.t.capture;
        first = time < first ? time : first;
        last = time > last ? time : last;
    }
    for (size_t i = 0; i < m->n && !m->keeps_times && first && last - first <= DAY; i++)
        m->parts[i].shift = (int64_t)(m->parts[i].head.t.capture - first) * INT64_C(1000000000);
}

/* ---- strings ---- */

bool tk_tracy_merge_string(struct tk_tracy_merge *m, const struct tk_str *text, uint32_t *number)
{
    uint64_t hash = tk_hash_bytes(text->p, text->n, 0);
    for (; (*number = tk_map_get(&m->string_of, hash)) != TK_MAP_NONE; hash++)
        if (m->strings.v[*number].n == text->n &&
            (!text->n || memcmp(m->strings.v[*number].p, text->p, text->n) == 0))
            return true;
    *number = (uint32_t)m->strings.n;
    if (m->strings.n >= STRINGS)
        tk_tracy_merge_fail(m, TK_ELIMIT, "together the captures have more texts than a .tracy can hold");
    else if (tk_vec_push(&m->strings, *text) || tk_map_put(&m->string_of, hash, *number))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return m->rc == TK_OK;
}

/* Records of edits go: what they say of times holds for their capture only. Where pieces become one again
 * only those of the cuts do. */
static void number_strings(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_strings *s = &part->c->strings;
    if (tk_vec_reach(&part->strings, s->v.n))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    for (size_t i = 0; i < s->v.n && m->rc == TK_OK; i++) {
        if (tk_tracy_edit_is(&s->v.v[i]) && (!m->joins || tk_tracy_join_is_own(part, i))) {
            part->strings.v[i] = UINT32_MAX;
            m->edits++;
        } else {
            (void)tk_tracy_merge_string(m, &s->v.v[i], &part->strings.v[i]);
        }
    }
}

static const struct tk_str *make_text(struct tk_tracy_merge *m, const char *p, size_t n)
{
    struct tk_str *text = tk_arena_alloc(&m->arena, sizeof *text);
    const char *copy = text ? tk_arena_copy(&m->arena, p, n) : NULL;
    if (!copy) {
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
        return NULL;
    }
    *text = (struct tk_str){copy, (uint32_t)n, TK_ENC_UTF8};
    return text;
}

/* "PREFIX/TEXT". */
static uint32_t join(struct tk_tracy_merge *m, const struct tk_str *prefix, const char *text, size_t n)
{
    uint32_t number = 0;
    char *joined = m->rc == TK_OK ? malloc(prefix->n + n + 1) : NULL;
    if (!joined) {
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
        return 0;
    }
    memcpy(joined, prefix->p, prefix->n);
    joined[prefix->n] = '/';
    if (n)
        memcpy(joined + prefix->n + 1, text, n);
    const struct tk_str *made = make_text(m, joined, prefix->n + n + 1);
    free(joined);
    if (made)
        (void)tk_tracy_merge_string(m, made, &number);
    return number;
}

/* The program; where others have the same, with its process, and where they have that, with a number. */
static void make_prefix(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_bytes program = part->head.program;
    char text[160];
    bool same = false, same_process = false;
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_tracy_head *other = &m->parts[i].head;
        if (i == part->number || other->program.n != program.n ||
            (program.n && memcmp(other->program.p, program.p, program.n) != 0))
            continue;
        same = true;
        same_process |= other->h.pid == part->head.h.pid;
    }
    int n = snprintf(text, sizeof text, "%.*s", program.n < 120 ? (int)program.n : 120,
                     program.n ? (const char *)program.p : "");
    if (same_process || !program.n)
        n += snprintf(text + n, sizeof text - (size_t)n, "#%" PRIu64, part->number + 1);
    else if (same)
        n += snprintf(text + n, sizeof text - (size_t)n, "#%" PRIu64, part->head.h.pid);
    part->prefix = make_text(m, text, (size_t)n);
}

/* ---- threads ---- */

static bool is_free(const struct tk_tracy_merge *m, uint64_t tid)
{
    return tk_map_get(&m->owner, tid) == TK_MAP_NONE;
}

/* As Tracy's merge makes them where one is taken; else the next that is free behind those of fibers. */
static uint64_t new_tid(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t tid)
{
    const uint64_t joined = part->head.h.pid << 32 | tid;
    if (is_free(m, tid))
        return tid;
    if (tid <= UINT32_MAX && part->head.h.pid && part->head.h.pid <= UINT32_MAX && is_free(m, joined))
        return joined;
    while (!is_free(m, ++m->next_tid))
        continue;
    return m->next_tid;
}

uint64_t tk_tracy_merge_tid(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t tid)
{
    if (m->joins)
        return tid;
    const uint32_t found = tk_map_get(&part->tid_of, tid);
    if (!tid || found != TK_MAP_NONE)
        return tid ? part->tids.v[found] : 0;
    const uint64_t now = new_tid(m, part, tid);
    if (tk_map_put(&m->owner, now, (uint32_t)part->number) ||
        tk_map_put(&part->tid_of, tid, (uint32_t)part->tids.n) || tk_vec_push(&part->tids, now))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return now;
}

static void number_local(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_threads *t = &part->c->threads;
    struct tk_map seen = {0};
    for (size_t i = 0; i < t->local.n && m->rc == TK_OK; i++) {
        const uint64_t tid = tk_tracy_merge_tid(m, part, t->local.v[i]);
        uint32_t place = tid ? tk_map_get(&seen, tid) : 0;
        if (place == TK_MAP_NONE) {
            place = (uint32_t)m->local.n;
            if (tk_vec_push(&m->local, tid) || tk_map_put(&seen, tid, place))
                tk_tracy_merge_fail(m, TK_ENOMEM, "");
        }
        if (place > LOCAL)
            tk_tracy_merge_fail(m, TK_ELIMIT,
                                "together the captures have more threads than a .tracy can hold");
        if (tk_vec_push(&part->local, (uint16_t)place))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    }
    tk_map_release(&seen);
}

static void number_external(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_threads *t = &part->c->threads;
    for (size_t i = 0; i < t->external.n && m->rc == TK_OK; i++) {
        const size_t place = m->external.n;
        if (place > UINT16_MAX)
            tk_tracy_merge_fail(m, TK_ELIMIT,
                                "together the captures have more threads of other programs than a .tracy can "
                                "hold");
        else if (tk_vec_push(&m->external, tk_tracy_merge_tid(m, part, t->external.v[i])) ||
                 tk_vec_push(&part->external, (uint16_t)place))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    }
}

/* A name that another capture has gets that of the program in front of it. */
static void name_threads(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_threads *t = &part->c->threads;
    for (size_t i = 0; i < t->named.n && i < t->names.n && m->rc == TK_OK; i++) {
        const struct tk_str *text = tk_tracy_string_of_key(&part->c->strings, t->names.v[i]);
        struct tk_tracy_merged_name name = {.tid = tk_tracy_merge_tid(m, part, t->named.v[i])};
        if (!text || !tk_tracy_merge_string(m, text, &name.name))
            continue;
        const uint32_t owner = tk_map_get(&m->named, name.name);
        if (owner != TK_MAP_NONE && owner != part->number)
            name.name = join(m, part->prefix, text->p, text->n);
        if (tk_map_put(&m->named, name.name, (uint32_t)part->number) || tk_vec_push(&m->names, name))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    }
}

/* ---- source locations ---- */

static bool same_ref(struct tk_tracy_ref a, struct tk_tracy_ref b)
{
    return a.value == b.value && a.flags == b.flags;
}

static bool same_place(const struct tk_tracy_location *a, const struct tk_tracy_location *b)
{
    return same_ref(a->name, b->name) && same_ref(a->function, b->function) && same_ref(a->file, b->file) &&
           a->line == b->line && a->colour == b->colour;
}

/* In the table of places a dynamic one is 1 << 16 and its number. */
static const struct tk_tracy_location *known_place(const struct tk_tracy_merge *m, uint32_t at)
{
    return at >> 16 ? &m->dynamics.v[at & 0xffff] : &m->statics.v[at];
}

static int16_t id_of_place(uint32_t at)
{
    return at >> 16 ? (int16_t)(-1 - (int32_t)(at & 0xffff)) : (int16_t)(at + 1);
}

/* Equal ones are one, but for those of one capture that is joined. Where one kind is full the other takes
 * them. */
static int16_t number_place(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                            const struct tk_tracy_location *l, bool dynamic)
{
    struct tk_tracy_location place = *l;
    tk_tracy_merge_number_location(m, part, &place);
    uint64_t hash = tk_hash_pair(tk_hash_pair(place.name.value, place.function.value),
                                 tk_hash_pair(place.file.value, (uint64_t)l->line << 32 | l->colour));
    uint32_t at;
    for (; (at = tk_map_get(&m->place_of, hash)) != TK_MAP_NONE; hash++)
        if (!m->joins && same_place(known_place(m, at), &place))
            return id_of_place(at);
    if (m->statics.n >= STATICS && m->dynamics.n >= DYNAMICS) {
        tk_tracy_merge_fail(m, TK_ELIMIT,
                            "together the captures have more source locations than a .tracy can hold");
        return 0;
    }
    const bool among_dynamics = m->statics.n >= STATICS || (dynamic && m->dynamics.n < DYNAMICS);
    at = among_dynamics ? UINT32_C(1) << 16 | (uint32_t)m->dynamics.n : (uint32_t)m->statics.n;
    if ((among_dynamics ? tk_vec_push(&m->dynamics, place) : tk_vec_push(&m->statics, place)) ||
        tk_map_put(&m->place_of, hash, at))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    return id_of_place(at);
}

static void number_places(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_locations *l = &part->c->locations;
    part->places[INT16_MAX] = INT16_MAX;
    for (size_t i = 1; i < l->expand.n && i < INT16_MAX && m->rc == TK_OK; i++) {
        const uint32_t at = tk_map_get(&l->by_address, l->expand.v[i]);
        if (at < l->statics.n)
            part->places[i] = number_place(m, part, &l->statics.v[at], false);
    }
    for (size_t i = 0; i < l->dynamics.n && i <= INT16_MAX && m->rc == TK_OK; i++)
        part->places[(uint16_t)(-1 - (int32_t)i)] = number_place(m, part, &l->dynamics.v[i], true);
}

/* ---- all of it ---- */

static void name_own(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    static const char frames[] = "Frame", pool[] = "default";
    part->frames = join(m, part->prefix, frames, sizeof frames - 1);
    part->pool = join(m, part->prefix, pool, sizeof pool - 1);
}

/* Threads and source locations are those of one piece, the base. */
static void number_piece(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part)
{
    const struct tk_tracy_merge_part *first = &m->parts[tk_tracy_join_base(m)];
    if (part == first) {
        number_places(m, part);
        number_local(m, part);
        number_external(m, part);
        name_threads(m, part);
        return;
    }
    memcpy(part->places, first->places, (UINT16_MAX + 1) * sizeof *part->places);
    for (size_t i = 0; i < first->local.n && m->rc == TK_OK; i++)
        if (tk_vec_push(&part->local, first->local.v[i]))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
    for (size_t i = 0; i < first->external.n && m->rc == TK_OK; i++)
        if (tk_vec_push(&part->external, first->external.v[i]))
            tk_tracy_merge_fail(m, TK_ENOMEM, "");
}

void tk_tracy_merge_number(struct tk_tracy_merge *m)
{
    m->next_tid = UINT64_C(1) << 32 | UINT64_C(1) << 24;
    m->main_frames = m->n;
    if (tk_vec_push(&m->local, 0))
        tk_tracy_merge_fail(m, TK_ENOMEM, "");
    for (size_t i = 0; i < m->n; i++) {
        read_header(m, &m->parts[i]);
        if (m->parts[i].c->main_frames && m->main_frames == m->n)
            m->main_frames = i;
    }
    tk_tracy_join_confirm(m);
    align(m);
    if (m->joins && tk_tracy_join_base(m)) {
        struct tk_tracy_merge_part *base = &m->parts[tk_tracy_join_base(m)];
        number_strings(m, base);
        number_piece(m, base);
    }
    for (size_t i = 0; i < m->n && tk_tracy_merge_going(m); i++) {
        struct tk_tracy_merge_part *part = &m->parts[i];
        if (m->joins && part->strings.n)
            continue; /* the base was first */
        number_strings(m, part);
        if (m->joins) {
            number_piece(m, part);
            continue;
        }
        make_prefix(m, part);
        if (m->rc == TK_OK && i)
            name_own(m, part);
        number_local(m, part);
        name_threads(m, part);
        number_places(m, part);
    }
    /* where ids are the same, threads of the programs that were recorded have them */
    for (size_t i = 0; i < m->n && !m->joins && tk_tracy_merge_going(m); i++)
        number_external(m, &m->parts[i]);
}
