/*
 * What a stream holds so far. Packets are unpacked and their lanes are fed; of the events only
 * a few are looked at (summary_events.c), the others are passed over and counted.
 */
#include "format/utrace/lanes/lane.h"
#include "format/utrace/wire/index.h"
#include "io/decompress.h"
#include "live/session.h"

#include <stdlib.h>
#include <string.h>

enum { TK_LIVE_ROUNDS = 1024 }; /* packets at the end in which numbers may be missing, at most */

struct tk_live_summary {
    uint8_t protocol;
    struct tk_ut_schema schema;
    struct tk_intern strings;
    struct tk_health health;
    struct tk_limits limits;
    struct tk_ut_serials serials;
    struct tk_arena scratch;
    struct tk_ut_handler handler;
    struct tk_ut_decoder decoder;
    TK_VEC(uint8_t) declarations; /* of thread 0: those that are not whole */
    struct tk_ut_important important;
    struct tk_ut_lane **lanes;      /* by tid; owned */
    uint32_t tids[TK_UT_TIDS / 32]; /* a bit for each that is a thread */
    uint8_t *want;                  /* owned; by type id */
    size_t n_want;
    uint64_t highest[TK_LIVE_ROUNDS]; /* serial number behind each of the last packets */
    uint64_t packets;
    uint32_t n_lanes;
    unsigned syncs;
    struct tk_live_figures figures;
    struct tk_live_channel *channels; /* owned; as many as are kept, when watched */
    size_t n_channels;
    bool announced; /* a channel was: from then on switches are reported at once */
    bool in_frame;  /* of the game */
    tk_live_channel_fn *watch;
    void *watch_ctx;
    uint8_t unpacked[TK_UT_PACKET_MAX];
};

/*
 * The few events of a stream that a summary looks at: the session, frames, threads, channels.
 */

enum { CHANNELS = 256 }; /* whose names are kept */

static void tk_live_summary_add_thread(struct tk_live_summary *s, uint32_t tid)
{
    if (tid <= TK_UT_TID_IMPORTANT || tid >= TK_UT_TID_CONNECT)
        return;
    uint32_t *word = &s->tids[tid / 32];
    const uint32_t bit = UINT32_C(1) << tid % 32;
    s->figures.threads += !(*word & bit);
    *word |= bit;
}

static uint64_t number_of(const struct tk_ut_event *ev, const char *field)
{
    return tk_ut_event_u64(ev, tk_ut_type_field(ev->type, field));
}

/* A text of the program, cut to what there is space for; what would not print becomes '?'. */
static void text_of(struct tk_live_summary *s, const struct tk_ut_event *ev, const char *field,
                    char out[TK_LIVE_TEXT])
{
    const struct tk_ut_field *f = tk_ut_type_field(ev->type, field);
    const struct tk_str *text = f ? tk_ut_event_text(ev, f, 1, &s->strings) : NULL;
    size_t n = text ? text->n : 0;
    if (n == 0)
        return;
    if (n > TK_LIVE_TEXT - 1)
        n = TK_LIVE_TEXT - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = text->p[i] >= ' ' && text->p[i] <= '~' ? text->p[i] : '?';
    out[n] = '\0';
}

static void on_session(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    text_of(s, ev, "AppName", s->figures.program);
    text_of(s, ev, "ProjectName", s->figures.program);
    text_of(s, ev, "Platform", s->figures.platform);
    text_of(s, ev, "BuildVersion", s->figures.build);
}

static void on_frame(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    s->in_frame |= number_of(ev, "FrameType") == 0;
}

/* Whole ones, as every command counts them. */
static void on_frame_end(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    if (number_of(ev, "FrameType") != 0)
        return;
    s->figures.frames += s->in_frame;
    s->in_frame = false;
}

static void on_thread(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    tk_live_summary_add_thread(s, (uint32_t)number_of(ev, "ThreadId"));
}

/* The channel of an id, new where it was not known; NULL: nobody watches, or there are too many. */
static struct tk_live_channel *channel_of(struct tk_live_summary *s, uint32_t id)
{
    for (size_t i = 0; i < s->n_channels; i++)
        if (s->channels[i].id == id)
            return &s->channels[i];
    if (!s->channels || s->n_channels == CHANNELS)
        return NULL;
    s->channels[s->n_channels].id = id;
    return &s->channels[s->n_channels++];
}

