/*
 * speedscope's own JSON: one evented profile a thread or queue. As items of all threads come mixed, the
 * events of each wait in a temporary file. Members of objects come in an order that needs no second look:
 * events first, frames last.
 *
 * Samples follow as one sampled profile a thread, an entry for each sample. Frames of theirs are functions,
 * without lines: the viewer takes frames of different lines for different functions.
 *
 * Of a scope that never ended the time that is its own is a frame "(open)" in it, as in folded stacks. Which
 * ones these are is known at the end alone.
 */
#include "base/sort.h"
#include "io/scratch/spill.h"
#include "sink/timelines/timeline_writer.h"
#include "sink/write/value.h"

#include <stdlib.h>

#define PIECE_EVENTS 2048
#define CLOSES       UINT32_MAX

/* An event on its way to the temporary file. */
struct event {
    int64_t ns;
    uint32_t frame;  /* that it opens; CLOSES: it closes the innermost */
    uint32_t unused; /* so that no byte of the file is undefined */
};

struct profile {
    struct tk_spilled spilled;
    int64_t first, last;        /* nanoseconds */
    uint64_t opened;            /* scopes so far */
    TK_STACK(uint64_t) numbers; /* of the open scopes in the order of their begins, outermost first */
    TK_VEC(uint64_t) endless;   /* numbers of those that never ended */
    size_t n;                   /* in piece */
    bool begun;
    struct event piece[PIECE_EVENTS];
};

struct speedscope {
    struct tk_spill *spill;
    bool begun;               /* a profile is written */
    bool has_open;            /* there is a frame "(open)" behind those of names */
    struct tk_map functions;  /* of samples: function and file -> number of their frame */
    TK_VEC(uint32_t) numbers; /* the same by place of the samples */
    TK_VEC(uint32_t) firsts;  /* by function: the first of its places */
};

static void speedscope_open(struct tk_timeline_writer *v)
{
    struct speedscope *s = v->state;
    tk_buffer_fail(&v->out, tk_spill_open(&s->spill, v->opt.spool_dir, v->out.err));
    tk_buffer_text(&v->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                            "\"exporter\":\"tracekit " TK_VERSION "\",\"profiles\":[");
}

/* The profile of a track, made at its first scope; NULL if out of memory. */
static struct profile *profile_of(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track)
{
    if (track->more)
        return track->more;
    struct profile *p = track->more = malloc(sizeof *p);
    if (p)
        memset(p, 0, offsetof(struct profile, piece));
    else
        tk_buffer_fail(&v->out, TK_ENOMEM);
    return p;
}

/* Hands the events that wait on to the temporary file. */
static void spill(struct tk_timeline_writer *v, struct profile *p)
{
    struct speedscope *s = v->state;
    if (p->n && v->out.status == TK_OK)
        tk_buffer_fail(&v->out,
                       tk_spill_write(s->spill, &p->spilled, p->piece, p->n * sizeof *p->piece, v->out.err));
    p->n = 0;
}

static void keep_event(struct tk_timeline_writer *v, struct profile *p, uint32_t frame, int64_t ns)
{
    if (p->n == PIECE_EVENTS)
        spill(v, p);
    p->piece[p->n++] = (struct event){.ns = ns, .frame = frame};
    if (!p->begun || ns < p->first)
        p->first = ns;
    p->last = ns;
    p->begun = true;
}

/* The frame of a name: {"name":...,"file":...,"line":...} */
static void keep_frame(struct tk_timeline_writer *v, const struct tk_item *item)
{
    if (tk_timeline_writer_name(v, item->name_id))
        return;
    v->scratch.n = 0;
    tk_buffer_text(&v->scratch, "{\"name\":");
    tk_json_key(&v->scratch, &v->clean, *item->name);
    if (item->file) {
        tk_buffer_text(&v->scratch, ",\"file\":");
        tk_json_key(&v->scratch, &v->clean, *item->file);
        tk_buffer_text(&v->scratch, ",\"line\":");
        tk_buffer_u64(&v->scratch, item->line);
    }
    tk_buffer_char(&v->scratch, '}');
    tk_timeline_writer_keep_name(v, item->name_id, v->scratch.p, v->scratch.n);
}

