/*
 * The walks of a merge.
 */
#include "edit/utrace/merge_utrace.h"

#include "base/checksum.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/utrace_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CURRENT 5 /* protocols from here on are edited record by record */

/* ---- are they of one recording? ---- */

static int check_piece(const struct tk_ut_capture *c, const struct tk_ut_capture *first, struct tk_err *err)
{
    const struct tk_ut_header *h = &c->header, *one = &first->header;
    if (h->protocol < FIRST_CURRENT)
        return tk_err_set(err, TK_EUSAGE,
                          "captures of protocol %u cannot be merged; those of protocols 5 to 7 can",
                          h->protocol);
    if (!c->clock.frequency)
        return tk_err_set(err, TK_EUSAGE, "the capture does not define its clock");
    if (h->protocol != one->protocol)
        return tk_err_set(err, TK_EUSAGE, "its protocol is %u, but that of the first one is %u", h->protocol,
                          one->protocol);
    if (h->has_session != one->has_session ||
        (h->has_session && memcmp(h->session_guid, one->session_guid, sizeof h->session_guid) != 0))
        return tk_err_set(err, TK_EUSAGE,
                          "the capture belongs to another session than the first one; trace-diff compares "
                          "them, and --into DIR writes each separately");
    if (c->clock.start != first->clock.start || c->clock.frequency != first->clock.frequency)
        return tk_err_set(err, TK_EUSAGE,
                          "the clock of the capture differs from that of the first one, so it is from "
                          "another run; --into DIR writes each separately");
    return TK_OK;
}

static bool all_cut(const struct tk_edit_utrace_merge *m)
{
    bool all = true;
    for (size_t i = 0; i < m->n; i++)
        all &= m->pieces[i].cut;
    return all;
}

static int look_at_all(struct tk_edit_utrace_merge *m, struct tk_ut_capture *const *captures,
                       struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < m->n && rc == TK_OK; i++) {
        m->at_fault = i;
        rc = check_piece(captures[i], captures[0], err);
        if (rc == TK_OK && tk_merge_piece_init(&m->pieces[i], captures[i], i) != TK_OK)
            rc = tk_err_nomem(err, "a merge");
    }
    for (size_t i = 0; i < m->n && rc == TK_OK; i++) {
        m->at_fault = i;
        rc = tk_merge_piece_look(&m->pieces[i], !all_cut(m), err);
    }
    return rc;
}

/* ---- their order, and what each of them has to give ---- */

static int64_t begin_of(const struct tk_merge_piece *p)
{
    return p->cut ? p->from : p->begin;
}

static int compare(const void *a, const void *b)
{
    const struct tk_merge_piece *x = a, *y = b;
    const int64_t from = begin_of(x), other = begin_of(y);
    if (from != other)
        return from < other ? -1 : 1;
    if (x->cut != y->cut)
        return x->cut ? -1 : 1;
    if (!x->cut && x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->given < y->given ? -1 : 1;
}

/* The first marker that is not before a time. */
static uint64_t step_at(const struct tk_merge_piece *p, int64_t time)
{
    uint64_t number = UINT64_MAX;
    for (size_t i = 0; i < p->markers.n; i++)
        if (p->markers.v[i].time >= time && p->markers.v[i].number < number)
            number = p->markers.v[i].number;
    return number;
}

/* Pieces that were cut give their times up to the next one. */
static int divide(struct tk_edit_utrace_merge *m, struct tk_err *err)
{
    for (size_t i = 0; i < m->n; i++) {
        struct tk_merge_piece *p = &m->pieces[i];
        const struct tk_merge_piece *before = i ? p - 1 : NULL, *next = i + 1 < m->n ? p + 1 : NULL;
        m->at_fault = p->given;
        if (p->cut && before && before->cut)
            p->own_from = p->from;
        if (p->cut && next && next->cut)
            p->own_to = next->from;
        if (next && p->own_to < p->to && p->own_to != INT64_MAX)
            return tk_err_set(err, TK_EUSAGE,
                              "its times overlap those of capture %zu; cut one of them again, so that they "
                              "follow each other",
                              next->given + 1);
        p->first_step = p->own_from == INT64_MIN ? 0 : step_at(p, p->own_from);
        p->end_step = p->own_to == INT64_MAX ? UINT64_MAX : step_at(p, p->own_to);
    }
    m->at_fault = SIZE_MAX;
    for (size_t i = 1; i < m->n; i++) {
        struct tk_merge_piece *p = &m->pieces[i];
        p->no_steps = p->first_step == UINT64_MAX && p[-1].cut && p[-1].markers.n;
    }
    return TK_OK;
}

/* In their order, so that the result does not depend on that in which they were named. */
static int join_types(struct tk_edit_utrace_merge *m, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < m->n && rc == TK_OK; i++) {
        m->at_fault = m->pieces[i].given;
        rc = tk_merge_types_add(m->types, m->pieces[i].c, err);
    }
    return rc;
}

