/*
 * File I/O (events 8.3). Opening and closing pair up on their thread, one of each at a time; reads and
 * writes by a handle of their own, whatever the thread. Handles are used again, so they are forgotten when
 * they end; the handle of a file when its closing begins.
 */
#include "base/record_map.h"
#include "format/utrace/feed/family_list.h"

#define NO_HANDLE UINT64_MAX

/* What is under way. */
struct pending {
    struct tk_fact fact;
    uint64_t handle; /* of the file, before it */
    bool used;
};

struct thread {
    struct pending open, reopen, close;
};

struct state {
    struct tk_record_map threads;       /* id -> struct thread */
    struct tk_record_map reads, writes; /* handle -> struct pending */
    struct tk_record_map files;         /* handle -> path */
};

static const struct tk_str *path_of(const struct state *s, uint64_t handle)
{
    const struct tk_str *const *path = tk_record_map_get(&s->files, handle);
    return path ? *path : NULL;
}

/* A handle of all ones says that it did not work. */
static int add_file(struct tk_ut_feed *feed, struct state *s, uint64_t handle, const struct tk_str *path)
{
    if (handle == NO_HANDLE)
        return TK_OK;
    if (!tk_record_map_get(&s->files, handle) && s->files.count >= feed->capture->ctx->limits.held_events) {
        tk_health_limit(&feed->out->health, TK_LIMIT_held_events, TK_NO_OFFSET, 1,
                        "an open file was left out");
        return TK_OK;
    }
    const struct tk_str **file = tk_record_map_put(&s->files, handle);
    if (!file)
        return TK_ENOMEM;
    *file = path;
    return TK_OK;
}

/* Events before 4.26 tell the thread of the operating system. */
static uint32_t thread_of_file(const struct tk_ut_event *ev, unsigned field)
{
    uint32_t id = tk_ut_has(ev, field) ? (uint32_t)tk_ut_u64(ev, field) : 0;
    return id ? id | TK_UT_OS_THREAD : ev->tid;
}

static struct tk_fact start_file(const struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t thread,
                                 uint8_t op, const struct tk_str *path)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_FILE_IO, tk_ut_since(feed, tk_ut_u64(ev, 0)));
    fact.thread = thread;
    fact.u.file_io = (struct tk_fact_file_io){.op = op, .path = path};
    return fact;
}

static int unmatched(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    tk_health_note(&feed->out->health, TK_HEALTH_SCOPE_END_UNMATCHED, ev->offset, 1,
                   "an event '%s' of thread %u ends what never began", ev->type->name->p, ev->tid);
    return TK_OK;
}

/* ---- on a thread: open, open again, close ---- */

/* NULL if out of memory, or (then *rc is TK_OK) the limit is reached. */
static struct thread *thread_for(struct tk_ut_feed *feed, struct state *s, uint32_t id, int *rc)
{
    struct thread *t = tk_record_map_get(&s->threads, id);
    *rc = TK_OK;
    if (t || s->threads.count >= feed->capture->ctx->limits.threads)
        return t;
    if (!(t = tk_record_map_put(&s->threads, id)))
        *rc = TK_ENOMEM;
    return t;
}

/* What was under way already has lost its end. */
static int put_file(struct tk_ut_feed *feed, struct pending *p, const struct tk_fact *fact, uint64_t handle)
{
    int rc = p->used ? tk_ut_emit(feed, &p->fact) : TK_OK;
    *p = (struct pending){*fact, handle, true};
    return rc;
}

static int say_end(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct pending *p, uint64_t done,
                   bool failed)
{
    p->fact.u.file_io.ended = true;
    p->fact.u.file_io.end = tk_ut_since(feed, tk_ut_u64(ev, 0));
    p->fact.u.file_io.done = done;
    p->fact.u.file_io.failed = failed;
    p->used = false;
    return tk_ut_emit(feed, &p->fact);
}

enum { CYCLE, SECOND, THREAD }; /* of opening and closing */

