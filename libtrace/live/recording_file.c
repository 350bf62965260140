/*
 * A file that is being recorded.
 */
#include "base/cursor.h"
#include "base/text/path.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"
#include "live/access.h"
#include "live/session.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Commands for the control port.
 */

static const struct {
    const char *word, *behind;
    const char *argument; /* what it is; NULL: there is none */
} verbs[] = {
    [TK_CONTROL_SEND_TO] = {"SendTo", "", "a host"},
    [TK_CONTROL_WRITE_TO] = {"WriteTo", "", "a path"},
    [TK_CONTROL_STOP] = {"Stop", "", NULL},
    [TK_CONTROL_ENABLE] = {"ToggleChannels", " 1", "channels"},
    [TK_CONTROL_DISABLE] = {"ToggleChannels", " 0", "channels"},
};

/* Blanks end a word and nothing can be quoted; what ends a line ends the command. */
static int check_word(const char *what, const char *word, struct tk_err *err)
{
    if (!*word)
        return tk_err_set(err, TK_EUSAGE, "%s cannot be empty", what);
    for (const char *p = word; *p; p++) {
        if (*p == ' ')
            return tk_err_set(err, TK_EUSAGE,
                              "%s with a space in it cannot be sent: the program would cut it there", what);
        if ((unsigned char)*p < ' ' || *p == 127)
            return tk_err_set(err, TK_EUSAGE, "%s with a control character in it cannot be sent", what);
    }
    return TK_OK;
}

int tk_control_line(char out[TK_CONTROL_LINE + 1], enum tk_control_verb verb, const char *argument,
                    struct tk_err *err)
{
    const char *what = verbs[verb].argument;
    int rc = what ? check_word(what, argument, err) : TK_OK;
    if (rc != TK_OK)
        return rc;
    const int n = snprintf(out, TK_CONTROL_LINE + 1, "%s%s%s%s\n", verbs[verb].word, what ? " " : "",
                           what ? argument : "", verbs[verb].behind);
    if (n > TK_CONTROL_LINE)
        return tk_err_set(err, TK_EUSAGE, "the command has %d bytes; programs accept %d", n, TK_CONTROL_LINE);
    return TK_OK;
}

bool tk_control_listens(const struct tk_os_address *at)
{
    struct tk_os_socket *s;
    if (tk_connect_within(&s, at, TK_CONTROL_SECONDS).error)
        return false;
    tk_os_socket_close(s);
    return true;
}

int tk_control_send(const struct tk_os_address *at, const char *line, struct tk_err *err)
{
    char text[TK_OS_ADDRESS_TEXT];
    struct tk_os_socket *s;
    size_t put = 0;
    struct tk_os_result result = tk_connect_within(&s, at, TK_CONTROL_SECONDS);
    if (result.error)
        return tk_err_set(err, TK_EIO, "no program listens at %s port %u: %s", tk_os_address_text(at, text),
                          at->port, tk_os_text(result));
    /* a new connection has space for a line, so that it leaves in one piece */
    result = tk_os_socket_write(s, line, strlen(line), &put);
    if (result.error == TK_OS_OK && put == strlen(line))
        result = tk_os_socket_end(s);
    else if (result.error == TK_OS_OK)
        result = tk_os_result_of(TK_OS_IO);
    tk_os_socket_close(s);
    return result.error ? tk_err_set(err, TK_EIO, "the command cannot be sent: %s", tk_os_text(result))
                        : TK_OK;
}

/* Without the ending that does not count. */
static size_t stem(const char *p, size_t n)
{
    static const char channel[] = "Channel";
    const size_t ending = sizeof channel - 1;
    if (n > ending && memcmp(p + n - ending, channel, ending) == 0)
        n -= ending;
    return n > 1 && (p[n - 1] == 's' || p[n - 1] == 'S') ? n - 1 : n;
}

uint32_t tk_control_channel_id(const char *name, size_t n)
{
    uint32_t hash = UINT32_C(0x811C9DC5);
    n = stem(name, n);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((uint8_t)name[i] | 0x20u)) * UINT32_C(0x01000193);
    return hash;
}

enum { NAMES = 10000, LOOK_EVERY = 16 << 20, PREFIX_MOST = 100 };

static const char *base_name(const char *path)
{
    return path + tk_path_base(path);
}

typedef struct tk_os_result make_file(struct tk_os_file **out, const char *path);

