/*
 * Numbering of names and timers.
 */
#include "base/checksum.h"
#include "base/cursor.h"
#include "base/health/limits.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "format/events/capture.h"
#include "format/events/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Exports of Tracekit, read back.
 */

static const char ending[] = "/frames";

enum { GAME, RENDERING, FIRST_OTHER };

enum { BASE = 2000000000, MADE_UP = 3 };

bool tk_ev_is_made_up(int64_t process)
{
    return (process > 0 && process <= MADE_UP) || (process > BASE && process <= BASE + MADE_UP);
}

/* What the ids of processes that are made up follow: where the export has others, none of theirs. */
static int64_t base_of(const struct tk_ev_capture *c)
{
    for (size_t i = 0; i < c->processes.n; i++)
        if (c->processes.v[i].id.number == BASE + 1)
            return BASE;
    return 0;
}

static bool is(const struct tk_str *s, const char *text)
{
    return s && s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

bool tk_ev_is_frames(const struct tk_str *name)
{
    const size_t n = sizeof ending - 1;
    return name && name->n > n && memcmp(name->p + name->n - n, ending, n) == 0;
}

/* Types beyond the two that are known are numbered in the order of the file. */
static uint32_t type_of(const struct tk_ev_capture *c, const struct tk_str *type, uint32_t thread)
{
    uint32_t next = FIRST_OTHER;
    if (is(type, "game"))
        return GAME;
    if (is(type, "rendering"))
        return RENDERING;
    for (uint32_t i = 0; i < thread; i++)
        next += c->threads.v[i]->is_frames && c->threads.v[i]->frame_type >= FIRST_OTHER;
    return next;
}

int tk_ev_make_frames(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (t->is_frames || t->is_beyond)
        return 0;
    const struct tk_str *type = tk_ev_text(&c->names, name->p, name->n - (sizeof ending - 1));
    if (!type)
        return -1;
    t->frame_type = type_of(c, type, thread);
    t->frame_name = t->frame_type < FIRST_OTHER ? NULL : type;
    t->is_frames = t->is_hidden = true;
    t->frames_by = TK_NO_THREAD;
    return 0;
}

void tk_ev_make_queue(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name)
{
    struct tk_ev_thread *t = c->threads.v[thread];
    if (t->is_queue || t->is_beyond)
        return;
    t->is_queue = t->is_hidden = true;
    t->name = name;
    t->queue = c->queues++;
}

/* Where none is of the game, the others are numbered from 0 on. */
static void number_frames(struct tk_ev_capture *c)
{
    bool known = false;
    for (size_t i = 0; i < c->threads.n; i++)
        known |= c->threads.v[i]->is_frames && c->threads.v[i]->frame_type < FIRST_OTHER;
    for (size_t i = 0; i < c->threads.n && !known; i++)
        if (c->threads.v[i]->is_frames)
            c->threads.v[i]->frame_type -= FIRST_OTHER;
}

static bool is_made_up_name(const struct tk_str *s)
{
    return is(s, "Threads") || is(s, "GPU") || is(s, "Frames");
}

/* Times of exports count from the start of what was exported. */
int tk_ev_own_export_finish(struct tk_ev_capture *c)
{
    const int64_t base = base_of(c);
    if (c->first > 0)
        c->first = 0;
    for (uint32_t i = 0; i < c->threads.n; i++) {
        const struct tk_ev_thread *t = c->threads.v[i];
        const struct tk_str *process = c->processes.v[t->process].name;
        if (is(process, "Frames") && tk_ev_is_frames(t->name) && tk_ev_make_frames(c, i, t->name))
            return -1;
        if (is(process, "GPU") && t->name)
            tk_ev_make_queue(c, i, t->name);
    }
    number_frames(c);
    for (size_t i = 0; i < c->processes.n; i++) {
        struct tk_ev_process *p = &c->processes.v[i];
        p->unknown |= p->id.number > base && p->id.number <= base + MADE_UP && is_made_up_name(p->name);
        if (p->unknown)
            p->name = NULL;
    }
    return 0;
}

enum { FIRST_SLOTS = 1024 };

uint32_t tk_ev_name_find(const struct tk_ev_names *n, const void *p, size_t len, uint64_t hash)
{
    for (size_t i = n->slots ? (size_t)hash & n->mask : 0; n->slots && n->slots[i]; i = (i + 1) & n->mask) {
        const struct tk_ev_name *name = &n->names.v[n->slots[i] - 1];
        if (name->hash == hash && name->text->n == len && memcmp(name->text->p, p, len) == 0)
            return n->slots[i] - 1;
    }
    return TK_EV_NO_NAME;
}

static int grow_slots(struct tk_ev_names *n)
{
    size_t count = n->slots ? (n->mask + 1) * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t k = 0; k < n->names.n; k++) {
        size_t i = (size_t)n->names.v[k].hash & (count - 1);
        while (slots[i])
            i = (i + 1) & (count - 1);
        slots[i] = (uint32_t)k + 1;
    }
    free(n->slots);
    n->slots = slots;
    n->mask = count - 1;
    return 0;
}