/* ---- walks ---- */

struct stages {
    struct tk_merge_owner owner;
    struct tk_edit_mender mender;
    struct tk_merge_seam seam;
};

/* What goes from piece to piece in a walk over all. */
struct carried {
    struct tk_merge_given given;
    struct tk_merge_seams seams;
};

static int pass_packet(void *self, const struct tk_edit_packet *packet)
{
    (void)self;
    (void)packet;
    return TK_OK;
}

static int walk(struct tk_edit_utrace_merge *m, size_t i, struct carried *carried, struct tk_err *err)
{
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_merge_piece *p = &m->pieces[i];
    struct tk_edit_broken broken = {{0}}; /* not read in the second walk, where an owner leaves out more */
    const bool plans = !m->joiner.writes;
    struct stages s;
    /* right behind those of the piece before; this may wrap */
    if (plans)
        p->base = i ? m->joiner.serials.highest + 1 - p->first : 0;
    m->joiner.base = p->base;
    if (tk_merge_seam_init(&s.seam, p, i ? p - 1 : NULL, i + 1 < m->n ? p + 1 : NULL, &carried->seams,
                           &m->joiner.stage) != TK_OK ||
        tk_edit_mender_init(&s.mender, &p->c->schema, plans ? &broken : NULL, plans, &s.seam.stage) !=
            TK_OK) {
        tk_merge_seam_close(&s.seam, &carried->seams);
        return tk_err_nomem(err, "a merge");
    }
    if (tk_merge_owner_init(&s.owner, p, &carried->given, &s.mender.stage) != TK_OK) {
        tk_merge_seam_close(&s.seam, &carried->seams);
        tk_edit_mender_release(&s.mender);
        return tk_err_nomem(err, "a merge");
    }
    s.seam.plans = s.owner.plans = plans;
    s.owner.earlier = m->pieces;
    s.owner.later = p + 1;
    s.owner.n_later = m->n - i - 1;
    const struct tk_edit_walker walker = {.first = &s.owner.stage,
                                          .begin = pass_packet,
                                          .packet = tk_merge_joiner_packet,
                                          .rest = tk_merge_joiner_rest,
                                          .self = &m->joiner};
    const int rc = tk_edit_walk(p->c, &walker, &quiet, err);
    if (broken.batches.n)
        tk_edit_tell_broken(&p->c->ctx->health, &broken);
    tk_vec_release(&broken.batches);
    tk_merge_seam_close(&s.seam, &carried->seams);
    tk_merge_owner_release(&s.owner);
    tk_edit_mender_release(&s.mender);
    return rc;
}

static int walk_all(struct tk_edit_utrace_merge *m, struct tk_err *err)
{
    struct carried carried = {0};
    int rc = TK_OK;
    for (size_t i = 0; i < m->n && rc == TK_OK; i++)
        rc = walk(m, i, &carried, err);
    tk_merge_counts_release(&carried.given.counts);
    tk_merge_seams_release(&carried.seams);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "a merge") : rc;
}

/* What is known once all were walked over. */
static int settle_overlaps(struct tk_edit_utrace_merge *m, struct tk_err *err)
{
    for (size_t i = 1; i < m->n; i++) {
        struct tk_merge_piece *p = &m->pieces[i];
        m->at_fault = p->given;
        for (size_t tid = 0; p->overlaps && tid < TK_UT_TIDS; tid++) {
            const struct tk_merge_overlap *o = p->overlaps[tid];
            if (o && o->over)
                return tk_err_set(err, TK_ELIMIT,
                                  "a thread of the capture repeats more than %u records of an "
                                  "earlier one",
                                  (unsigned)TK_MERGE_REPEATED_MOST);
            for (size_t k = 0; o && k < i && tk_merge_overlap_repeated(o); k++)
                m->pieces[k].repeated_later[tid] = true;
        }
    }
    m->at_fault = SIZE_MAX;
    return TK_OK;
}