static struct tk_os_result create(struct tk_live_file *f, const char *path, make_file *make)
{
    struct tk_os_file *file;
    const struct tk_os_result made = make(&file, path);
    if (made.error)
        return made;
    const size_t n = strlen(path) + 1;
    *f = (struct tk_live_file){.file = file, .path = malloc(n)};
    if (!f->path) {
        tk_os_file_close(file);
        tk_os_path_remove(path);
        *f = (struct tk_live_file){0};
        return tk_os_result_of(TK_OS_NO_MEMORY);
    }
    memcpy(f->path, path, n);
    f->name = base_name(f->path);
    tk_os_path_lock(&f->lock, path, TK_OS_EXCLUSIVE,
                    0); /* where there are none, followers wait a while at the end */
    return made;
}

static int failed(struct tk_err *err, const char *path, struct tk_os_result why)
{
    if (why.error == TK_OS_NO_MEMORY)
        return tk_err_nomem(err, "a recording");
    return tk_err_set(err, TK_EIO, "cannot create '%s': %s", path, tk_os_text(why));
}

int tk_live_file_create(struct tk_live_file *f, const char *path, bool replace, struct tk_err *err)
{
    struct tk_os_result made = create(f, path, tk_os_file_create_private);
    if (made.error == TK_OS_EXISTS && replace && tk_os_path_remove(path).error == TK_OS_OK)
        made = create(f, path, tk_os_file_create_private);
    return made.error ? failed(err, path, made) : TK_OK;
}

/* The empty file gives its name, and makes space for one that is written to. */
int tk_live_file_create_temporary(struct tk_live_file *f, const char *name, struct tk_err *err)
{
    char *path;
    struct tk_os_result made = tk_os_temporary_file(&path, name);
    if (made.error)
        return failed(err, name, made);
    made = tk_os_path_remove(path);
    if (made.error == TK_OS_OK)
        made = create(f, path, tk_os_file_create_private);
    const int rc = made.error ? failed(err, path, made) : TK_OK;
    free(path);
    return rc;
}

int tk_live_file_create_by_clock(struct tk_live_file *f, const char *folder, const char *prefix,
                                 int64_t seconds, const char *ending, struct tk_err *err)
{
    const struct tk_os_date d = tk_os_local_date(seconds);
    const size_t capacity = strlen(folder) + PREFIX_MOST + 64 + strlen(ending);
    char *path = malloc(capacity);
    struct tk_os_result made = tk_os_result_of(TK_OS_EXISTS);
    if (!path)
        return tk_err_nomem(err, "a recording");
    for (int i = -1; i < NAMES && made.error == TK_OS_EXISTS; i++) {
        char number[16] = "";
        if (i >= 0)
            snprintf(number, sizeof number, "_%02d", i);
        snprintf(path, capacity, "%s/%.*s%04d%02d%02d_%02d%02d%02d%s%s", folder, (int)PREFIX_MOST,
                 prefix ? prefix : "", d.year, d.month, d.day, d.hour, d.minute, d.second, number, ending);
        made = create(f, path, tk_os_file_create_private);
    }
    const int rc = made.error ? failed(err, path, made) : TK_OK;
    free(path);
    return rc;
}

struct tk_os_result tk_live_file_append(struct tk_live_file *f, const void *p, size_t n)
{
    const struct tk_os_result written = tk_os_file_write(f->file, p, n);
    struct tk_os_info info;
    if (written.error == TK_OS_OK)
        f->bytes += n;
    else if (tk_os_file_info(f->file, &info).error == TK_OS_OK)
        f->bytes = info.size;
    return written;
}

struct tk_os_result tk_live_file_cut(struct tk_live_file *f, uint64_t size)
{
    const struct tk_os_result cut = tk_os_file_cut(f->file, size);
    if (cut.error == TK_OS_OK)
        f->bytes = size;
    return cut;
}

bool tk_live_file_is_tight(struct tk_live_file *f, uint64_t least)
{
    if (least == 0 || (f->requested && f->bytes - f->requested < LOOK_EVERY))
        return false;
    f->requested = f->bytes;
    return tk_os_file_space(f->file) < least;
}

struct tk_os_result tk_live_file_close(struct tk_live_file *f)
{
    struct tk_os_result result = f->file ? tk_os_file_sync(f->file) : tk_os_result_of(TK_OS_OK);
    const struct tk_os_result closed = tk_os_file_close(f->file);
    tk_os_file_close(f->lock);
    f->file = f->lock = NULL;
    return result.error ? result : closed;
}