static uint32_t fail(struct tk_ev_names *n)
{
    n->failed = true;
    return TK_EV_NO_NAME;
}

static uint32_t add_name(struct tk_ev_names *n, const struct tk_str *text, uint64_t hash)
{
    struct tk_ev_name name = {text, hash, TK_EV_NO_NAME};
    if ((!n->slots || n->names.n * 2 > n->mask) && grow_slots(n))
        return fail(n);
    if (n->names.n >= TK_EV_NO_NAME - 1 || tk_vec_push(&n->names, name))
        return fail(n);
    size_t i = (size_t)hash & n->mask;
    while (n->slots[i])
        i = (i + 1) & n->mask;
    n->slots[i] = (uint32_t)n->names.n;
    return (uint32_t)n->names.n - 1;
}

/* The number of the name that stands for those beyond a limit. */
static uint32_t name_beyond(struct tk_ev_names *n)
{
    const uint64_t hash = tk_hash_bytes(tk_beyond_limit.p, tk_beyond_limit.n, 0);
    const uint32_t found = tk_ev_name_find(n, tk_beyond_limit.p, tk_beyond_limit.n, hash);
    return found != TK_EV_NO_NAME ? found : add_name(n, &tk_beyond_limit, hash);
}

uint32_t tk_ev_name(struct tk_ev_names *n, const void *p, size_t len)
{
    uint64_t hash = tk_hash_bytes(p, len, 0);
    uint32_t found = tk_ev_name_find(n, p, len, hash);
    if (found != TK_EV_NO_NAME)
        return found;
    const struct tk_str *text = tk_intern(n->interned, p, len, TK_ENC_UTF8);
    return !text ? fail(n) : text == &tk_beyond_limit ? name_beyond(n) : add_name(n, text, hash);
}

const struct tk_str *tk_ev_text(struct tk_ev_names *names, const void *p, size_t len)
{
    const uint8_t *in = p;
    if (len > UINT32_MAX / 4)
        return NULL;
    if (tk_utf8_valid(p, len))
        return tk_intern(names->interned, p, len, TK_ENC_UTF8);
    names->not_utf8++;
    uint8_t *out = malloc(len * 3 + 4);
    size_t n = 0, step = 1;
    if (!out)
        return NULL;
    for (size_t i = 0; i < len; i += step)
        n += tk_utf8_put(out + n, tk_utf8_next(in + i, len - i, &step));
    const struct tk_str *text = tk_intern(names->interned, out, n, TK_ENC_UTF8);
    free(out);
    return text;
}

/* The first or the last bytes, up to eight. */
static inline uint64_t eight(const uint8_t *p, size_t n)
{
    return n >= 8 ? tk_load64(p) : tk_load_le(p, n);
}

static inline bool are_same(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i = 0;
    for (; i + 8 < n; i += 8)
        if (tk_load64(a + i) != tk_load64(b + i))
            return false;
    return n < 8 ? eight(a, n) == eight(b, n) : tk_load64(a + n - 8) == tk_load64(b + n - 8);
}

