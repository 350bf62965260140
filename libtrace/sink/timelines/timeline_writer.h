/*
 * The writer of timelines: a sink of tracks and items (table/timeline.h) that writes a file. A format is one
 * file with one struct tk_timeline_writer_format.
 */
#ifndef TK_SINK_TIMELINES_TIMELINE_WRITER_H
#define TK_SINK_TIMELINES_TIMELINE_WRITER_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "io/output.h"
#include "sink/write/buffer.h"
#include "table/timeline.h"

struct tk_timeline_writer_options {
    const char *path;          /* "-": standard output */
    struct tk_output_set *set; /* of the files (borrowed); NULL: the one is in none */
    bool force, args;
    bool escape;            /* see tk_output_escape */
    uint64_t split;         /* bytes after which another file begins, where the format can; 0: never */
    uint64_t most_parts;    /* files, where it is split */
    unsigned threads;       /* see tk_output_threads */
    const char *spool_dir;  /* NULL: TMPDIR, else /tmp */
    int (*stop)(void *ctx); /* see tk_output_stop; may be NULL */
    void *stop_ctx;
};

struct tk_timeline_writer;

struct tk_timeline_writer_track;

/* Writes one item of a track. */
typedef void tk_timeline_writer_put(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                                    const struct tk_item *item);

/* Hooks write to v->out and do not return failures: those stick in v->out.status, which is checked after each
 * call. Hooks may be NULL. */
struct tk_timeline_writer_format {
    const char *name;
    bool scopes_only;
    size_t state_size; /* bytes of v->state, zeroed */
    void (*open)(struct tk_timeline_writer *v);
    void (*track)(struct tk_timeline_writer *v, const struct tk_track *track);
    tk_timeline_writer_put *put[TK_ITEM_KINDS]; /* by kind of the item; NULL: such items are left out */
    /* Those whose bytes do not depend on others before them. */
    bool apart[TK_ITEM_KINDS];
    /* Kinds of scopes, and their begins and ends (table/timeline.h); NULL: they come as items. What `steps`
     * writes depends on the tracks alone. A kind that has `said` stays as it is: others may read it. */
    void (*kind)(struct tk_timeline_writer *v, struct tk_scope_kind *kind, bool first);
    void (*steps)(struct tk_timeline_writer *v, const struct tk_scope_step *steps, size_t n);
    /* Prepares the state of a copy that is not the first to write. */
    void (*apart_open)(struct tk_timeline_writer *v);
    void (*finish)(struct tk_timeline_writer *v);
    void (*part)(struct tk_timeline_writer *v); /* another file begins; NULL: there is one only */
    void (*release)(struct tk_timeline_writer *v);
};

/* The begin of a scope, as another file has to tell it again. */
struct tk_timeline_writer_begin {
    int64_t ns;
    struct tk_str file; /* p NULL: not known; borrowed */
    uint32_t line;
};

/* A track as a viewer knows it. */
struct tk_timeline_writer_track {
    uint64_t id;
    uint64_t number, parent;
    uint64_t pid, tid; /* threads: in the file, where no two of them have the same; marks: of their thread */
    uint8_t kind;
    struct tk_str name;    /* owned copy */
    struct tk_str process; /* likewise: name of the process, of the first thread of each; p NULL */
    int32_t rank;
    TK_STACK(uint32_t) open;                        /* names of the open scopes, outermost first */
    TK_VEC(struct tk_timeline_writer_begin) begins; /* and their begins, where files are split */
    void *more;                                     /* of the format; freed with the track */
};

/* Which ids of processes and threads a file has. Zero-initialise to begin. */
struct tk_timeline_writer_ids {
    uint64_t base; /* ids of processes that stand for what is of none follow it */
    uint64_t made; /* ids of threads that were made up */
    struct tk_map processes, threads;
    struct tk_map numbers; /* of threads -> index in tracks */
};

struct tk_timeline_writer {
    const struct tk_timeline_writer_format *format;
    struct tk_timeline_writer_options opt;
    struct tk_output *output; /* owned */
    size_t parts;             /* files before it */
    struct tk_buffer out, scratch;
    struct tk_buffer clean; /* scratch for texts that are not valid */
    void *state;            /* owned: of the format */
    TK_VEC(struct tk_timeline_writer_track) tracks;
    struct tk_map track_index; /* id -> index in tracks */
    struct tk_timeline_writer_ids ids;
    const struct tk_sampled *sampled; /* borrowed: samples alongside the items; NULL: none */
    uint64_t last_id;                 /* of the track requested last */
    uint32_t last;
    TK_VEC(struct tk_str) names; /* by number, made by the format's tk_timeline_writer_name_fn; owned */
};

extern const struct tk_timeline_writer_format tk_chrome_format;
extern const struct tk_timeline_writer_format tk_perfetto_format;
extern const struct tk_timeline_writer_format tk_speedscope_format;

/* The path of a numbered file: x.json is x-001.json. To be freed; NULL without memory. */
char *tk_timeline_writer_part_path(const char *path, unsigned number);

/* Opens the output. The options are copied, their texts borrowed. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_timeline_writer_open(struct tk_timeline_writer **out, const struct tk_timeline_writer_format *format,
                            const struct tk_timeline_writer_options *opt, struct tk_err *err);

struct tk_timeline_sink tk_timeline_writer_sink(struct tk_timeline_writer *v);

/* Gives the samples that belong alongside the items, which `finish` of the sink writes. They are borrowed
 * until then. */
