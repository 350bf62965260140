/*
 * A packet: the state of its sequence, then what is in it (import 5.2).
 */
#include "format/perfetto/perfetto_in.h"

/* The fields of a packet that are looked at. Bytes have a value only where has_ says so. */
struct packet {
    bool has_time, has_defaults, has_interned, has_snapshot, has_descriptor, has_thread, has_process,
        has_event, has_packed, has_zstd, has_ftrace, has_tree, has_config, has_service, has_device;
    struct tk_pf_field other; /* of those that are about the device; of no number: there is none */
    uint64_t time, clock, sequence, flags, cleared, dropped, first;
    struct tk_pf_field announces; /* what may announce losses; of no number: there is none */
    struct tk_bytes defaults, interned, snapshot, descriptor, thread, process, event, packed, ftrace, tree,
        config, service, device;
};

static void take_number(struct packet *p, const struct tk_pf_field *f)
{
    switch (f->number) {
    case 8:
        p->time = f->value;
        p->has_time = true;
        break;
    case 58:
        p->clock = f->value;
        break;
    case 10:
        p->sequence = f->value;
        break;
    case 13:
        p->flags = f->value;
        break;
    case 41:
        p->cleared = f->value;
        break;
    case 42:
        p->dropped = f->value;
        break;
    case 87:
        p->first = f->value;
        break;
    default:
        break;
    }
}

#define TAKE_BYTES(number, member)                                                                           \
    case number:                                                                                             \
        p->has_##member = true;                                                                              \
        p->member = f->bytes;                                                                                \
        break

static void take_bytes(struct packet *p, const struct tk_pf_field *f)
{
    switch (f->number) {
        TAKE_BYTES(11, event);
        TAKE_BYTES(12, interned);
        TAKE_BYTES(59, defaults);
        TAKE_BYTES(6, snapshot);
        TAKE_BYTES(60, descriptor);
        TAKE_BYTES(44, thread);
        TAKE_BYTES(43, process);
        TAKE_BYTES(50, packed);
        TAKE_BYTES(1, ftrace);
        TAKE_BYTES(2, tree);
        TAKE_BYTES(33, config);
        TAKE_BYTES(69, service);
        TAKE_BYTES(45, device);
    case 133:
        p->has_zstd = true;
        p->packed = f->bytes;
        break;
    case 34:
    case 35:
        p->announces = *f;
        break;
    case 37:
    case 66:
    case 39:
        p->announces = p->other = *f;
        break;
    case 9:
    case 52:
    case 53:
    case 62:
    case 63:
    case 65:
    case 71:
    case 76:
    case 54:
    case 61:
    case 135:
        p->other = *f;
        break;
    default:
        break;
    }
}

static int read_packet(struct tk_bytes message, struct packet *p)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    memset(p, 0, offsetof(struct packet, defaults));
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.wire == TK_PF_BYTES)
            take_bytes(p, &f);
        else
            take_number(p, &f);
    }
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

/* ---- state ---- */

static int change_state(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct packet *p,
                        uint64_t offset)
{
    int rc = TK_PF_FINE;
    if ((p->flags & 1) || p->cleared)
        tk_pf_sequence_clear(s);
    else if (p->dropped) {
        s->valid = false;
        s->has_reference = false;
    }
    if (p->has_defaults)
        rc = tk_pf_sequence_defaults(s, p->defaults);
    if (p->has_interned && rc == TK_PF_FINE && !t->definitions) {
        if (s->valid)
            rc = tk_pf_sequence_intern(s, t->c, p->interned, offset);
        else
            tk_pf_note(t, TK_EV_NO_STATE, offset);
    }
    return rc;
}

