/*
 * Opens the output of a timeline, keeps its tracks and passes each item to the format. export_timeline.c
 * feeds it; chrome.c, perfetto.c and speedscope.c are its formats.
 */
#include "sink/timelines/timeline_writer.h"

#include "base/err.h"
#include "base/health/health.h"
#include "base/text/path.h"
#include "io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Items that are made apart: a copy of the writer that puts them to buffers of its own.
 */

bool tk_timeline_writer_makes_apart(const struct tk_timeline_writer *v)
{
    return v->format->steps && !v->opt.split;
}

int tk_made_items_init(struct tk_made_items *m, const struct tk_timeline_writer *v, struct tk_err *err)
{
    struct tk_timeline_writer *as = &m->as;
    *m = (struct tk_made_items){.as = {.format = v->format, .opt = v->opt}};
    as->state = calloc(1, v->format->state_size + 1);
    if (!as->state || tk_buffer_init(&as->out, NULL, err) || tk_buffer_init_scratch(&as->scratch, &as->out) ||
        tk_buffer_init_scratch(&as->clean, &as->out))
        return tk_err_nomem(err, "items on their way");
    as->out.err = &m->err;
    v->format->apart_open(as);
    return as->out.status == TK_OK ? TK_OK : tk_err_nomem(err, "items on their way");
}

void tk_made_items_release(struct tk_made_items *m)
{
    if (m->as.state && m->as.format->release)
        m->as.format->release(&m->as);
    free(m->as.state);
    for (size_t i = 0; i < m->as.names.n; i++)
        free((void *)(uintptr_t)m->as.names.v[i].p);
    tk_vec_release(&m->as.names);
    tk_buffer_release(&m->as.out);
    tk_buffer_release(&m->as.scratch);
    tk_buffer_release(&m->as.clean);
    *m = (struct tk_made_items){0};
}

void tk_made_items_begin(struct tk_made_items *m, const struct tk_timeline_writer *v)
{
    m->as.tracks = v->tracks;
    m->as.track_index = v->track_index;
    m->as.out.n = 0;
}

int tk_made_items_kind(struct tk_made_items *m, struct tk_scope_kind *kind, struct tk_err *err)
{
    m->as.format->kind(&m->as, kind, false);
    return m->as.out.status < 0 ? tk_err_nomem(err, "items on their way") : TK_OK;
}

void tk_made_items_steps(struct tk_made_items *m, const struct tk_scope_step *steps, size_t n)
{
    m->as.format->steps(&m->as, steps, n);
}

bool tk_made_items_item(struct tk_made_items *m, const struct tk_item *item)
{
    const struct tk_timeline_writer_format *format = m->as.format;
    if (!format->apart[item->kind] && format->put[item->kind])
        return false;
    if (format->put[item->kind])
        format->put[item->kind](&m->as, &m->as.tracks.v[tk_timeline_writer_track_of(&m->as, item->track)],
                                item);
    return true;
}

int tk_made_items_put(const struct tk_made_items *m, size_t from, size_t to, struct tk_timeline_writer *v,
                      struct tk_err *err)
{
    v->out.err = err;
    if (m->as.out.status < 0) {
        tk_buffer_fail(&v->out, m->as.out.status);
        if (err)
            *err = m->err;
        return v->out.status;
    }
    tk_buffer_put(&v->out, m->as.out.p + from, to - from);
    return v->out.status;
}

char *tk_timeline_writer_part_path(const char *path, unsigned number)
{
    const size_t head = tk_path_stem(path), capacity = strlen(path) + 16;
    char *made = malloc(capacity);
    if (made)
        snprintf(made, capacity, "%.*s-%03u%s", (int)head, path, number, path + head);
    return made;
}

/* Opens the output, numbered where there may be several. */
static int open_output(struct tk_timeline_writer *v, struct tk_err *err)
{
    const enum tk_compressing packing = tk_compressing_of(v->opt.path);
    char *path = v->opt.split ? tk_timeline_writer_part_path(v->opt.path, (unsigned)v->parts + 1) : NULL;
    if (v->opt.split && !path)
        return tk_err_nomem(err, "a file name");
    int rc = tk_output_open_in(&v->output, v->opt.set, path ? path : v->opt.path, v->opt.force, packing, err);
    free(path);
    if (rc == TK_OK)
        tk_output_threads(v->output, v->opt.threads ? v->opt.threads : 1);
    if (rc == TK_OK)
        tk_output_stop(v->output, v->opt.stop, v->opt.stop_ctx);
    if (rc == TK_OK && v->opt.escape)
        tk_output_escape(v->output);
    return rc;
}

static int prepare_timeline_writer(struct tk_timeline_writer *v, struct tk_err *err)
{
    int rc = open_output(v, err);
    if (rc < 0)
        return rc;
    v->state = calloc(1, v->format->state_size + 1);
    if (!v->state || tk_buffer_init(&v->out, v->output, err) ||
        tk_buffer_init_scratch(&v->scratch, &v->out) || tk_buffer_init_scratch(&v->clean, &v->out))
        return tk_err_nomem(err, "a timeline");
    if (v->format->open)
        v->format->open(v);
    return v->out.status;
}

