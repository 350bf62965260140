/*
 * The log of a recording: written as bytes arrive, synced by a thread, and played to a session.
 */
#include "live/tracy/log.h"

#include "base/cursor.h"
#include "fact/format.h"
#include "io/output.h"
#include "live/tracy/tracy_in.h"
#include "os/path.h"
#include "os/temporary.h"

#include <stdlib.h>
#include <string.h>

/* ---- the disk ---- */

/* A connection is never left unread because a disk is slow: another thread waits for it. */
static void sync_now_and_then(void *ctx)
{
    struct tk_tl_log *log = ctx;
    tk_os_monitor_lock(&log->monitor);
    while (!log->over) {
        if (!log->wanted) {
            tk_os_monitor_wait(&log->monitor);
            continue;
        }
        log->wanted = false;
        tk_os_monitor_unlock(&log->monitor);
        (void)tk_os_file_sync(log->syncing); /* whoever writes finds out that the disk fails */
        tk_os_monitor_lock(&log->monitor);
    }
    tk_os_monitor_unlock(&log->monitor);
}

static void start_syncing(struct tk_tl_log *log)
{
    if (tk_os_file_open_append(&log->syncing, log->file.path).error || !tk_os_monitor_init(&log->monitor))
        return;
    log->runs = tk_os_thread_start(&log->thread, sync_now_and_then, log);
    if (!log->runs)
        tk_os_monitor_destroy(&log->monitor);
}

static void tell_syncing(struct tk_tl_log *log, bool over)
{
    tk_os_monitor_lock(&log->monitor);
    log->wanted = true;
    log->over = over;
    tk_os_monitor_tell(&log->monitor);
    tk_os_monitor_unlock(&log->monitor);
}

static void end_syncing(struct tk_tl_log *log)
{
    if (log->runs) {
        tell_syncing(log, true);
        tk_os_thread_join(&log->thread);
        tk_os_monitor_destroy(&log->monitor);
    }
    tk_os_file_close(log->syncing);
    log->syncing = NULL;
    log->runs = false;
}

/* ---- writing ---- */

char *tk_tl_log_path(const char *path)
{
    const size_t n = strlen(path), ending = sizeof TK_TL_LOG_ENDING - 1;
    const bool has = n > ending && strcmp(path + n - ending, TK_TL_LOG_ENDING) == 0;
    char *out = malloc(n + ending + 1);
    if (out) {
        memcpy(out, path, n + 1);
        memcpy(out + n, TK_TL_LOG_ENDING, has ? 0 : ending + 1);
        out[has ? n : n + ending] = '\0';
    }
    return out;
}

static bool is_written(const char *path)
{
    struct tk_os_file *lock;
    const struct tk_os_result locked = tk_os_path_lock(&lock, path, TK_OS_SHARED, 0);
    tk_os_file_close(lock);
    return locked.error == TK_OS_BUSY;
}

static int create_log(struct tk_tl_log *log, const char *name, const char *path, bool replace,
                      struct tk_err *err)
{
    struct tk_os_info info;
    const bool there = tk_os_path_info(name, &info).error == TK_OS_OK;
    if (there && is_written(name))
        return tk_err_set(err, TK_EIO, "cannot record into '%s': another recorder does", path);
    if (there && !replace)
        return tk_err_set(err, TK_EIO,
                          "cannot record into '%s': '%s' holds a recording that was not finished "
                          "(trace-record --resume makes a capture of it, --force removes it)",
                          path, name);
    return tk_live_file_create(&log->file, name, replace, err);
}

int tk_tl_log_create(struct tk_tl_log *log, const char *path, bool replace, struct tk_err *err)
{
    char *name = tk_tl_log_path(path);
    memset(log, 0, sizeof *log);
    const int rc = name ? create_log(log, name, path, replace, err) : tk_err_nomem(err, "a recording");
    free(name);
    if (rc == TK_OK)
        start_syncing(log);
    return rc;
}

