/*
 * State of packet sequences.
 */
#include "format/perfetto/perfetto_in.h"

#define EMPTY (UINT32_MAX - 1) /* in a table: a text without letters */

struct tk_pf_sequence *tk_pf_sequence_find(struct tk_pf_sequences *s, uint32_t id)
{
    uint32_t at = tk_map_get(&s->index, id);
    if (at != TK_MAP_NONE) {
        s->last = at;
        return &s->list.v[at];
    }
    struct tk_pf_sequence fresh = {.id = id};
    at = (uint32_t)s->list.n;
    return tk_vec_push(&s->list, fresh) || tk_map_put(&s->index, id, at) ? NULL : &s->list.v[at];
}

static void release(struct tk_pf_sequence *s)
{
    for (unsigned i = 0; i < TK_PF_TABLES; i++)
        tk_map_release(&s->tables[i]);
    tk_vec_release(&s->timers);
    tk_vec_release(&s->locations);
    tk_vec_release(&s->extra);
    tk_vec_release(&s->extra_real);
    tk_pf_code_release(&s->code);
    tk_pf_heap_release(&s->heap);
    tk_map_release(&s->sum_index);
    tk_vec_release(&s->sums);
}

void tk_pf_sequence_clear(struct tk_pf_sequence *s)
{
    struct tk_pf_sequence fresh = {.id = s->id,
                                   .valid = true,
                                   .has_thread = s->has_thread,
                                   .pid = s->pid,
                                   .tid = s->tid,
                                   .marks = s->marks,
                                   .heap = s->heap};
    s->heap = (struct tk_pf_heap){0}; /* a dump lasts until its last packet */
    release(s);
    *s = fresh;
}

/* ---- interned data ---- */

static uint32_t name_of(struct tk_ev_capture *c, struct tk_bytes text)
{
    return text.n ? tk_ev_name_clean(&c->names, text.p, text.n) : EMPTY;
}

struct entry {
    uint64_t iid, line;
    struct tk_bytes text;
};

/* All kinds of entries have the iid first and their text second. */
static int read_entry(struct tk_bytes message, struct entry *e)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    *e = (struct entry){.text = {message.p, 0}};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            e->iid = f.value;
        else if (f.number == 2 && f.wire == TK_PF_BYTES)
            e->text = f.bytes;
        else if (f.number == 4 && f.wire == TK_PF_VARINT)
            e->line = f.value;
    }
    return rc < 0 ? -1 : 1;
}

static int add(struct tk_pf_sequence *s, struct tk_ev_capture *c, enum tk_pf_interned table,
               const struct entry *e, uint64_t offset)
{
    uint32_t name = name_of(c, e->text), have = tk_map_get(&s->tables[table], e->iid);
    if (name == TK_EV_NO_NAME)
        return -2;
    if (table == TK_PF_LOCATIONS) {
        struct tk_pf_location place = {name == EMPTY ? TK_EV_NO_NAME : name,
                                       e->line <= UINT32_MAX ? (uint32_t)e->line : 0};
        if (have != TK_MAP_NONE)
            return 1;
        return tk_vec_push(&s->locations, place) ||
                       tk_map_put(&s->tables[table], e->iid, (uint32_t)s->locations.n - 1)
                   ? -2
                   : 1;
    }
    if (have != TK_MAP_NONE && have != name)
        tk_ev_note(c, TK_EV_NAME_CHANGED, offset);
    return have == TK_MAP_NONE && tk_map_put(&s->tables[table], e->iid, name) ? -2 : 1;
}

