/*
 * Facts about runs: those given by the caller, and those stored in a baseline.
 */
#include "compare/baseline/run_info.h"

#include "base/given.h"
#include "base/text/path.h"
#include "base/text/text.h"
#include "compare/baseline/baseline.h"
#include "compare/baseline/expect.h"
#include "io/file.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 20)

const struct tk_run_key *tk_run_key_at(size_t i)
{
    return tk_base_run_key(i);
}

static int read_file(struct tk_run_info *info, const char *path, struct tk_err *err)
{
    char *text;
    size_t n;
    int rc = tk_text_file_read(&text, &n, path, MOST_BYTES, err);
    if (rc == TK_OK)
        rc = tk_run_info_parse(info, text, n, err);
    free(text);
    if (rc < 0)
        tk_err_add(err, "cannot use '%s', which is neither KEY=VALUE nor a JSON file of facts", path);
    return rc;
}

int tk_run_info_new(struct tk_run_info **out, const char *const *words, size_t n, struct tk_err *err)
{
    TK_GIVEN(err, out);
    *out = NULL;
    TK_TEXTS_GIVEN(err, words, n);
    struct tk_run_info *info = calloc(1, sizeof *info);
    int rc = info ? TK_OK : tk_err_nomem(err, "facts about a run");
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = tk_run_info_is_word(words[i]) || strchr(words[i], '=') ? tk_run_info_word(info, words[i], err)
                                                                    : read_file(info, words[i], err);
    *out = rc == TK_OK ? info : NULL;
    if (rc != TK_OK)
        tk_run_info_free(info);
    return rc;
}

/* Bytes of a path without the endings of compression and of captures. */
static size_t bare_length(const char *path)
{
    static const char *const packed[] = {".zst", ".gz", ".lz4"};
    const size_t base = tk_path_base(path);
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (n > strlen(packed[i]) && strcmp(path + n - strlen(packed[i]), packed[i]) == 0)
            n -= strlen(packed[i]);
    for (size_t i = n; i-- > base + 1;)
        if (path[i] == '.')
            return i;
    return n;
}

int tk_run_info_sidecar(struct tk_run_info **out, const char *path, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, path);
    static const char end[] = ".run.json";
    const size_t n = bare_length(path);
    char *sidecar = malloc(n + sizeof end);
    if (!sidecar)
        return tk_err_nomem(err, "facts about a run");
    memcpy(sidecar, path, n);
    memcpy(sidecar + n, end, sizeof end);
    const char *const words[] = {sidecar};
    const int rc = tk_place_of(sidecar) == TK_PLACE_FILE ? tk_run_info_new(out, words, 1, err) : TK_OK;
    free(sidecar);
    return rc;
}

/* Is it keys in braces, with something between them? */
static bool is_pattern(const char *p)
{
    size_t keys = 0;
    while (*p) {
        const size_t n = *p == '{' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
        if (*p == '}' || (*p == '{' && (n == 0 || p[n + 1] != '}' || p[n + 2] == '{')))
            return false;
        keys += *p == '{';
        p += *p == '{' ? n + 2 : 1;
    }
    return keys > 0;
}

/* A key and its value. TK_OK or what is wrong with it. */
static int add_fact(struct tk_run_info *info, const char *key, size_t n_key, const char *value, size_t n,
                    struct tk_err *err)
{
    char *word = malloc(n_key + n + 2);
    if (!word)
        return tk_err_nomem(err, "facts about a run");
    memcpy(word, key, n_key);
    word[n_key] = '=';
    memcpy(word + n_key + 1, value, n);
    word[n_key + 1 + n] = '\0';
    const int rc = tk_run_info_word(info, word, err);
    free(word);
    return rc;
}

