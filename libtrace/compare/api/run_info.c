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
