/*
 * Events of which the end is missing.
 */
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/stages/stages_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Entries of batches.
 */

unsigned tk_edit_batch_form(const struct tk_ut_type *type)
{
    static const struct {
        const char *name;
        unsigned form;
    } batches[] = {{"CpuProfiler.EventBatchV3", 3},
                   {"CpuProfiler.EventBatchV2", 2},
                   {"CpuProfiler.EventBatch", 1},
                   {"CpuProfiler.EndCapture", 1}};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (strcmp(type->name->p, batches[i].name) == 0)
            return batches[i].form;
    return 0;
}

bool tk_edit_passed_value(const struct tk_ut_type *type, const struct tk_ut_passed *event,
                          struct tk_ut_blob *value)
{
    enum { CODE = 2, SERIAL = 3, BLOB_HEAD = 4, TERMINAL = 1 };
    const size_t head = CODE + (type->flags & TK_UT_FLAG_NOSYNC ? 0u : SERIAL) + type->fixed;
    const uint32_t word = event->n >= head + BLOB_HEAD ? tk_load32(event->p + head) : 0;
    *value = (struct tk_ut_blob){event->p + head + BLOB_HEAD, word >> 13, word >> 8 & 31};
    return value->n && event->n == head + BLOB_HEAD + value->n + TERMINAL;
}

bool tk_edit_batch_next(struct tk_cur *c, unsigned form, struct tk_edit_entry *out)
{
    if (!tk_cur_left(c))
        return false;
    const uint64_t v = tk_varint(c, "time");
    *out = (struct tk_edit_entry){
        .cycles = v >> (form > 1 ? 2 : 1), .begins = v & 1, .coroutine = form > 1 && (v & 2)};
    if (out->begins)
        out->number = tk_varint(c, "timer");
    if (out->coroutine)
        out->depth = tk_varint(c, "depth");
    return tk_cur_ok(c);
}

/*
 * States between the bytes of a batch: at the begin of an entry, or in a number behind which so many others
 * belong to the entry. The first byte of an entry says how many: one for a begin, one for a coroutine. A
 * number ends with the first byte that has no highest bit.
 */
enum { AT_ENTRY, IN_LAST, STATE_BITS = 2, STATES = 4 };
enum { BYTE_BITS = 3, BYTE_MASK = 7, GOES_ON = 4, STEP = 4 };

/* `byte`: GOES_ON and the lowest two bits. */
static unsigned next_state(unsigned state, unsigned byte)
{
    const unsigned numbers = state == AT_ENTRY ? IN_LAST + (byte & 1) + (byte >> 1 & 1) : state;
    return byte & GOES_ON ? numbers : numbers - 1;
}

void tk_edit_batch_steps_init(struct tk_edit_batch_steps *steps)
{
    for (unsigned i = 0; i < sizeof steps->to; i++) {
        steps->to[i] = 0;
        for (unsigned from = 0; from < STATES; from++) {
            unsigned state = from;
            for (unsigned k = 0; k < STEP; k++)
                state = next_state(state, i >> (BYTE_BITS * k) & BYTE_MASK);
            steps->to[i] |= (uint8_t)(state << (STATE_BITS * from));
        }
    }
}

/* Does the last entry end with the bytes? Not known where numbers are long, for which it is false. */
static bool ends_whole(const struct tk_edit_batch_steps *steps, const uint8_t *p, size_t n, unsigned form)
{
    const uint32_t flags = form > 1 ? 0x03030303 : 0x01010101;
    unsigned state = AT_ENTRY;
    size_t at = 0;
    for (; n - at >= STEP; at += STEP) {
        const uint32_t word = tk_load32(p + at), high = word & 0x80808080;
        if (high == 0x80808080)
            return false;
        uint32_t bits = (word & flags) | high >> 5;
        bits = (bits | bits >> 5) & 0x003f003f;
        bits = (bits | bits >> 10) & 0xfff;
        state = steps->to[bits] >> (STATE_BITS * state) & (STATES - 1);
    }
    for (; at < n; at++)
        state = next_state(state, (p[at] & flags & 3) | (p[at] & 0x80u) >> 5);
    return state == AT_ENTRY;
}

