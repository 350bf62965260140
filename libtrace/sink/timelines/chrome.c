/*
 * Chrome's trace JSON, object form, for chrome://tracing, Perfetto and speedscope.
 *
 * Scopes are B and E events, in the order of their track, which nests them; ends carry the name of what they
 * end, as speedscope pairs by name. Spans are b and e with an id, counters C, marks i. Times are microseconds
 * since the start of the capture with three decimals, made of integers. Every event has a pid and a tid
 * (timeline_writer.h): those of the capture; where it knows no processes, pid 1 for threads, with the
 * capture's thread ids. Counters and spans are in that of threads of no process, queues of GPUs in the next
 * one, frames in the one behind that, with tids from 2,000,000,000 on. Texts that are no Unicode get U+FFFD.
 */
#include "sink/timelines/timeline_writer.h"
#include "sink/write/value.h"

#include <inttypes.h>
#include <stdio.h>

/* Some consumers take tids for unique among all processes. */
#define TID_GPU    UINT64_C(2000000000)
#define TID_FRAMES UINT64_C(2100000000)

/*
 * Samples in Chrome's trace JSON: "stackFrames", a tree of functions, and "samples", each with the innermost
 * of its frames. chrome.c writes them behind the events.
 */

/* A frame of the tree. */
struct node {
    uint32_t parent;   /* place in nodes; TK_MAP_NONE: outermost */
    uint32_t place;    /* place of its function in the samples */
    uint32_t location; /* that it is at */
};

struct frames {
    const struct tk_sampled *s;
    TK_VEC(struct node) nodes;
    TK_VEC(uint32_t) tops; /* by stack: its innermost frame; TK_MAP_NONE: it has none */
    struct tk_map index;
};

static bool is_same(const struct frames *f, const struct node *a, const struct node *b)
{
    const struct tk_sampled_place *x = &f->s->places.v[a->place], *y = &f->s->places.v[b->place];
    return a->parent == b->parent && x->function == y->function && x->file == y->file && x->line == y->line &&
           f->s->locations.v[a->location].module == f->s->locations.v[b->location].module;
}

/* The node of a function below another; TK_MAP_NONE if out of memory. */
static uint32_t reach(struct frames *f, const struct node *wanted)
{
    const struct tk_sampled_place *place = &f->s->places.v[wanted->place];
    const uint64_t hash = tk_hash_pair(tk_hash_pair(wanted->parent, (uint64_t)(uintptr_t)place->function),
                                       tk_hash_pair(place->line, (uint64_t)(uintptr_t)place->file));
    const uint32_t at = tk_map_get(&f->index, hash), made = (uint32_t)f->nodes.n;
    if (at < f->nodes.n && is_same(f, &f->nodes.v[at], wanted))
        return at;
    return f->nodes.n >= TK_MAP_NONE - 1 || tk_vec_push(&f->nodes, *wanted) ||
                   tk_map_put(&f->index, hash, made)
               ? TK_MAP_NONE
               : made;
}

/* From the outermost function of a stack to the innermost. */
static int add_stack(struct frames *f, const struct tk_sampled_stack *stack)
{
    uint32_t top = TK_MAP_NONE;
    for (size_t i = stack->n; i-- > 0;) {
        const uint32_t at = f->s->frames.v[stack->first + i];
        const struct tk_sampled_location *location = &f->s->locations.v[at];
        for (uint32_t k = location->n; k-- > 0;) {
            const struct node node = {top, location->first + k, at};
            if ((top = reach(f, &node)) == TK_MAP_NONE)
                return -1;
        }
    }
    return tk_vec_push(&f->tops, top);
}

