/*
 * A file that is being recorded.
 */
#include "base/text/path.h"
#include "live/access.h"
#include "os/clock.h"
#include "os/lock.h"
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