void tk_live_file_release(struct tk_live_file *f)
{
    tk_os_file_close(f->file);
    tk_os_file_close(f->lock);
    free(f->path);
    *f = (struct tk_live_file){0};
}

bool tk_live_prefix_is_good(const char *prefix)
{
    if (!*prefix || *prefix == '.' || *prefix == '-' || strlen(prefix) > PREFIX_MOST)
        return false;
    for (const char *p = prefix; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127 || strchr("/\\:*?\"<>|", *p))
            return false;
    return true;
}

uint64_t tk_live_space_of(const char *folder)
{
    struct tk_os_file *file;
    if (tk_os_file_create_nameless(&file, folder).error)
        return UINT64_MAX; /* whoever records there finds out */
    const uint64_t space = tk_os_file_space(file);
    tk_os_file_close(file);
    return space;
}

/*
 * A recording of an Unreal program that goes on in a new file: each file begins with the header, which says
 * what piece it is, and with all declarations and definitions so far, so that it can be read without the
 * others. Behind that it is what the program sent, so that pieces can be joined to what one file would have
 * been.
 */

enum { FIELDS = 6, VERSIONS = 2, PROTOCOL = 5 };

int tk_rotation_begin(struct tk_rotation *t, const struct tk_rotation_options *o, const char *path,
                      const uint8_t *hello, size_t n, double now)
{
    uint8_t *copy = malloc(n);
    if (!copy)
        return TK_ENOMEM;
    memcpy(copy, hello, n);
    struct tk_os_file *from;
    if (tk_os_file_open_read(&from, path).error) {
        free(copy);
        return TK_EIO;
    }
    *t = (struct tk_rotation){.options = *o,
                              .from = from,
                              .number = 1,
                              .hello = copy,
                              .n_hello = n,
                              .own = n,
                              .stream = n,
                              .began = now,
                              .limit = o->bytes};
    return TK_OK;
}

void tk_rotation_release(struct tk_rotation *t)
{
    free(t->hello);
    tk_vec_release(&t->names);
    tk_os_file_close(t->from);
    *t = (struct tk_rotation){0};
}

int tk_rotation_note(struct tk_rotation *t, const uint8_t *packet, size_t n, uint64_t offset)
{
    const uint16_t tid = tk_load16(packet + 2) & (TK_UT_TIDS - 1);
    if (tid > t->highest && tid < TK_UT_TID_CONNECT)
        t->highest = tid;
    if (tid > TK_UT_TID_IMPORTANT)
        return TK_OK;
    struct tk_rotation_span *last = t->names.n ? tk_stack_top(&t->names) : NULL;
    const uint64_t at = tk_rotation_place(t, offset);
    if (last && last->offset + last->n == at) {
        last->n += n;
        return TK_OK;
    }
    const struct tk_rotation_span span = {at, n};
    return tk_vec_push(&t->names, span) ? TK_ENOMEM : TK_OK;
}

bool tk_rotation_is_due(const struct tk_rotation *t, uint64_t bytes, uint64_t whole, double now)
{
    const struct tk_rotation_options *o = &t->options;
    return t->number && whole > t->stream &&
           ((t->limit && bytes >= t->limit) || (o->seconds > 0 && now - t->began >= o->seconds));
}

/* ---- the next file ---- */

char *tk_rotation_name(const char *path, uint32_t number)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const size_t n = strlen(path), stem = dot && dot > path && dot[-1] != '/' ? (size_t)(dot - path) : n;
    char *out = malloc(n + 16);
    if (out)
        snprintf(out, n + 16, "%.*s-%03u%s", (int)stem, path, (unsigned)number, path + stem);
    return out;
}