static inline void tk_timeline_writer_samples(struct tk_timeline_writer *v, const struct tk_sampled *sampled)
{
    v->sampled = sampled->moments.n ? sampled : NULL;
}

/* Puts the file in its place, or completes it for its set. Frees. TK_OK, TK_EOUTPUT, TK_EPIPE. */
int tk_timeline_writer_commit(struct tk_timeline_writer *v, struct tk_err *err);

/* Throws away what was written and frees. NULL is allowed. */
void tk_timeline_writer_discard(struct tk_timeline_writer *v);

/* ---- for formats ---- */

/* The track of a thread of this number; NULL: it has none. */
const struct tk_timeline_writer_track *tk_timeline_writer_thread(const struct tk_timeline_writer *v,
                                                                 uint64_t number);

/*
 * Ids in files. Viewers take thread 0 for the first thread of its process, and have 32 bits for the id of a
 * thread. Threads keep the ids of the capture but where another one would become the same; what is of no
 * process is in one of these, whose ids no process of a system has where the capture has processes.
 */
enum { TK_PID_THREADS = 1, TK_PID_GPU, TK_PID_FRAMES };
static inline uint64_t tk_timeline_writer_pid(const struct tk_timeline_writer *v, unsigned which)
{
    return v->ids.base + which;
}

/* What v->sampled is in each format. */
void tk_chrome_samples(struct tk_timeline_writer *v);
void tk_perfetto_samples(struct tk_timeline_writer *v);

/* Index of the track of an id, which has been reported. */
uint32_t tk_timeline_writer_track_of(struct tk_timeline_writer *v, uint64_t id);

/* A name that was kept, or NULL. Borrowed until the next one is kept. */
static inline const struct tk_str *tk_timeline_writer_name(const struct tk_timeline_writer *v, uint32_t id)
{
    return id < v->names.n && v->names.v[id].p ? &v->names.v[id] : NULL;
}

/* Keeps a copy of these bytes as the name of a number. */
void tk_timeline_writer_keep_name(struct tk_timeline_writer *v, uint32_t id, const char *p, size_t n);

/* Opens a scope on a track, or closes the innermost: its name, or UINT32_MAX where none is open. */
void tk_timeline_writer_push(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                             const struct tk_item *begin);
static inline uint32_t tk_timeline_writer_pop(struct tk_timeline_writer_track *track)
{
    const uint32_t *name = tk_stack_pop(&track->open);
    return name ? *name : UINT32_MAX;
}

/*
 * Items that are made into bytes apart from their writer, in any thread, and put behind each other later:
 * steps of scopes, and items of kinds that a format writes the same way wherever they stand. The exports make
 * timelines so with several jobs.
 */

/* The bytes of some items. Zero-initialised it has none, and may be released. */
struct tk_made_items {
    struct tk_timeline_writer as; /* the writer as it was, with buffers and a state of its own */
    struct tk_err err;            /* why as.out.status is what it is */
};

/* Can items of a writer be made apart? */
bool tk_timeline_writer_makes_apart(const struct tk_timeline_writer *v);

/* Of a writer that makes apart. TK_OK or TK_ENOMEM. */
int tk_made_items_init(struct tk_made_items *m, const struct tk_timeline_writer *v, struct tk_err *err);
void tk_made_items_release(struct tk_made_items *m);

/* Begins with no bytes and the tracks that the writer has by now. Until those of the next call no track is
 * reported. */
void tk_made_items_begin(struct tk_made_items *m, const struct tk_timeline_writer *v);

/* Says a kind to the copy, which makes what steps need of it; steps of any copy may follow. As long as the
 * copy is not released. TK_OK or TK_ENOMEM. */
int tk_made_items_kind(struct tk_made_items *m, struct tk_scope_kind *kind, struct tk_err *err);

/* Makes steps behind what was made. */
void tk_made_items_steps(struct tk_made_items *m, const struct tk_scope_step *steps, size_t n);

/* Makes an item behind it. false: it has to go to the writer itself, where it stands. */
bool tk_made_items_item(struct tk_made_items *m, const struct tk_item *item);

/* Bytes so far. */
static inline size_t tk_made_items_size(const struct tk_made_items *m)
{
    return m->as.out.n;
}

/* Writes bytes that were made. TK_OK, or what making or writing failed with. */
int tk_made_items_put(const struct tk_made_items *m, size_t from, size_t to, struct tk_timeline_writer *v,
                      struct tk_err *err);

/* The hooks of a format that has something for all items; marks, counters and flows may be made apart. */
#define TK_TIMELINE_PUTS(begin, end, instant, counter, span, flow)                                           \
    .put = {[TK_ITEM_BEGIN] = begin,     [TK_ITEM_END] = end,         [TK_ITEM_INSTANT] = instant,           \
            [TK_ITEM_COUNTER] = counter, [TK_ITEM_SPAN_BEGIN] = span, [TK_ITEM_SPAN_END] = span,             \
            [TK_ITEM_FLOW_OUT] = flow,   [TK_ITEM_FLOW_IN] = flow},                                          \
    .apart = {[TK_ITEM_INSTANT] = true,                                                                      \
              [TK_ITEM_COUNTER] = true,                                                                      \
              [TK_ITEM_FLOW_OUT] = true,                                                                     \
              [TK_ITEM_FLOW_IN] = true}

#endif