static void on_announce(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    struct tk_live_channel *c = channel_of(s, (uint32_t)number_of(ev, "Id"));
    if (!c)
        return;
    c->announced = true;
    c->enabled = number_of(ev, "IsEnabled") != 0;
    c->read_only = number_of(ev, "ReadOnly") != 0;
    text_of(s, ev, "Name", c->name);
    s->announced = true;
    if (c->waits && s->watch)
        s->watch(s->watch_ctx, c->name, c->id, c->switched);
    c->waits = false;
}

static void on_toggle(struct tk_live_summary *s, const struct tk_ut_event *ev)
{
    const uint32_t id = (uint32_t)number_of(ev, "Id");
    struct tk_live_channel *c = channel_of(s, id);
    const bool enabled = number_of(ev, "IsEnabled") != 0;
    if (c)
        c->enabled = enabled;
    if (c && !c->announced && (!s->announced || c->waits)) { /* all names come with the next round */
        c->waits = true;
        c->switched = enabled;
    } else if (s->watch) {
        s->watch(s->watch_ctx, c ? c->name : "", id, enabled);
    }
}

/* Switches of channels that never got a name. */
static void tell_unnamed(struct tk_live_summary *s)
{
    for (size_t i = 0; s->watch && i < s->n_channels; i++)
        if (s->channels[i].waits)
            s->watch(s->watch_ctx, s->channels[i].name, s->channels[i].id, s->channels[i].switched);
}

const struct tk_live_channel *tk_live_summary_channel(const struct tk_live_summary *s, size_t i)
{
    return i < s->n_channels ? &s->channels[i] : NULL;
}

static const struct {
    const char *name;
    void (*take)(struct tk_live_summary *s, const struct tk_ut_event *ev);
    bool watched; /* only where channels are */
} looked_at[] = {
    {"Diagnostics.Session2", on_session, false},  {"Misc.BeginFrame", on_frame, false},
    {"Misc.EndFrame", on_frame_end, false},       {"$Trace.ThreadInfo", on_thread, false},
    {"Trace.ChannelAnnounce", on_announce, true}, {"Trace.ChannelToggle", on_toggle, true},
};

enum { LOOKED_AT = sizeof looked_at / sizeof *looked_at };

/* Which of the events that are looked at a type is, counted from 1; 0: none. */
static uint8_t tk_live_summary_find(const struct tk_live_summary *s, const struct tk_ut_type *type)
{
    for (size_t i = 0; i < LOOKED_AT; i++)
        if (strlen(looked_at[i].name) == type->name->n &&
            memcmp(looked_at[i].name, type->name->p, type->name->n) == 0)
            return looked_at[i].watched && !s->watch ? 0 : (uint8_t)(i + 1);
    return 0;
}

/* An event, as of a handler; `self` is the summary. */
static int tk_live_summary_take(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct tk_live_summary *s = self;
    const uint8_t which = tk_live_summary_find(s, ev->type);
    (void)lane;
    if (which)
        looked_at[which - 1].take(s, ev);
    return TK_OK;
}

void tk_live_summary_watch(struct tk_live_summary *s, tk_live_channel_fn *fn, void *ctx)
{
    s->channels = calloc(CHANNELS, sizeof *s->channels);
    s->watch = fn;
    s->watch_ctx = ctx;
}

enum {
    ROUND_PACKETS = 4, /* of each thread, and some more */
    ROUND_MORE = 32,
    MOST_STRINGS = 8 << 20, /* bytes of names */
    MOST_CARRIED = 1 << 20  /* bytes of one event that is not whole */
};

static int pass_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time)
{
    (void)self, (void)lane, (void)type, (void)time;
    return TK_OK;
}

static int pass_leave(void *self, struct tk_ut_lane *lane, int64_t time)
{
    (void)self, (void)lane, (void)time;
    return TK_OK;
}

static int pass_cut(void *self, struct tk_ut_lane *lane)
{
    (void)self, (void)lane;
    return TK_OK;
}

static int open_decoder(struct tk_live_summary *s)
{
    static const struct tk_ut_describer describer = {tk_ut_record_value, NULL};
    const bool old = s->protocol < 5;
    s->limits = tk_limits_default();
    s->limits.event_bytes = s->limits.group_bytes = MOST_CARRIED;
    s->health.muted = UINT64_MAX;
    tk_intern_bound(&s->strings, MOST_STRINGS, NULL);
    s->handler = (struct tk_ut_handler){
        .event = tk_live_summary_take, .enter = pass_enter, .leave = pass_leave, .cut = pass_cut, .self = s};
    s->decoder = (struct tk_ut_decoder){.schema = &s->schema,
                                        .limits = &s->limits,
                                        .health = &s->health,
                                        .handler = &s->handler,
                                        .protocol = s->protocol,
                                        .serial_bits = s->protocol == 1 ? 16 : 24,
                                        .declare = old,
                                        .wait = old && s->protocol >= 1,
                                        .serials = &s->serials,
                                        .uid_bias = 5,
                                        .scratch = &s->scratch};
    s->important.lane.tid = TK_UT_TID_IMPORTANT;
    s->lanes = calloc(TK_UT_TIDS, sizeof *s->lanes);
    if (!s->lanes || tk_ut_serials_open(&s->serials, s->decoder.serial_bits) != TK_OK)
        return TK_ENOMEM;
    if (!old)
        tk_ut_serials_wait(&s->serials);
    return tk_ut_schema_init(&s->schema, s->protocol, &s->strings, &s->health, &s->limits, &describer, NULL);
}