/* Its place may be another's: then it is looked for as others are. */
static inline struct tk_ev_recent *recent_of(struct tk_ev_names *n, const uint8_t *p, size_t len)
{
    const uint64_t last = eight(len >= 8 ? p + len - 8 : p, len);
    const uint64_t mixed = (eight(p, len) * 31 ^ last ^ (uint64_t)len << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return &n->recent[mixed >> 54];
}

uint32_t tk_ev_name_clean(struct tk_ev_names *n, const void *p, size_t len)
{
    struct tk_ev_recent *recent = recent_of(n, p, len);
    if (recent->p && recent->n == len && are_same(p, (const uint8_t *)recent->p, len))
        return recent->name;
    uint32_t found = tk_ev_name_find(n, p, len, tk_hash_bytes(p, len, 0));
    if (found != TK_EV_NO_NAME) {
        *recent = (struct tk_ev_recent){n->names.v[found].text->p, (uint32_t)len, found};
        return found;
    }
    const struct tk_str *text = tk_ev_text(n, p, len);
    return !text ? fail(n) : text == &tk_beyond_limit ? name_beyond(n) : tk_ev_name(n, text->p, text->n);
}

static uint32_t push_timer(struct tk_ev_names *n, struct tk_ev_timer timer, uint32_t ended_by)
{
    if (tk_vec_push(&n->timers, timer) || tk_vec_push(&n->name_of_timer, ended_by))
        return fail(n);
    return (uint32_t)n->timers.n - 1;
}

/* A new timer, or the one that stands for all beyond the limit, whose scopes any name ends. */
static uint32_t add_timer(struct tk_ev_names *n, struct tk_ev_timer timer)
{
    if (n->timers.n < n->most_timers)
        return push_timer(n, timer, timer.name);
    if (n->timers.n > n->most_timers)
        return (uint32_t)n->most_timers;
    timer = (struct tk_ev_timer){.name = name_beyond(n)};
    return n->failed ? TK_EV_NO_NAME : push_timer(n, timer, TK_EV_NO_NAME);
}

static uint32_t plain_timer(struct tk_ev_names *n, uint32_t name)
{
    struct tk_ev_timer timer = {.name = name};
    if (name == TK_EV_NO_NAME) {
        uint32_t id = n->nameless ? n->nameless - 1 : add_timer(n, timer);
        n->nameless = id + 1;
        return id;
    }
    if (n->names.v[name].timer == TK_EV_NO_NAME) {
        const uint32_t id = add_timer(n, timer); /* which may add a name */
        n->names.v[name].timer = id;
    }
    return n->names.v[name].timer;
}

/* Timers of one key follow each other: the key counts on where the slot is another's. */
static uint32_t placed_timer(struct tk_ev_names *n, struct tk_ev_timer timer)
{
    uint64_t key = tk_hash_pair(((uint64_t)timer.name << 32) | timer.line, (uint64_t)(uintptr_t)timer.file);
    uint32_t at;
    for (; (at = tk_map_get(&n->places, key)) != TK_MAP_NONE; key++) {
        const struct tk_ev_timer *have = &n->timers.v[at];
        if (have->name == timer.name && have->file == timer.file && have->line == timer.line)
            return at;
    }
    at = add_timer(n, timer);
    if (at == TK_EV_NO_NAME || tk_ev_timer_is_beyond(n, at))
        return at;
    return tk_map_put(&n->places, key, at) ? fail(n) : at;
}

uint32_t tk_ev_timer(struct tk_ev_names *n, uint32_t name, const struct tk_str *file, uint32_t line)
{
    return file ? placed_timer(n, (struct tk_ev_timer){name, file, line}) : plain_timer(n, name);
}

uint32_t tk_ev_label(struct tk_ev_names *n, uint32_t name, uint32_t category)
{
    const struct tk_ev_label label = {name, category};
    const uint64_t key = (uint64_t)name << 32 | category;
    uint32_t at = tk_map_get(&n->label_index, key);
    if (at != TK_MAP_NONE)
        return at;
    at = (uint32_t)n->labels.n;
    if (at >= TK_EV_NO_NAME - 1 || tk_vec_push(&n->labels, label) || tk_map_put(&n->label_index, key, at))
        return fail(n);
    return at;
}

void tk_ev_names_release(struct tk_ev_names *n)
{
    tk_vec_release(&n->names);
    tk_vec_release(&n->timers);
    tk_vec_release(&n->name_of_timer);
    tk_map_release(&n->places);
    tk_vec_release(&n->labels);
    tk_map_release(&n->label_index);
    free(n->slots);
}

/* ---- tuples ---- */

/* Words are mixed each on its own, so that none waits for the one before. */
static inline uint64_t hash_of(const struct tk_ev_key *key)
{
    uint64_t seed = tk_hash_key(), sum = 0;
    for (unsigned i = 0; i < TK_EV_KEY_WORDS; i++, seed += UINT64_C(0x9e3779b97f4a7c15))
        sum += tk_mix(key->word[i] ^ seed);
    return sum ^ sum >> 32;
}

static uint64_t hash_at(const void *ctx, uint32_t place)
{
    const struct tk_ev_ids *ids = ctx;
    return hash_of(&ids->keys.v[place]);
}

static inline bool are_equal(const struct tk_ev_key *a, const struct tk_ev_key *b)
{
    uint64_t differs = 0;
    for (unsigned i = 0; i < TK_EV_KEY_WORDS; i++)
        differs |= a->word[i] ^ b->word[i];
    return !differs;
}

uint32_t tk_ev_ids_number(struct tk_ev_ids *ids, const struct tk_ev_key *key, uint64_t most)
{
    uint32_t place;
    for (size_t at = (size_t)hash_of(key); (place = tk_places_next(&ids->index, &at)) != TK_MAP_NONE;)
        if (are_equal(&ids->keys.v[place], key))
            return place;
    place = (uint32_t)ids->keys.n;
    if (ids->keys.n >= most || ids->keys.n >= TK_EV_IDS_FULL)
        return TK_EV_IDS_FULL;
    return tk_vec_push(&ids->keys, *key) || tk_places_add(&ids->index, place, hash_at, ids) ? UINT32_MAX
                                                                                            : place;
}

void tk_ev_ids_release(struct tk_ev_ids *ids)
{
    tk_vec_release(&ids->keys);
    tk_places_release(&ids->index);
}

/*
 * What threads and processes are called in facts: by the ids of the file, whatever stands first in it. A
 * thread has the id of the file as its number where no other has it; of several with one id in different
 * processes that of the lowest process has it, and the others get numbers that no thread of a system has.
 */

/* Numbers from here on are made up. */
#define MADE_UP UINT32_C(1000000000)

struct numbered {
    const struct tk_ev_thread *thread;
    const struct tk_ev_process *process;
    uint32_t place;
};

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Numbers stand before texts. */
static int by_id(const struct tk_ev_id *a, const struct tk_ev_id *b)
{
    if (a->text && b->text)
        return tk_str_order(a->text, b->text);
    return a->text || b->text ? (a->text ? 1 : -1) : by_number(a->number, b->number);
}

static int by_ids(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = by_id(&x->thread->id, &y->thread->id);
    if (order == 0)
        order = by_id(&x->process->id, &y->process->id);
    if (order == 0)
        order = (x->thread->track > y->thread->track) - (x->thread->track < y->thread->track);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void number_in_order(const struct numbered *v, size_t n)
{
    uint32_t made = MADE_UP, last = MADE_UP;
    for (size_t i = 0; i < n; i++) {
        struct tk_ev_thread *t = (struct tk_ev_thread *)(uintptr_t)v[i].thread;
        const int64_t id = t->id.number;
        const bool own = !t->id.text && !t->is_hidden && id >= 0 && id < MADE_UP && (uint32_t)id != last;
        t->number = own ? (uint32_t)id : made++;
        last = own ? t->number : last;
    }
}

static int number_threads(struct tk_ev_capture *c)
{
    TK_VEC(struct numbered) list = {0};
    int rc = tk_vec_reserve(&list, c->threads.n);
    for (uint32_t i = 0; i < c->threads.n && rc == 0; i++)
        list.v[list.n++] = (struct numbered){c->threads.v[i], &c->processes.v[c->threads.v[i]->process], i};
    if (rc == 0)
        rc = tk_sort(list.v, list.n, sizeof *list.v, by_ids);
    if (rc == 0)
        number_in_order(list.v, list.n);
    for (size_t i = 0; i < c->threads.n && rc == 0; i++)
        if (c->threads.v[i]->part_of)
            c->threads.v[i]->number = c->threads.v[c->threads.v[i]->part_of - 1]->number;
    tk_vec_release(&list);
    return rc;
}

/* "Thread 20" of a thread that has no name but an id. */
static const struct tk_str *called(struct tk_ev_capture *c, const char *what, int64_t id)
{
    char text[48];
    const int n = snprintf(text, sizeof text, "%s %" PRId64, what, id);
    return tk_ev_text(&c->names, text, (size_t)n);
}

bool tk_ev_process_has_id(const struct tk_ev_process *p)
{
    return !p->id.text && !p->unknown && !p->is_beyond;
}

static int call_processes(struct tk_ev_capture *c)
{
    for (size_t i = 0; i < c->processes.n; i++) {
        struct tk_ev_process *p = &c->processes.v[i];
        if (!p->name && tk_ev_process_has_id(p) && !(p->name = called(c, "Process", p->id.number)))
            return -1;
    }
    return 0;
}

int tk_ev_number_threads(struct tk_ev_capture *c)
{
    if (number_threads(c) || call_processes(c))
        return -1;
    for (size_t i = 0; i < c->threads.n; i++) {
        struct tk_ev_thread *t = c->threads.v[i];
        if (!t->name && !t->id.text && !t->is_hidden && !(t->name = called(c, "Thread", t->id.number)))
            return -1;
    }
    return 0;
}