static void put_frames(struct tk_timeline_writer *v, const struct frames *f)
{
    tk_buffer_text(&v->out, ",\n\"stackFrames\":{");
    for (uint32_t i = 0; i < f->nodes.n && v->out.status == TK_OK; i++) {
        const struct node *node = &f->nodes.v[i];
        const struct tk_sampled_place *place = &f->s->places.v[node->place];
        const uint32_t module = f->s->locations.v[node->location].module;
        tk_buffer_text(&v->out, i ? ",\n\"" : "\n\"");
        tk_buffer_u64(&v->out, i + UINT64_C(1));
        tk_buffer_text(&v->out, "\":{\"name\":");
        tk_json_key(&v->out, &v->clean, *place->function);
        tk_buffer_text(&v->out, ",\"category\":");
        tk_json_key(&v->out, &v->clean,
                    module == TK_MAP_NONE ? (struct tk_str){.p = ""} : *f->s->modules.v[module].name);
        if (place->file) {
            tk_buffer_text(&v->out, ",\"file\":");
            tk_json_key(&v->out, &v->clean, *place->file);
            tk_buffer_text(&v->out, ",\"line\":");
            tk_buffer_u64(&v->out, place->line);
        }
        if (node->parent != TK_MAP_NONE) {
            tk_buffer_text(&v->out, ",\"parent\":\"");
            tk_buffer_u64(&v->out, node->parent + UINT64_C(1));
            tk_buffer_char(&v->out, '"');
        }
        tk_buffer_char(&v->out, '}');
    }
    tk_buffer_text(&v->out, "\n}");
}

/* What a sample weighs: the time that it stands for, where that is known. */
static void put_samples(struct tk_timeline_writer *v, const struct frames *f)
{
    const struct tk_sampled *s = f->s;
    bool begun = false;
    tk_buffer_text(&v->out, ",\n\"samples\":[");
    for (size_t i = 0; i < s->moments.n && v->out.status == TK_OK; i++) {
        const struct tk_sampled_moment *one = &s->moments.v[i];
        if (one->stack >= f->tops.n || f->tops.v[one->stack] == TK_MAP_NONE)
            continue;
        const struct tk_timeline_writer_track *track =
            tk_timeline_writer_thread(v, s->threads.v[one->thread].number);
        tk_buffer_text(&v->out, begun ? ",\n{\"cpu\":0,\"pid\":" : "\n{\"cpu\":0,\"pid\":");
        tk_buffer_u64(&v->out, track ? track->pid : tk_timeline_writer_pid(v, TK_PID_THREADS));
        tk_buffer_text(&v->out, ",\"tid\":");
        tk_buffer_u64(&v->out, track ? track->tid : s->threads.v[one->thread].number);
        tk_buffer_text(&v->out, ",\"ts\":");
        tk_buffer_fixed(&v->out, one->ns, 3);
        tk_buffer_text(&v->out, ",\"name\":\"samples\",\"sf\":\"");
        tk_buffer_u64(&v->out, f->tops.v[one->stack] + UINT64_C(1));
        tk_buffer_text(&v->out, "\",\"weight\":1}");
        begun = true;
    }
    tk_buffer_text(&v->out, "\n]");
}

void tk_chrome_samples(struct tk_timeline_writer *v)
{
    struct frames f = {.s = v->sampled};
    int rc = 0;
    if (!v->sampled)
        return;
    for (size_t i = 0; i < f.s->stacks.n && rc == 0; i++)
        rc = add_stack(&f, &f.s->stacks.v[i]);
    if (rc)
        tk_buffer_fail(&v->out, TK_ENOMEM);
    if (rc == 0)
        put_frames(v, &f);
    if (rc == 0)
        put_samples(v, &f);
    tk_vec_release(&f.nodes);
    tk_vec_release(&f.tops);
    tk_map_release(&f.index);
}

struct chrome {
    unsigned processes; /* bit: that the name of the pid is written */
    bool begun;         /* an event was written */
};

static unsigned process_of(uint8_t kind)
{
    static const uint8_t pids[] = {[TK_TRACK_GPU] = TK_PID_GPU, [TK_TRACK_FRAMES] = TK_PID_FRAMES};
    return kind < sizeof pids && pids[kind] ? pids[kind] : TK_PID_THREADS;
}

