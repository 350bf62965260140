/*
 * Scheduling by the Linux kernel: which thread runs on a core, who woke it, and what it is called, event by
 * event and in the compact form of a bundle (import2 2.4).
 */
#include "format/perfetto/perfetto_in.h"

/* A name that the kernel gives a thread, where it is not the one that it gave before. */
int tk_pf_put_comm(struct tk_pf_trace *t, int64_t time, int64_t tid, struct tk_bytes name)
{
    if (!name.n || !tid || t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    const uint32_t before = tk_pf_tids_get(&t->system.comms, tid);
    const struct tk_str *had = before == TK_MAP_NONE ? NULL : t->c->names.names.v[before].text;
    if (had && had->n == name.n && memcmp(had->p, name.p, name.n) == 0)
        return TK_PF_FINE;
    const uint32_t at = tk_ev_name_clean(&t->c->names, name.p, name.n);
    if (at == TK_EV_NO_NAME)
        return TK_PF_NO_MEMORY;
    if (before == at)
        return TK_PF_FINE;
    const struct tk_ev_key key = {{TK_PF_LATE_NAME, TK_PF_RANK_KERNEL, 0, at}};
    return tk_pf_tids_put(&t->system.comms, tid, at) ? TK_PF_NO_MEMORY
                                                     : tk_pf_kept(tk_pf_put_off(t, time, &key, tid));
}

int tk_pf_put_switch(struct tk_pf_trace *t, int64_t time, uint32_t core, int64_t before, uint64_t state,
                     int64_t next)
{
    const uint32_t sure = before == TK_PF_NO_TID ? 0 : TK_PF_LATE_SURE;
    return tk_pf_kept(tk_pf_put_number(t, time, TK_PF_LATE_SWITCH, sure | core << 16 | (state & 0xffff),
                                       (int64_t)((uint64_t)before << 32 | (uint32_t)next)));
}

/* Bits of the flags of an event: it came in an interrupt, so that what ran on the core has no part in it. */
enum { HARD_INTERRUPT = 0x08, SOFT_INTERRUPT = 0x10, NOT_MASKABLE = 0x40 };

/* The idle task is woken by nobody. */
int tk_pf_put_wake(struct tk_pf_trace *t, int64_t time, int64_t tid, uint32_t core, uint64_t flags, bool sure)
{
    const bool interrupt = flags & (HARD_INTERRUPT | SOFT_INTERRUPT | NOT_MASKABLE);
    return tid > 0 ? tk_pf_kept(
                         tk_ev_wake(t->c, (uint64_t)tid, time, interrupt ? TK_EV_BY_INTERRUPT : core, sure))
                   : TK_PF_FINE;
}

/* ---- the compact form ---- */

enum { COLUMNS = 13, MOST_COMMS = 4096 };

struct columns {
    struct tk_pf_field field[COLUMNS]; /* of number 0: missing */
    const uint8_t *at[COLUMNS];
    TK_VEC(struct tk_bytes) comms;
};

/* The next value of each of n columns. 1; 0: all are at their end; -1: they are not equally long. */
static int next_row(struct columns *c, unsigned n, const unsigned *which, uint64_t *out)
{
    unsigned have = 0;
    for (unsigned i = 0; i < n; i++) {
        const unsigned column = which[i];
        have += c->field[column].number &&
                tk_pf_number(&c->field[column], TK_PF_VARINT, &c->at[column], &out[i]) == 1;
    }
    return have == n ? 1 : have ? -1 : 0;
}

enum { TIME, STATE, NEXT, PRIO, COMM, SWITCH_COLUMNS };

static int compact_switches(struct tk_pf_trace *t, const struct tk_pf_bundle *b, struct columns *c,
                            uint64_t offset)
{
    static const unsigned which[] = {1, 2, 3, 4, 6};
    uint64_t row[SWITCH_COLUMNS], sum = 0;
    int64_t time;
    int rc = TK_PF_FINE, more;
    while ((more = next_row(c, SWITCH_COLUMNS, which, row)) == 1 && row[COMM] < c->comms.n &&
           rc == TK_PF_FINE) {
        sum += row[TIME];
        if (!tk_pf_bundle_time(t, b, sum, offset, &time))
            continue;
        rc = tk_pf_put_comm(t, time, tk_pf_pid(row[NEXT]), c->comms.v[row[COMM]]);
        if (rc == TK_PF_FINE)
            rc = tk_pf_put_switch(t, time, (uint32_t)b->core, TK_PF_NO_TID, row[STATE], tk_pf_pid(row[NEXT]));
    }
    if (more != 0 && rc == TK_PF_FINE)
        tk_pf_note(t, TK_EV_COLUMNS_DIFFER, offset);
    return rc;
}

/* Flags came with a later version. */
static int compact_wakes(struct tk_pf_trace *t, const struct tk_pf_bundle *b, struct columns *c,
                         uint64_t offset)
{
    enum { FLAGS = 12 };
    static const unsigned which[] = {7, 8, FLAGS};
    const unsigned n = c->field[FLAGS].number ? 3 : 2;
    uint64_t row[3] = {0, 0, 0}, sum = 0;
    int64_t time;
    int rc = TK_PF_FINE, more;
    while ((more = next_row(c, n, which, row)) == 1 && rc == TK_PF_FINE) {
        sum += row[0];
        if (tk_pf_bundle_time(t, b, sum, offset, &time))
            rc = tk_pf_put_wake(t, time, tk_pf_pid(row[1]), (uint32_t)b->core, row[2], true);
    }
    if (more < 0 && rc == TK_PF_FINE)
        tk_pf_note(t, TK_EV_COLUMNS_DIFFER, offset);
    return rc;
}

static int read_columns(struct tk_bytes message, struct columns *c)
{
    enum { COMMS = 5 };
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.wire != TK_PF_BYTES || f.number >= COLUMNS)
            continue;
        if (f.number != COMMS)
            c->field[f.number] = f;
        else if (c->comms.n < MOST_COMMS && tk_vec_push(&c->comms, f.bytes))
            return TK_PF_NO_MEMORY;
    }
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

int tk_pf_compact_sched(struct tk_pf_trace *t, const struct tk_pf_bundle *b, struct tk_bytes message,
                        uint64_t offset)
{
    struct columns c = {0};
    if (t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    int rc = read_columns(message, &c);
    if (rc == TK_PF_FINE)
        rc = compact_switches(t, b, &c, offset);
    if (rc == TK_PF_FINE)
        rc = compact_wakes(t, b, &c, offset);
    tk_vec_release(&c.comms);
    return rc;
}
