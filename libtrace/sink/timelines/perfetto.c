/*
 * Perfetto's trace protobuf with TrackEvents (interop 4): one packet sequence; names of scopes are
 * interned; times are nanoseconds since the start of the capture (a time before it is 0). Threads are thread
 * tracks of their process (timeline_writer.h), queues, frames and counters are tracks of their own,
 * marks lie on their thread; a span takes the first region track that is free at its begin. Texts that are no
 * Unicode get U+FFFD.
 */
#include "sink/timelines/timeline_writer.h"
#include "sink/write/protobuf.h"
#include "sink/write/value.h"

enum { SEQUENCE = 1, STATE_CLEARED = 1, NEEDS_STATE = 2, EXPLICIT_ORDER = 3 };
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNT = 30,
    EVENT_REAL = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12
};

#define REGION_TRACKS  UINT64_C(0x100000000) /* uuids from here on */
#define PROCESS_TRACKS UINT64_C(0x300000000)

struct perfetto {
    struct tk_buffer event, part;
    TK_VEC(int64_t) regions; /* of each region track: when it is free */
    uint64_t region;         /* track of the span that is open */
    bool begun;
};

static uint64_t uuid_of(const struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track)
{
    return (uint64_t)(track - v->tracks.v) + 1;
}

static void put_text_perfetto(struct tk_timeline_writer *v, struct tk_buffer *b, uint32_t field,
                              struct tk_str s)
{
    s = tk_safe_text_clean(&v->clean, s);
    tk_pb_bytes(b, field, s.p, s.n);
}

/* Writes v->scratch as a packet. */
static void put_packet(struct tk_timeline_writer *v)
{
    tk_pb_bytes(&v->out, TRACE_PACKET, v->scratch.p, v->scratch.n);
}

static void begin_packet(struct tk_timeline_writer *v)
{
    struct perfetto *p = v->state;
    v->scratch.n = 0;
    tk_pb_uint(&v->scratch, PACKET_SEQUENCE, SEQUENCE);
    tk_pb_uint(&v->scratch, PACKET_FLAGS, p->begun ? NEEDS_STATE : STATE_CLEARED | NEEDS_STATE);
    p->begun = true;
}

static void perfetto_open(struct tk_timeline_writer *v)
{
    struct perfetto *p = v->state;
    tk_buffer_init_scratch(&p->event, &v->out);
    tk_buffer_init_scratch(&p->part, &v->out);
}

static void perfetto_apart_open(struct tk_timeline_writer *v)
{
    struct perfetto *p = v->state;
    perfetto_open(v);
    p->begun = true; /* the track of the process was reported */
}

static void describe_thread(struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track)
{
    struct perfetto *p = v->state;
    p->part.n = 0;
    tk_pb_uint(&p->part, 1, track->pid);
    tk_pb_uint(&p->part, 2, track->tid);
    put_text_perfetto(v, &p->part, 5, track->name);
    tk_pb_bytes(&p->event, TRACK_THREAD, p->part.p, p->part.n);
}

/* The process of a thread that is the first of it. */
static void put_process(struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track)
{
    struct perfetto *p = v->state;
    p->part.n = p->event.n = 0;
    tk_pb_uint(&p->part, 1, track->pid);
    put_text_perfetto(v, &p->part, 6, track->process);
    tk_pb_uint(&p->event, TRACK_UUID, PROCESS_TRACKS + uuid_of(v, track));
    tk_pb_bytes(&p->event, TRACK_PROCESS, p->part.p, p->part.n);
    begin_packet(v);
    tk_pb_bytes(&v->scratch, PACKET_TRACK, p->event.p, p->event.n);
    put_packet(v);
}