static uint64_t pid_of(const struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track)
{
    const unsigned process = process_of(track->kind);
    return process == TK_PID_THREADS ? track->pid : tk_timeline_writer_pid(v, process);
}

static uint64_t tid_of(const struct tk_timeline_writer_track *track)
{
    static const uint64_t bases[] = {[TK_TRACK_GPU] = TID_GPU, [TK_TRACK_FRAMES] = TID_FRAMES};
    if (track->kind == TK_TRACK_COUNTER || track->kind == TK_TRACK_PROCESS)
        return 0;
    return bases[track->kind % (TK_TRACK_FRAMES + 1)] ? track->number + bases[track->kind] : track->tid;
}

static void put_key(struct tk_timeline_writer *v, const struct tk_str *s)
{
    tk_json_key(&v->out, &v->clean, *s);
}

/* {"ph":"B","pid":1,"tid":2 */
static void put_head(struct tk_timeline_writer *v, char phase, const struct tk_timeline_writer_track *track)
{
    struct chrome *c = v->state;
    static const char head[] = ",\n{\"ph\":\"";
    const size_t skip = c->begun ? 0 : 1;
    tk_buffer_put(&v->out, head + skip, sizeof head - 1 - skip);
    c->begun = true;
    tk_buffer_char(&v->out, phase);
    tk_buffer_put(&v->out, "\",\"pid\":", 8);
    tk_buffer_u64(&v->out, pid_of(v, track));
    tk_buffer_put(&v->out, ",\"tid\":", 7);
    tk_buffer_u64(&v->out, tid_of(track));
}

static void put_time(struct tk_timeline_writer *v, int64_t ns)
{
    tk_buffer_put(&v->out, ",\"ts\":", 6);
    tk_buffer_fixed(&v->out, ns, 3);
}

static void put_metadata(struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track,
                         const char *what)
{
    put_head(v, 'M', track);
    tk_buffer_text(&v->out, ",\"name\":\"");
    tk_buffer_text(&v->out, what);
    tk_buffer_text(&v->out, "\",\"args\":{");
}

static void put_process(struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track)
{
    static const char *const names[] = {"", "Threads", "GPU", "Frames"};
    struct chrome *c = v->state;
    const unsigned process = process_of(track->kind);
    if (track->process.p) {
        put_metadata(v, track, "process_name");
        tk_buffer_text(&v->out, "\"name\":");
        put_key(v, &track->process);
        tk_buffer_text(&v->out, "}}");
    }
    if (track->pid != tk_timeline_writer_pid(v, TK_PID_THREADS) || c->processes >> process & 1)
        return;
    c->processes |= 1u << process;
    put_metadata(v, track, "process_name");
    tk_buffer_text(&v->out, "\"name\":\"");
    tk_buffer_text(&v->out, names[process]);
    tk_buffer_text(&v->out, "\"}}");
    put_metadata(v, track, "process_sort_index");
    tk_buffer_text(&v->out, "\"sort_index\":");
    tk_buffer_u64(&v->out, process);
    tk_buffer_text(&v->out, "}}");
}

static void put_start(struct tk_timeline_writer *v)
{
    tk_buffer_text(&v->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"tracekit " TK_VERSION
                            "\"},\"traceEvents\":[\n");
}

static void put_track(struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track)
{
    put_process(v, track);
    if (track->kind != TK_TRACK_THREAD && track->kind != TK_TRACK_GPU && track->kind != TK_TRACK_FRAMES)
        return;
    put_metadata(v, track, "thread_name");
    tk_buffer_text(&v->out, "\"name\":");
    put_key(v, &track->name);
    tk_buffer_text(&v->out, "}}");
    put_metadata(v, track, "thread_sort_index");
    tk_buffer_text(&v->out, "\"sort_index\":");
    tk_buffer_i64(&v->out, track->rank);
    tk_buffer_text(&v->out, "}}");
}

static void chrome_apart_open(struct tk_timeline_writer *v)
{
    struct chrome *c = v->state;
    c->begun = true; /* the track of the process was reported */
}