struct tk_live_summary *tk_live_summary_new(const struct tk_hello *hello)
{
    const bool packets = hello->transport == TK_UT_TRANSPORT_TID || hello->transport == TK_UT_TRANSPORT_SYNC;
    if (!packets || hello->protocol < 1 || hello->protocol > 7)
        return NULL;
    struct tk_live_summary *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->protocol = hello->protocol;
    if (open_decoder(s) == TK_OK)
        return s;
    tk_live_summary_free(s);
    return NULL;
}

/* Types that were declared since the last time: which of them are looked at. */
static int resolve(struct tk_live_summary *s)
{
    const size_t n = s->schema.types.n;
    if (n == s->n_want)
        return TK_OK;
    uint8_t *want = realloc(s->want, n);
    if (!want)
        return TK_ENOMEM;
    for (size_t i = s->n_want; i < n; i++)
        want[i] = tk_live_summary_find(s, s->schema.types.v[i]) ? TK_UT_WANT_EVENTS : 0;
    s->want = want;
    s->n_want = n;
    s->decoder.want = want;
    s->decoder.n_want = (uint32_t)n;
    return TK_OK;
}

static struct tk_ut_lane *lane_of(struct tk_live_summary *s, uint32_t tid)
{
    struct tk_ut_lane *lane = s->lanes[tid];
    if (lane || !(lane = calloc(1, sizeof *lane)))
        return lane;
    lane->tid = tid;
    s->n_lanes++;
    tk_live_summary_add_thread(s, tid);
    return s->lanes[tid] = lane;
}

/* Lanes of old protocols that wait for a declaration go on when there are new ones. */
static int retry_lanes(struct tk_live_summary *s)
{
    int rc = TK_OK;
    for (uint32_t tid = 0; tid < TK_UT_TIDS && rc == TK_OK; tid++)
        if (s->lanes[tid] && s->lanes[tid]->waiting)
            rc = tk_ut_lane_retry(&s->decoder, s->lanes[tid]);
    return rc;
}

static int feed_lane(struct tk_live_summary *s, uint32_t tid, const struct tk_ut_payload *payload)
{
    const size_t known = s->schema.types.n;
    struct tk_ut_lane *lane = lane_of(s, tid);
    int rc = lane ? tk_ut_lane_feed(&s->decoder, lane, payload) : TK_ENOMEM;
    if (rc == TK_OK && s->decoder.wait && known != s->schema.types.n)
        rc = retry_lanes(s);
    return rc;
}

/* Declarations are taken as soon as they are whole (wire 3.6): what comes next may need them. */
static int feed_declarations(struct tk_live_summary *s, const struct tk_ut_payload *payload)
{
    enum { HEAD = 4 };
    size_t at = 0, size;
    int rc = TK_OK;
    if (tk_vec_reserve(&s->declarations, s->declarations.n + payload->n))
        return TK_ENOMEM;
    memcpy(s->declarations.v + s->declarations.n, payload->p, payload->n);
    s->declarations.n += payload->n;
    for (; rc == TK_OK && s->declarations.n - at >= HEAD; at += HEAD + size) {
        const uint8_t *p = s->declarations.v + at;
        size = tk_load16(p + 2);
        if (s->declarations.n - at - HEAD < size)
            break;
        if (tk_load16(p) == 0)
            rc = tk_ut_schema_declare(&s->schema, p + HEAD, size, payload->offset);
    }
    memmove(s->declarations.v, s->declarations.v + at, s->declarations.n - at);
    s->declarations.n -= at;
    return rc;
}

static int feed_payload(struct tk_live_summary *s, uint32_t tid, const struct tk_ut_payload *payload)
{
    if (s->protocol < 5)
        return feed_lane(s, tid, payload);
    if (tid == TK_UT_TID_DECLARATIONS)
        return feed_declarations(s, payload);
    if (tid == TK_UT_TID_IMPORTANT)
        return tk_ut_important_feed(&s->decoder, &s->important, payload);
    return feed_lane(s, tid, payload);
}