static void describe_process(struct tk_timeline_writer *v)
{
    struct perfetto *p = v->state;
    p->part.n = 0;
    tk_pb_uint(&p->part, 1, tk_timeline_writer_pid(v, TK_PID_THREADS));
    tk_pb_bytes(&p->part, 6, "Threads", 7);
    tk_pb_bytes(&p->event, TRACK_PROCESS, p->part.p, p->part.n);
    tk_pb_uint(&p->event, TRACK_ORDERING, EXPLICIT_ORDER);
}

static void describe_other(struct tk_timeline_writer *v, const struct tk_track *reported,
                           const struct tk_timeline_writer_track *track)
{
    struct perfetto *p = v->state;
    uint32_t parent = reported->parent ? tk_map_get(&v->track_index, reported->parent) : TK_MAP_NONE;
    put_text_perfetto(v, &p->event, TRACK_NAME, track->name);
    tk_pb_uint(&p->event, TRACK_PARENT, parent == TK_MAP_NONE ? 1 : parent + UINT64_C(1));
    if (reported->kind == TK_TRACK_COUNTER)
        tk_pb_bytes(&p->event, TRACK_COUNTER, "", 0);
}

static void perfetto_track(struct tk_timeline_writer *v, const struct tk_track *reported)
{
    struct perfetto *p = v->state;
    const struct tk_timeline_writer_track *track = &v->tracks.v[v->tracks.n - 1];
    if (track->process.p)
        put_process(v, track);
    p->event.n = 0;
    tk_pb_uint(&p->event, TRACK_UUID, uuid_of(v, track));
    if (reported->kind == TK_TRACK_PROCESS)
        describe_process(v);
    else if (reported->kind == TK_TRACK_THREAD)
        describe_thread(v, track);
    else
        describe_other(v, reported, track);
    if (reported->rank)
        tk_pb_uint(&p->event, TRACK_RANK, (uint64_t)(int64_t)reported->rank);
    begin_packet(v);
    tk_pb_bytes(&v->scratch, PACKET_TRACK, p->event.p, p->event.n);
    put_packet(v);
}

static uint64_t time_of(const struct tk_item *item)
{
    return item->ns < 0 ? 0 : (uint64_t)item->ns;
}

static void begin_event(struct tk_timeline_writer *v, unsigned type, uint64_t uuid)
{
    struct perfetto *p = v->state;
    p->event.n = 0;
    tk_pb_uint(&p->event, EVENT_TYPE, type);
    tk_pb_uint(&p->event, EVENT_TRACK, uuid);
}

static void put_event(struct tk_timeline_writer *v, const struct tk_item *item)
{
    struct perfetto *p = v->state;
    begin_packet(v);
    tk_pb_uint(&v->scratch, PACKET_TIME, time_of(item));
    tk_pb_bytes(&v->scratch, PACKET_EVENT, p->event.p, p->event.n);
    put_packet(v);
}

static void annotate(struct tk_timeline_writer *v, const struct tk_item *item)
{
    struct perfetto *p = v->state;
    if (!v->opt.args || !item->file)
        return;
    p->part.n = 0;
    tk_pb_bytes(&p->part, 10, "file", 4);
    put_text_perfetto(v, &p->part, 6, *item->file);
    tk_pb_bytes(&p->event, EVENT_ANNOTATION, p->part.p, p->part.n);
    p->part.n = 0;
    tk_pb_bytes(&p->part, 10, "line", 4);
    tk_pb_uint(&p->part, 3, item->line);
    tk_pb_bytes(&p->event, EVENT_ANNOTATION, p->part.p, p->part.n);
}