static void chrome_track(struct tk_timeline_writer *v, const struct tk_track *reported)
{
    (void)reported;
    put_track(v, &v->tracks.v[v->tracks.n - 1]);
}

static void put_args(struct tk_timeline_writer *v, const struct tk_str *file, uint32_t line)
{
    if (!v->opt.args || !file || !file->p)
        return;
    tk_buffer_text(&v->out, ",\"args\":{\"file\":");
    put_key(v, file);
    tk_buffer_text(&v->out, ",\"line\":");
    tk_buffer_u64(&v->out, line);
    tk_buffer_char(&v->out, '}');
}

/* Tracks are reported again, and what is open begins once more, with its time: it is whole where it ends. */
static void chrome_part(struct tk_timeline_writer *v)
{
    struct chrome *c = v->state;
    c->begun = false;
    c->processes = 0;
    put_start(v);
    for (size_t i = 0; i < v->tracks.n; i++)
        put_track(v, &v->tracks.v[i]);
    for (size_t i = 0; i < v->tracks.n; i++) {
        const struct tk_timeline_writer_track *track = &v->tracks.v[i];
        for (size_t k = 0; k < track->open.n; k++) {
            const struct tk_str *piece = tk_timeline_writer_name(v, track->open.v[k]);
            if (!piece)
                continue;
            put_head(v, 'B', track);
            put_time(v, track->begins.v[k].ns);
            tk_buffer_put(&v->out, piece->p, piece->n);
            put_args(v, &track->begins.v[k].file, track->begins.v[k].line);
            tk_buffer_char(&v->out, '}');
        }
    }
}

/* ,"name":"escaped" of a scope: made once a name. */
static const struct tk_str *piece_of(struct tk_timeline_writer *v, uint32_t name_id,
                                     const struct tk_str *name)
{
    const struct tk_str *made = tk_timeline_writer_name(v, name_id);
    if (made)
        return made;
    v->scratch.n = 0;
    tk_buffer_text(&v->scratch, ",\"name\":");
    tk_json_key(&v->scratch, &v->clean, *name);
    tk_timeline_writer_keep_name(v, name_id, v->scratch.p, v->scratch.n);
    return tk_timeline_writer_name(v, name_id);
}

static void put_begin(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                      const struct tk_item *item)
{
    const struct tk_str *piece = piece_of(v, item->name_id, item->name);
    if (!piece)
        return;
    tk_timeline_writer_push(v, track, item);
    put_head(v, 'B', track);
    put_time(v, item->ns);
    tk_buffer_put(&v->out, piece->p, piece->n);
    put_args(v, item->file, item->line);
    tk_buffer_char(&v->out, '}');
}

static void put_end(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                    const struct tk_item *item)
{
    uint32_t name = tk_timeline_writer_pop(track);
    const struct tk_str *piece = tk_timeline_writer_name(v, name);
    if (!piece)
        return;
    put_head(v, 'E', track);
    put_time(v, item->ns);
    tk_buffer_put(&v->out, piece->p, piece->n);
    tk_buffer_char(&v->out, '}');
}

static void chrome_kind(struct tk_timeline_writer *v, struct tk_scope_kind *kind, bool first)
{
    const struct tk_str *piece = kind->said.p ? NULL : piece_of(v, kind->name_id, kind->name);
    (void)first;
    if (piece)
        kind->said = *piece;
}

/* What events of a track begin with, up to their time, as put_head makes it. */
struct chrome_head {
    uint64_t track; /* 0: none */
    size_t n;
    char text[2 * TK_BUFFER_SMALL];
};

static void make_head(struct tk_timeline_writer *v, struct chrome_head *head, uint64_t id)
{
    const struct tk_timeline_writer_track *track = &v->tracks.v[tk_timeline_writer_track_of(v, id)];
    head->track = id;
    head->n = (size_t)snprintf(
        head->text, sizeof head->text,
        ",\n{\"ph\":\"B\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"ts\":", pid_of(v, track), tid_of(track));
}