static void put_hello(uint8_t hello[TK_TL_HELLO_BYTES], unsigned protocol,
                      const struct tk_tl_options *options, unsigned more)
{
    tk_tl_hello_put(hello, protocol);
    hello[TK_TL_HELLO_BYTES - 1] =
        (uint8_t)((options->want_code || options->want_sources ? TK_TL_LOG_CODE : 0u) | more);
}

struct tk_os_result tk_tl_log_begin(struct tk_tl_log *log, unsigned protocol,
                                    const struct tk_tl_options *options)
{
    uint8_t hello[TK_TL_HELLO_BYTES];
    put_hello(hello, protocol, options, log->rotates ? TK_TL_LOG_ROTATES : 0);
    return tk_live_file_append(&log->file, hello, sizeof hello);
}

struct tk_os_result tk_tl_log_append(struct tk_tl_log *log, const void *p, size_t n, double now)
{
    const struct tk_os_result written = tk_live_file_append(&log->file, p, n);
    if (log->runs && now - log->synced >= TK_TL_LOG_SYNC_SECONDS) {
        log->synced = now;
        tell_syncing(log, false);
    }
    return written;
}

/* A capture takes about what its log does: seldom more, as it is packed, too. */
bool tk_tl_log_is_tight(struct tk_tl_log *log)
{
    if (log->looked && log->file.bytes - log->looked < TK_TL_LOG_LOOK)
        return false;
    log->looked = log->file.bytes;
    return tk_os_file_space(log->file.file) < log->free_bytes + log->file.bytes + TK_TL_LOG_LOOK;
}

void tk_tl_log_close(struct tk_tl_log *log, bool remove)
{
    if (!log->file.path)
        return;
    end_syncing(log);
    if (remove)
        tk_os_path_remove(log->file.path);
    else
        tk_live_file_close(&log->file);
    tk_live_file_release(&log->file);
    memset(log, 0, sizeof *log);
}

/* ---- what goes from one log to the next ---- */

enum { READ_BYTES = 256 << 10 };

/* Few bytes at a time, of a file or for it. */
struct buffered {
    struct tk_live_file *to;
    struct tk_os_file *from;
    uint64_t at;     /* in `from`, of what is not read yet */
    uint8_t *bytes;  /* owned: READ_BYTES */
    size_t n, taken; /* in the buffer; of which were read */
};

static int flush(struct buffered *b, struct tk_err *err)
{
    const struct tk_os_result written = tk_live_file_append(b->to, b->bytes, b->n);
    b->n = 0;
    return written.error
               ? tk_err_set(err, TK_EOUTPUT, "cannot write '%s': %s", b->to->path, tk_os_text(written))
               : TK_OK;
}

static int put_bytes(void *ctx, void *p, size_t n, struct tk_err *err)
{
    struct buffered *b = ctx;
    const uint8_t *bytes = p;
    for (size_t now; n; bytes += now, n -= now) {
        if (b->n == READ_BYTES && flush(b, err) != TK_OK)
            return TK_EOUTPUT;
        now = n < READ_BYTES - b->n ? n : READ_BYTES - b->n;
        memcpy(b->bytes + b->n, bytes, now);
        b->n += now;
    }
    return TK_OK;
}

static int fill_buffer(struct buffered *b, struct tk_err *err)
{
    const struct tk_os_result read = tk_os_file_read_at(b->from, b->at, b->bytes, READ_BYTES, &b->n);
    b->at += b->n;
    b->taken = 0;
    if (read.error)
        return tk_err_set(err, TK_EIO, "cannot read it: %s", tk_os_text(read));
    return b->n ? TK_OK : tk_err_set(err, TK_EFORMAT, "it is shorter than it was");
}