/* Takes a name apart: each value reaches to what follows its key. TK_ITEM; TK_OK: it does not match. */
static int take_name(struct tk_run_info *info, const char *p, const char *name, size_t n, struct tk_err *err)
{
    size_t at = 0;
    while (*p) {
        if (*p != '{') {
            if (at >= n || name[at++] != *p++)
                return TK_OK;
            continue;
        }
        const char *key = p + 1;
        const size_t n_key = strcspn(key, "}");
        size_t end = at;
        p = key + n_key + 1;
        while (end < n && (!*p || name[end] != *p))
            end++;
        if (end == at || (*p && end == n))
            return TK_OK;
        const int rc = add_fact(info, key, n_key, name + at, end - at, err);
        if (rc < 0)
            return rc;
        at = end;
    }
    return at == n ? TK_ITEM : TK_OK;
}

int tk_run_info_of_name(struct tk_run_info **out, const char *pattern, const char *path, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, pattern, path);
    if (!is_pattern(pattern))
        return tk_err_set(
            err, TK_EUSAGE,
            "'%.60s' is no pattern of names: it has keys in braces with something between them, "
            "as '{map}_{build}_{n}'",
            pattern);
    const size_t base = tk_path_base(path);
    struct tk_run_info *info = calloc(1, sizeof *info);
    int rc = info ? take_name(info, pattern, path + base, bare_length(path) - base, err)
                  : tk_err_nomem(err, "facts about a run");
    if (rc == TK_ITEM)
        *out = info;
    else
        tk_run_info_free(info);
    return rc == TK_ITEM ? TK_OK : rc;
}

size_t tk_run_info_count(const struct tk_run_info *info)
{
    if (!info)
        return 0;
    return info->v.n;
}

const struct tk_str *tk_run_info_item(const struct tk_run_info *info, size_t i, const struct tk_str **value)
{
    if (!info)
        return NULL;
    if (value)
        *value = info->v.v[i].value;
    return info->v.v[i].key;
}

void tk_run_info_free(struct tk_run_info *info)
{
    if (info)
        tk_run_info_release(info);
    free(info);
}

/* ---- runs ---- */

int tk_baseline_say(struct tk_baseline *b, size_t first, const struct tk_run_info *info, struct tk_err *err)
{
    TK_GIVEN(err, b, info);
    int rc = TK_OK;
    for (size_t i = first; i < b->runs.n && rc == TK_OK; i++)
        rc = tk_base_run_say(b->runs.v[i], info, err);
    return rc;
}

const struct tk_str *tk_baseline_about(const struct tk_baseline *b, size_t run, const char *key)
{
    if (!b || !key)
        return NULL;
    return run < b->runs.n ? tk_base_run_about(b->runs.v[run], key) : NULL;
}

int tk_baseline_name(struct tk_baseline *b, size_t run, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, b, path);
    const char *name = path + tk_path_base(path);
    const enum tk_encoding enc = tk_utf8_valid(name, strlen(name)) ? TK_ENC_UTF8 : TK_ENC_BYTES;
    if (run < b->runs.n && tk_base_run_note(b->runs.v[run], "capture", name, strlen(name), (uint8_t)enc))
        return tk_err_nomem(err, "the name of a run");
    return TK_OK;
}

/* ---- choosing and checking them ---- */

int tk_baseline_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
                        struct tk_err *err)
{
    TK_GIVEN(err, history, like, what);
    return tk_base_of(history, like, what, err);
}

int tk_baseline_expect(const struct tk_baseline *b, const char *const *words, size_t n,
                       void (*lacks)(void *ctx, size_t run, const char *word, const char *instead), void *ctx,
                       struct tk_err *err)
{
    TK_GIVEN(err, b);
    TK_TEXTS_GIVEN(err, words, n);
    if (!lacks)
        return tk_err_set(err, TK_EUSAGE, "%s: nobody is told what runs lack", __func__);
    char instead[TK_EXPECT_TEXT];
    for (size_t i = 0; i < b->runs.n; i++)
        for (size_t k = 0; k < n; k++) {
            int rc = tk_base_run_expect(b->runs.v[i], words[k], instead, err);
            if (rc < 0)
                return rc;
            if (rc == 0)
                lacks(ctx, i, words[k], instead);
        }
    return TK_OK;
}
