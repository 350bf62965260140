/*
 * The walk over transports 3 and 4: header after header while they make sense; where they do not, the
 * smallest part that explains it is left out (wire 9, 9.1).
 */
#include "base/cursor.h"
#include "base/health/health.h"
#include "format/utrace/wire/wire_in.h"

#define RAW_MOST  8192 /* bytes of a raw packet of a recorder that does not compress */
#define LOOK_BACK 16   /* accepted packets that are doubted again when the framing is lost */

/* The ledger part of a lane's payload. */
static enum tk_ledger_part part_of(const struct tk_ut_index *ix, uint16_t tid)
{
    if (ix->header->protocol < 5 || tid == TK_UT_TID_SYNC)
        return TK_LEDGER_EVENTS;
    if (tid == TK_UT_TID_DECLARATIONS)
        return TK_LEDGER_DECLARATIONS;
    return tid == TK_UT_TID_IMPORTANT ? TK_LEDGER_DEFINITIONS : TK_LEDGER_EVENTS;
}

/* Books a packet, or takes it back (sign -1, modulo 2^64). */
static inline void book(struct tk_ut_packet_walk *w, const struct tk_ut_head *head, uint64_t sign)
{
    struct tk_ut_lane_info *lane = tk_ut_index_count(w->ix, head->tid);
    uint64_t *ledger = w->ctx->health.ledger;
    uint64_t stored = head->size, start = head->word & TK_UT_ENCODED ? 6 : 4;
    uint64_t counter = tk_ut_packet_walk_after(w, head) - head->offset - stored;
    w->large += head->size > TK_UT_RAW_LIMIT && !(head->word & TK_UT_ENCODED) ? sign : 0;
    lane->packets += sign;
    lane->stored += sign * stored;
    lane->payload += sign * (stored - start);
    ledger[TK_LEDGER_FRAMING] += sign * (start + counter);
    ledger[part_of(w->ix, head->tid)] += sign * (stored - start);
}

static void skipped(struct tk_ut_packet_walk *w, uint64_t from, uint64_t to)
{
    w->ctx->health.ledger[TK_LEDGER_SKIPPED] += to - from;
    w->sure = w->ix->n;
}

static int accept(struct tk_ut_packet_walk *w, const struct tk_ut_head *head, bool cut)
{
    struct tk_ut_index *ix = w->ix;
    if (ix->n >= w->ctx->limits.packets)
        return tk_err_limit(w->err, TK_LIMIT_packets, "more than %zu packets", ix->n);
    if (head->tid == TK_UT_TID_SYNC) {
        if (++ix->syncs == 2)
            ix->settled = head->offset;
        w->sure = ix->n;
    } else if (tk_ut_index_add(ix, head->offset, head->word, cut, w->loss) != TK_OK) {
        return tk_err_nomem(w->err, "the packet index");
    } else {
        w->loss = false;
    }
    if (head->tid < 0x3FF0 && head->tid > w->highest)
        w->highest = head->tid;
    book(w, head, 1);
    return TK_OK;
}

/*
 * Of the last packets, back to where bytes were left out or a sync packet stands, takes back everything from
 * the first that does not unpack. Returns where to search for the next packet, `offset` when all of them are
 * good.
 */
static uint64_t look_back(struct tk_ut_packet_walk *w, uint64_t offset)
{
    struct tk_ut_index *ix = w->ix;
    size_t from = ix->n > LOOK_BACK ? ix->n - LOOK_BACK : 0;
    from = from > w->sure ? from : w->sure;
    for (size_t i = from; i < ix->n; i++) {
        struct tk_ut_head head;
        if (tk_ut_packet_walk_head(w, tk_ut_index_offset(ix, i), &head) != TK_UT_GOOD ||
            tk_ut_packet_walk_unpacks(w, &head))
            continue;
        uint64_t begin = head.offset;
        for (size_t k = i; k < ix->n; k++)
            if (tk_ut_packet_walk_head(w, tk_ut_index_offset(ix, k), &head) == TK_UT_GOOD)
                book(w, &head, UINT64_MAX);
        ix->n = i;
        return begin;
    }
    return offset;
}