static int get_bytes(void *ctx, void *p, size_t n, struct tk_err *err)
{
    struct buffered *b = ctx;
    uint8_t *bytes = p;
    for (size_t now; n; bytes += now, n -= now) {
        const int rc = b->taken == b->n ? fill_buffer(b, err) : TK_OK;
        if (rc != TK_OK)
            return rc;
        now = n < b->n - b->taken ? n : b->n - b->taken;
        memcpy(bytes, b->bytes + b->taken, now);
        b->taken += now;
    }
    return TK_OK;
}

static int put_left(struct buffered *b, struct tk_tl_session *session, struct tk_tl_stream *stream,
                    struct tk_err *err)
{
    struct tk_tl_memo memo = {.move = put_bytes, .ctx = b, .err = err};
    put_hello(b->bytes, session->protocol, &session->options, TK_TL_LOG_ROTATES | TK_TL_LOG_PIECE);
    b->n = TK_TL_HELLO_BYTES;
    const int rc = tk_tl_memo(&memo, session, stream);
    return rc == TK_OK ? flush(b, err) : rc;
}

static int write_left(struct tk_live_file *to, struct tk_tl_session *session, struct tk_tl_stream *stream,
                      struct tk_err *err)
{
    struct buffered b = {.to = to, .bytes = malloc(READ_BYTES)};
    const int rc = b.bytes ? put_left(&b, session, stream, err) : tk_err_nomem(err, "a recording");
    free(b.bytes);
    if (rc != TK_OK)
        return rc;
    const struct tk_os_result synced = tk_os_file_sync(to->file);
    return synced.error ? tk_err_set(err, TK_EOUTPUT, "cannot write '%s': %s", to->path, tk_os_text(synced))
                        : TK_OK;
}

/* A file that is locked has its name for good on some systems. */
static struct tk_os_result take_over(struct tk_live_file *now, struct tk_live_file *next)
{
    tk_os_file_close(now->file);
    tk_os_file_close(now->lock);
    tk_os_file_close(next->lock);
    now->file = now->lock = next->lock = NULL;
    const struct tk_os_result renamed = tk_os_path_rename_over(next->path, now->path);
    if (renamed.error)
        return renamed;
    now->file = next->file;
    now->bytes = next->bytes;
    next->file = NULL;
    tk_os_path_lock(&now->lock, now->path, TK_OS_EXCLUSIVE, 0);
    return renamed;
}

static char *next_path(const char *path)
{
    const size_t n = strlen(path), ending = sizeof TK_TL_LOG_NEXT;
    char *out = malloc(n + ending);
    if (out) {
        memcpy(out, path, n);
        memcpy(out + n, TK_TL_LOG_NEXT, ending);
    }
    return out;
}

int tk_tl_log_renew(struct tk_tl_log *log, struct tk_tl_session *session, struct tk_tl_stream *stream,
                    struct tk_err *err)
{
    struct tk_live_file next = {0};
    char *path = next_path(log->file.path);
    int rc = path ? tk_live_file_create(&next, path, true, err) : tk_err_nomem(err, "a recording");
    if (rc == TK_OK)
        rc = write_left(&next, session, stream, err);
    if (rc == TK_OK) {
        end_syncing(log);
        const struct tk_os_result taken = take_over(&log->file, &next);
        if (taken.error)
            rc = tk_err_set(err, TK_EOUTPUT, "cannot write '%s': %s", log->file.path, tk_os_text(taken));
        else
            start_syncing(log);
        log->looked = 0;
    }
    if (rc != TK_OK && next.path)
        tk_os_path_remove(next.path);
    tk_live_file_release(&next);
    free(path);
    return rc;
}

struct tk_os_result tk_tl_log_remove(const char *path)
{
    char *next = next_path(path);
    if (next)
        tk_os_path_remove(next); /* that a crash left, where there is one */
    free(next);
    return tk_os_path_remove(path);
}

/* ---- reading ---- */

