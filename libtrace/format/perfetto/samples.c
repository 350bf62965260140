/*
 * Samples of stacks in their three forms: of perf, of Chrome's sampler, and the common one (import2 4); and
 * names of functions that come behind them.
 */
#include "format/perfetto/perfetto_in.h"

#include <string.h>

static int put_sample(struct tk_pf_trace *t, int64_t time, uint64_t pid, uint64_t tid, uint32_t stack)
{
    if (pid && tk_pf_put_thread(t, time, (uint64_t)tk_pf_pid(tid), (uint64_t)tk_pf_pid(pid)))
        return TK_PF_NO_MEMORY;
    return tk_pf_kept(tk_ev_sample(t->c, time, (uint64_t)tk_pf_pid(tid), stack));
}

/* ---- perf ---- */

/* 1 core, 2 process, 3 thread, 4 call stack, 6 what the counter had, 17 lost records, 19 not a sample. */
int tk_pf_perf_sample(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                      const int64_t *at, uint64_t offset)
{
    enum { CORE = 1, PID, TID, STACK, COUNT = 6, LOST = 17, SKIPPED, EVENT, FIELDS };
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    uint64_t of[FIELDS] = {0};
    unsigned has = 0;
    uint32_t stack = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.number < FIELDS)
            of[f.number] = f.value, has |= 1u << f.number;
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (of[LOST] || has & 1u << EVENT || (!at && has & 1u << SKIPPED))
        return TK_PF_FINE; /* it announces losses, and is no sample */
    if (!at) {
        tk_pf_note(t, TK_EV_NO_TIME, offset);
        return TK_PF_FINE;
    }
    const int64_t time = *at;
    const struct tk_pf_counter_value counter = {
        TK_PF_OF_CORE,     (int64_t)of[CORE],           tk_ev_name(&t->c->names, "perf timebase", 13),
        TK_COUNTER_NUMBER, {.v.i = (int64_t)of[COUNT]}, false};
    if (t->c->names.failed || (has & 1u << COUNT && tk_pf_put_counter(t, time, &counter)))
        return TK_PF_NO_MEMORY;
    rc = has & 1u << STACK ? tk_pf_code_stack(t, &s->code, of[STACK], offset, &stack) : TK_PF_FINE;
    return rc == TK_PF_FINE ? put_sample(t, time, of[PID], of[TID], stack) : rc;
}

/* ---- Chrome's sampler ---- */

/* The numbers of a field, one after the other. */
struct numbers {
    struct tk_pf_message m;
    struct tk_pf_field f;
    const uint8_t *at;
    uint32_t field;
    bool in; /* the field */
};

static bool next_number(struct numbers *n, uint64_t *out)
{
    for (;;) {
        if (n->in && tk_pf_number(&n->f, TK_PF_VARINT, &n->at, out) == 1)
            return true;
        n->in = false;
        if (tk_pf_next(&n->m, &n->f) != 1)
            return false;
        n->in = n->f.number == n->field;
        n->at = NULL;
    }
}

/* 1 call stacks, 2 microseconds since the one before. */
int tk_pf_streaming_profile(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                            uint64_t offset)
{
    struct numbers stacks = {.m = tk_pf_message_of(message), .field = 1},
                   deltas = {.m = tk_pf_message_of(message), .field = 2};
    uint64_t iid, delta = 0;
    bool more = false;
    int rc = TK_PF_FINE;
    if (!s->has_reference) {
        tk_pf_note(t, TK_EV_NO_STATE, offset);
        return rc;
    }
    while (rc == TK_PF_FINE && (more = next_number(&stacks, &iid)) && next_number(&deltas, &delta)) {
        uint32_t stack;
        int64_t time;
        s->reference = (int64_t)((uint64_t)s->reference + delta * 1000);
        rc = tk_pf_code_stack(t, &s->code, iid, offset, &stack);
        time = s->reference;
        const enum tk_pf_converted converted =
            t->clocks.readings.n ? tk_pf_clocks_convert(&t->clocks, s->reference, TK_PF_MONOTONIC, &time)
                                 : TK_PF_CONVERTED;
        if (rc == TK_PF_FINE && stack && tk_pf_time(t, converted, time, offset))
            rc = put_sample(t, time, s->has_thread ? (uint64_t)s->pid : 0, (uint64_t)s->tid, stack);
    }
    if (rc == TK_PF_FINE && more != next_number(&deltas, &delta))
        tk_pf_note(t, TK_EV_COLUMNS_DIFFER, offset);
    return rc;
}

