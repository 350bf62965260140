/*
 * Captures in archives: which member is read, and what the manifest of a merged trace of Perfetto says of it
 * (import2 7): a JSON file of any name that begins with {"perfetto_manifest".
 */

#include "io/archive.h"

#include "api/api_in.h"
#include "base/text/path.h"
#include "os/path.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MANIFEST = 1 << 20, NAMED = 5 /* members in a sentence */ };

#define MANIFEST "perfetto_manifest"

struct choice {
    struct tk_archive list;
    struct tk_file *file; /* borrowed */
    bool *captures;       /* owned: by member */
    size_t n_captures;
    const struct tk_archive_member *manifest; /* NULL: there is none */
    struct tk_err why; /* of the first one that cannot be read; code 0: there is none */
};

/* ---- paths ---- */

size_t tk_archive_path(const char *path)
{
    struct tk_os_info info;
    char *front = NULL;
    size_t found = 0;
    if (tk_os_path_info(path, &info).error != TK_OS_NOT_FOUND || !(front = malloc(strlen(path) + 1)))
        return 0;
    memcpy(front, path, strlen(path) + 1);
    for (size_t i = strlen(path); i-- > 1 && !found;) {
        if (!tk_path_is_separator(front[i]))
            continue;
        front[i] = 0;
        if (tk_os_path_info(front, &info).error != TK_OS_OK)
            continue;
        found = info.kind == TK_OS_FILE && path[i + 1] ? i : 0;
        break;
    }
    free(front);
    return found;
}

/* ---- the manifest ---- */

static bool is_manifest(const uint8_t *p, size_t n)
{
    static const char key[] = "\"" MANIFEST "\"";
    size_t i = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (bool inside = false; i < n; i++) {
        if (memchr(" \t\r\n", p[i], 4))
            continue;
        if (inside || p[i] != '{')
            break;
        inside = true;
    }
    return i && n - i >= sizeof key - 1 && memcmp(p + i, key, sizeof key - 1) == 0;
}

static const struct tk_archive_member *member_of(const struct choice *c, const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    for (size_t i = c->list.members.n; i-- > 0;) /* of two of one name the last one holds */
        if (strcmp(c->list.members.v[i].name, name) == 0)
            return &c->list.members.v[i];
    return NULL;
}

static int wrong(const struct choice *c, struct tk_err *err, const char *what)
{
    return tk_err_set(err, TK_EFORMAT, "the manifest of the archive, '%.100s', %s", c->manifest->name, what);
}

/* Each file that it names has to be there: what is said of a file that is not would be lost. */
static int check_file(const struct choice *c, const cJSON *in, const char *key, struct tk_err *err)
{
    const cJSON *file = cJSON_GetObjectItemCaseSensitive(in, key);
    const char *name = cJSON_GetStringValue(file);
    char text[160];
    if (!file)
        return TK_OK;
    if (!name)
        return wrong(c, err, "names a file by something that is no text");
    snprintf(text, sizeof text, "names '%.100s', which is not in the archive", name);
    return member_of(c, name) ? TK_OK : wrong(c, err, text);
}

static const cJSON *object_in(const cJSON *in, const char *key)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(in, key);
    return cJSON_IsObject(object) ? object : NULL;
}

static int check_manifest(const struct choice *c, const cJSON *manifest, struct tk_err *err)
{
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(manifest, "version"), *file;
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(manifest, "files");
    if (!cJSON_IsNumber(version) || version->valuedouble != 1)
        return wrong(c, err, "is of another version than 1, the only one that is known");
    int rc = check_file(c, object_in(manifest, "trace_time"), "file", err);
    if (files && !cJSON_IsArray(files))
        return wrong(c, err, "has no list of files");
    for (file = files ? files->child : NULL; file && rc == TK_OK; file = file->next) {
        if (!cJSON_GetObjectItemCaseSensitive(file, "path"))
            return wrong(c, err, "has a file without a path");
        rc = check_file(c, file, "path", err);
        if (rc == TK_OK)
            rc = check_file(c, object_in(object_in(file, "clocks"), "sync_to"), "file", err);
    }
    return rc;
}