static int intern_code(struct tk_pf_sequence *s, const struct tk_pf_field *f)
{
    static const uint8_t fields[TK_PF_CODE_TABLES] = {
        [TK_PF_CODE_FUNCTIONS] = 5, [TK_PF_CODE_BUILDS] = 16,   [TK_PF_CODE_PATHS] = 17,
        [TK_PF_CODE_SOURCES] = 18,  [TK_PF_CODE_MAPPINGS] = 19, [TK_PF_CODE_FRAMES] = 6,
        [TK_PF_CODE_STACKS] = 7,    [TK_PF_CODE_TASKS] = 48,    [TK_PF_CODE_GPU_COUNTERS] = 47};
    for (unsigned i = 0; i < TK_PF_CODE_TABLES; i++)
        if (f->number == fields[i])
            return tk_pf_code_add(&s->code, (enum tk_pf_code_table)i, f->bytes);
    return 1;
}

int tk_pf_sequence_intern(struct tk_pf_sequence *s, struct tk_ev_capture *c, struct tk_bytes message,
                          uint64_t offset)
{
    static const struct {
        uint32_t number;
        enum tk_pf_interned table;
    } kinds[] = {{1, TK_PF_CATEGORIES},       {2, TK_PF_NAMES},       {3, TK_PF_ANNOTATION_NAMES},
                 {4, TK_PF_LOCATIONS},        {20, TK_PF_LOG_BODIES}, {24, TK_PF_GPU_NAMES},
                 {29, TK_PF_ANNOTATION_TEXTS}};
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct entry e;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.wire == TK_PF_BYTES && c->pass == TK_EV_GATHER && (rc = intern_code(s, &f)) < 0)
            return rc;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            if (f.number != kinds[i].number || f.wire != TK_PF_BYTES)
                continue;
            if (read_entry(f.bytes, &e) < 0)
                return -1;
            if ((rc = add(s, c, kinds[i].table, &e, offset)) < 0)
                return rc;
        }
    }
    return rc < 0 ? -1 : 1;
}

bool tk_pf_interned(const struct tk_pf_sequence *s, enum tk_pf_interned table, uint64_t iid, uint32_t *name)
{
    uint32_t found = tk_map_get(&s->tables[table], iid);
    *name = found == EMPTY ? TK_EV_NO_NAME : found;
    return found != TK_MAP_NONE;
}

/* ---- defaults ---- */

static int numbers(const struct tk_pf_field *f, uint64_t **v, size_t *n, size_t *cap)
{
    const uint8_t *at = NULL;
    uint64_t value;
    int rc;
    while ((rc = tk_pf_number(f, TK_PF_VARINT, &at, &value)) == 1) {
        if (*n >= *cap && tk_vec_grow((void **)v, cap, *n + 1, sizeof **v))
            return -2;
        (*v)[(*n)++] = value;
    }
    return rc < 0 ? -1 : 1;
}

static int track_defaults(struct tk_pf_sequence *s, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc, got = 1;
    s->has_default_track = false;
    s->extra.n = s->extra_real.n = 0;
    while ((rc = tk_pf_next(&m, &f)) == 1 && got == 1) {
        if (f.number == 11) {
            s->has_default_track = true;
            s->default_track = f.value;
        } else if (f.number == 31)
            got = numbers(&f, &s->extra.v, &s->extra.n, &s->extra.cap);
        else if (f.number == 45)
            got = numbers(&f, &s->extra_real.v, &s->extra_real.n, &s->extra_real.cap);
    }
    return rc < 0 ? -1 : got;
}

int tk_pf_sequence_defaults(struct tk_pf_sequence *s, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc, got = 1;
    s->default_clock = 0;
    while ((rc = tk_pf_next(&m, &f)) == 1 && got == 1) {
        if (f.number == 58)
            s->default_clock = f.value;
        else if (f.number == 11 && f.wire == TK_PF_BYTES)
            got = track_defaults(s, f.bytes);
    }
    return rc < 0 ? -1 : got;
}

void tk_pf_sequences_release(struct tk_pf_sequences *s)
{
    for (size_t i = 0; i < s->list.n; i++)
        release(&s->list.v[i]);
    tk_vec_release(&s->list);
    tk_map_release(&s->index);
}