/* Those that were cut side by side repeat nothing. */
static void forget_overlaps(struct tk_edit_utrace_merge *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct tk_merge_piece *p = &m->pieces[i];
        if (i && !(p->cut && p[-1].cut))
            continue;
        for (size_t tid = 0; p->overlaps && tid < TK_UT_TIDS; tid++) {
            if (p->overlaps[tid])
                tk_merge_overlap_release(p->overlaps[tid]);
            free(p->overlaps[tid]);
            p->overlaps[tid] = NULL;
        }
    }
}

/* ---- files in which one recording went on ---- */

static uint64_t own_begin(const struct tk_ut_capture *c)
{
    return c->header.size + c->header.piece.repeated;
}

static uint64_t stream_begin(const struct tk_ut_capture *c)
{
    return c->header.piece.number ? c->header.piece.stream : c->header.size;
}

static uint64_t stream_end(const struct tk_ut_capture *c)
{
    const uint64_t size = tk_file_size(c->ctx->file), own = own_begin(c);
    return stream_begin(c) + (size > own ? size - own : 0);
}

static int by_stream(const void *a, const void *b)
{
    const struct tk_ut_capture *const *x = a, *const *y = b;
    const uint64_t from = stream_begin(*x), other = stream_begin(*y);
    return (from > other) - (from < other);
}

/* Nothing is missing between them, and nobody has changed one. */
static bool follow_each_other(struct tk_ut_capture *const *v, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n && all; i++) {
        const struct tk_ut_header *h = &v[i]->header, *one = &v[0]->header;
        all = v[i]->edits.n == 0 && (!i || h->piece.number) && h->has_trace == one->has_trace &&
              memcmp(h->trace_guid, one->trace_guid, sizeof h->trace_guid) == 0 &&
              (!i || stream_begin(v[i]) == stream_end(v[i - 1]));
    }
    return all;
}

/* Puts them in their order, where they are such files. TK_OK or TK_ENOMEM. */
static int look_for_turns(struct tk_edit_utrace_merge *m, struct tk_ut_capture *const *captures,
                          struct tk_err *err)
{
    m->rotated = malloc(m->n * sizeof *m->rotated);
    if (!m->rotated)
        return tk_err_nomem(err, "a merge");
    memcpy(m->rotated, captures, m->n * sizeof *m->rotated);
    qsort(m->rotated, m->n, sizeof *m->rotated, by_stream);
    if (!follow_each_other(m->rotated, m->n)) {
        free(m->rotated);
        m->rotated = NULL;
    }
    return TK_OK;
}

/* The first one as it is, and of the others what they do not repeat. */
static int write_rotated(const struct tk_edit_utrace_merge *m, struct tk_uw_sink *sink, struct tk_err *err)
{
    enum { PART = 1 << 18 };
    uint8_t *part = malloc(PART);
    int rc = part ? TK_OK : tk_err_nomem(err, "a merge");
    for (size_t i = 0; i < m->n && rc == TK_OK; i++) {
        uint64_t at = i ? own_begin(m->rotated[i]) : 0;
        for (size_t got = 1; rc == TK_OK && got; at += got) {
            rc = tk_file_read(m->rotated[i]->ctx->file, at, part, PART, &got, err);
            if (rc == TK_OK && got)
                tk_uw_sink_write(sink, part, got);
            if (sink->failed)
                rc = TK_EOUTPUT;
        }
    }
    free(part);
    return rc;
}

int tk_edit_utrace_merge_plan(struct tk_edit_utrace_merge *m, struct tk_ut_capture *const *captures, size_t n,
                              struct tk_err *err)
{
    m->n = n;
    m->at_fault = SIZE_MAX;
    m->pieces = calloc(n, sizeof *m->pieces);
    m->types = calloc(1, sizeof *m->types);
    if (!m->pieces || !m->types || tk_merge_joiner_init(&m->joiner) != TK_OK)
        return tk_err_nomem(err, "a merge");
    int rc = look_for_turns(m, captures, err);
    if (rc == TK_OK && m->rotated && (m->plain || m->level))
        rc = tk_err_set(err, TK_EUSAGE,
                        "files in which one recording went on are joined as they are; compress the result");
    if (rc != TK_OK || m->rotated)
        return rc;
    rc = look_at_all(m, captures, err);
    if (rc != TK_OK)
        return rc;
    qsort(m->pieces, n, sizeof *m->pieces, compare);
    forget_overlaps(m);
    rc = join_types(m, err);
    if (rc == TK_OK)
        rc = divide(m, err);
    if (rc == TK_OK)
        rc = walk_all(m, err);
    return rc == TK_OK ? settle_overlaps(m, err) : rc;
}