/* Is the packet right before `offset` raw, so that nothing proves its size? */
static bool raw_before(struct tk_ut_packet_walk *w, uint64_t offset, struct tk_ut_head *head)
{
    return w->ix->n &&
           tk_ut_packet_walk_head(w, tk_ut_index_offset(w->ix, w->ix->n - 1), head) == TK_UT_GOOD &&
           !(head->word & TK_UT_ENCODED) && tk_ut_packet_walk_after(w, head) == offset;
}

/*
 * The framing is lost behind a raw packet: is its size too large, so that it hides others? Where do those
 * begin: packets that lead to those behind the damage, `next` being the first. Payloads are full of what
 * looks like headers; but records of protocols 1 to 4 end where their packet does, and where they end with a
 * packet as large as it says, others must begin between two of them and be full of records, too. UINT64_MAX
 * when there are none.
 */
static uint64_t hidden_in(struct tk_ut_packet_walk *w, const struct tk_ut_head *raw, uint64_t offset,
                          uint64_t next)
{
    struct tk_ut_raw_records records;
    size_t got = 0;
    const uint8_t *p = tk_window_at(w->window, raw->offset, raw->size, &got, w->err);
    uint64_t begin = raw->offset + 4;
    if (!p || got < raw->size)
        return UINT64_MAX;
    tk_ut_raw_records_find(&records, w->ix->header->protocol, p + 4, raw->size - 4);
    const bool filled = tk_ut_raw_records_end(&records, raw->size - 4);
    for (uint64_t at = begin + 1; at < offset; at++)
        if (tk_ut_raw_records_end(&records, at - begin) && tk_ut_packet_walk_leads(w, at, next) &&
            (!filled || tk_ut_packet_walk_filled(w, at)))
            return at;
    if (filled)
        return UINT64_MAX;
    for (uint64_t at = raw->offset + 1; at < offset; at++)
        if (tk_ut_packet_walk_leads(w, at, next))
            return at;
    return UINT64_MAX;
}

/* Takes the last packet back, which is raw. */
static void take_back(struct tk_ut_packet_walk *w, const struct tk_ut_head *raw)
{
    book(w, raw, UINT64_MAX);
    w->ix->n--;
    w->ix->suspects.n -= w->ix->suspects.n && w->ix->suspects.v[w->ix->suspects.n - 1] == w->ix->n;
}

/* Searches for the next packets from a lost framing on; *next is where to go on, or UINT64_MAX. */
static void resync(struct tk_ut_packet_walk *w, uint64_t offset, uint64_t *next)
{
    struct tk_ut_head raw;
    if (!w->settled) /* a few may be what is damaged */
        w->has_large = w->large > 1 && w->large > w->ix->n / 2;
    w->settled = true;
    uint64_t begin = look_back(w, offset);
    *next = tk_ut_packet_walk_search(w, begin + 1);
    if (begin == offset && raw_before(w, offset, &raw)) {
        uint64_t hidden = hidden_in(w, &raw, offset, *next);
        if (hidden != UINT64_MAX) {
            take_back(w, &raw);
            begin = raw.offset;
            *next = hidden;
        }
    }
    if (*next == UINT64_MAX) {
        skipped(w, begin, offset);
        return;
    }
    *next = tk_ut_packet_walk_likeliest(w, *next);
    skipped(w, begin, *next);
    w->loss = true;
    tk_health_note(&w->ctx->health, TK_HEALTH_PACKET_HEADER_DAMAGED, begin, 1,
                   "%llu bytes are not a packet; the next one begins at offset %llu",
                   (unsigned long long)(*next - begin), (unsigned long long)*next);
}

/* The file ends inside this packet: what is there of it is read. */
static int take_cut(struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    uint64_t present = w->size - head->offset;
    uint64_t start = head->word & TK_UT_ENCODED ? 6 : 4;
    w->ix->truncated = true;
    w->ctx->health.ledger[TK_LEDGER_TRUNCATED] += present;
    tk_health_note(&w->ctx->health, TK_HEALTH_FILE_TRUNCATED, head->offset, 1,
                   "the file ends inside a packet of thread %u: %llu of %u bytes are present", head->tid,
                   (unsigned long long)present, head->size);
    if (present <= start || head->tid == TK_UT_TID_SYNC)
        return TK_OK;
    if (tk_ut_index_add(w->ix, head->offset, head->word, true, w->loss) != TK_OK)
        return tk_err_nomem(w->err, "the packet index");
    struct tk_ut_lane_info *lane = tk_ut_index_count(w->ix, head->tid);
    lane->packets++;
    lane->stored += present;
    lane->payload += present - start;
    return TK_OK;
}