static int take_losses(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct packet *p,
                       uint64_t offset)
{
    if (t->definitions || t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    if (p->first && s->marks.begun)
        tk_pf_note(t, TK_EV_SEQUENCE_AGAIN, offset);
    tk_pf_losses_mark(&t->losses, &s->marks, p->dropped, p->first != 0, offset);
    return p->announces.number ? tk_pf_losses_take(&t->losses, &p->announces, offset) : TK_PF_FINE;
}

/* ---- threads and processes ---- */

struct owner {
    uint64_t pid, tid, reference;
    struct tk_bytes name;
};

static int read_owner(struct tk_bytes message, uint32_t name, struct owner *o)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    *o = (struct owner){.name = {message.p, 0}};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            o->pid = f.value;
        else if (f.number == 2 && f.wire == TK_PF_VARINT)
            o->tid = f.value;
        else if (f.number == 6 && f.wire == TK_PF_VARINT)
            o->reference = f.value;
        else if (f.number == name && f.wire == TK_PF_BYTES)
            o->name = f.bytes;
    }
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

static int describe_thread(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message)
{
    struct owner o;
    if (read_owner(message, 5, &o) < 0)
        return TK_PF_BROKEN_PACKET;
    s->has_thread = true;
    s->pid = tk_pf_pid(o.pid);
    s->tid = (int64_t)o.tid;
    s->has_reference = true;
    s->reference = (int64_t)(o.reference * 1000);
    if (!o.name.n || !t->definitions || t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    struct tk_ev_id pid = {NULL, s->pid}, tid = {NULL, s->tid};
    uint32_t process = tk_ev_process(t->c, &pid);
    uint32_t thread = process == UINT32_MAX ? UINT32_MAX : tk_ev_thread(t->c, process, &tid, 0);
    if (thread == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    t->c->threads.v[thread]->name = tk_ev_text(&t->c->names, o.name.p, o.name.n);
    t->c->threads.v[thread]->named = true;
    return t->c->threads.v[thread]->name ? TK_PF_FINE : TK_PF_NO_MEMORY;
}

static int describe_process(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct owner o;
    if (read_owner(message, 6, &o) < 0)
        return TK_PF_BROKEN_PACKET;
    if (!o.name.n)
        return TK_PF_FINE;
    struct tk_ev_id pid = {NULL, tk_pf_pid(o.pid)};
    uint32_t process = tk_ev_process(t->c, &pid);
    if (process == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    t->c->processes.v[process].name = tk_ev_text(&t->c->names, o.name.p, o.name.n);
    return t->c->processes.v[process].name ? TK_PF_FINE : TK_PF_NO_MEMORY;
}

static int describe_track(struct tk_pf_trace *t, struct tk_bytes message, uint64_t offset)
{
    struct tk_bytes thread;
    int trouble, rc = tk_pf_tracks_describe(&t->tracks, t->c, message, &thread, &trouble);
    if (rc == TK_PF_FINE && trouble >= 0)
        tk_ev_note(t->c, (enum tk_ev_trouble)trouble, offset);
    return rc;
}

/* ---- all ---- */

static int define(struct tk_pf_trace *t, const struct packet *p, uint64_t offset)
{
    int rc = TK_PF_FINE;
    if (p->has_descriptor)
        rc = describe_track(t, p->descriptor, offset);
    if (rc == TK_PF_FINE && p->has_process)
        rc = describe_process(t, p->process);
    if (rc == TK_PF_FINE && p->has_ftrace && /* what is broken is noted when its events are read */
        tk_pf_ftrace(t, p->ftrace, (uint32_t)p->sequence, offset) == TK_PF_NO_MEMORY)
        rc = TK_PF_NO_MEMORY;
    if (p->has_config)
        tk_pf_system_config(t, p->config);
    if (p->has_device)
        tk_pf_system_kernel(t, p->device);
    return rc;
}

/* ServiceEvent: 2 recording begins. */
static void take_service(struct tk_pf_trace *t, const struct tk_pf_sequence *s, const struct packet *p)
{
    struct tk_pf_message m = tk_pf_message_of(p->service);
    struct tk_pf_field f;
    const uint64_t clock = p->clock ? p->clock : s->default_clock;
    while (p->has_time && tk_pf_next(&m, &f) == 1)
        if (f.number == 2 && f.wire == TK_PF_VARINT && f.value)
            tk_pf_system_started(t, p->time, clock ? tk_pf_clock_key(clock, s->id) : 0);
}

/* The thread of a sequence is that of the last descriptor, which may be inside of one of a track. */
static int follow_thread(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct packet *p)
{
    struct tk_pf_message m = {0};
    struct tk_pf_field f;
    int rc = TK_PF_FINE;
    if (p->has_descriptor && s->valid)
        m = tk_pf_message_of(p->descriptor);
    while (m.p && rc == TK_PF_FINE && tk_pf_next(&m, &f) == 1)
        if (f.number == 4 && f.wire == TK_PF_BYTES)
            rc = describe_thread(t, s, f.bytes);
    rc = rc == TK_PF_BROKEN_PACKET ? TK_PF_FINE : rc; /* as define() noted */
    if (rc == TK_PF_FINE && p->has_thread && s->valid)
        rc = describe_thread(t, s, p->thread);
    return rc;
}

/* Packets about the device, by their field. */
static int take_device(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct packet *p, int64_t time,
                       uint64_t offset)
{
    const struct tk_bytes message = p->other.bytes;
    switch (p->other.number) {
    case 39:
        return tk_pf_android_log(t, message, offset);
    case 52:
        return tk_pf_gpu_counters(t, s, message, p->has_time, time, offset);
    case 53:
        return tk_pf_render_stage(t, s, message, p->has_time, time, offset);
    case 62:
        return tk_pf_vulkan_memory(t, message);
    case 37:
        return tk_pf_heap_profile(t, s, message, offset);
    case 54:
        return tk_pf_streaming_profile(t, s, message, offset);
    case 61:
        return tk_pf_module_symbols(t, message);
    case 66:
        return tk_pf_perf_sample(t, s, message, p->has_time ? &time : NULL, offset);
    default:
        break;
    }
    if (!p->has_time) {
        tk_pf_note(t, TK_EV_NO_TIME, offset);
        return TK_PF_FINE;
    }
    switch (p->other.number) {
    case 9:
        return tk_pf_process_stats(t, message, time);
    case 63:
        return tk_pf_gpu_log(t, message, time);
    case 65:
        return tk_pf_vulkan_api(t, message, time);
    case 71:
        return tk_pf_gpu_memory(t, message, time);
    case 135:
        return tk_pf_stack_sample(t, s, message, time, offset);
    default:
        return tk_pf_frame_timeline(t, message, time, offset);
    }
}

static int take_content(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct packet *p,
                        uint64_t offset, struct tk_bytes whole)
{
    int64_t time = 0;
    if (p->has_snapshot) {
        const int rc = tk_pf_clocks_snapshot(&t->clocks, p->snapshot, (uint32_t)p->sequence, t->definitions);
        if (t->clocks.went_back)
            tk_ev_note(t->c, TK_EV_CLOCK_BACK, offset);
        t->clocks.went_back = false;
        return rc;
    }
    if ((p->flags & 2) && !s->valid) {
        tk_pf_note(t, TK_EV_NO_STATE, offset);
        return TK_PF_FINE;
    }
    if (p->has_time && !t->definitions) {
        uint64_t clock = p->clock ? p->clock : s->default_clock;
        uint64_t key = clock ? tk_pf_clock_key(clock, (uint32_t)p->sequence) : t->clocks.trace;
        if (!tk_pf_time(t, tk_pf_clocks_time(&t->clocks, p->time, key, &time), time, offset))
            return TK_PF_FINE;
    }
    int rc = t->definitions ? define(t, p, offset) : TK_PF_FINE;
    if (t->definitions && p->has_service)
        take_service(t, s, p);
    if (rc == TK_PF_BROKEN_PACKET) { /* nothing else reads what defines */
        tk_ev_note(t->c, TK_EV_PACKET_BROKEN, offset);
        rc = TK_PF_FINE;
    }
    if (rc == TK_PF_FINE)
        rc = follow_thread(t, s, p);
    if (rc != TK_PF_FINE || t->definitions)
        return rc;
    if (p->has_ftrace)
        return tk_pf_ftrace(t, p->ftrace, (uint32_t)p->sequence, offset);
    if (p->has_tree)
        return tk_pf_process_tree(t, p->tree, p->has_time ? time : 0);
    if (p->other.number && t->c->pass == TK_EV_GATHER)
        return take_device(t, s, p, time, offset);
    if (p->has_event && !p->sequence)
        tk_pf_note(t, TK_EV_NO_SEQUENCE, offset);
    else if (p->has_event)
        return tk_pf_track_event(t, s, p->event, p->has_time, time, offset);
    else if (t->c->pass == TK_EV_RECORDS) {
        struct tk_pf_record record = {.kind = tk_pf_kind_of(whole),
                                      .thread = TK_NO_THREAD,
                                      .has_time = p->has_time,
                                      .time = time,
                                      .offset = offset,
                                      .bytes = whole.n,
                                      .sequence = p->sequence};
        if (record.kind == TK_PF_KIND_OTHER)
            record.field = tk_pf_unknown_field(whole);
        return tk_pf_kept(tk_pf_record_give(t->c, &record));
    }
    return TK_PF_FINE;
}

static int take_packed(struct tk_pf_trace *t, const struct packet *p, uint64_t offset)
{
    struct tk_bytes inner;
    enum tk_pf_unpacked unpacked = tk_pf_unpack(p->packed, p->has_zstd, t->c->ctx->limits.event_bytes,
                                                &t->unpacked.v, &t->unpacked.cap, &inner);
    if (unpacked == TK_PF_UNPACK_NO_MEMORY)
        return TK_PF_NO_MEMORY;
    if (unpacked == TK_PF_UNPACK_BROKEN) {
        tk_pf_note(t, TK_EV_COMPRESSED_BROKEN, offset);
        return TK_PF_FINE;
    }
    if (unpacked == TK_PF_UNPACK_TOO_LARGE && !t->definitions && t->c->pass == TK_EV_GATHER)
        tk_health_limit(&t->c->ctx->health, TK_LIMIT_event_bytes, offset, 1,
                        "packets at offset %llu decompress to more than is allowed",
                        (unsigned long long)offset);
    struct tk_pf_message m = tk_pf_message_of(inner);
    struct tk_pf_field f;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number != 1 || f.wire != TK_PF_BYTES)
            continue;
        rc = tk_pf_packet(t, f.bytes, offset, true);
        if (rc == TK_PF_BROKEN_PACKET)
            tk_pf_note(t, TK_EV_PACKET_BROKEN, offset);
        if (rc == TK_PF_NO_MEMORY)
            return rc;
    }
    if (rc < 0 && unpacked == TK_PF_UNPACKED)
        tk_pf_note(t, TK_EV_PACKET_BROKEN, offset);
    return TK_PF_FINE;
}

/* An event alone, which changes no state that definitions need. */
static bool defines_nothing(const struct packet *p)
{
    return p->has_event && !(p->flags & 1) && !p->cleared && !p->dropped && !p->has_descriptor &&
           !p->has_thread && !p->has_process && !p->has_ftrace && !p->has_snapshot && !p->has_packed &&
           !p->has_zstd;
}

/* The same of most packets, at a glance: a time, a sequence and an event. */
static bool is_event_alone(struct tk_bytes packet)
{
    enum { TIME = 8 << 3, SEQUENCE = 10 << 3, FLAGS = 13 << 3, EVENT = 11 << 3 | TK_PF_BYTES };
    const uint8_t *p = packet.p, *const end = p + packet.n;
    bool event = false;
    uint64_t value;
    while (p < end) {
        const uint8_t tag = *p++;
        if ((tag != TIME && tag != SEQUENCE && tag != FLAGS && tag != EVENT) ||
            tk_pf_varint(&p, end, &value) != 1 || (tag == FLAGS && (value & 1)))
            return false;
        if (tag == EVENT && value > (size_t)(end - p))
            return false;
        event |= tag == EVENT;
        p += tag == EVENT ? value : 0;
    }
    return event;
}

/* Scopes inside of each other often end at one time, with equal packets. */
static bool is_end(const struct packet *p)
{
    enum { TYPE = 9, END = 2 };
    struct tk_pf_message m = tk_pf_message_of(p->event);
    struct tk_pf_field f;
    uint64_t type = 0;
    while (tk_pf_next(&m, &f) == 1)
        type = f.number == TYPE ? f.value : type;
    return type == END;
}

/* What a packet that stands in the file again may be said of. */
static enum tk_ev_repeats_may may_repeat(const struct tk_pf_trace *t, const struct tk_pf_sequence *s,
                                         const struct packet *p, struct tk_bytes packet)
{
    enum { LEAST = 16 }; /* bytes that say something */
    const uint64_t clock = p->clock ? p->clock : s->default_clock;
    if (!p->has_event)
        return packet.n >= LEAST && tk_pf_kind_of(packet) != TK_PF_KIND_SYNC_MARKER ? TK_EV_REPEATS_ALONE
                                                                                    : TK_EV_REPEATS_NEVER;
    if (!p->has_time ||
        (clock && tk_pf_clocks_is_incremental(&t->clocks, tk_pf_clock_key(clock, (uint32_t)p->sequence))))
        return TK_EV_REPEATS_NEVER;
    return is_end(p) ? TK_EV_REPEATS_TOGETHER : TK_EV_REPEATS_ALONE;
}

int tk_pf_repeated(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t hash, uint64_t offset)
{
    struct packet p = {0};
    if (read_packet(packet, &p) < 0)
        return TK_PF_FINE;
    const struct tk_pf_sequence *s = tk_pf_sequence_of(&t->sequences, (uint32_t)p.sequence);
    if (!s)
        return TK_PF_NO_MEMORY;
    const enum tk_ev_repeats_may may = may_repeat(t, s, &p, packet);
    for (unsigned n = tk_ev_repeats_count(&t->repeats, hash, tk_pf_raw_time(packet), may); n; n--)
        tk_pf_note(t, TK_EV_REPEATED, offset);
    return TK_PF_FINE;
}

int tk_pf_packet(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset, bool inner)
{
    struct packet p = {0};
    if (!packet.n || (t->definitions && is_event_alone(packet)))
        return TK_PF_FINE;
    if (read_packet(packet, &p) < 0)
        return TK_PF_BROKEN_PACKET;
    if (t->c->pass == TK_EV_GATHER && !t->definitions &&
        tk_pf_kind_count(t->c, p.has_event ? TK_PF_KIND_TRACK_EVENT : tk_pf_kind_of(packet), packet))
        return TK_PF_NO_MEMORY;
    if (t->definitions && defines_nothing(&p))
        return TK_PF_FINE;
    if (!inner && !t->definitions && t->c->pass == TK_EV_GATHER &&
        tk_pf_compare(t, packet, offset) != TK_PF_FINE)
        return TK_PF_NO_MEMORY;
    if (p.has_packed || p.has_zstd)
        return inner ? TK_PF_BROKEN_PACKET : take_packed(t, &p, offset);
    struct tk_pf_sequence *s = tk_pf_sequence_of(&t->sequences, (uint32_t)p.sequence);
    if (!s)
        return TK_PF_NO_MEMORY;
    int rc = take_losses(t, s, &p, offset);
    if (rc == TK_PF_FINE)
        rc = change_state(t, s, &p, offset);
    return rc == TK_PF_FINE ? take_content(t, s, &p, offset, packet) : rc;
}