int tk_timeline_writer_open(struct tk_timeline_writer **out, const struct tk_timeline_writer_format *format,
                            const struct tk_timeline_writer_options *opt, struct tk_err *err)
{
    struct tk_timeline_writer *v = calloc(1, sizeof *v);
    *out = NULL;
    if (!v)
        return tk_err_nomem(err, "a timeline");
    v->format = format;
    v->opt = *opt;
    int rc = prepare_timeline_writer(v, err);
    if (rc < 0)
        tk_timeline_writer_discard(v);
    else
        *out = v;
    return rc;
}

static int status_of(struct tk_timeline_writer *v, struct tk_err *err)
{
    if (v->out.status == TK_ENOMEM && err && err->code != TK_ENOMEM)
        return tk_err_nomem(err, "a timeline");
    return v->out.status;
}

static char *copy(const void *p, size_t n)
{
    char *made = malloc(n + 1);
    if (made && n)
        memcpy(made, p, n);
    return made;
}

/* ---- ids of processes and threads ---- */

#define BASE       UINT64_C(2000000000) /* of processes */
#define TID_NOUGHT UINT64_C(1999999999) /* thread 0 */
#define TID_MADE   UINT64_C(1000000000)

/* Takes an id for a thread; false: another one has it. */
static bool take_tid(struct tk_timeline_writer *v, uint64_t pid, uint64_t tid)
{
    const uint64_t key = tk_hash_pair(pid, (uint32_t)tid);
    if (tk_map_get(&v->ids.threads, key) != TK_MAP_NONE)
        return false;
    if (tk_map_put(&v->ids.threads, key, 0))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    return true;
}

static void number_thread(struct tk_timeline_writer *v, const struct tk_track *track,
                          struct tk_timeline_writer_track *known)
{
    known->pid = track->has_process ? track->process_id : tk_timeline_writer_pid(v, TK_PID_THREADS);
    known->tid = track->has_process ? track->system_id : track->number ? track->number : TID_NOUGHT;
    while ((uint32_t)known->tid == 0 || !take_tid(v, known->pid, known->tid))
        known->tid = TID_MADE + v->ids.made++;
}

static void number_track(struct tk_timeline_writer *v, const struct tk_track *track,
                         struct tk_timeline_writer_track *known)
{
    const uint32_t of = track->parent ? tk_map_get(&v->track_index, track->parent) : TK_MAP_NONE;
    known->pid = tk_timeline_writer_pid(v, TK_PID_THREADS);
    known->tid = track->number;
    if (track->kind == TK_TRACK_PROCESS && track->has_process)
        v->ids.base = BASE;
    else if (track->kind == TK_TRACK_THREAD)
        number_thread(v, track, known);
    else if (of != TK_MAP_NONE) {
        known->pid = v->tracks.v[of].pid;
        known->tid = v->tracks.v[of].tid;
    }
}

/* The name of a process stands with the first of its threads. 0 or -1. */
static int name_process(struct tk_timeline_writer *v, const struct tk_track *track,
                        struct tk_timeline_writer_track *known)
{
    if (track->kind != TK_TRACK_THREAD || !track->has_process || !track->process ||
        tk_map_get(&v->ids.processes, track->process_id) != TK_MAP_NONE)
        return 0;
    known->process = *track->process;
    known->process.p = copy(track->process->p, track->process->n);
    return known->process.p ? tk_map_put(&v->ids.processes, track->process_id, 0) : -1;
}

static int viewer_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct tk_timeline_writer *v = self;
    struct tk_timeline_writer_track known = {.id = track->id,
                                             .kind = track->kind,
                                             .number = track->number,
                                             .parent = track->parent,
                                             .rank = track->rank,
                                             .name = *track->name};
    v->out.err = err;
    number_track(v, track, &known);
    known.name.p = copy(track->name->p, track->name->n);
    if (!known.name.p || name_process(v, track, &known) ||
        tk_map_put(&v->track_index, track->id, (uint32_t)v->tracks.n) ||
        (known.kind == TK_TRACK_THREAD && tk_map_put(&v->ids.numbers, known.number, (uint32_t)v->tracks.n)) ||
        tk_vec_push(&v->tracks, known)) {
        free((void *)(uintptr_t)known.name.p);
        free((void *)(uintptr_t)known.process.p);
        return tk_err_nomem(err, "the tracks of a timeline");
    }
    if (v->format->track)
        v->format->track(v, track);
    return status_of(v, err);
}

/* Closes a file and begins the next one. */
static int begin_part(struct tk_timeline_writer *v, struct tk_err *err)
{
    v->format->finish(v);
    tk_buffer_flush(&v->out);
    if (v->out.status < 0)
        return status_of(v, err);
    if (v->parts + 1 >= v->opt.most_parts)
        return tk_err_limit(err, TK_LIMIT_parts, "%llu files of %llu bytes each are not enough",
                            (unsigned long long)v->opt.most_parts, (unsigned long long)v->opt.split);
    int rc = tk_output_commit(v->output, err);
    v->output = NULL;
    v->parts++;
    if (rc == TK_OK)
        rc = open_output(v, err);
    if (rc < 0)
        return rc;
    v->out.out = v->output;
    v->out.flushed = 0;
    v->format->part(v);
    return status_of(v, err);
}