/* ---- the common form ---- */

/* A frame that stands in the sample itself: 1 function, 2 file, 3 line. */
static int own_frame(struct tk_pf_trace *t, struct tk_bytes message, uint32_t *place)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_ev_code_frame frame = {
        .function = TK_EV_NO_NAME, .file = TK_EV_NO_NAME, .module = TK_EV_NO_NAME, .build = TK_EV_NO_NAME};
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1 && f.bytes.n)
            frame.function = tk_ev_name_clean(&t->c->names, f.bytes.p, f.bytes.n);
        else if (f.number == 2 && f.bytes.n)
            frame.file = tk_ev_name_clean(&t->c->names, f.bytes.p, f.bytes.n);
        else if (f.number == 3 && f.value <= UINT32_MAX)
            frame.line = (uint32_t)f.value;
    }
    *place = t->c->names.failed ? UINT32_MAX : tk_ev_code_frame(t->c, &frame);
    return rc < 0 ? TK_PF_BROKEN_PACKET : *place == UINT32_MAX ? TK_PF_NO_MEMORY : TK_PF_FINE;
}

enum { MOST_OWN = 1024 };

static int own_stack(struct tk_pf_trace *t, struct tk_bytes message, uint32_t *stack)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    uint32_t frames[MOST_OWN], n = 0, place;
    int rc = TK_PF_FINE;
    while (rc == TK_PF_FINE && tk_pf_next(&m, &f) == 1)
        if (f.number == 1 && f.wire == TK_PF_BYTES && n < MOST_OWN &&
            (rc = own_frame(t, f.bytes, &place)) == TK_PF_FINE)
            frames[MOST_OWN - ++n] = place; /* the outermost comes first */
    *stack = rc == TK_PF_FINE && n ? tk_ev_stack(t->c, frames + MOST_OWN - n, n) : 0;
    return *stack == UINT32_MAX ? TK_PF_NO_MEMORY : rc;
}

static void read_task(struct tk_bytes message, uint64_t *pid, uint64_t *tid)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    while (tk_pf_next(&m, &f) == 1) {
        *pid = f.number == 2 && f.wire == TK_PF_VARINT ? f.value : *pid;
        *tid = f.number == 3 && f.wire == TK_PF_VARINT ? f.value : *tid;
    }
}

/* 1 thread, or 2 an interned one; 5 the stack, or 6 an interned one. */
int tk_pf_stack_sample(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message, int64_t time,
                       uint64_t offset)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes own = {message.p, 0};
    uint64_t pid = 0, tid = 0, iid = 0;
    uint32_t stack = 0;
    bool has_iid = false;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1 && f.wire == TK_PF_BYTES)
            read_task(f.bytes, &pid, &tid);
        else if (f.number == 2 && f.wire == TK_PF_VARINT)
            read_task(tk_pf_code_message(&s->code, TK_PF_CODE_TASKS, f.value), &pid, &tid);
        else if (f.number == 5 && f.wire == TK_PF_BYTES)
            own = f.bytes;
        else if (f.number == 6 && f.wire == TK_PF_VARINT)
            iid = f.value, has_iid = true;
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    rc = has_iid ? tk_pf_code_stack(t, &s->code, iid, offset, &stack) : own_stack(t, own, &stack);
    return rc == TK_PF_FINE ? put_sample(t, time, pid, tid, stack) : rc;
}

/* ---- names that come behind ---- */

/* 1 function, 2 file, 3 line. */
static int add_line(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_symbol_place place = {0};
    while (tk_pf_next(&m, &f) == 1) {
        if (f.number == 1 && f.bytes.n)
            place.function = tk_ev_text(&t->c->names, f.bytes.p, f.bytes.n);
        else if (f.number == 2 && f.bytes.n)
            place.file = tk_ev_text(&t->c->names, f.bytes.p, f.bytes.n);
        else if (f.number == 3 && f.value <= UINT32_MAX)
            place.line = (uint32_t)f.value;
    }
    return tk_vec_push(&t->c->code_places, place);
}