static void put_number(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

/* The header of the stream, with a field that says what piece it is. */
static struct tk_os_result put_hello(const struct tk_rotation *t, struct tk_live_file *to, uint64_t stream,
                                     uint64_t repeated)
{
    uint8_t field[2 + TK_UT_PIECE_BYTES] = {TK_UT_PIECE_BYTES, TK_UT_PIECE_FIELD}, size[2];
    const size_t block = t->n_hello - FIELDS - VERSIONS;
    put_number(field + 2, t->number + 1, 4);
    put_number(field + 6, stream, 8);
    put_number(field + 14, repeated, 8);
    put_number(field + 22, t->highest, 2);
    put_number(size, block + sizeof field, 2);
    struct tk_os_result put = tk_live_file_append(to, t->hello, FIELDS - 2);
    if (!put.error)
        put = tk_live_file_append(to, size, sizeof size);
    if (!put.error)
        put = tk_live_file_append(to, t->hello + FIELDS, block);
    if (!put.error)
        put = tk_live_file_append(to, field, sizeof field);
    return put.error ? put : tk_live_file_append(to, t->hello + FIELDS + block, VERSIONS);
}

static struct tk_os_result copy_span(struct tk_live_file *to, const struct tk_os_file *from,
                                     const struct tk_rotation_span *span)
{
    uint8_t part[4096];
    struct tk_os_result done = tk_os_result_of(TK_OS_OK);
    for (uint64_t at = 0; at < span->n && !done.error;) {
        const uint64_t left = span->n - at;
        size_t got = 0;
        done = tk_os_file_read_at(from, span->offset + at, part,
                                  left < sizeof part ? (size_t)left : sizeof part, &got);
        if (!done.error)
            done = got ? tk_live_file_append(to, part, got) : tk_os_result_of(TK_OS_IO);
        at += got;
    }
    return done;
}

static uint64_t bytes_of_names(const struct tk_rotation *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->names.n; i++)
        n += t->names.v[i].n;
    return n;
}

static struct tk_os_result fill(const struct tk_rotation *t, struct tk_live_file *to, uint64_t whole)
{
    struct tk_os_result done = put_hello(t, to, whole, bytes_of_names(t));
    for (size_t i = 0; i < t->names.n && !done.error; i++)
        done = copy_span(to, t->from, &t->names.v[i]);
    return done;
}

static int create_next(const struct tk_rotation *t, struct tk_live_file *to, struct tk_err *err)
{
    const struct tk_rotation_options *o = &t->options;
    if (!o->file)
        return tk_live_file_create_by_clock(to, o->folder, o->prefix, tk_os_now(), ".utrace", err);
    char *name = tk_rotation_name(o->file, t->number + 1);
    const int rc = name ? tk_live_file_create(to, name, o->replace, err) : tk_err_nomem(err, "a recording");
    free(name);
    return rc;
}

static int check(const struct tk_rotation *t, struct tk_err *err)
{
    const uint8_t *p = t->hello;
    if (t->n_hello < FIELDS + VERSIONS || p[0] != '2' || p[t->n_hello - 1] < PROTOCOL)
        return tk_err_set(err, TK_EUSAGE, "programs of Unreal Engine 4 say what things are called once only");
    if (t->n_hello + TK_UT_PIECE_BYTES + 2 > TK_UT_HEADER_MAX)
        return tk_err_set(err, TK_ELIMIT, "its header has no space for one more field");
    return TK_OK;
}

/* What is repeated stands in the new file in one span. */
static void settle(struct tk_rotation *t, uint64_t repeated, uint64_t own, uint64_t whole)
{
    const uint64_t half = t->options.bytes / 2;
    t->names.n = 0;
    if (repeated) {
        const struct tk_rotation_span span = {own - repeated, repeated};
        (void)tk_vec_push(&t->names, span); /* it had more */
    }
    t->number++;
    t->own = own;
    t->stream = whole;
    t->limit = t->options.bytes && own > half ? own + half : t->options.bytes;
}

int tk_rotation_next(struct tk_rotation *t, struct tk_live_file *file, struct tk_live_file *old,
                     const struct tk_live_packets *packets, double now, struct tk_err *err)
{
    const uint64_t whole = packets->whole, repeated = bytes_of_names(t), behind = file->bytes;
    struct tk_live_file next = {0};
    struct tk_os_file *from = NULL;
    t->began = now;
    if (t->limit)
        t->limit = behind + t->options.bytes;
    int rc = check(t, err);
    if (rc == TK_OK)
        rc = create_next(t, &next, err);
    if (rc != TK_OK)
        return rc;
    struct tk_os_result done = fill(t, &next, whole);
    const uint64_t own = next.bytes;
    if (!done.error && packets->n_carry)
        done = tk_live_file_append(&next, packets->carry, packets->n_carry);
    if (!done.error)
        done = tk_os_file_open_read(&from, next.path);
    if (!done.error)
        done = tk_live_file_cut(file, tk_rotation_place(t, whole));
    if (done.error) {
        tk_os_file_close(from);
        tk_os_path_remove(next.path);
        tk_err_set(err, TK_EIO, "cannot write '%s': %s", next.path, tk_os_text(done));
        tk_live_file_release(&next);
        return TK_EIO;
    }
    settle(t, repeated, own, whole);
    tk_os_file_close(t->from);
    t->from = from;
    *old = *file;
    *file = next;
    return TK_OK;
}
