/*
 * The bytes of a symbol file.
 */
#include "symbols/files/symbol_file.h"

#include "base/text/text.h"
#include "os/path.h"
#include "symbols/files/files_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Answers about addresses.
 */

#define MOST_TEXT 4096u /* bytes of a name; longer ones are cut */

const struct tk_str *tk_sym_text(struct tk_sym_answers *a, const char *p, size_t n)
{
    if (!n)
        return NULL;
    n = n < MOST_TEXT ? n : MOST_TEXT;
    const struct tk_str *text = tk_intern(&a->texts, p, n, tk_utf8_valid(p, n) ? TK_ENC_UTF8 : TK_ENC_BYTES);
    a->failed |= !text;
    return text;
}

const struct tk_str *tk_sym_function(struct tk_sym_answers *a, const char *p, size_t n)
{
    struct tk_rust_name plain;
    const bool rust = tk_rust_demangle(&plain, p, n);
    return rust ? tk_sym_text(a, plain.text, plain.n) : tk_sym_text(a, p, n);
}

void tk_sym_add(struct tk_sym_answers *a, struct tk_sym_question *q, struct tk_sym_frame frame)
{
    if (a->frames.n >= UINT32_MAX || tk_vec_push(&a->frames, frame)) {
        a->failed = true;
        return;
    }
    if (!q->n)
        q->first = (uint32_t)(a->frames.n - 1);
    q->n++;
}

void tk_sym_lose(struct tk_sym_answers *a, const char *why)
{
    a->lost++;
    if (!a->why)
        a->why = why;
}

void tk_sym_answers_release(struct tk_sym_answers *a)
{
    tk_intern_release(&a->texts);
    tk_vec_release(&a->frames);
}

/*
 * Paths of source files.
 */

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool is_absolute(struct tk_bytes s)
{
    return (s.n && is_separator((char)s.p[0])) || (s.n > 2 && s.p[1] == ':' && is_separator((char)s.p[2]));
}

/* Where the last name of a path begins. */
static size_t last_name(const struct tk_sym_path *p)
{
    size_t at = p->n;
    while (at && !is_separator(p->text[at - 1]))
        at--;
    return at;
}

/* A step of a path: "." is nothing, ".." takes a name away that is there. */
static void add_name(struct tk_sym_path *p, const char *name, size_t n)
{
    if (n == 0 || (n == 1 && name[0] == '.'))
        return;
    size_t at = last_name(p);
    bool up = n == 2 && memcmp(name, "..", 2) == 0;
    bool named = at < p->n && !(p->n - at == 2 && memcmp(p->text + at, "..", 2) == 0);
    if (up && named && at) {
        p->n = at > 1 ? at - 1 : at;
        return;
    }
    if (up && p->n == 1 && is_separator(p->text[0]))
        return; /* above the root is the root */
    if (p->n + n + 1 > sizeof p->text)
        return;
    if (p->n && !is_separator(p->text[p->n - 1]))
        p->text[p->n++] = '/';
    memcpy(p->text + p->n, name, n);
    p->n += n;
}

void tk_sym_path_add(struct tk_sym_path *p, struct tk_bytes s)
{
    if (is_absolute(s)) {
        p->n = 0;
        if (is_separator((char)s.p[0]))
            p->text[p->n++] = (char)s.p[0];
    }
    for (size_t at = 0, end; at < s.n; at = end + 1) {
        for (end = at; end < s.n && !is_separator((char)s.p[end]); end++)
            continue;
        add_name(p, (const char *)s.p + at, end - at);
    }
}

#define MOST_TOUCHED   (UINT64_C(64) << 20)  /* bytes of a view that stay in memory */
#define MOST_IN_MEMORY (UINT64_C(512) << 20) /* bytes of a file that is not mapped */

static int refuse(const char **why, const char *text)
{
    *why = text;
    return -1;
}

static int read_whole(struct tk_sym_file *f, uint64_t size, const char **why)
{
    size_t got = 0;
    if (size > MOST_IN_MEMORY)
        return refuse(why, "too large to be read without a memory map");
    f->memory = malloc(size ? (size_t)size : 1);
    if (!f->memory)
        return refuse(why, "out of memory");
    struct tk_os_result result = tk_os_file_read_at(f->file, 0, f->memory, (size_t)size, &got);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    f->bytes = (struct tk_bytes){f->memory, got};
    return 0;
}

static int read_bytes(struct tk_sym_file *f, bool map, const char **why)
{
    struct tk_os_info info;
    struct tk_os_result result = tk_os_file_info(f->file, &info);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    if (info.kind != TK_OS_FILE)
        return refuse(why, "not a regular file");
    f->modified = info.modified;
    f->view = map && info.size && info.size <= SIZE_MAX ? tk_os_map_open(f->file, info.size) : NULL;
    if (!f->view)
        return read_whole(f, info.size, why);
    f->bytes = (struct tk_bytes){tk_os_map_bytes(f->view), (size_t)info.size};
    return 0;
}

/* Files of other kinds are not opened at all: opening a pipe would wait for its other end. */
static int look(const char *path, const char **why)
{
    struct tk_os_info info;
    struct tk_os_result result = tk_os_path_info(path, &info);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    return info.kind == TK_OS_FILE ? 0 : refuse(why, "not a regular file");
}

int tk_sym_file_open(struct tk_sym_file *f, const char *path, bool map, const char **why)
{
    *f = (struct tk_sym_file){0};
    if (look(path, why) < 0)
        return -1;
    struct tk_os_result result = tk_os_file_open_read(&f->file, path);
    if (result.error != TK_OS_OK)
        return refuse(why, tk_os_text(result));
    int rc = read_bytes(f, map, why);
    if (rc < 0)
        tk_sym_file_close(f);
    return rc;
}

bool tk_sym_file_changed(const struct tk_sym_file *f)
{
    return f->view && tk_os_map_faulted(f->view);
}

void tk_sym_file_touch(struct tk_sym_file *f, uint64_t n)
{
    if (!f || !f->view)
        return;
    f->touched += n;
    if (f->touched < MOST_TOUCHED)
        return;
    tk_os_map_leave(f->view, 0, f->bytes.n);
    f->touched = 0;
}

void tk_sym_file_close(struct tk_sym_file *f)
{
    if (f->view)
        tk_os_map_close(f->view);
    tk_os_file_close(f->file);
    free(f->memory);
    *f = (struct tk_sym_file){0};
}