static uint64_t symbol_key(uint32_t module, uint64_t address)
{
    const struct tk_ev_key key = {{module, address}};
    return tk_ev_key_hash(&key);
}

/* 1 address, 2 lines: those inlined first. */
static int add_address(struct tk_pf_trace *t, uint32_t module, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_pf_symbol symbol = {.first = (uint32_t)t->c->code_places.n};
    uint64_t address = 0;
    while (tk_pf_next(&m, &f) == 1) {
        if (f.number == 1 && f.wire == TK_PF_VARINT)
            address = f.value;
        else if (f.number == 2 && f.wire == TK_PF_BYTES && add_line(t, f.bytes))
            return TK_PF_NO_MEMORY;
    }
    symbol.n = (uint32_t)t->c->code_places.n - symbol.first;
    if (!symbol.n)
        return TK_PF_FINE;
    return tk_pf_kept(
        tk_vec_push(&t->symbols, symbol) ||
                tk_map_put(&t->symbol_index, symbol_key(module, address), (uint32_t)t->symbols.n - 1)
            ? -1
            : 0);
}

/* 1 path, 2 build id, 3 addresses. */
int tk_pf_module_symbols(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes path = {message.p, 0}, build = path;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        path = f.number == 1 ? f.bytes : path;
        build = f.number == 2 ? f.bytes : build;
    }
    if (rc < 0 || t->c->code_places.n > UINT32_MAX / 2)
        return TK_PF_BROKEN_PACKET;
    const uint32_t module = build.n  ? tk_pf_build_name(t, build)
                            : path.n ? tk_ev_name_clean(&t->c->names, path.p, path.n)
                                     : TK_EV_NO_NAME;
    if (t->c->names.failed)
        return TK_PF_NO_MEMORY;
    m = tk_pf_message_of(message);
    rc = TK_PF_FINE;
    while (rc == TK_PF_FINE && tk_pf_next(&m, &f) == 1)
        if (f.number == 3 && f.wire == TK_PF_BYTES)
            rc = add_address(t, module, f.bytes);
    return rc;
}

void tk_pf_name_code(struct tk_pf_trace *t)
{
    for (size_t i = 0; i < t->c->code.n && t->symbols.n; i++) {
        struct tk_ev_code_frame *f = &t->c->code.v[i];
        const uint32_t module = f->build != TK_EV_NO_NAME ? f->build : f->module;
        const uint32_t at = tk_map_get(&t->symbol_index, symbol_key(module, f->address));
        if (at == TK_MAP_NONE)
            continue;
        f->first = t->symbols.v[at].first;
        f->n = t->symbols.v[at].n;
    }
}

/*
 * Profiles of heaps (import2 4): packets have tables of code of their own, and dumps, which last over several
 * packets.
 */

enum { MONOTONIC_COARSE = 4 };

static int take_tables(struct tk_pf_heap *h, struct tk_bytes message)
{
    static const struct {
        uint32_t field;
        enum tk_pf_code_table table;
    } tables[] = {
        {1, TK_PF_CODE_FUNCTIONS}, {2, TK_PF_CODE_FRAMES}, {3, TK_PF_CODE_STACKS}, {4, TK_PF_CODE_MAPPINGS}};
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc = TK_PF_FINE;
    h->code.one_table = true;
    while (rc == TK_PF_FINE && tk_pf_next(&m, &f) == 1)
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
            if (f.number == tables[i].field && f.wire == TK_PF_BYTES)
                rc = tk_pf_code_add(&h->code, tables[i].table, f.bytes);
    return rc;
}

