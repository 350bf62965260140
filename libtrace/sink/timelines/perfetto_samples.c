/*
 * Samples in Perfetto's protobuf: a packet sequence of their own, behind that of perfetto.c. Names, files,
 * modules, frames and stacks are interned. A sample is written in two forms: as the sample of a profiler,
 * which all versions show, and as the sample of any profiler, which Perfetto 58 and later show, older ones
 * leave out.
 */
#include "sink/timelines/timeline_writer.h"
#include "sink/write/protobuf.h"
#include "sink/write/value.h"

enum { SEQUENCE = 2, STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    PACKET_PERF_SAMPLE = 66,
    PACKET_STACK_SAMPLE = 135
};
enum {
    INTERNED_FUNCTIONS = 5,
    INTERNED_FRAMES = 6,
    INTERNED_STACKS = 7,
    INTERNED_BUILD_IDS = 16,
    INTERNED_PATHS = 17,
    INTERNED_SOURCES = 18,
    INTERNED_MAPPINGS = 19
};
enum { FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5, FRAME_LINE = 6 };
enum { MAPPING_BUILD_ID = 2, MAPPING_START = 4, MAPPING_END = 5, MAPPING_PATH = 7 };
enum { UNIT_NS = 1, UNIT_COUNT = 9 };

#define OTHER_TRACKS UINT64_C(0x200000000) /* uuids of tracks of threads that have none */

struct writing {
    struct tk_timeline_writer *v;
    const struct tk_sampled *s;
    struct tk_buffer entry, part;
    struct tk_map functions, sources; /* address of a text -> its number */
    uint32_t texts;                   /* so far */
    bool begun;
};

static void put_packet(struct writing *w, uint32_t field, const struct tk_buffer *message, const uint64_t *ns)
{
    struct tk_buffer *b = &w->v->scratch;
    b->n = 0;
    if (ns)
        tk_pb_uint(b, PACKET_TIME, *ns);
    tk_pb_uint(b, PACKET_SEQUENCE, SEQUENCE);
    tk_pb_uint(b, PACKET_FLAGS, w->begun ? NEEDS_STATE : STATE_CLEARED | NEEDS_STATE);
    tk_pb_bytes(b, field, message->p, message->n);
    tk_pb_bytes(&w->v->out, TRACE_PACKET, b->p, b->n);
    w->begun = true;
}

/* Writes w->part as an entry of interned data. */
static void put_interned(struct writing *w, uint32_t list)
{
    w->entry.n = 0;
    tk_pb_bytes(&w->entry, list, w->part.p, w->part.n);
    put_packet(w, PACKET_INTERNED, &w->entry, NULL);
}

static void put_text(struct writing *w, uint32_t list, uint64_t number, struct tk_str text)
{
    text = tk_safe_text_clean(&w->v->clean, text);
    w->part.n = 0;
    tk_pb_uint(&w->part, 1, number);
    tk_pb_bytes(&w->part, 2, text.p, text.n);
    put_interned(w, list);
}

/* The number of a text, which is written on its first use. */
static uint64_t text_number(struct writing *w, struct tk_map *index, uint32_t list, const struct tk_str *text)
{
    uint32_t at = tk_map_get(index, (uint64_t)(uintptr_t)text);
    if (at != TK_MAP_NONE)
        return at;
    at = ++w->texts;
    if (tk_map_put(index, (uint64_t)(uintptr_t)text, at))
        tk_buffer_fail(&w->v->out, TK_ENOMEM);
    put_text(w, list, at, *text);
    return at;
}

/* ---- what samples refer to ---- */