bool tk_tl_log_probe(const uint8_t *head, size_t n)
{
    struct tk_tl_protocol protocol;
    uint8_t hello[TK_TL_HELLO_BYTES];
    if (n < sizeof hello)
        return false;
    tk_tl_hello_put(hello, tk_load32(head + 8) & 0xffffff);
    return memcmp(head, hello, 8) == 0 && tk_tl_protocol_set(&protocol, tk_load32(hello + 8));
}

static int play_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err)
{
    return tk_tl_session_welcome(ctx, w, err);
}

/* Nobody answers what is requested now: the answers are further on, or missing. */
static int play_block(void *ctx, const uint8_t *p, size_t n, struct tk_err *err)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    const int rc = tk_tl_session_block(ctx, p, n, err);
    while (tk_tl_session_question(ctx, question))
        continue;
    return rc;
}

/* What the captures before have left. *at: where what the program sent since then begins. */
static int read_left(struct tk_os_file *file, struct tk_tl_stream *stream, struct tk_tl_session *session,
                     uint64_t *at, struct tk_err *err)
{
    struct buffered b = {.from = file, .at = *at, .bytes = malloc(READ_BYTES)};
    struct tk_os_info info;
    const struct tk_os_result known = tk_os_file_info(file, &info);
    struct tk_tl_memo memo = {.move = get_bytes, .ctx = &b, .reads = true, .err = err};
    memo.left = known.error || info.size < *at ? 0 : info.size - *at;
    const int rc = b.bytes ? tk_tl_memo(&memo, session, stream) : tk_err_nomem(err, "a recording");
    *at = b.at - (b.n - b.taken);
    free(b.bytes);
    return rc;
}

static int play_file(struct tk_os_file *file, uint64_t at, struct tk_tl_stream *stream,
                     struct tk_tl_session *session, struct tk_tl_played *played, struct tk_err *err)
{
    const struct tk_tl_stream_taker taker = {session, play_welcome, play_block};
    const uint64_t before = stream->bytes;
    uint8_t *buffer = malloc(READ_BYTES);
    int rc = buffer ? TK_OK : tk_err_nomem(err, "a recording");
    size_t got = 1;
    for (; rc == TK_OK && got; at += got) {
        const struct tk_os_result read = tk_os_file_read_at(file, at, buffer, READ_BYTES, &got);
        rc = read.error ? tk_err_set(err, TK_EIO, "cannot read it: %s", tk_os_text(read))
             : got      ? tk_tl_stream_feed(stream, buffer, got, &taker, err)
                        : TK_OK;
    }
    free(buffer);
    played->bytes = stream->bytes - before;
    played->cut = rc == TK_OK && (stream->got || stream->state != TK_TL_AT_SIZE);
    return rc;
}

/* What is before a damage is worth having; so is what a program sent before it broke its own rules. */
static int judge(int rc, const struct tk_tl_session *session, struct tk_tl_played *played, struct tk_err *err)
{
    if (!session->state && (rc == TK_OK || rc == TK_ECANCELED))
        return tk_err_set(err, TK_EFORMAT, "nothing of a program is in it");
    if (session->state && rc == TK_EFORMAT) {
        played->damaged = true;
        return TK_OK;
    }
    return rc;
}

static int play_open(struct tk_os_file *file, const struct tk_tl_options *options,
                     struct tk_tl_session *session, struct tk_tl_played *played, struct tk_err *err)
{
    uint8_t hello[TK_TL_HELLO_BYTES];
    struct tk_tl_options with = *options;
    struct tk_tl_protocol protocol;
    struct tk_tl_stream stream;
    size_t got;
    const struct tk_os_result read = tk_os_file_read_at(file, 0, hello, sizeof hello, &got);
    if (read.error || !tk_tl_log_probe(hello, got))
        return tk_err_set(err, TK_EFORMAT, "it is not the log of a recording");
    tk_tl_protocol_set(&protocol, tk_load32(hello + 8) & 0xffffff);
    with.want_code = with.want_sources = hello[TK_TL_HELLO_BYTES - 1] & TK_TL_LOG_CODE;
    played->rotates = hello[TK_TL_HELLO_BYTES - 1] & TK_TL_LOG_ROTATES;
    tk_tl_session_begin(session, protocol.number, &with);
    uint64_t at = TK_TL_HELLO_BYTES;
    int rc = tk_tl_stream_begin(&stream, &protocol, err);
    if (rc == TK_OK && hello[TK_TL_HELLO_BYTES - 1] & TK_TL_LOG_PIECE)
        rc = read_left(file, &stream, session, &at, err);
    const bool begun = rc == TK_OK;
    if (begun)
        rc = play_file(file, at, &stream, session, played, err);
    tk_tl_stream_release(&stream);
    return begun ? judge(rc, session, played, err) : rc;
}