/* ---- the result ---- */

static struct tk_edit_span span_of(const struct tk_edit_utrace_merge *m)
{
    const struct tk_merge_piece *first = &m->pieces[0], *last = &m->pieces[m->n - 1];
    struct tk_edit_span span = {0, UINT64_MAX, 0};
    if (first->cut && first->from != INT64_MIN)
        span.from = first->c->clock.start + (uint64_t)first->from;
    if (last->cut && last->to != INT64_MAX)
        span.to = last->c->clock.start + (uint64_t)last->to;
    return span;
}

/* One line, without names of captures. */
static size_t make_record(const struct tk_edit_utrace_merge *m, char *text, size_t capacity)
{
    uint64_t repeated = 0, holes = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct tk_merge_piece *p = &m->pieces[i];
        repeated += p->repeated;
        holes += p->holes + (i && p[-1].cut && p->cut && p[-1].to < p->from);
    }
    const int n = snprintf(
        text, capacity,
        "{\"edit\":1,\"tool\":\"tracekit %d.%d.%d\",\"options\":[\"merge\"],\"merged\":%zu,"
        "\"earlier_edits\":%" PRIu64 ",\"repeated\":%" PRIu64 ",\"holes\":%" PRIu64 "}",
        TK_VERSION_MAJOR, TK_VERSION_MINOR, TK_VERSION_PATCH, m->n, m->joiner.edits, repeated, holes);
    return n > 0 && (size_t)n < capacity ? (size_t)n : 0;
}

/* Not at random, so that the same merge gives the same file. */
static void name_result(const struct tk_edit_utrace_merge *m, struct tk_uw_bytes *head)
{
    uint64_t words[2] = {1, 2};
    uint8_t *guid = tk_edit_header_guid(head->data, head->size, TK_EDIT_TRACE_GUID);
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < 2; k++)
            words[k] = tk_checksum(m->pieces[i].c->header.trace_guid, 16, words[k]);
    for (size_t i = 0; i < 16 && guid; i++)
        guid[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
    if (guid) {
        guid[7] = (uint8_t)((guid[7] & 0x0f) | 0x40);
        guid[8] = (uint8_t)((guid[8] & 0x3f) | 0x80);
    }
}

static int write_pieces(struct tk_edit_utrace_merge *m, struct tk_uw_sink *sink,
                        const struct tk_uw_bytes *head, struct tk_err *err)
{
    const struct tk_edit_span span = span_of(m);
    char record[512];
    tk_merge_joiner_write(&m->joiner, &m->pieces[0].c->header, sink);
    m->joiner.result.stream.packets.packing = m->plain ? TK_UW_PLAIN : TK_UW_AUTO;
    m->joiner.result.stream.packets.level = m->level;
    tk_uw_sink_write(sink, head->data, head->size);
    int rc = tk_merge_joiner_declare(&m->joiner, m->types);
    if (rc == TK_OK)
        rc = walk_all(m, err);
    if (rc == TK_OK)
        rc = tk_edit_result_tail(&m->joiner.result, &span, record, make_record(m, record, sizeof record));
    return rc;
}

int tk_edit_utrace_merge_write(struct tk_edit_utrace_merge *m, tk_edit_write *write, void *ctx,
                               struct tk_err *err)
{
    struct tk_uw_sink sink = {.write = write, .ctx = ctx};
    struct tk_uw_bytes head = {0};
    int rc = m->rotated ? write_rotated(m, &sink, err) : tk_edit_header_read(m->pieces[0].c, &head, err);
    if (rc == TK_OK && !m->rotated) {
        name_result(m, &head);
        rc = write_pieces(m, &sink, &head, err);
    }
    m->written = sink.written;
    tk_uw_bytes_release(&head);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "a merge") : rc;
}

void tk_edit_utrace_merge_release(struct tk_edit_utrace_merge *m)
{
    for (size_t i = 0; m->pieces && i < m->n; i++)
        tk_merge_piece_release(&m->pieces[i]);
    free(m->pieces);
    free(m->types);
    free(m->rotated);
    tk_merge_joiner_release(&m->joiner);
    *m = (struct tk_edit_utrace_merge){0};
}
