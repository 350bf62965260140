/*
 * Losses that the recorder announces.
 */
#include "format/perfetto/perfetto_in.h"

#include <inttypes.h>
#include <stdio.h>

#define ANNOUNCED "announced by the recorder: "

enum { SERVICE = 1, MOST_CORES = 4096, LONGEST = 512 };

/* ---- marks in sequences ---- */

/* The mark of the first packet that the file has of a sequence says nothing: it always has one. */
void tk_pf_losses_mark(struct tk_pf_losses *l, struct tk_pf_marks *m, uint64_t dropped, bool first,
                       uint64_t offset)
{
    const bool counts = dropped && m->begun && !first;
    l->first_marked |= first;
    m->has_first |= first || (dropped && !m->begun);
    m->begun = true;
    if (!counts)
        return;
    m->at = m->count++ ? m->at : offset;
    for (unsigned i = 0; i < TK_PF_REASONS; i++)
        m->reasons[i] += dropped >> i & 1;
}

/* Reasons with their counts, as " (read gap 2, chunk overwritten 1)". */
static void put_reasons(char out[LONGEST], const struct tk_pf_marks *m)
{
    static const char *const reasons[TK_PF_REASONS] = {
        NULL,         "read gap",          "chunk damaged",  "packet without its begin", "packet not joined",
        "not joined", "chunk overwritten", "writer gave up", "shared buffer full"};
    size_t n = 0;
    out[0] = '\0';
    for (unsigned i = 1; i < TK_PF_REASONS; i++) {
        if (!m->reasons[i])
            continue;
        const int put =
            snprintf(out + n, LONGEST - n, "%s%s %" PRIu64, n ? ", " : " (", reasons[i], m->reasons[i]);
        n += put > 0 ? (size_t)put : 0;
    }
    if (n)
        snprintf(out + n, LONGEST - n, ")");
}

void tk_pf_losses_tell_sequence(const struct tk_pf_losses *l, const struct tk_pf_marks *m, uint32_t sequence,
                                struct tk_health *health)
{
    char reasons[LONGEST];
    if (m->count) {
        put_reasons(reasons, m);
        tk_health_note(health, TK_HEALTH_LOSS_ANNOUNCED, m->at, m->count,
                       ANNOUNCED "sequence %" PRIu32 ": %" PRIu64 " gap%s%s", sequence, m->count,
                       m->count == 1 ? "" : "s", reasons);
    }
    if (l->first_marked && !m->has_first && m->begun && sequence > SERVICE)
        tk_health_note(health, TK_HEALTH_KEPT_IN_PART, TK_NO_OFFSET, 1,
                       "no packet of sequence %" PRIu32 " is marked as its first, as in other sequences: its "
                       "beginning may be missing",
                       sequence);
}

/* ---- statistics ---- */

struct stat {
    uint32_t field;
    bool is_loss;
    const char *what, *how;
};

static const struct stat of_buffer[] = {{19, true, "packets", "lost by writers"},
                                        {6, true, "patches", "failed"},
                                        {9, true, "chunks", "against the rules"},
                                        {3, false, "chunks", "overwritten"},
                                        {18, false, "chunks", "discarded"}};
static const struct stat of_all[] = {{14, true, "flushes", "failed"},
                                     {8, false, "chunks", "discarded"},
                                     {9, false, "patches", "discarded"},
                                     {10, false, "invalid packets", "discarded"}};
static const struct stat of_core[TK_PF_CORE_COUNTS] = {{3, true, "events", "overwritten by the kernel"},
                                                       {4, true, "events", "overwritten while written"},
                                                       {8, true, "events", "dropped by the kernel"}};

#define N(list) (sizeof(list) / sizeof *(list))

/* The last number of a field; 0: there is none. */
static uint64_t number_of(struct tk_bytes message, uint32_t field)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    uint64_t value = 0;
    while (tk_pf_next(&m, &f) == 1)
        value = f.number == field && f.wire == TK_PF_VARINT ? f.value : value;
    return value;
}

static enum tk_health_kind kind_of(const struct stat *s)
{
    return s->is_loss ? TK_HEALTH_LOSS_ANNOUNCED : TK_HEALTH_KEPT_IN_PART;
}

static void tell_buffer(struct tk_bytes message, unsigned number, struct tk_health *health)
{
    for (size_t i = 0; i < N(of_buffer); i++) {
        const uint64_t n = number_of(message, of_buffer[i].field);
        if (n)
            tk_health_note(health, kind_of(&of_buffer[i]), TK_NO_OFFSET, n,
                           ANNOUNCED "%s of buffer %u: %" PRIu64 " %s", of_buffer[i].what, number, n,
                           of_buffer[i].how);
    }
}

static void tell_stats(struct tk_bytes stats, struct tk_health *health)
{
    enum { BUFFER = 1, FINAL_FLUSH = 15, FAILED = 2 };
    struct tk_pf_message m = tk_pf_message_of(stats);
    struct tk_pf_field f;
    unsigned buffers = 0;
    while (tk_pf_next(&m, &f) == 1)
        if (f.number == BUFFER && f.wire == TK_PF_BYTES)
            tell_buffer(f.bytes, buffers++, health);
    for (size_t i = 0; i < N(of_all); i++) {
        const uint64_t n = number_of(stats, of_all[i].field);
        if (n)
            tk_health_note(health, kind_of(&of_all[i]), TK_NO_OFFSET, n, ANNOUNCED "%s: %" PRIu64 " %s",
                           of_all[i].what, n, of_all[i].how);
    }
    if (number_of(stats, FINAL_FLUSH) == FAILED)
        tk_health_note(health, TK_HEALTH_LOSS_ANNOUNCED, TK_NO_OFFSET, 1, ANNOUNCED "the last flush failed");
}