static void put_begin(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                      const struct tk_item *item)
{
    struct profile *p = profile_of(v, track);
    if (!p)
        return;
    keep_frame(v, item);
    tk_timeline_writer_push(v, track, item);
    if (tk_stack_push(&p->numbers, p->opened++))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    keep_event(v, p, item->name_id, item->ns);
}

/* Closes the innermost scope; `open`: it never ended. */
static void close_scope(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track, bool open,
                        int64_t ns)
{
    struct profile *p = profile_of(v, track);
    const uint64_t *number = p ? tk_stack_pop(&p->numbers) : NULL;
    if (!number)
        return;
    if (open && tk_vec_push(&p->endless, *number))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    tk_timeline_writer_pop(track);
    keep_event(v, p, CLOSES, ns);
}

static void put_end(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                    const struct tk_item *item)
{
    close_scope(v, track, item->open, item->ns);
}

/* ---- profiles ---- */

/* A scope that is open where events are written. */
struct displayed {
    uint32_t frame;
    bool endless;
};

/* The events of a profile as they are written. */
struct replay {
    struct tk_timeline_writer *v;
    const struct profile *p;
    uint64_t opened; /* scopes so far */
    size_t endless;  /* of those that never end: so far */
    int64_t at;
    bool begun;
    TK_STACK(struct displayed) stack;
};

static void put_event(struct replay *r, char type, uint32_t frame, int64_t ns)
{
    struct tk_buffer *out = &r->v->out;
    tk_buffer_text(out, r->begun ? ",\n{\"type\":\"" : "{\"type\":\"");
    tk_buffer_char(out, type);
    tk_buffer_text(out, "\",\"frame\":");
    tk_buffer_u64(out, frame);
    tk_buffer_text(out, ",\"at\":");
    tk_buffer_i64(out, ns);
    tk_buffer_char(out, '}');
    r->begun = true;
}

/* Nothing was in the innermost scope from r->at to `ns`: of one that never ended the time is displayed apart.
 */
static void put_own_time(struct replay *r, int64_t ns)
{
    struct speedscope *s = r->v->state;
    const uint32_t frame = (uint32_t)r->v->names.n;
    if (!r->stack.n || !r->stack.v[r->stack.n - 1].endless || ns <= r->at)
        return;
    s->has_open = true;
    put_event(r, 'O', frame, r->at);
    put_event(r, 'C', frame, ns);
}

static void open_frame(struct replay *r, const struct event *e)
{
    const uint64_t number = r->opened++;
    const bool endless = r->endless < r->p->endless.n && r->p->endless.v[r->endless] == number;
    const struct displayed scope = {e->frame, endless};
    r->endless += endless;
    put_event(r, 'O', e->frame, e->ns);
    if (tk_stack_push(&r->stack, scope))
        tk_buffer_fail(&r->v->out, TK_ENOMEM);
}

static void replay(struct replay *r, const struct event *e)
{
    put_own_time(r, e->ns);
    r->at = e->ns;
    if (e->frame != CLOSES)
        open_frame(r, e);
    else if (r->stack.n)
        put_event(r, 'C', r->stack.v[--r->stack.n].frame, e->ns);
}

