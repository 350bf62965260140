/*
 * Profiles of heaps (import2 4): packets have tables of code of their own, and dumps, which last over several
 * packets.
 */
#include "format/perfetto/perfetto_in.h"

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