static void tell_core(const struct tk_pf_core_stats *core, unsigned number, struct tk_health *health)
{
    for (unsigned i = 0; i < TK_PF_CORE_COUNTS && core->ended; i++) {
        const uint64_t n = core->end[i] > core->begin[i] ? core->end[i] - core->begin[i] : 0;
        if (n)
            tk_health_note(health, kind_of(&of_core[i]), TK_NO_OFFSET, n,
                           ANNOUNCED "%s of core %u: %" PRIu64 " %s", of_core[i].what, number, n,
                           of_core[i].how);
    }
}

/* A core in statistics of the kernel: 1 its number, then totals since its start. */
static int take_core(struct tk_pf_losses *l, struct tk_bytes message, bool ends)
{
    const uint64_t core = number_of(message, 1);
    if (core >= MOST_CORES)
        return 1;
    if (tk_vec_reach(&l->cores, (size_t)core + 1))
        return -2;
    struct tk_pf_core_stats *c = &l->cores.v[core];
    c->ended |= ends;
    for (unsigned i = 0; i < TK_PF_CORE_COUNTS; i++)
        (ends ? c->end : c->begin)[i] = number_of(message, of_core[i].field);
    return 1;
}

/* FtraceStats: 1 when, 2 cores. */
static int take_cores(struct tk_pf_losses *l, struct tk_bytes message)
{
    enum { PHASE = 1, CORE = 2, END = 2 };
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    const bool ends = number_of(message, PHASE) == END;
    int rc = 1;
    while (rc == 1 && tk_pf_next(&m, &f) == 1)
        if (f.number == CORE && f.wire == TK_PF_BYTES)
            rc = take_core(l, f.bytes, ends);
    return rc;
}

/* ---- single losses ---- */

enum { HOW_MANY, WHETHER, SKIPPED };

/* Fields of packets that announce losses: of the packet, of the message in it, or of one inside of that. */
static const struct single {
    uint32_t packet, inside, field;
    uint8_t counts;
    const char *what, *how;
} singles[] = {
    {66, 0, 17, HOW_MANY, "samples", "lost by the kernel"},
    {66, 0, 18, SKIPPED, "samples", "skipped"},
    {66, 19, 1, WHETHER, "samplers", "stopped by a limit"},
    {39, 2, 2, HOW_MANY, "log messages", "unreadable"},
    {39, 2, 3, HOW_MANY, "log messages", "skipped"},
    {37, 5, 6, WHETHER, "dumps of heaps", "of a process that had gone"},
    {37, 5, 7, WHETHER, "dumps of heaps", "with a buffer that overran"},
    {37, 5, 8, WHETHER, "dumps of heaps", "with a damaged buffer"},
    {37, 5, 10, WHETHER, "dumps of heaps", "ended by a limit"},
    {37, 5, 14, WHETHER, "dumps of heaps", "failed"},
};
_Static_assert(sizeof singles / sizeof *singles <= TK_PF_SINGLE_LOSSES, "each has a count");

static uint64_t count_in(const struct single *s, struct tk_bytes message)
{
    enum { NOT_IN_SCOPE = 4 }; /* the sample belongs to a process that is not recorded */
    const uint64_t value = number_of(message, s->field);
    if (s->counts == HOW_MANY)
        return value;
    return value && (s->counts != SKIPPED || value != NOT_IN_SCOPE);
}

static uint64_t count_of(const struct single *s, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    uint64_t n = 0;
    if (!s->inside)
        return count_in(s, message);
    while (tk_pf_next(&m, &f) == 1)
        if (f.number == s->inside && f.wire == TK_PF_BYTES)
            n += count_in(s, f.bytes);
    return n;
}

static void take_singles(struct tk_pf_losses *l, const struct tk_pf_field *f, uint64_t offset)
{
    for (size_t i = 0; i < N(singles); i++) {
        const uint64_t n = singles[i].packet == f->number ? count_of(&singles[i], f->bytes) : 0;
        if (n && !l->single[i].count)
            l->single[i].at = offset;
        l->single[i].count = n > UINT64_MAX - l->single[i].count ? UINT64_MAX : l->single[i].count + n;
    }
}

/* ---- all ---- */

int tk_pf_losses_take(struct tk_pf_losses *l, const struct tk_pf_field *f, uint64_t offset)
{
    enum { FTRACE_STATS = 34, TRACE_STATS = 35 };
    if (f->number == FTRACE_STATS)
        return take_cores(l, f->bytes);
    if (f->number != TRACE_STATS) {
        take_singles(l, f, offset);
        return 1;
    }
    l->stats.n = 0;
    if (tk_vec_reserve(&l->stats, f->bytes.n))
        return -2;
    if (f->bytes.n)
        memcpy(l->stats.v, f->bytes.p, f->bytes.n);
    l->stats.n = f->bytes.n;
    return 1;
}

void tk_pf_losses_tell(const struct tk_pf_losses *l, struct tk_health *health)
{
    if (l->stats.n)
        tell_stats((struct tk_bytes){l->stats.v, l->stats.n}, health);
    for (size_t i = 0; i < l->cores.n; i++)
        tell_core(&l->cores.v[i], (unsigned)i, health);
    for (size_t i = 0; i < N(singles); i++)
        if (l->single[i].count)
            tk_health_note(health, TK_HEALTH_LOSS_ANNOUNCED, l->single[i].at, l->single[i].count,
                           ANNOUNCED "%s: %" PRIu64 " %s", singles[i].what, l->single[i].count,
                           singles[i].how);
}

void tk_pf_losses_release(struct tk_pf_losses *l)
{
    tk_vec_release(&l->stats);
    tk_vec_release(&l->cores);
}