size_t tk_edit_batch_whole(const struct tk_edit_batch_steps *steps, const uint8_t *p, size_t n, unsigned form)
{
    struct tk_cur c = tk_cur_of(p, n);
    struct tk_edit_entry ignored;
    /* the time of the first one is the longest */
    size_t whole = tk_edit_batch_next(&c, form, &ignored) ? tk_cur_at(&c) : 0;
    if (whole && ends_whole(steps, p + whole, n - whole, form))
        return n;
    while (whole < n && tk_edit_batch_next(&c, form, &ignored))
        whole = tk_cur_at(&c);
    return whole;
}

/*
 * Copies of events.
 */

/* Puts a copy of some bytes at *at and moves that on. */
static const uint8_t *put(uint8_t **at, const uint8_t *p, size_t n)
{
    uint8_t *to = *at;
    if (n)
        memcpy(to, p, n);
    *at += n;
    return to;
}

struct tk_edit_held *tk_edit_hold(const struct tk_ut_event *ev, uint64_t number)
{
    size_t n = sizeof(struct tk_edit_held) + ev->n_blobs * sizeof(struct tk_ut_blob) + ev->n_fixed +
               ev->n_attachment;
    for (uint32_t i = 0; i < ev->n_blobs; i++)
        n += ev->blobs[i].n;
    struct tk_edit_held *held = malloc(n + 1);
    if (!held)
        return NULL;
    struct tk_ut_blob *blobs = (struct tk_ut_blob *)(held + 1);
    uint8_t *at = (uint8_t *)(blobs + ev->n_blobs);
    held->ev = *ev;
    held->number = number;
    held->ev.fixed = put(&at, ev->fixed, ev->n_fixed);
    held->ev.attachment = put(&at, ev->attachment, ev->n_attachment);
    for (uint32_t i = 0; i < ev->n_blobs; i++) {
        blobs[i] = ev->blobs[i];
        blobs[i].p = put(&at, ev->blobs[i].p, ev->blobs[i].n);
    }
    held->ev.blobs = blobs;
    held->ev.scratch = NULL;
    return held;
}

/*
 * Scope records in stages.
 */

int tk_edit_scopes_event(struct tk_edit_scopes *s, struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                         bool dropped)
{
    const struct tk_edit_item item = {.lane = lane, .scope = &s->waiting};
    if (!s->waits)
        return TK_OK;
    s->waits = false;
    if (tk_vec_push(&s->dropped, dropped))
        return TK_ENOMEM;
    return dropped ? tk_edit_drop(stage, &item) : tk_edit_take(stage->next, &item);
}

int tk_edit_scopes_take(struct tk_edit_scopes *s, struct tk_edit_stage *stage,
                        const struct tk_edit_item *item)
{
    int rc = tk_edit_scopes_event(s, stage, item->lane, false);
    if (rc != TK_OK)
        return rc;
    if (item->scope->begins) {
        s->waiting = *item->scope;
        s->waits = true;
        return TK_OK;
    }
    const bool dropped = s->dropped.n && s->dropped.v[--s->dropped.n];
    return dropped ? tk_edit_drop(stage, item) : tk_edit_take(stage->next, item);
}

int tk_edit_scopes_cut(struct tk_edit_scopes *s, struct tk_edit_stage *stage, struct tk_ut_lane *lane)
{
    const int rc = tk_edit_scopes_event(s, stage, lane, false);
    s->dropped.n = 0;
    return rc;
}

/* Hands on what is whole of a batch. */
static int take_whole(struct tk_edit_mender *m, const struct tk_edit_item *item, unsigned form,
                      const struct tk_ut_field *data)
{
    const struct tk_bytes bytes = tk_ut_event_bytes(item->ev, data);
    const struct tk_ut_blob blob = {bytes.p, (uint32_t)tk_edit_batch_whole(&m->steps, bytes.p, bytes.n, form),
                                    tk_ut_field_index(item->ev->type, data)};
    struct tk_ut_event whole = *item->ev;
    struct tk_edit_item changed = *item;
    if (!blob.n && item->ev->incomplete)
        return tk_edit_drop(&m->stage, item);
    whole.blobs = &blob;
    whole.n_blobs = blob.n > 0; /* else it stays as one of no entries, as later stages count batches */
    changed.ev = &whole;
    changed.changed = true;
    return tk_edit_take(m->stage.next, &changed);
}

