/*
 * speedscope's own JSON: one evented profile a thread or queue. As items of all threads come mixed, the
 * events of each wait in a temporary file. Scopes that never ended are closed at the end of the profile,
 * which is the last time of its thread. Members of objects come in an order that needs no second look: events
 * first, frames last.
 */
#include "io/scratch/spill.h"
#include "sink/encode/json_text.h"
#include "sink/encode/safe_text.h"
#include "sink/timelines/timeline_writer.h"

#include <stdlib.h>

enum { PIECE_BYTES = 32 << 10, EVENT_BYTES = 64 };

struct profile {
    struct tk_spilled spilled;
    int64_t first, last; /* nanoseconds */
    size_t n;            /* in piece */
    bool begun;
    char piece[PIECE_BYTES];
};

struct speedscope {
    struct tk_spill *spill;
    bool begun; /* a profile is written */
};

static void speedscope_open(struct tk_timeline_writer *v)
{
    struct speedscope *s = v->state;
    tk_buffer_fail(&v->out, tk_spill_open(&s->spill, v->opt.spool_dir, v->out.err));
    tk_buffer_text(&v->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                            "\"exporter\":\"tracekit " TK_VERSION "\",\"profiles\":[");
}

/* The profile of a track, made at its first scope; NULL when memory is out. */
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

/* Hands the events that wait on to a buffer-like place: the temporary file. */
static void spill(struct tk_timeline_writer *v, struct profile *p)
{
    struct speedscope *s = v->state;
    if (p->n && v->out.status == TK_OK)
        tk_buffer_fail(&v->out, tk_spill_write(s->spill, &p->spilled, p->piece, p->n, v->out.err));
    p->n = 0;
}

static void put_event(struct tk_timeline_writer *v, struct profile *p, char type, uint32_t frame, int64_t at)
{
    if (PIECE_BYTES - p->n < EVENT_BYTES)
        spill(v, p);
    v->scratch.n = 0;
    tk_buffer_text(&v->scratch, p->begun ? ",\n{\"type\":\"" : "{\"type\":\"");
    tk_buffer_char(&v->scratch, type);
    tk_buffer_text(&v->scratch, "\",\"frame\":");
    tk_buffer_u64(&v->scratch, frame);
    tk_buffer_text(&v->scratch, ",\"at\":");
    tk_buffer_i64(&v->scratch, at);
    tk_buffer_char(&v->scratch, '}');
    memcpy(p->piece + p->n, v->scratch.p, v->scratch.n);
    p->n += v->scratch.n;
    if (!p->begun || at < p->first)
        p->first = at;
    p->last = at;
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
    put_event(v, p, 'O', item->name_id, item->ns);
}

static void put_end(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                    const struct tk_item *item)
{
    struct profile *p = profile_of(v, track);
    if (p && track->open.n)
        put_event(v, p, 'C', tk_timeline_writer_pop(track), item->ns);
}

static void put_pieces(struct tk_timeline_writer *v, const struct profile *p, char *room)
{
    const struct speedscope *s = v->state;
    for (size_t i = 0; i < p->spilled.pieces.n && v->out.status == TK_OK; i++) {
        tk_buffer_fail(&v->out, tk_spill_read(s->spill, &p->spilled, i, room, v->out.err));
        if (v->out.status == TK_OK)
            tk_buffer_put(&v->out, room, p->spilled.pieces.v[i].n);
    }
}

static void put_profile(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track)
{
    struct speedscope *s = v->state;
    struct profile *p = track->more;
    while (track->open.n)
        put_event(v, p, 'C', tk_timeline_writer_pop(track), p->last);
    spill(v, p);
    tk_buffer_text(&v->out, s->begun ? ",\n{\"events\":[\n" : "\n{\"events\":[\n");
    put_pieces(v, p, p->piece);
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

/* Without a profile there is nothing that the viewer could open. */
static void speedscope_finish(struct tk_timeline_writer *v)
{
    if (!has_profile(v)) {
        tk_buffer_fail(&v->out, tk_err_set(v->out.err, TK_EMATCH,
                                           "nothing for speedscope: what is selected has no scopes"));
        return;
    }
    for (size_t i = 0; i < v->tracks.n && v->out.status == TK_OK; i++)
        if (v->tracks.v[i].more)
            put_profile(v, &v->tracks.v[i]);
    tk_buffer_text(&v->out, "\n],\"shared\":{\"frames\":[");
    for (uint32_t i = 0; i < v->names.n; i++) {
        tk_buffer_text(&v->out, i ? ",\n" : "\n");
        if (v->names.v[i].p)
            tk_buffer_put(&v->out, v->names.v[i].p, v->names.v[i].n);
        else
            tk_buffer_text(&v->out, "{\"name\":\"\"}");
    }
    tk_buffer_text(&v->out, "\n]}}\n");
}

static void speedscope_release(struct tk_timeline_writer *v)
{
    struct speedscope *s = v->state;
    for (size_t i = 0; i < v->tracks.n; i++) {
        struct profile *p = v->tracks.v[i].more; /* freed with its track */
        if (p)
            tk_vec_release(&p->spilled.pieces);
    }
    tk_spill_close(s->spill);
}

const struct tk_timeline_writer_format tk_speedscope_format = {
    .name = "speedscope",
    .scopes_only = true,
    .state_size = sizeof(struct speedscope),
    .open = speedscope_open,
    .put = {[TK_ITEM_BEGIN] = put_begin, [TK_ITEM_END] = put_end},
    .finish = speedscope_finish,
    .release = speedscope_release,
};