static void put_pieces(struct tk_timeline_writer *v, struct profile *p)
{
    const struct speedscope *s = v->state;
    struct replay r = {.v = v, .p = p};
    for (size_t i = 0; i < p->spilled.pieces.n && v->out.status == TK_OK; i++) {
        const size_t n = p->spilled.pieces.v[i].n / sizeof *p->piece;
        tk_buffer_fail(&v->out, tk_spill_read(s->spill, &p->spilled, i, p->piece, v->out.err));
        for (size_t k = 0; k < n && v->out.status == TK_OK; k++)
            replay(&r, &p->piece[k]);
    }
    tk_stack_release(&r.stack);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void put_profile(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track)
{
    struct speedscope *s = v->state;
    struct profile *p = track->more;
    while (p->numbers.n)
        close_scope(v, track, true, p->last);
    spill(v, p);
    if (tk_sort(p->endless.v, p->endless.n, sizeof *p->endless.v, by_number))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    tk_buffer_text(&v->out, s->begun ? ",\n{\"events\":[\n" : "\n{\"events\":[\n");
    put_pieces(v, p);
    tk_buffer_text(&v->out, "\n],\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":");
    tk_json_key(&v->out, &v->clean, track->name);
    tk_buffer_text(&v->out, ",\"startValue\":");
    tk_buffer_i64(&v->out, p->first);
    tk_buffer_text(&v->out, ",\"endValue\":");
    tk_buffer_i64(&v->out, p->last);
    tk_buffer_char(&v->out, '}');
    s->begun = true;
}

static bool has_profile(const struct tk_timeline_writer *v)
{
    for (size_t i = 0; i < v->tracks.n; i++)
        if (v->tracks.v[i].more)
            return true;
    return false;
}

/* ---- samples ---- */

/* Numbers the functions of samples: those of the frames begin at `first`. */
static void number_functions(struct tk_timeline_writer *v, uint32_t first)
{
    struct speedscope *s = v->state;
    const struct tk_sampled *sampled = v->sampled;
    for (uint32_t i = 0; i < sampled->places.n && v->out.status == TK_OK; i++) {
        const struct tk_sampled_place *place = &sampled->places.v[i];
        const uint64_t hash =
            tk_hash_pair((uint64_t)(uintptr_t)place->function, (uint64_t)(uintptr_t)place->file);
        uint32_t at = tk_map_get(&s->functions, hash);
        if (at == TK_MAP_NONE) {
            at = first + (uint32_t)s->firsts.n;
            if (tk_map_put(&s->functions, hash, at) || tk_vec_push(&s->firsts, i))
                tk_buffer_fail(&v->out, TK_ENOMEM);
        }
        if (tk_vec_push(&s->numbers, at))
            tk_buffer_fail(&v->out, TK_ENOMEM);
    }
}

/* The functions of a stack, the outermost first. */
static void put_stack(struct tk_timeline_writer *v, const struct tk_sampled_stack *stack)
{
    const struct speedscope *s = v->state;
    const struct tk_sampled *sampled = v->sampled;
    bool begun = false;
    tk_buffer_char(&v->out, '[');
    for (size_t i = stack->n; i-- > 0;) {
        const struct tk_sampled_location *location =
            &sampled->locations.v[sampled->frames.v[stack->first + i]];
        for (uint32_t k = location->n; k-- > 0; begun = true) {
            if (begun)
                tk_buffer_char(&v->out, ',');
            tk_buffer_u64(&v->out, s->numbers.v[location->first + k]);
        }
    }
    tk_buffer_char(&v->out, ']');
}

/* Of the samples [first, end) of a thread. */
static void put_sampled(struct tk_timeline_writer *v, size_t first, size_t end)
{
    struct speedscope *s = v->state;
    const struct tk_sampled *sampled = v->sampled;
    const uint64_t weight = sampled->period ? (uint64_t)sampled->period : 1;
    tk_buffer_text(&v->out, s->begun ? ",\n{\"samples\":[\n" : "\n{\"samples\":[\n");
    for (size_t i = first; i < end && v->out.status == TK_OK; i++) {
        tk_buffer_text(&v->out, i > first ? ",\n" : "");
        put_stack(v, &sampled->stacks.v[sampled->moments.v[i].stack]);
    }
    tk_buffer_text(&v->out, "\n],\"weights\":[");
    for (size_t i = first; i < end && v->out.status == TK_OK; i++) {
        tk_buffer_text(&v->out, i > first ? "," : "");
        tk_buffer_u64(&v->out, weight);
    }
    tk_buffer_text(&v->out, "],\"type\":\"sampled\",\"unit\":");
    tk_buffer_text(&v->out, sampled->period ? "\"nanoseconds\"" : "\"none\"");
    tk_buffer_text(&v->out, ",\"name\":");
    v->scratch.n = 0;
    const struct tk_str name =
        tk_safe_text_clean(&v->clean, *sampled->threads.v[sampled->moments.v[first].thread].name);
    tk_buffer_put(&v->scratch, name.p, name.n);
    tk_buffer_text(&v->scratch, " (samples)");
    tk_json_string(&v->out, v->scratch.p, v->scratch.n);
    tk_buffer_text(&v->out, ",\"startValue\":0,\"endValue\":");
    tk_buffer_u64(&v->out, weight * (end - first));
    tk_buffer_char(&v->out, '}');
    s->begun = true;
}

static void put_samples(struct tk_timeline_writer *v)
{
    const struct tk_sampled *sampled = v->sampled;
    number_functions(v, (uint32_t)v->names.n + 1);
    for (size_t first = 0, end; first < sampled->moments.n && v->out.status == TK_OK; first = end) {
        for (end = first + 1; end < sampled->moments.n; end++)
            if (sampled->moments.v[end].thread != sampled->moments.v[first].thread)
                break;
        put_sampled(v, first, end);
    }
}

static void put_functions(struct tk_timeline_writer *v)
{
    const struct speedscope *s = v->state;
    for (size_t i = 0; i < s->firsts.n; i++) {
        const struct tk_sampled_place *place = &v->sampled->places.v[s->firsts.v[i]];
        tk_buffer_text(&v->out, ",\n{\"name\":");
        tk_json_key(&v->out, &v->clean, *place->function);
        if (place->file) {
            tk_buffer_text(&v->out, ",\"file\":");
            tk_json_key(&v->out, &v->clean, *place->file);
        }
        tk_buffer_char(&v->out, '}');
    }
}

/* Without a profile there is nothing that the viewer could open. */
static void speedscope_finish(struct tk_timeline_writer *v)
{
    const struct speedscope *s = v->state;
    if (!has_profile(v) && !v->sampled) {
        tk_buffer_fail(&v->out, tk_err_set(v->out.err, TK_EMATCH,
                                           "nothing for speedscope: the selection has no scopes"));
        return;
    }
    for (size_t i = 0; i < v->tracks.n && v->out.status == TK_OK; i++)
        if (v->tracks.v[i].more)
            put_profile(v, &v->tracks.v[i]);
    if (v->sampled)
        put_samples(v);
    tk_buffer_text(&v->out, "\n],\"shared\":{\"frames\":[");
    for (uint32_t i = 0; i < v->names.n; i++) {
        tk_buffer_text(&v->out, i ? ",\n" : "\n");
        if (v->names.v[i].p)
            tk_buffer_put(&v->out, v->names.v[i].p, v->names.v[i].n);
        else
            tk_buffer_text(&v->out, "{\"name\":\"\"}");
    }
    if (s->has_open || v->sampled)
        tk_buffer_text(&v->out, v->names.n ? ",\n{\"name\":\"(open)\"}" : "\n{\"name\":\"(open)\"}");
    if (v->sampled)
        put_functions(v);
    tk_buffer_text(&v->out, "\n]}}\n");
}

static void speedscope_release(struct tk_timeline_writer *v)
{
    struct speedscope *s = v->state;
    for (size_t i = 0; i < v->tracks.n; i++) {
        struct profile *p = v->tracks.v[i].more; /* freed with its track */
        if (!p)
            continue;
        tk_vec_release(&p->spilled.pieces);
        tk_stack_release(&p->numbers);
        tk_vec_release(&p->endless);
    }
    tk_map_release(&s->functions);
    tk_vec_release(&s->numbers);
    tk_vec_release(&s->firsts);
    tk_spill_close(s->spill);
}

const struct tk_timeline_writer_format tk_speedscope_format = {
    .name = "speedscope",
    .scopes_only = true,
    .state_size = sizeof(struct speedscope),
    .open = speedscope_open,
    .put = {[TK_ITEM_BEGIN] = put_begin, [TK_ITEM_END] = put_end, [TK_ITEM_OPEN] = put_end},
    .finish = speedscope_finish,
    .release = speedscope_release,
};