/* 1 or 0; -1: out of memory. */
static int is_broken(struct tk_edit_mender *m, const struct tk_ut_event *ev, unsigned form,
                     const struct tk_ut_field *data)
{
    const uint64_t number = m->batches++;
    if (m->broken && !m->finds) {
        const bool found = m->next < m->broken->batches.n && m->broken->batches.v[m->next] == number;
        m->next += found;
        return found;
    }
    const struct tk_bytes bytes = tk_ut_event_bytes(ev, data);
    if (tk_edit_batch_whole(&m->steps, bytes.p, bytes.n, form) == bytes.n)
        return 0;
    return m->broken && tk_vec_push(&m->broken->batches, number) ? -1 : 1;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_mender *m = (struct tk_edit_mender *)stage;
    const unsigned form = item->ev && item->ev->type->id < m->n ? m->forms[item->ev->type->id] : 0;
    const struct tk_ut_field *data = form ? tk_ut_type_field(item->ev->type, "Data") : NULL;
    if (!item->ev || (!data && !item->ev->incomplete))
        return tk_edit_take(stage->next, item);
    if (!data)
        return tk_edit_drop(stage, item);
    const int broken = item->ev->incomplete ? 1 : is_broken(m, item->ev, form, data);
    if (broken < 0)
        return TK_ENOMEM;
    return broken ? take_whole(m, item, form, data) : tk_edit_take(stage->next, item);
}

/* Did the walk before find no batch that is broken? */
static bool is_known_whole(const struct tk_edit_mender *m)
{
    return m->broken && !m->finds && !m->broken->batches.n;
}

static enum tk_edit_verdict judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    const struct tk_edit_mender *m = (const struct tk_edit_mender *)stage;
    if (type->id >= m->n)
        return TK_EDIT_INSPECTS;
    return !m->forms[type->id] || is_known_whole(m) ? TK_EDIT_STAYS_AS_IS : TK_EDIT_INSPECTS_BRIEFLY;
}

/* Is it a batch in one piece that ends with an entry? */
static enum tk_edit_verdict look(struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                                 const struct tk_ut_type *type, const struct tk_ut_passed *event)
{
    struct tk_edit_mender *m = (struct tk_edit_mender *)stage;
    struct tk_ut_blob data;
    (void)lane;
    if (!m->forms[type->id] || is_known_whole(m))
        return TK_EDIT_STAYS_AS_IS;
    if ((m->broken && !m->finds) || !tk_edit_passed_value(type, event, &data) ||
        tk_edit_batch_whole(&m->steps, data.p, data.n, m->forms[type->id]) != data.n)
        return TK_EDIT_INSPECTS;
    m->batches++;
    return TK_EDIT_STAYS_AS_IS;
}

static void unlook(struct tk_edit_stage *stage, const struct tk_ut_type *type)
{
    struct tk_edit_mender *m = (struct tk_edit_mender *)stage;
    m->batches -= m->forms[type->id] && !is_known_whole(m);
}

static const struct tk_edit_stage_ops ops = {.take = take, .judge = judge, .look = look, .unlook = unlook};

int tk_edit_mender_init(struct tk_edit_mender *m, const struct tk_ut_schema *schema,
                        struct tk_edit_broken *broken, bool finds, struct tk_edit_stage *next)
{
    *m = (struct tk_edit_mender){.n = schema->types.n, .broken = broken, .finds = finds};
    tk_edit_stage_init(&m->stage, &ops, next);
    tk_edit_batch_steps_init(&m->steps);
    m->forms = calloc(m->n + 1, sizeof *m->forms);
    for (size_t i = 0; m->forms && i < m->n; i++)
        m->forms[i] = (uint8_t)tk_edit_batch_form(schema->types.v[i]);
    return m->forms ? TK_OK : TK_ENOMEM;
}

void tk_edit_mender_release(struct tk_edit_mender *m)
{
    free(m->forms);
    *m = (struct tk_edit_mender){0};
}

void tk_edit_tell_broken(struct tk_health *health, const struct tk_edit_broken *broken)
{
    tk_health_note(health, TK_HEALTH_PAYLOAD_DAMAGED, TK_NO_OFFSET, broken->batches.n,
                   "batches of scopes end inside an entry; their complete entries are kept");
}
