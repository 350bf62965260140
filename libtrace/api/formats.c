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

#define VIEWER   "ui.perfetto.dev loads it"
#define PERFETTO VIEWER ", and what Perfetto records instead is read"

/* Files that people hand over by mistake, and what to do with them. */
static const struct {
    const char *magic;
    size_t n;
    const char *what, *advice; /* advice: NULL where there is none */
} others[] = {
    {"\xff\xfe", 2, "text in UTF-16 (only UTF-8 is read)", NULL},
    {"\xfe\xff", 2, "text in UTF-16 (only UTF-8 is read)", NULL},
    {"\177ELF", 4, "a program", NULL},
    {"MZ", 2, "a program", NULL},
    {"PK\x03\x04", 4, "a ZIP archive", NULL},
    {"7z\xbc\xaf\x27\x1c", 6, "a 7-Zip archive", "unpack it first"},
    {"BZh", 3, "packed by bzip2", "unpack it first"},
    {"\xfd"
     "7zXZ",
     5, "packed by xz", "unpack it first"},
    {"SQLite format 3", 16, "an SQLite database", NULL},
    {"\x89PNG", 4, "a picture", NULL},
    {"%PDF", 4, "a PDF document", NULL},
    {"<!DOCTYPE html", 14, "a page of HTML", "ui.perfetto.dev loads those of systrace"},
    {"<!doctype html", 14, "a page of HTML", "ui.perfetto.dev loads those of systrace"},
    {"<html", 5, "a page of HTML", "ui.perfetto.dev loads those of systrace"},
    {"# tracer:", 9, "text of ftrace", PERFETTO},
    {"TRACE:\n", 7, "output of atrace", PERFETTO},
    {"\x17\x08\x44tracing", 10, "a trace.dat of trace-cmd", "'trace-cmd report' makes text of it; " PERFETTO},
    {"PERFILE2", 8, "data of Linux perf",
     "'perf script' and stackcollapse-perf.pl make collapsed stacks of it, which are read"},
    {"Nettrace", 8, "a trace of .NET",
     "'dotnet-trace convert --format Chromium' makes JSON of it, which is read"},
    {"FLR", 4, "a recording of Java's Flight Recorder", "JDK Mission Control loads it"},
    {"JAVA PROFILE", 12, "a heap dump of Java", "Android Studio and Eclipse MAT load it"},
    {"*version\n", 9, "a method trace of Android", VIEWER},
    {"heap profile:", 13, "a heap profile of gperftools",
     "'pprof -proto' makes a profile of it, which is read"},
    {"# callgrind format", 18, "output of callgrind", "KCachegrind loads it"},
    {"bplist00", 8, "a property list of Apple", NULL},
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

static const char *kind_of(const uint8_t *head, size_t n, const char **advice)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (n >= others[i].n && memcmp(head, others[i].magic, others[i].n) == 0) {
            *advice = others[i].advice;
            return others[i].what;
        }
    }
    return is_text(head, n) ? "text" : NULL;
}

static int refuse(const uint8_t *head, size_t n, struct tk_err *err)
{
    char bytes[3 * 8 + 1] = "";
    const char *sentence = n ? explain(head, n) : "the file is empty";
    const char *advice = NULL, *kind = kind_of(head, n, &advice);
    if (sentence)
        return tk_err_set(err, TK_EFORMAT, "%s", sentence);
    if (kind)
        return tk_err_set(err, TK_EFORMAT, "the file is %s, not a capture%s%s", kind, advice ? "; " : "",
                          advice ? advice : "");
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