static int on_begin_open(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    uint32_t id = thread_of_file(ev, THREAD);
    struct thread *t = thread_for(feed, state, id, &rc);
    const struct tk_str *path = tk_ut_str(feed, ev, SECOND, 2);
    struct tk_fact fact = start_file(feed, ev, id, TK_FILE_OPEN, path);
    if (!t)
        return rc;
    return path ? put_file(feed, &t->open, &fact, NO_HANDLE) : TK_ENOMEM;
}

static int on_end_open(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct thread *t = tk_record_map_get(&s->threads, thread_of_file(ev, THREAD));
    uint64_t handle = tk_ut_u64(ev, SECOND);
    if (!t || !t->open.used)
        return unmatched(feed, ev);
    int rc = add_file(feed, s, handle, t->open.fact.u.file_io.path);
    return rc == TK_OK ? say_end(feed, ev, &t->open, 0, handle == NO_HANDLE) : rc;
}

static int on_begin_reopen(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    int rc;
    uint32_t id = thread_of_file(ev, THREAD);
    uint64_t handle = tk_ut_u64(ev, SECOND);
    struct thread *t = thread_for(feed, state, id, &rc);
    struct tk_fact fact = start_file(feed, ev, id, TK_FILE_REOPEN, path_of(state, handle));
    return t ? put_file(feed, &t->reopen, &fact, handle) : rc;
}

/* The new handle is another name of the same file; the old one stays. */
static int on_end_reopen(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct thread *t = tk_record_map_get(&s->threads, thread_of_file(ev, THREAD));
    uint64_t handle = tk_ut_u64(ev, SECOND);
    if (!t || !t->reopen.used)
        return unmatched(feed, ev);
    int rc = add_file(feed, s, handle, t->reopen.fact.u.file_io.path);
    return rc == TK_OK ? say_end(feed, ev, &t->reopen, 0, handle == NO_HANDLE) : rc;
}

static int on_begin_close(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    int rc;
    uint32_t id = thread_of_file(ev, THREAD);
    uint64_t handle = tk_ut_u64(ev, SECOND);
    struct thread *t = thread_for(feed, s, id, &rc);
    struct tk_fact fact = start_file(feed, ev, id, TK_FILE_CLOSE, path_of(s, handle));
    tk_record_map_remove(&s->files, handle);
    return t ? put_file(feed, &t->close, &fact, handle) : rc;
}

static int on_end_close(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct thread *t = tk_record_map_get(&s->threads, thread_of_file(ev, SECOND));
    if (!t || !t->close.used)
        return unmatched(feed, ev);
    return say_end(feed, ev, &t->close, 0, false);
}

/* ---- by handle: read, write ---- */

enum { IO_CYCLE, IO_HANDLE, IO_FILE, IO_OFFSET, IO_SIZE, IO_THREAD };

static int begin_io(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint8_t op)
{
    struct tk_record_map *live = op == TK_FILE_READ ? &s->reads : &s->writes;
    uint64_t handle = tk_ut_u64(ev, IO_HANDLE), file = tk_ut_u64(ev, IO_FILE);
    struct pending *p = tk_record_map_get(live, handle);
    struct tk_fact fact = start_file(feed, ev, thread_of_file(ev, IO_THREAD), op, path_of(s, file));
    if (!p && live->count >= feed->capture->ctx->limits.held_events) {
        tk_health_limit(&feed->out->health, TK_LIMIT_held_events, ev->offset, 1,
                        "a read or write was left out");
        return TK_OK;
    }
    if (!p && !(p = tk_record_map_put(live, handle)))
        return TK_ENOMEM;
    fact.u.file_io.offset = tk_ut_u64(ev, IO_OFFSET);
    fact.u.file_io.size = tk_ut_u64(ev, IO_SIZE);
    fact.u.file_io.in_flight = (uint32_t)(s->reads.count + s->writes.count);
    return put_file(feed, p, &fact, file);
}

static int on_begin_read(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return begin_io(feed, state, ev, TK_FILE_READ);
}

static int on_begin_write(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return begin_io(feed, state, ev, TK_FILE_WRITE);
}

enum { END_CYCLE, END_HANDLE, END_SIZE };