static void take_text(char *to, size_t n, const cJSON *in, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(in, key));
    if (text)
        snprintf(to, n, "%s", text);
}

/* What it says of one file. */
static void take_facts(const struct choice *c, const cJSON *manifest, const struct tk_archive_member *m,
                       struct tk_archived *out)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(manifest, "files"), *file;
    cJSON_ArrayForEach(file, files)
    {
        const char *path = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(file, "path"));
        const cJSON *clocks = object_in(file, "clocks"), *machines, *offset;
        if (!path || member_of(c, path) != m)
            continue;
        machines = cJSON_GetObjectItemCaseSensitive(file, "machines");
        take_text(out->machine, sizeof out->machine, object_in(file, "machine"), "name");
        if (cJSON_GetArraySize(machines) == 1)
            take_text(out->machine, sizeof out->machine, machines->child, "name");
        take_text(out->in_time_of, sizeof out->in_time_of, object_in(clocks, "sync_to"), "file");
        offset = cJSON_GetObjectItemCaseSensitive(clocks, "offset_ns");
        out->has_offset = cJSON_IsNumber(offset) && fabs(offset->valuedouble) < 9e18;
        out->offset = out->has_offset ? (int64_t)offset->valuedouble : 0;
    }
}

/* Checks the manifest, if there is one, and takes what it says of the member, if there is one. */
static int read_manifest(const struct choice *c, const struct tk_archive_member *m, struct tk_archived *out,
                         struct tk_err *err)
{
    size_t n = 0;
    if (!c->manifest)
        return TK_OK;
    char *text = malloc(MOST_MANIFEST);
    if (!text)
        return tk_err_nomem(err, "the manifest of an archive");
    int rc = tk_archive_head(c->file, c->manifest, text, MOST_MANIFEST, &n, err);
    cJSON *root = rc == TK_OK ? cJSON_ParseWithLength(text, n) : NULL;
    const cJSON *manifest = cJSON_GetObjectItemCaseSensitive(root, MANIFEST);
    if (rc == TK_OK)
        rc = cJSON_IsObject(manifest) ? check_manifest(c, manifest, err)
                                      : wrong(c, err, "is not JSON as it should be");
    if (rc == TK_OK && m)
        take_facts(c, manifest, m, out);
    cJSON_Delete(root);
    free(text);
    return rc;
}

/* ---- what is in an archive ---- */

static int look_at(struct choice *c, size_t i, struct tk_err *err)
{
    const struct tk_archive_member *m = &c->list.members.v[i];
    struct tk_err ignored = {0};
    uint8_t head[TK_FORMAT_HEAD];
    size_t n = 0;
    if (tk_archive_is_hidden(m))
        return TK_OK;
    const int rc = tk_archive_head(c->file, m, head, sizeof head, &n, &ignored);
    if (rc == TK_ENOMEM || rc == TK_EIO) {
        *err = ignored;
        return rc;
    }
    if (rc < 0 && c->why.code == TK_OK)
        c->why = ignored;
    if (is_manifest(head, n) && c->manifest)
        return tk_err_set(err, TK_EFORMAT, "the archive has two manifests: '%.100s' and '%.100s'",
                          c->manifest->name, m->name);
    if (is_manifest(head, n))
        c->manifest = m;
    c->captures[i] = !is_manifest(head, n) && n && tk_format_find(head, n, &ignored);
    c->n_captures += c->captures[i];
    return TK_OK;
}

static int open_choice(struct choice *c, struct tk_file *f, const struct tk_limits *limits,
                       struct tk_err *err)
{
    *c = (struct choice){.file = f};
    int rc = tk_archive_list(&c->list, f, limits, err);
    c->captures = rc == TK_OK ? calloc(c->list.members.n + 1, sizeof *c->captures) : NULL;
    if (rc == TK_OK && !c->captures)
        rc = tk_err_nomem(err, "the list of an archive");
    for (size_t i = 0; i < c->list.members.n && rc == TK_OK; i++)
        rc = look_at(c, i, err);
    return rc;
}