int tk_tl_log_play(const char *path, const struct tk_tl_options *options, struct tk_tl_session *session,
                   struct tk_tl_played *played, struct tk_err *err)
{
    struct tk_os_file *file;
    memset(played, 0, sizeof *played);
    memset(session, 0, sizeof *session);
    const struct tk_os_result opened = tk_os_file_open_read(&file, path);
    if (opened.error)
        return tk_err_set(err, TK_EIO, "cannot open '%s': %s", path, tk_os_text(opened));
    played->grows = is_written(path);
    const int rc = play_open(file, options, session, played, err);
    tk_os_file_close(file);
    return rc;
}

/* ---- the capture ---- */

static int write_output(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    return tk_output_write(ctx, p, n, err);
}

int tk_tl_log_save(struct tk_tl_session *session, const char *path, bool force, int (*stop)(void *ctx),
                   struct tk_err *err)
{
    struct tk_output *out;
    int rc = tk_output_open_private(&out, path, force, err);
    if (rc != TK_OK)
        return rc;
    if (stop)
        tk_output_stop(out, stop, NULL);
    rc = tk_tl_save(session->state, write_output, out, err);
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

/* ---- as a capture that is opened ---- */

static bool is_log(const char *path)
{
    uint8_t head[TK_TL_HELLO_BYTES];
    struct tk_os_file *file;
    struct tk_os_info info;
    size_t got = 0;
    if (tk_os_path_info(path, &info).error || info.kind != TK_OS_FILE ||
        tk_os_file_open_read(&file, path).error)
        return false;
    const bool is = !tk_os_file_read_at(file, 0, head, sizeof head, &got).error && tk_tl_log_probe(head, got);
    tk_os_file_close(file);
    return is;
}

/* While it is recorded, a capture has the name of its log. */
static char *find_log(const char *path)
{
    struct tk_os_info info;
    char *log = NULL;
    if (tk_os_path_info(path, &info).error == TK_OS_NOT_FOUND || is_log(path))
        log = tk_tl_log_path(path);
    if (log && is_log(log))
        return log;
    free(log);
    return NULL;
}

static int make_capture(const char *log, char **made, struct tk_err *err)
{
    const struct tk_tl_options options = {0};
    struct tk_tl_session session;
    struct tk_tl_played played;
    int rc = tk_tl_log_play(log, &options, &session, &played, err);
    if (rc == TK_OK && tk_os_temporary_file(made, "growing.tracy").error)
        rc = tk_err_set(err, TK_EOUTPUT, "there is no temporary file for the capture");
    if (rc == TK_OK)
        rc = tk_tl_log_save(&session, *made, true, NULL, err);
    if (rc != TK_OK && *made) {
        tk_os_path_remove(*made);
        free(*made);
        *made = NULL;
    }
    tk_tl_session_end(&session);
    return rc;
}

static int make(const char *path, char **made, struct tk_err *err)
{
    char *log = find_log(path);
    *made = NULL;
    const int rc = log ? make_capture(log, made, err) : TK_OK;
    free(log);
    return rc;
}

extern const struct tk_live_wing tk_wing_live;
const struct tk_live_wing tk_wing_live = {make};