static size_t varint_size(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

/* The short way for scopes: all of a packet in one go. name 0: none. */
static void put_scope(struct tk_timeline_writer *v, unsigned type, uint64_t uuid, uint64_t name, uint64_t ns)
{
    char *start = tk_buffer_space(&v->out, TK_BUFFER_SMALL), *p = start + 2;
    *p++ = PACKET_TIME << 3;
    p = tk_pb_varint(p, ns);
    *p++ = PACKET_SEQUENCE << 3;
    *p++ = SEQUENCE;
    *p++ = PACKET_FLAGS << 3;
    *p++ = NEEDS_STATE;
    *p++ = (char)(PACKET_EVENT << 3 | 2);
    *p++ = (char)(3 + varint_size(uuid) + (name ? 1 + varint_size(name) : 0));
    *p++ = EVENT_TYPE << 3;
    *p++ = (char)type;
    *p++ = EVENT_TRACK << 3;
    p = tk_pb_varint(p, uuid);
    if (name) {
        *p++ = EVENT_NAME_IID << 3;
        p = tk_pb_varint(p, name);
    }
    start[0] = TRACE_PACKET << 3 | 2;
    start[1] = (char)(p - start - 2);
    v->out.n += (size_t)(p - start);
}

static void intern_name(struct tk_timeline_writer *v, uint32_t id, const struct tk_str *name)
{
    struct perfetto *p = v->state;
    p->part.n = 0;
    tk_pb_uint(&p->part, 1, id + UINT64_C(1));
    put_text_perfetto(v, &p->part, 2, *name);
    p->event.n = 0;
    tk_pb_bytes(&p->event, 2, p->part.p, p->part.n);
    begin_packet(v);
    tk_pb_bytes(&v->scratch, PACKET_INTERNED, p->event.p, p->event.n);
    put_packet(v);
}

static void begin_scope(struct tk_timeline_writer *v, const struct tk_item *item, uint64_t uuid)
{
    struct perfetto *p = v->state;
    if (!v->opt.args || !item->file) {
        put_scope(v, TYPE_BEGIN, uuid, item->name_id + UINT64_C(1), time_of(item));
        return;
    }
    begin_event(v, TYPE_BEGIN, uuid);
    tk_pb_uint(&p->event, EVENT_NAME_IID, item->name_id + UINT64_C(1));
    annotate(v, item);
    put_event(v, item);
}

static void put_begin(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                      const struct tk_item *item)
{
    if (!tk_timeline_writer_name(v, item->name_id)) {
        intern_name(v, item->name_id, item->name);
        tk_timeline_writer_keep_name(v, item->name_id, "", 0);
    }
    begin_scope(v, item, uuid_of(v, track));
}

/* Steps say themselves where a name comes first; items have to know of those. */
static void perfetto_kind(struct tk_timeline_writer *v, struct tk_scope_kind *kind, bool first)
{
    if (first)
        tk_timeline_writer_keep_name(v, kind->name_id, "", 0);
}

static void begin_step(struct tk_timeline_writer *v, const struct tk_scope_step *step, uint64_t uuid)
{
    const struct tk_scope_kind *kind = step->kind;
    if (step->first)
        intern_name(v, kind->name_id, kind->name);
    begin_scope(v,
                &(struct tk_item){.ns = step->ns,
                                  .name_id = kind->name_id,
                                  .file = kind->has_file ? &kind->file : NULL,
                                  .line = kind->line},
                uuid);
}

static void perfetto_steps(struct tk_timeline_writer *v, const struct tk_scope_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_scope_step *step = &steps[i];
        const uint64_t uuid = tk_timeline_writer_track_of(v, step->track) + UINT64_C(1),
                       ns = step->ns < 0 ? 0 : (uint64_t)step->ns;
        if (step->end)
            put_scope(v, TYPE_END, uuid, 0, ns);
        else if (step->first || v->opt.args)
            begin_step(v, step, uuid);
        else
            put_scope(v, TYPE_BEGIN, uuid, step->kind->name_id + UINT64_C(1), ns);
    }
}

static void put_end(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                    const struct tk_item *item)
{
    put_scope(v, TYPE_END, uuid_of(v, track), 0, time_of(item));
}

static void put_name_perfetto(struct tk_timeline_writer *v, const struct tk_item *item)
{
    struct perfetto *p = v->state;
    if (item->category)
        put_text_perfetto(v, &p->event, EVENT_CATEGORY, *item->category);
    if (item->name)
        put_text_perfetto(v, &p->event, EVENT_NAME, *item->name);
}