static unsigned digit_of(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void put_build_id(struct writing *w, uint64_t number, const char *hex)
{
    char bytes[32];
    size_t n = 0;
    for (; hex[2 * n] && n < sizeof bytes; n++)
        bytes[n] = (char)(digit_of(hex[2 * n]) << 4 | digit_of(hex[2 * n + 1]));
    w->part.n = 0;
    tk_pb_uint(&w->part, 1, number);
    tk_pb_bytes(&w->part, 2, bytes, n);
    put_interned(w, INTERNED_BUILD_IDS);
}

/* The mapping 1 stands for no module; that of module i is i + 2. */
static void put_mapping(struct writing *w, uint64_t number, const struct tk_sampled_module *module)
{
    static const struct tk_str none = {"", 0, TK_ENC_UTF8};
    put_text(w, INTERNED_PATHS, number, module ? *module->name : none);
    put_build_id(w, number, module ? module->id : "");
    w->part.n = 0;
    tk_pb_uint(&w->part, 1, number);
    tk_pb_uint(&w->part, MAPPING_BUILD_ID, number);
    if (module && module->base) {
        tk_pb_uint(&w->part, MAPPING_START, module->base);
        tk_pb_uint(&w->part, MAPPING_END, module->end);
    }
    tk_pb_uint(&w->part, MAPPING_PATH, number);
    put_interned(w, INTERNED_MAPPINGS);
}

/* A frame for each function of an address, by its place. */
static void put_frames(struct writing *w, const struct tk_sampled_location *location)
{
    const struct tk_sampled_module *module =
        location->module == TK_MAP_NONE ? NULL : &w->s->modules.v[location->module];
    for (uint32_t i = location->first; i < location->first + location->n; i++) {
        const struct tk_sampled_place *place = &w->s->places.v[i];
        const uint64_t function = text_number(w, &w->functions, INTERNED_FUNCTIONS, place->function);
        const uint64_t source = place->file ? text_number(w, &w->sources, INTERNED_SOURCES, place->file) : 0;
        w->part.n = 0;
        tk_pb_uint(&w->part, 1, i + UINT64_C(1));
        tk_pb_uint(&w->part, FRAME_FUNCTION, function);
        tk_pb_uint(&w->part, FRAME_MAPPING, module ? location->module + UINT64_C(2) : 1);
        tk_pb_uint(&w->part, FRAME_PC, location->address - (module ? module->base : 0));
        if (source) {
            tk_pb_uint(&w->part, FRAME_SOURCE, source);
            tk_pb_uint(&w->part, FRAME_LINE, place->line);
        }
        put_interned(w, INTERNED_FRAMES);
    }
}

/* A sample whose stack is not known has none. */
static bool has_frames(const struct writing *w, size_t at)
{
    const struct tk_sampled_stack *stack = &w->s->stacks.v[at];
    for (size_t i = 0; i < stack->n; i++)
        if (w->s->locations.v[w->s->frames.v[stack->first + i]].n)
            return true;
    return false;
}

/* The outermost function comes first. */
static void put_stack(struct writing *w, size_t at)
{
    const struct tk_sampled_stack *stack = &w->s->stacks.v[at];
    if (!has_frames(w, at))
        return;
    w->part.n = 0;
    tk_pb_uint(&w->part, 1, at + UINT64_C(1));
    for (size_t i = stack->n; i-- > 0;) {
        const struct tk_sampled_location *location = &w->s->locations.v[w->s->frames.v[stack->first + i]];
        for (uint32_t k = location->n; k-- > 0;)
            tk_pb_uint(&w->part, 2, location->first + k + UINT64_C(1));
    }
    put_interned(w, INTERNED_STACKS);
}

/* The ids of a thread: those of its track, else those of its source. */
struct ids {
    uint64_t pid, tid;
};
static struct ids ids_of(const struct writing *w, const struct tk_sampled_thread *thread)
{
    const struct tk_timeline_writer_track *track = tk_timeline_writer_thread(w->v, thread->number);
    if (track)
        return (struct ids){track->pid, track->tid};
    if (thread->has_process)
        return (struct ids){thread->process_id, thread->system_id};
    /* among threads of no process, an id may be another's number */
    const bool is_free = thread->system_id && thread->system_id < INT32_MAX &&
                         !tk_timeline_writer_thread(w->v, thread->system_id);
    return (struct ids){tk_timeline_writer_pid(w->v, TK_PID_THREADS),
                        is_free ? thread->system_id : thread->number};
}

/* A thread that no scope lies on. */
static void put_thread(struct writing *w, const struct tk_sampled_thread *thread)
{
    if (tk_timeline_writer_thread(w->v, thread->number))
        return;
    const struct tk_str name = tk_safe_text_clean(&w->v->clean, *thread->name);
    w->part.n = w->entry.n = 0;
    const struct ids ids = ids_of(w, thread);
    tk_pb_uint(&w->part, 1, ids.pid);
    tk_pb_uint(&w->part, 2, ids.tid);
    tk_pb_bytes(&w->part, 5, name.p, name.n);
    tk_pb_uint(&w->entry, 1, OTHER_TRACKS + thread->number);
    tk_pb_bytes(&w->entry, 4, w->part.p, w->part.n);
    put_packet(w, PACKET_TRACK, &w->entry, NULL);
}

/* What all samples have in common: who took them, and what they weigh. */
static void put_defaults(struct writing *w)
{
    const bool timed = w->s->period != 0;
    struct tk_buffer *b = &w->v->scratch;
    b->n = w->entry.n = w->part.n = 0;
    tk_pb_bytes(b, 2, timed ? "time" : "samples", timed ? 4 : 7);
    tk_pb_uint(b, 3, timed ? UNIT_NS : UNIT_COUNT);
    tk_pb_bytes(&w->part, 1, "tracekit", 8);
    tk_pb_bytes(&w->part, 2, b->p, b->n);
    tk_pb_bytes(&w->entry, 100, w->part.p, w->part.n);
    put_packet(w, PACKET_DEFAULTS, &w->entry, NULL);
}

/* ---- samples ---- */

static void put_sample(struct writing *w, const struct tk_sampled_moment *one)
{
    const struct ids ids = ids_of(w, &w->s->threads.v[one->thread]);
    const bool known = has_frames(w, one->stack);
    const uint64_t ns = one->ns < 0 ? 0 : (uint64_t)one->ns, stack = one->stack + UINT64_C(1);
    w->entry.n = w->part.n = 0;
    tk_pb_uint(&w->entry, 2, ids.pid);
    tk_pb_uint(&w->entry, 3, ids.tid);
    if (known)
        tk_pb_uint(&w->entry, 4, stack);
    put_packet(w, PACKET_PERF_SAMPLE, &w->entry, &ns);
    w->entry.n = 0;
    tk_pb_uint(&w->part, 2, ids.pid);
    tk_pb_uint(&w->part, 3, ids.tid);
    tk_pb_bytes(&w->entry, 1, w->part.p, w->part.n);
    if (known)
        tk_pb_uint(&w->entry, 6, stack);
    tk_pb_uint(&w->entry, 11, w->s->period ? (uint64_t)w->s->period : 1);
    put_packet(w, PACKET_STACK_SAMPLE, &w->entry, &ns);
}

static void put_all(struct writing *w)
{
    const struct tk_sampled *s = w->s;
    put_defaults(w);
    for (size_t i = 0; i < s->threads.n; i++)
        put_thread(w, &s->threads.v[i]);
    put_mapping(w, 1, NULL);
    for (size_t i = 0; i < s->modules.n; i++)
        put_mapping(w, i + 2, &s->modules.v[i]);
    for (size_t i = 0; i < s->locations.n && w->v->out.status == TK_OK; i++)
        put_frames(w, &s->locations.v[i]);
    for (size_t i = 0; i < s->stacks.n && w->v->out.status == TK_OK; i++)
        put_stack(w, i);
    for (size_t i = 0; i < s->moments.n && w->v->out.status == TK_OK; i++)
        put_sample(w, &s->moments.v[i]);
}

void tk_perfetto_samples(struct tk_timeline_writer *v)
{
    struct writing w = {.v = v, .s = v->sampled};
    if (!v->sampled)
        return;
    if (tk_buffer_init_scratch(&w.entry, &v->out) || tk_buffer_init_scratch(&w.part, &v->out))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    else
        put_all(&w);
    tk_buffer_release(&w.entry);
    tk_buffer_release(&w.part);
    tk_map_release(&w.functions);
    tk_map_release(&w.sources);
}