/* The second sync packet ends the part in which numbers may be missing (wire 4.5). */
static void take_sync(struct tk_live_summary *s, uint64_t offset)
{
    if (++s->syncs != 2)
        return;
    s->decoder.settled = offset;
    tk_ut_serials_settle(&s->serials);
}

/* What a packet holds, unpacked; NULL: it does not unpack. */
static const uint8_t *unpack(struct tk_live_summary *s, const uint8_t *packet, size_t n, size_t *got)
{
    const bool encoded = tk_load16(packet + 2) & TK_UT_ENCODED;
    const size_t head = encoded ? 6 : 4;
    *got = encoded ? tk_load16(packet + 4) : n - head;
    if (!encoded)
        return packet + head;
    return tk_lz4_block(s->unpacked, *got, packet + head, n - head) ? s->unpacked : NULL;
}

void tk_live_summary_feed(struct tk_live_summary *s, const uint8_t *packet, size_t n, uint64_t offset)
{
    const uint32_t word = tk_load16(packet + 2), tid = word & TK_UT_TID_SYNC;
    size_t got;
    if (s->figures.stopped)
        return;
    if (tid == TK_UT_TID_SYNC) {
        take_sync(s, offset);
        return;
    }
    const uint8_t *p = unpack(s, packet, n, &got);
    struct tk_ut_payload payload = {.p = p, .n = got, .offset = offset, .partial = word & TK_UT_PARTIAL};
    int rc = TK_OK;
    if (!p) {
        s->figures.bad_packets++;
        if (s->lanes[tid])
            rc = tk_ut_lane_break(&s->decoder, s->lanes[tid], offset, NULL);
    } else if (got) {
        rc = feed_payload(s, tid, &payload);
    }
    if (rc == TK_OK)
        rc = resolve(s);
    tk_arena_clear(&s->scratch);
    s->figures.stopped = rc != TK_OK;
    s->highest[s->packets++ % TK_LIVE_ROUNDS] = s->serials.highest;
    s->serials.holes.n = 0;
}

/* Threads are sent in rounds: what is missing in the last ones may never have been sent. */
static void stop_serials(struct tk_live_summary *s)
{
    uint64_t back = ROUND_MORE + (uint64_t)ROUND_PACKETS * s->n_lanes;
    if (back > TK_LIVE_ROUNDS)
        back = TK_LIVE_ROUNDS;
    if (s->serials.waits || s->packets <= back)
        return;
    s->serials.last = s->highest[(s->packets - back) % TK_LIVE_ROUNDS];
    tk_ut_serials_finish(&s->serials);
}

void tk_live_summary_finish(struct tk_live_summary *s)
{
    int rc = TK_OK;
    if (s->protocol >= 5)
        rc = tk_ut_important_finish(&s->decoder, &s->important, true);
    for (uint32_t tid = 0; tid < TK_UT_TIDS && rc == TK_OK; tid++)
        if (s->lanes[tid])
            rc = tk_ut_lane_finish(&s->decoder, s->lanes[tid], true);
    s->figures.stopped |= rc != TK_OK;
    stop_serials(s);
    tell_unnamed(s);
}

void tk_live_summary_tell(const struct tk_live_summary *s, struct tk_live_figures *out)
{
    *out = s->figures;
    out->events = s->important.lane.events;
    for (uint32_t tid = 0; tid < TK_UT_TIDS; tid++)
        out->events += s->lanes[tid] ? s->lanes[tid]->events : 0;
    out->types = s->schema.types.n;
    out->lost = s->serials.lost;
    out->undeclared = s->packets > 0 && s->schema.types.n == 0;
}

void tk_live_summary_free(struct tk_live_summary *s)
{
    if (!s)
        return;
    for (uint32_t tid = 0; s->lanes && tid < TK_UT_TIDS; tid++) {
        if (s->lanes[tid])
            tk_ut_lane_release(s->lanes[tid]);
        free(s->lanes[tid]);
    }
    tk_vec_release(&s->declarations);
    tk_ut_lane_release(&s->important.lane);
    tk_ut_serials_release(&s->serials);
    tk_ut_schema_release(&s->schema);
    tk_intern_release(&s->strings);
    tk_arena_release(&s->scratch);
    tk_health_release(&s->health);
    free(s->lanes);
    free(s->want);
    free(s->channels);
    free(s);
}