static void close_choice(struct choice *c)
{
    tk_archive_release(&c->list);
    free(c->captures);
}

/* "'a.pftrace', 'b.pftrace' and 3 more", and one to choose. */
static int list_captures(const struct choice *c, const char *path, struct tk_err *err)
{
    char text[TK_ERR_TEXT / 2];
    const char *first = NULL;
    size_t n = 0, named = 0;
    for (size_t i = 0; i < c->list.members.n; i++) {
        const char *name = c->list.members.v[i].name;
        if (!c->captures[i])
            continue;
        first = first ? first : name;
        if (named >= NAMED || n + strlen(name) + 4 >= sizeof text)
            break;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s'%s'", named++ ? ", " : "", name);
    }
    text[n] = 0;
    if (named < c->n_captures)
        snprintf(text + n, sizeof text - n, " and %zu more", c->n_captures - named);
    return tk_err_set(err, TK_EFORMAT,
                      "the %s archive holds %zu captures (%s); add the name of one: '%.60s/%.60s'",
                      c->list.kind, c->n_captures, text, path ? path : "ARCHIVE", first);
}

static int find_named(const struct choice *c, const char *name, const struct tk_archive_member **out,
                      struct tk_err *err)
{
    *out = member_of(c, name);
    if (*out)
        return TK_OK;
    return tk_err_set(err, TK_EFORMAT, "the %s archive has no '%.200s'", c->list.kind, name);
}

static int find_only(const struct choice *c, const char *path, const struct tk_archive_member **out,
                     struct tk_err *err)
{
    if (c->n_captures == 0 && c->why.code) {
        *err = c->why;
        return c->why.code;
    }
    if (c->n_captures == 0)
        return tk_err_set(err, TK_EFORMAT, "the %s archive holds no capture (%zu file%s of other kinds)",
                          c->list.kind, c->list.members.n, c->list.members.n == 1 ? "" : "s");
    if (c->n_captures > 1)
        return list_captures(c, path, err);
    for (size_t i = 0; i < c->list.members.n; i++)
        if (c->captures[i])
            *out = &c->list.members.v[i];
    return TK_OK;
}

int tk_archive_choose(struct tk_file *f, const char *path, const char *member, const struct tk_options *opt,
                      const struct tk_limits *limits, struct tk_archived *out, struct tk_err *err)
{
    const struct tk_archive_member *m = NULL;
    struct choice c;
    int rc = open_choice(&c, f, limits, err);
    if (rc == TK_OK)
        rc = read_manifest(&c, NULL, out, err);
    if (rc == TK_OK)
        rc = member ? find_named(&c, member, &m, err) : find_only(&c, path, &m, err);
    if (rc == TK_OK)
        rc = read_manifest(&c, m, out, err);
    if (rc == TK_OK) {
        snprintf(out->member, sizeof out->member, "%s", m->name);
        rc = tk_archive_enter(f, m, m->name, opt, limits, err);
    }
    close_choice(&c);
    return rc;
}

int tk_archive_captures(const struct tk_file *f, const struct tk_limits *limits,
                        int (*take)(void *ctx, const char *member), void *ctx, struct tk_err *err)
{
    struct tk_archived ignored = {.member = ""};
    struct choice c;
    int rc = open_choice(&c, (struct tk_file *)(uintptr_t)f, limits, err);
    if (rc == TK_OK)
        rc = read_manifest(&c, NULL, &ignored, err);
    for (size_t i = 0; i < c.list.members.n && rc == TK_OK; i++)
        if (c.captures[i])
            rc = take(ctx, c.list.members.v[i].name);
    close_choice(&c);
    return rc;
}