/* Fewer than four bytes are left. */
static void take_rest(struct tk_ut_packet_walk *w, uint64_t offset)
{
    w->ix->truncated = true;
    w->ctx->health.ledger[TK_LEDGER_TRUNCATED] += w->size - offset;
    tk_health_note(&w->ctx->health, TK_HEALTH_FILE_TRUNCATED, offset, 1,
                   "the file ends inside a packet header: %llu of 4 bytes are present",
                   (unsigned long long)(w->size - offset));
}

/* Is only this packet wrong, so that the next one stands where its size says? */
static bool droppable(struct tk_ut_packet_walk *w, const struct tk_ut_head *head, enum tk_ut_state state)
{
    uint64_t after = tk_ut_packet_walk_after(w, head);
    if (state == TK_UT_CUT || head->size < 4 || head->tid == TK_UT_TID_SYNC || after > w->size)
        return false;
    return after == w->size || tk_ut_packet_walk_chain(w, after);
}

/*
 * Does the file end inside this packet of a known thread, rather than its size being wrong? Payloads are full
 * of what looks like headers, but if the size were wrong, here or of the packet before, packets would lead to
 * the end. To be found out once: a file has one end.
 */
static bool ends_the_file(struct tk_ut_packet_walk *w, const struct tk_ut_head *head, enum tk_ut_state state)
{
    struct tk_ut_head before;
    const bool encoded = head->word & TK_UT_ENCODED;
    const uint32_t most = encoded ? TK_UT_PACKET_MAX : w->large ? RAW_MOST : TK_UT_RAW_LIMIT;
    if (state != TK_UT_CUT || w->ended || head->size > most || !w->ix->n || !w->ix->lanes[head->tid].packets)
        return false;
    w->ended = true;
    if (tk_ut_packet_walk_head(w, tk_ut_index_offset(w->ix, w->ix->n - 1), &before) != TK_UT_GOOD ||
        !tk_ut_packet_walk_unpacks(w, &before))
        return false;
    const uint64_t from = before.word & TK_UT_ENCODED ? head->offset : before.offset;
    for (uint64_t at = from + 1; at < w->size; at++)
        if (at != head->offset && tk_ut_packet_walk_leads(w, at, w->size))
            return false;
    return true;
}

/* Something is wrong at this header. Sets *next to where to go on, or to the end. */
static int trouble(struct tk_ut_packet_walk *w, const struct tk_ut_head *head, enum tk_ut_state state,
                   uint64_t *next)
{
    if (droppable(w, head, state)) {
        *next = tk_ut_packet_walk_after(w, head);
        skipped(w, head->offset, *next);
        tk_health_note(&w->ctx->health, TK_HEALTH_PACKET_HEADER_DAMAGED, head->offset, 1,
                       "an impossible packet of %u bytes for thread %u was dropped", head->size, head->tid);
        return TK_OK;
    }
    if (ends_the_file(w, head, state)) {
        *next = w->size;
        return take_cut(w, head);
    }
    /* all of them at once, so that the search need not */
    tk_ut_packet_walk_zeros(w, head->offset);
    resync(w, head->offset, next);
    if (w->rc != TK_OK)
        return w->rc;
    if (*next != UINT64_MAX)
        return TK_OK;
    *next = w->size;
    if (state == TK_UT_CUT && tk_ut_packet_walk_believable(w, head))
        return take_cut(w, head);
    skipped(w, head->offset, w->size);
    tk_health_note(&w->ctx->health, TK_HEALTH_PACKET_HEADER_DAMAGED, head->offset, 1,
                   tk_ut_packet_walk_zeros(w, head->offset) == w->size
                       ? "only zeros follow from here to the end of the file"
                       : "no packets can be found from here to the end of the file");
    return w->rc;
}