/* 1 stack, 2 bytes allocated, 3 freed, 5 blocks allocated, 6 freed; or 8 bytes at their peak, 9 blocks. */
static int take_sample(struct tk_pf_heap *h, struct tk_bytes message, struct tk_pf_heap_row row, bool counts)
{
    enum { STACK = 1, BYTES, FREED, BLOCKS = 5, FREES, PEAK = 8, PEAK_BLOCKS, FIELDS };
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    uint64_t of[FIELDS] = {0};
    unsigned has = 0;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1)
        if (f.number < FIELDS && f.wire == TK_PF_VARINT)
            of[f.number] = f.value, has |= 1u << f.number;
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    row.iid = of[STACK];
    if (has & 1u << PEAK) {
        row.total.bytes = of[PEAK];
        row.total.blocks = counts ? of[PEAK_BLOCKS] : 0;
    } else {
        row.total.bytes = of[BYTES];
        row.total.freed = of[FREED];
        row.total.blocks = of[BLOCKS];
        row.total.frees = of[FREES];
    }
    return tk_pf_kept(tk_vec_push(&h->rows, row));
}

/* 1 process, 9 time, 11 name of the heap, 13 the interval of samples that was wanted, 2 samples. */
static int take_dump(struct tk_pf_trace *t, struct tk_pf_heap *h, struct tk_bytes message, uint64_t offset)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes name = {(const uint8_t *)"unknown", 7};
    struct tk_pf_heap_row row = {0};
    struct tk_ev_id pid = {NULL, 0};
    uint64_t when = 0;
    bool counts = false;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1 && f.wire == TK_PF_VARINT)
            pid.number = tk_pf_pid(f.value);
        else if (f.number == 9 && f.wire == TK_PF_VARINT)
            when = f.value;
        else if (f.number == 11 && f.bytes.n)
            name = f.bytes;
        else if (f.number == 13)
            counts = f.value != 0;
    }
    if (rc < 0)
        return TK_PF_BROKEN_PACKET;
    if (!tk_pf_time(t, tk_pf_clocks_convert(&t->clocks, (int64_t)when, MONOTONIC_COARSE, &row.total.time),
                    row.total.time, offset))
        return TK_PF_FINE;
    row.total.heap = tk_ev_name_clean(&t->c->names, name.p, name.n);
    row.total.process = tk_ev_process(t->c, &pid);
    if (t->c->names.failed || row.total.process == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    m = tk_pf_message_of(message);
    rc = TK_PF_FINE;
    while (rc == TK_PF_FINE && tk_pf_next(&m, &f) == 1)
        if (f.number == 2 && f.wire == TK_PF_BYTES)
            rc = take_sample(h, f.bytes, row, counts);
    return rc;
}

/* The stacks of a dump that is whole, of its own tables or of those of the sequence. */
static int give_rows(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_pf_heap *h, uint64_t offset)
{
    int rc = TK_PF_FINE;
    for (size_t i = 0; i < h->rows.n && rc == TK_PF_FINE; i++) {
        struct tk_pf_heap_row *row = &h->rows.v[i];
        const bool own = tk_map_get(&h->code.tables[TK_PF_CODE_STACKS], row->iid) != TK_MAP_NONE;
        rc = tk_pf_code_stack(t, own ? &h->code : &s->code, row->iid, offset, &row->total.stack);
        if (rc == TK_PF_FINE && row->total.stack)
            rc = tk_pf_kept(tk_ev_heap_total(t->c, &row->total));
    }
    return rc;
}

int tk_pf_heap_profile(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                       uint64_t offset)
{
    enum { DUMP = 5, CONTINUED = 6 };
    struct tk_pf_heap *h = &s->heap;
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    bool goes_on = false;
    int rc = take_tables(h, message), more;
    while (rc == TK_PF_FINE && (more = tk_pf_next(&m, &f)) != 0) {
        if (more < 0)
            return TK_PF_BROKEN_PACKET;
        goes_on |= f.number == CONTINUED && f.value != 0;
        if (f.number == DUMP && f.wire == TK_PF_BYTES)
            rc = take_dump(t, h, f.bytes, offset);
    }
    if (rc != TK_PF_FINE || goes_on)
        return rc;
    rc = give_rows(t, s, h, offset);
    tk_pf_heap_release(h);
    return rc;
}

void tk_pf_heap_release(struct tk_pf_heap *h)
{
    tk_pf_code_release(&h->code);
    tk_vec_release(&h->rows);
    *h = (struct tk_pf_heap){.code = {.one_table = true}};
}