static void put_items(struct tk_timeline_writer *v, const struct tk_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tk_timeline_writer_put *put = v->format->put[items[i].kind];
        if (put)
            put(v, &v->tracks.v[tk_timeline_writer_track_of(v, items[i].track)], &items[i]);
    }
}

static int viewer_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct tk_timeline_writer *v = self;
    v->out.err = err;
    put_items(v, items, n);
    if (v->opt.split && v->out.flushed + v->out.n >= v->opt.split && v->out.status == TK_OK)
        return begin_part(v, err);
    return status_of(v, err);
}

static int viewer_kind(void *self, struct tk_scope_kind *kind, bool first, struct tk_err *err)
{
    struct tk_timeline_writer *v = self;
    v->out.err = err;
    v->format->kind(v, kind, first);
    return status_of(v, err);
}

static int viewer_steps(void *self, const struct tk_scope_step *steps, size_t n, struct tk_err *err)
{
    struct tk_timeline_writer *v = self;
    v->out.err = err;
    v->format->steps(v, steps, n);
    return status_of(v, err);
}

static int viewer_finish(void *self, struct tk_err *err)
{
    struct tk_timeline_writer *v = self;
    v->out.err = err;
    if (v->format->finish)
        v->format->finish(v);
    tk_buffer_flush(&v->out);
    return status_of(v, err);
}

struct tk_timeline_sink tk_timeline_writer_sink(struct tk_timeline_writer *v)
{
    /* what is open where another file begins has to be reported again, so that items are noted */
    const bool steps = v->format->steps && !v->opt.split;
    return (struct tk_timeline_sink){.self = v,
                                     .track = viewer_track,
                                     .items = viewer_items,
                                     .finish = viewer_finish,
                                     .kind = steps ? viewer_kind : NULL,
                                     .steps = steps ? viewer_steps : NULL};
}

int tk_timeline_writer_commit(struct tk_timeline_writer *v, struct tk_err *err)
{
    const int rc = tk_output_commit(v->output, err);
    v->output = NULL;
    tk_timeline_writer_discard(v);
    return rc;
}

void tk_timeline_writer_discard(struct tk_timeline_writer *v)
{
    if (!v)
        return;
    if (v->format->release && v->state)
        v->format->release(v);
    for (size_t i = 0; i < v->tracks.n; i++) {
        tk_stack_release(&v->tracks.v[i].open);
        tk_vec_release(&v->tracks.v[i].begins);
        free((void *)(uintptr_t)v->tracks.v[i].name.p);
        free((void *)(uintptr_t)v->tracks.v[i].process.p);
        free(v->tracks.v[i].more);
    }
    for (size_t i = 0; i < v->names.n; i++)
        free((void *)(uintptr_t)v->names.v[i].p);
    tk_vec_release(&v->tracks);
    tk_map_release(&v->ids.processes);
    tk_map_release(&v->ids.threads);
    tk_map_release(&v->ids.numbers);
    tk_vec_release(&v->names);
    tk_map_release(&v->track_index);
    tk_buffer_release(&v->out);
    tk_buffer_release(&v->scratch);
    tk_buffer_release(&v->clean);
    tk_output_discard(v->output);
    free(v->state);
    free(v);
}

uint32_t tk_timeline_writer_track_of(struct tk_timeline_writer *v, uint64_t id)
{
    if (v->last_id != id) {
        v->last = tk_map_get(&v->track_index, id);
        v->last_id = id;
    }
    return v->last;
}

const struct tk_timeline_writer_track *tk_timeline_writer_thread(const struct tk_timeline_writer *v,
                                                                 uint64_t number)
{
    const uint32_t at = tk_map_get(&v->ids.numbers, number);
    return at == TK_MAP_NONE ? NULL : &v->tracks.v[at];
}

void tk_timeline_writer_keep_name(struct tk_timeline_writer *v, uint32_t id, const char *p, size_t n)
{
    if (tk_vec_reserve(&v->names, (size_t)id + 1)) {
        tk_buffer_fail(&v->out, TK_ENOMEM);
        return;
    }
    while (v->names.n <= id)
        v->names.v[v->names.n++] = (struct tk_str){.p = NULL};
    char *made = copy(p, n);
    if (!made)
        tk_buffer_fail(&v->out, TK_ENOMEM);
    v->names.v[id] = (struct tk_str){.p = made, .n = (uint32_t)n};
}

void tk_timeline_writer_push(struct tk_timeline_writer *v, struct tk_timeline_writer_track *track,
                             const struct tk_item *begin)
{
    const size_t depth = track->open.n;
    if (tk_stack_push(&track->open, begin->name_id) ||
        (v->opt.split && tk_vec_reserve(&track->begins, depth + 1)))
        tk_buffer_fail(&v->out, TK_ENOMEM);
    else if (v->opt.split)
        track->begins.v[depth] = (struct tk_timeline_writer_begin){
            begin->ns, begin->file ? *begin->file : (struct tk_str){.p = NULL}, begin->line};
}
