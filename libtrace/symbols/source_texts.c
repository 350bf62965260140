/*
 * Finds source files by the ends of their paths.
 */
#include "base/text/path.h"
#include "symbols/files/symbol_file.h"
#include "symbols/symbols_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATH = 4096, MOST_TEXT = 64 << 20, MOST_TEXTS = 4096 };

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Letters of any size are the same: not all systems tell them apart. */
static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : is_separator(c) ? '/' : c;
}

/* How many parts at the end two paths have in common. */
static size_t common_parts(const char *a, size_t n, const char *b, size_t m)
{
    size_t parts = 0;
    while (n && m && folded(a[n - 1]) == folded(b[m - 1])) {
        n--;
        m--;
        parts += is_separator(a[n]);
    }
    return parts + ((!n || is_separator(a[n - 1])) && (!m || is_separator(b[m - 1])));
}

static const char *find_file(struct tk_source_texts *s, const char *path, size_t n)
{
    size_t at = n, found, best = 0;
    char name[MOST_PATH];
    const char *out = NULL;
    while (at && !is_separator(path[at - 1]))
        at--;
    memcpy(name, path + at, n - at);
    name[n - at] = '\0';
    const struct tk_indexed_file *files = tk_file_index_find(&s->index, name, &found);
    for (size_t i = 0; i < found; i++) {
        const size_t parts = common_parts(path, n, files[i].path, strlen(files[i].path));
        if (parts > best) {
            best = parts;
            out = files[i].path;
        }
    }
    return out;
}

/* Reads a file as it is now. 0, or -1 if out of memory. */
static int read_text(struct tk_str *out, const char *path)
{
    struct tk_sym_file file;
    const char *why;
    *out = (struct tk_str){.p = NULL};
    if (tk_sym_file_open(&file, path, false, &why))
        return 0;
    int rc = 0;
    if (file.bytes.n <= MOST_TEXT) {
        char *copy = malloc(file.bytes.n + 1);
        if (copy && file.bytes.n)
            memcpy(copy, file.bytes.p, file.bytes.n);
        *out = (struct tk_str){copy, (uint32_t)file.bytes.n, TK_ENC_UTF8};
        rc = copy ? 0 : -1;
    }
    tk_sym_file_close(&file);
    return rc;
}

static int walk(struct tk_source_texts *s)
{
    int rc = 0;
    s->index.no_links = true;
    for (size_t i = 0; i < s->n_folders && !s->walked && rc == 0; i++)
        rc = tk_file_index_walk(&s->index, s->folders[i]);
    s->walked = true;
    return rc;
}

static int find_text(void *self, const struct tk_str *path, struct tk_str *out)
{
    struct tk_source_texts *s = self;
    if (path->enc != TK_ENC_UTF8 || !path->n || path->n >= MOST_PATH || memchr(path->p, 0, path->n))
        return 0;
    for (size_t i = 0; i < s->texts.n; i++)
        if (s->texts.v[i].n == path->n && memcmp(s->texts.v[i].path, path->p, path->n) == 0) {
            *out = s->texts.v[i].text;
            return out->p != NULL;
        }
    struct tk_source_text made = {.path = malloc(path->n), .n = path->n};
    if (s->texts.n >= MOST_TEXTS || !made.path || walk(s)) {
        free(made.path);
        return s->texts.n >= MOST_TEXTS ? 0 : -1;
    }
    memcpy(made.path, path->p, path->n);
    const char *file = find_file(s, path->p, path->n);
    if ((file && read_text(&made.text, file)) || tk_vec_push(&s->texts, made)) {
        free((void *)(uintptr_t)made.text.p);
        free(made.path);
        return -1;
    }
    *out = made.text;
    return out->p != NULL;
}

int tk_source_texts_open(struct tk_source_texts *s, const char *const *folders, size_t n)
{
    *s = (struct tk_source_texts){.finder = {s, find_text}};
    s->folders = calloc(n + 1, sizeof *s->folders);
    for (size_t i = 0; s->folders && i < n; i++) {
        const size_t length = strlen(folders[i]) + 1;
        if (!(s->folders[i] = malloc(length)))
            return -1;
        memcpy(s->folders[i], folders[i], length);
        s->n_folders++;
    }
    return s->folders ? 0 : -1;
}

enum { MOST_REPORTED = 3 };

struct reported {
    char *text;
    size_t n, capacity;
};

/* What has no space is cut. */
static void put(struct reported *t, const char *before, const char *text, size_t n)
{
    const int wrote =
        t->n < t->capacity ? snprintf(t->text + t->n, t->capacity - t->n, "%s%.*s", before, (int)n, text) : 0;
    t->n += wrote > 0 ? (size_t)wrote : 0;
}

static size_t put_missing(struct reported *t, const struct tk_source_texts *s, const char *before)
{
    size_t missing = 0;
    for (size_t i = 0; i < s->texts.n; i++) {
        const struct tk_source_text *one = &s->texts.v[i];
        if (one->text.p)
            continue;
        if (!missing)
            put(t, before, "no source of ", sizeof "no source of " - 1);
        if (missing++ < MOST_REPORTED)
            put(t, missing > 1 ? ", " : "", one->path, one->n);
    }
    char more[32];
    if (missing > MOST_REPORTED)
        put(t, " and ", more, (size_t)snprintf(more, sizeof more, "%zu more", missing - MOST_REPORTED));
    return missing;
}

int tk_source_texts_tell(const struct tk_source_texts *s, const char *before, char *text, size_t n)
{
    static const char nowhere[] = " in the capture, and no folder of sources was named";
    struct reported t = {text, 0, n};
    if (!put_missing(&t, s, before))
        return 0;
    if (!s->n_folders)
        put(&t, nowhere, "", 0);
    for (size_t i = 0; i < s->n_folders; i++)
        put(&t, i ? ", " : " below ", s->folders[i], strlen(s->folders[i]));
    if (s->index.full)
        put(&t, ", where there are too many files to look at", "", 0);
    return s->n_folders ? 2 : 1;
}

void tk_source_texts_close(struct tk_source_texts *s)
{
    for (size_t i = 0; i < s->texts.n; i++) {
        free((void *)(uintptr_t)s->texts.v[i].text.p);
        free(s->texts.v[i].path);
    }
    for (size_t i = 0; i < s->n_folders; i++)
        free(s->folders[i]);
    free(s->folders);
    tk_vec_release(&s->texts);
    tk_file_index_release(&s->index);
}