/* Does another capture begin here? Its magic must be followed by a sound header. */
static bool second_capture(struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    struct tk_ut_header header;
    struct tk_health ignored = {0};
    size_t got = 0;
    if ((head->word != 0x5452 || (head->size != 0x4332 && head->size != 0x4345)) ||
        w->ix->lanes[head->tid].packets)
        return false;
    const uint8_t *p = tk_window_at(w->window, head->offset, TK_UT_PACKET_MAX, &got, w->err);
    bool is = p && tk_ut_header_parse(&header, p, got, &ignored, NULL) == TK_OK;
    tk_health_release(&ignored);
    return is;
}

/*
 * Takes packets that were seen ahead, as far as they follow each other and nothing is to be thought about:
 * those of threads seen before. The same as accept, without its questions.
 */
static int take_seen(struct tk_ut_packet_walk *w, struct tk_ut_packet_walk_ahead *ahead, uint64_t *offset)
{
    struct tk_ut_index *ix = w->ix;
    struct tk_ut_seen_run run = tk_ut_packet_walk_ahead_run(ahead, *offset);
    uint64_t at = *offset, capacity = w->ctx->limits.packets - ix->n;
    int rc = TK_OK;
    if (w->loss)
        return TK_OK;
    for (size_t i = 0; i < run.n && i < capacity; i++) {
        struct tk_ut_head head = {.offset = run.base + run.v[i].at,
                                  .size = run.v[i].size,
                                  .word = run.v[i].word,
                                  .tid = run.v[i].word & TK_UT_TID_SYNC};
        if (head.offset != at || head.tid == TK_UT_TID_SYNC || !ix->lanes[head.tid].packets)
            break;
        if ((rc = tk_ut_index_add(ix, head.offset, head.word, false, false)) != TK_OK) {
            rc = tk_err_nomem(w->err, "the packet index");
            break;
        }
        book(w, &head, 1);
        at = tk_ut_packet_walk_after(w, &head);
    }
    *offset = at;
    return rc;
}

/* Is a packet good but for its thread, which is far beyond all others? Whether there is such a thread shows
 * when its announcement is read. */
static bool is_suspect(struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    return head->tid < TK_UT_TID_CONNECT && head->size > (head->word & TK_UT_ENCODED ? 6u : 4u) &&
           tk_ut_packet_walk_unpacks(w, head) && droppable(w, head, TK_UT_GOOD);
}

static int accept_suspect(struct tk_ut_packet_walk *w, const struct tk_ut_head *head)
{
    uint32_t highest = w->highest;
    if (tk_vec_push(&w->ix->suspects, w->ix->n))
        return tk_err_nomem(w->err, "the packet index");
    int rc = accept(w, head, false);
    w->highest = highest;
    w->sure = w->ix->n;
    return rc;
}

static int step_packet_walk_tid(struct tk_ut_packet_walk *w, uint64_t offset, uint64_t *next)
{
    struct tk_ut_head head;
    enum tk_ut_state state = tk_ut_packet_walk_head(w, offset, &head);
    if (state == TK_UT_GOOD && tk_ut_packet_walk_believable(w, &head)) {
        *next = tk_ut_packet_walk_after(w, &head);
        return accept(w, &head, false);
    }
    if (w->size - offset < 4) {
        take_rest(w, offset);
        *next = w->size;
        return TK_OK;
    }
    if (second_capture(w, &head)) {
        tk_health_note(&w->ctx->health, TK_HEALTH_SECOND_CAPTURE, offset, 1,
                       "a second capture begins here and was not read");
        skipped(w, offset, w->size);
        *next = w->size;
        return TK_OK;
    }
    if (state == TK_UT_GOOD && is_suspect(w, &head)) {
        *next = tk_ut_packet_walk_after(w, &head);
        return accept_suspect(w, &head);
    }
    return trouble(w, &head, state, next);
}

uint64_t tk_ut_packet_walk_to(struct tk_ut_packet_walk *w, struct tk_ut_packet_walk_ahead *ahead, uint64_t at,
                              uint64_t until)
{
    while (at < until && w->rc == TK_OK) {
        const uint64_t before = at;
        w->rc = take_seen(w, ahead, &at);
        if (at == before && w->rc == TK_OK)
            w->rc = step_packet_walk_tid(w, before, &at);
    }
    return at;
}
