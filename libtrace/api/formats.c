/*
 * The table of formats, and the messages for files of no known format.
 */
#include "api/api_in.h"
#include "base/given.h"
#include "base/health/limits.h"
#include "base/text/glob.h"
#include "base/text/text.h"
#include "format/chrome_json/chrome_json.h"
#include "format/frame_csv/frame_csv.h"
#include "format/fuchsia/fuchsia.h"
#include "format/perfetto/perfetto.h"
#include "format/profiles/profiles.h"
#include "format/tracy/reading/tracy.h"
#include "format/utrace/reading/reading_common.h"
#include "tracekit/captures.h"

#include <stdio.h>
#include <string.h>

/*
 * Names for people: nearest names and the limits.
 */

const char *tk_nearest(const char *wanted, const char *const *names, size_t n)
{
    if (!wanted || !tk_texts_given(names, n))
        return NULL;
    struct tk_nearest_search near;
    tk_nearest_begin(&near, wanted);
    for (size_t i = 0; i < n; i++)
        tk_nearest_offer(&near, names[i], strlen(names[i]));
    return near.n ? near.names[0].p : NULL;
}

struct displayed_text {
    char *out;
    size_t n, capacity;
};

static void put_displayed(void *to, const char *p, size_t n)
{
    struct displayed_text *displayed = to;
    if (n > displayed->capacity - displayed->n) {
        displayed->capacity = displayed->n; /* nothing that is shorter follows what had no space */
        return;
    }
    memcpy(displayed->out + displayed->n, p, n);
    displayed->n += n;
}

size_t tk_text_show(char *out, size_t capacity, const char *text, size_t n)
{
    if (!out || !text)
        return 0;
    struct displayed_text displayed = {out, 0, capacity};
    tk_show_text(&displayed, put_displayed, text, n, 0);
    return displayed.n;
}

static const struct {
    const char *name;
    uint64_t value;
    const char *help;
} limits[] = {
#define LIMIT_ROW(name, value, help) {#name, value, help},
    TK_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
};

size_t tk_limit_count(void)
{
    return sizeof limits / sizeof limits[0];
}

void tk_limit_describe(size_t index, const char **name, uint64_t *value, const char **help)
{
    if (name)
        *name = limits[index].name;
    if (value)
        *value = limits[index].value;
    if (help)
        *help = limits[index].help;
}

const struct tk_format *const tk_formats[] = {&tk_format_utrace,      &tk_format_tracy,
                                              &tk_format_chrome_json, &tk_format_perfetto,
                                              &tk_format_fuchsia,     &tk_format_presents,
                                              &tk_format_frame_csv,   &tk_format_pprof,
                                              &tk_format_collapsed,   NULL};

/* Files that people hand over by mistake. */
static const struct {
    const char *magic;
    size_t n;
    const char *what;
} others[] = {
    {"\xff\xfe", 2, "text in UTF-16 (only UTF-8 is read)"},
    {"\xfe\xff", 2, "text in UTF-16 (only UTF-8 is read)"},
    {"\177ELF", 4, "a program"},
    {"MZ", 2, "a program"},
    {"PK\x03\x04", 4, "a ZIP archive"},
    {"7z\xbc\xaf\x27\x1c", 6, "a 7-Zip archive"},
    {"SQLite format 3", 16, "an SQLite database"},
    {"\x89PNG", 4, "a picture"},
    {"%PDF", 4, "a PDF document"},
    {"<!DOCTYPE html", 14, "a page of HTML"},
    {"<!doctype html", 14, "a page of HTML"},
    {"<html", 5, "a page of HTML"},
    {"# tracer:", 9, "text of ftrace"},
};

static bool is_text(const uint8_t *head, size_t n)
{
    /* The last character may be cut. */
    size_t whole = n > 4 ? n - 4 : n;
    while (whole < n && !tk_utf8_valid(head, whole))
        whole++;
    if (!tk_utf8_valid(head, whole))
        return false;
    for (size_t i = 0; i < whole; i++) {
        if (head[i] < ' ' && !memchr("\t\n\v\f\r\x1b", head[i], 6))
            return false;
    }
    return true;
}

static const char *explain(const uint8_t *head, size_t n)
{
    for (size_t i = 0; tk_formats[i]; i++) {
        const char *sentence = tk_formats[i]->explain ? tk_formats[i]->explain(head, n) : NULL;
        if (sentence)
            return sentence;
    }
    return NULL;
}

static const char *kind_of(const uint8_t *head, size_t n)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (n >= others[i].n && memcmp(head, others[i].magic, others[i].n) == 0)
            return others[i].what;
    }
    return is_text(head, n) ? "text" : NULL;
}

static int refuse(const uint8_t *head, size_t n, struct tk_err *err)
{
    char bytes[3 * 8 + 1] = "";
    const char *sentence = n ? explain(head, n) : "the file is empty";
    const char *kind = kind_of(head, n);
    if (sentence)
        return tk_err_set(err, TK_EFORMAT, "%s", sentence);
    if (kind)
        return tk_err_set(err, TK_EFORMAT, "the file is %s, not a capture", kind);
    for (size_t i = 0; i < n && i < 8; i++)
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    return tk_err_set(err, TK_EFORMAT, "not a capture of any known format (it begins with%s)", bytes);
}

const struct tk_format *tk_format_find(const uint8_t *head, size_t n, struct tk_err *err)
{
    const struct tk_format *best = NULL;
    int surest = 0;
    for (size_t i = 0; tk_formats[i]; i++) {
        int sure = n ? tk_formats[i]->probe(head, n) : 0;
        if (sure > surest) {
            surest = sure;
            best = tk_formats[i];
        }
    }
    if (!best)
        refuse(head, n, err);
    return best;
}