enum { PHASE = sizeof ",\n{\"ph\":\"" - 1 }; /* where it is */

static void chrome_steps(struct tk_timeline_writer *v, const struct tk_scope_step *steps, size_t n)
{
    struct chrome_head head = {.track = 0};
    for (size_t i = 0; i < n; i++) {
        const struct tk_scope_step *step = &steps[i];
        const struct tk_scope_kind *kind = step->kind;
        if (step->track != head.track)
            make_head(v, &head, step->track);
        head.text[PHASE] = step->end ? 'E' : 'B';
        tk_buffer_put(&v->out, head.text, head.n);
        tk_buffer_fixed(&v->out, step->ns, 3);
        tk_buffer_put(&v->out, kind->said.p, kind->said.n);
        if (!step->end && v->opt.args)
            put_args(v, kind->has_file ? &kind->file : NULL, kind->line);
        tk_buffer_char(&v->out, '}');
    }
}

static void put_named(struct tk_timeline_writer *v, const struct tk_timeline_writer_track *track,
                      const struct tk_item *item, char phase, const char *category)
{
    put_head(v, phase, track);
    put_time(v, item->ns);
    tk_buffer_text(&v->out, ",\"name\":");
    put_key(v, item->name);
    tk_buffer_text(&v->out, ",\"cat\":");
    if (item->category)
        put_key(v, item->category);
    else
        tk_json_string(&v->out, category, strlen(category));
}

static void put_instant(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                        const struct tk_item *item)
{
    put_named(v, track, item, 'i', "mark");
    tk_buffer_text(&v->out, ",\"s\":\"t\"");
    put_args(v, item->file, item->line);
    tk_buffer_char(&v->out, '}');
}

static void put_span(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                     const struct tk_item *item)
{
    put_named(v, track, item, item->kind == TK_ITEM_SPAN_BEGIN ? 'b' : 'e', "region");
    tk_buffer_text(&v->out, ",\"id\":");
    tk_buffer_u64(&v->out, item->id);
    tk_buffer_char(&v->out, '}');
}

static void put_counter(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                        const struct tk_item *item)
{
    put_head(v, 'C', track);
    put_time(v, item->ns);
    tk_buffer_text(&v->out, ",\"name\":");
    put_key(v, &track->name);
    tk_buffer_text(&v->out, ",\"args\":{\"value\":");
    tk_json_value(&v->out, &v->scratch, &item->value, TK_UNIT_NS);
    tk_buffer_text(&v->out, "}}");
}

static void put_flow(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                     const struct tk_item *item)
{
    static const struct tk_str flow = {.p = "flow", .n = 4};
    struct tk_item named = *item;
    named.name = item->name ? item->name : &flow;
    /* what happens there is a mark, too */
    put_named(v, track, &named, 'i', "flow");
    tk_buffer_text(&v->out, ",\"s\":\"t\"}");
    put_named(v, track, &named, item->kind == TK_ITEM_FLOW_OUT ? 's' : 'f', "flow");
    if (item->kind == TK_ITEM_FLOW_IN)
        tk_buffer_text(&v->out, ",\"bp\":\"e\"");
    tk_buffer_text(&v->out, ",\"id\":");
    tk_buffer_u64(&v->out, item->id);
    tk_buffer_char(&v->out, '}');
}

static void chrome_finish(struct tk_timeline_writer *v)
{
    tk_buffer_text(&v->out, "\n]");
    tk_chrome_samples(v);
    tk_buffer_text(&v->out, "}\n");
}

const struct tk_timeline_writer_format tk_chrome_format = {
    .name = "chrome",
    .state_size = sizeof(struct chrome),
    .open = put_start,
    .track = chrome_track,
    TK_TIMELINE_PUTS(put_begin, put_end, put_instant, put_counter, put_span, put_flow),
    .kind = chrome_kind,
    .steps = chrome_steps,
    .apart_open = chrome_apart_open,
    .finish = chrome_finish,
    .part = chrome_part,
};