/* Marks lie on the track of their thread, where it is known. */
static void put_instant(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                        const struct tk_item *item)
{
    uint32_t thread = track->parent ? tk_map_get(&v->track_index, track->parent) : TK_MAP_NONE;
    begin_event(v, TYPE_INSTANT, thread == TK_MAP_NONE ? uuid_of(v, track) : thread + UINT64_C(1));
    put_name_perfetto(v, item);
    annotate(v, item);
    put_event(v, item);
}

static void put_counter(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                        const struct tk_item *item)
{
    struct perfetto *p = v->state;
    const uint8_t kind = item->value.kind;
    begin_event(v, TYPE_COUNTER, uuid_of(v, track));
    if (kind == TK_REAL || kind == TK_REAL32 || kind == TK_MEAN)
        tk_pb_real(&p->event, EVENT_REAL, item->value.v.r);
    else
        tk_pb_uint(&p->event, EVENT_COUNT, item->value.v.u);
    put_event(v, item);
}

/* A region track that is free at a time; reported where it is new. */
static uint64_t region_track(struct tk_timeline_writer *v, int64_t ns)
{
    struct perfetto *p = v->state;
    size_t i = 0;
    while (i < p->regions.n && p->regions.v[i] > ns)
        i++;
    if (i < p->regions.n)
        return i;
    if (tk_vec_push(&p->regions, ns))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    p->event.n = 0;
    tk_pb_uint(&p->event, TRACK_UUID, REGION_TRACKS + i);
    tk_pb_bytes(&p->event, TRACK_NAME, "Regions", 7);
    tk_pb_uint(&p->event, TRACK_PARENT, 1);
    begin_packet(v);
    tk_pb_bytes(&v->scratch, PACKET_TRACK, p->event.p, p->event.n);
    put_packet(v);
    return i;
}

static void put_span(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                     const struct tk_item *item)
{
    struct perfetto *p = v->state;
    const bool begin = item->kind == TK_ITEM_SPAN_BEGIN;
    (void)track;
    if (begin)
        p->region = region_track(v, item->ns);
    if (p->region < p->regions.n)
        p->regions.v[p->region] = begin ? INT64_MAX : item->ns;
    begin_event(v, begin ? TYPE_BEGIN : TYPE_END, REGION_TRACKS + p->region);
    if (begin)
        put_name_perfetto(v, item);
    put_event(v, item);
}

static void put_flow(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                     const struct tk_item *item)
{
    struct perfetto *p = v->state;
    const uint32_t thread = track->parent ? tk_map_get(&v->track_index, track->parent) : TK_MAP_NONE;
    begin_event(v, TYPE_INSTANT, thread == TK_MAP_NONE ? uuid_of(v, track) : thread + UINT64_C(1));
    put_name_perfetto(v, item);
    const uint64_t field = item->kind == TK_ITEM_FLOW_OUT ? EVENT_FLOW : EVENT_FLOW_END;
    tk_pb_number(&p->event, field << 3 | 1);
    for (unsigned i = 0; i < 8; i++)
        tk_buffer_char(&p->event, (char)(item->id >> (8 * i)));
    put_event(v, item);
}

static void perfetto_release(struct tk_timeline_writer *v)
{
    struct perfetto *p = v->state;
    tk_vec_release(&p->regions);
    tk_buffer_release(&p->event);
    tk_buffer_release(&p->part);
}

const struct tk_timeline_writer_format tk_perfetto_format = {
    .name = "perfetto",
    .state_size = sizeof(struct perfetto),
    .open = perfetto_open,
    .track = perfetto_track,
    TK_TIMELINE_PUTS(put_begin, put_end, put_instant, put_counter, put_span, put_flow),
    .kind = perfetto_kind,
    .steps = perfetto_steps,
    .apart_open = perfetto_apart_open,
    .finish = tk_perfetto_samples,
    .release = perfetto_release,
};