static int end_io(struct tk_ut_feed *feed, struct tk_record_map *live, const struct tk_ut_event *ev)
{
    uint64_t handle = tk_ut_u64(ev, END_HANDLE);
    struct pending *p = tk_record_map_get(live, handle);
    if (!p)
        return unmatched(feed, ev);
    int rc = say_end(feed, ev, p, tk_ut_u64(ev, END_SIZE), false);
    tk_record_map_remove(live, handle);
    return rc;
}

static int on_end_read(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_io(feed, &((struct state *)state)->reads, ev);
}

static int on_end_write(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return end_io(feed, &((struct state *)state)->writes, ev);
}

/* ---- */

static int say_open(struct tk_ut_feed *feed, const struct pending *p)
{
    return p->used ? tk_ut_emit(feed, &p->fact) : TK_OK;
}

/* What has no end. */
static int finish_file(struct tk_ut_feed *feed, void *state)
{
    struct state *s = state;
    int rc = TK_OK;
    uint64_t key;
    for (uint32_t i = 0; i < s->threads.n && rc == TK_OK; i++) {
        const struct thread *t = tk_record_map_at(&s->threads, i, &key);
        rc = t ? say_open(feed, &t->open) : TK_OK;
        rc = t && rc == TK_OK ? say_open(feed, &t->reopen) : rc;
        rc = t && rc == TK_OK ? say_open(feed, &t->close) : rc;
    }
    for (uint32_t i = 0; i < s->reads.n && rc == TK_OK; i++) {
        const struct pending *p = tk_record_map_at(&s->reads, i, &key);
        rc = p ? say_open(feed, p) : TK_OK;
    }
    for (uint32_t i = 0; i < s->writes.n && rc == TK_OK; i++) {
        const struct pending *p = tk_record_map_at(&s->writes, i, &key);
        rc = p ? say_open(feed, p) : TK_OK;
    }
    return rc;
}

static void begin_file(void *state)
{
    struct state *s = state;
    tk_record_map_release(&s->threads);
    tk_record_map_release(&s->reads);
    tk_record_map_release(&s->writes);
    tk_record_map_release(&s->files);
    tk_record_map_init(&s->threads, sizeof(struct thread));
    tk_record_map_init(&s->reads, sizeof(struct pending));
    tk_record_map_init(&s->writes, sizeof(struct pending));
    tk_record_map_init(&s->files, sizeof(struct tk_str *));
}

static const struct tk_ut_bind binds[] = {
    {"PlatformFile.BeginOpen", on_begin_open, false, {"Cycle", "Path", "ThreadId"}},
    {"PlatformFile.EndOpen", on_end_open, false, {"Cycle", "FileHandle", "ThreadId"}},
    {"PlatformFile.BeginReOpen", on_begin_reopen, false, {"Cycle", "OldFileHandle", "ThreadId"}},
    {"PlatformFile.EndReOpen", on_end_reopen, false, {"Cycle", "NewFileHandle", "ThreadId"}},
    {"PlatformFile.BeginClose", on_begin_close, false, {"Cycle", "FileHandle", "ThreadId"}},
    {"PlatformFile.EndClose", on_end_close, false, {"Cycle", "ThreadId"}},
    {"PlatformFile.BeginRead",
     on_begin_read,
     false,
     {"Cycle", "ReadHandle", "FileHandle", "Offset", "Size", "ThreadId"}},
    {"PlatformFile.EndRead", on_end_read, false, {"Cycle", "ReadHandle", "SizeRead"}},
    {"PlatformFile.BeginWrite",
     on_begin_write,
     false,
     {"Cycle", "WriteHandle", "FileHandle", "Offset", "Size", "ThreadId"}},
    {"PlatformFile.EndWrite", on_end_write, false, {"Cycle", "WriteHandle", "SizeWritten"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_file = {.name = "file",
                                            .facts = TK_FACT_MASK(FILE_IO),
                                            .binds = binds,
                                            .state = sizeof(struct state),
                                            .begin = begin_file,
                                            .finish = finish_file,
                                            .release = begin_file};
