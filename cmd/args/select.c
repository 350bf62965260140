/*
 * Selection: options, times and frame ranges.
 */
#include "args/select.h"

#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows: from options to the conditions of a query.
 */

#define ROW_ARGS_AT(member) offsetof(struct tk_row_args, member)

const struct tk_opt tk_row_options[TK_ROW_COUNT] = {
    {0, "where", TK_OPT_LIST, ROW_ARGS_AT(where), "CONDITION",
     "only rows that match: 'dur>5ms', 'verbosity<=warning', 'text~stream'; may be repeated"},
    {0, "counter", TK_OPT_LIST, ROW_ARGS_AT(counters), "GLOB",
     "only counters with this name; may be repeated"},
    {0, "log", TK_OPT_LIST, ROW_ARGS_AT(logs), "TEXT",
     "only log messages that contain this text; may be repeated (for a category: --where 'category=LogAI')"},
    {0, "callstack", TK_OPT_TEXT, ROW_ARGS_AT(callstack), "ID", "the frames of the callstack with this id"},
};

static void tell_filtered(void *ctx, const char *table, uint64_t kept, uint64_t rows)
{
    const struct tk_row_filtering *f = ctx;
    if (!f->quiet && (f->each || kept == 0))
        tk_message_say(f->program, TK_MESSAGE_NOTE, "%s: %" PRIu64 " of %" PRIu64 " rows match", table, kept,
                       rows);
}

/* Counters of any of the names, as alternatives of one pattern. */
static bool add_counters(struct tk_opt_list *to, const struct tk_opt_list *names)
{
    static const char key[] = "counter=";
    size_t n = sizeof key - 1;
    for (size_t i = 0; i < names->n; i++)
        n += strlen(names->v[i]) + 1;
    char *text = malloc(n);
    if (!text)
        return false;
    memcpy(text, key, sizeof key - 1);
    char *end = text + sizeof key - 1;
    for (size_t i = 0; i < names->n; i++) {
        const size_t length = strlen(names->v[i]);
        if (i)
            *end++ = '|';
        memcpy(end, names->v[i], length);
        end += length;
    }
    const bool added = tk_opt_list_add(to, text, (size_t)(end - text));
    free(text);
    return added;
}

static bool add_part(struct tk_opt_list *to, const char *before, const char *part)
{
    const size_t n = strlen(before) + strlen(part) + 1;
    char *text = malloc(n);
    if (!text)
        return false;
    snprintf(text, n, "%s%s", before, part);
    const bool added = tk_opt_list_add(to, text, n - 1);
    free(text);
    return added;
}

bool tk_row_fill(struct tk_row_filtering *f, struct tk_query *query, const struct tk_row_args *args,
                 struct tk_opt_list *tables)
{
    const bool named = !tables || tables->n;
    bool ok = true;
    for (size_t i = 0; i < args->where.n && ok; i++)
        ok = tk_opt_list_add(&f->conditions, args->where.v[i], strlen(args->where.v[i]));
    for (size_t i = 0; i < args->logs.n && ok; i++)
        ok = add_part(&f->conditions, "logs.text~", args->logs.v[i]);
    if (args->counters.n && ok)
        ok = add_counters(&f->conditions, &args->counters);
    if (args->callstack && ok)
        ok = add_part(&f->conditions, "callstacks.callstack_id=", args->callstack);
    if (args->counters.n && !named && ok)
        ok = tk_opt_list_add(tables, "counters", 8);
    if (args->logs.n && !named && ok)
        ok = tk_opt_list_add(tables, "logs", 4);
    if (args->callstack && !named && ok)
        ok = tk_opt_list_add(tables, "callstacks", 10);
    query->where = (const char *const *)f->conditions.v;
    query->n_where = f->conditions.n;
    query->filtered = tell_filtered;
    query->filtered_ctx = f;
    return ok;
}

/*
 * The grammar of --split.
 */

static uint64_t read_size(const char *text)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
    char *end;
    const double v = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && v > 0 && v < 1e6)
            return (uint64_t)(v * units[i].bytes);
    return 0;
}

static uint64_t read_count(const char *text)
{
    const size_t n = strspn(text, "0123456789");
    return n && n < 10 && !text[n] ? strtoull(text, NULL, 10) : 0;
}

bool tk_split_read(struct tk_split *out, const char *text, char message[TK_OPT_MESSAGE])
{
    static const char frames[] = "frames=", region[] = "region=";
    *out = (struct tk_split){0};
    if (!text)
        return true;
    if (strncmp(text, frames, sizeof frames - 1) == 0)
        out->frames = read_count(text + sizeof frames - 1);
    else if (strncmp(text, region, sizeof region - 1) == 0)
        out->region = text[sizeof region - 1] ? text + sizeof region - 1 : NULL;
    else if (!(out->bytes = read_size(text)) && (!tk_select_time(text, &out->ns) || out->ns <= 0))
        out->ns = 0;
    if (tk_split_any(out))
        return true;
    snprintf(message, TK_OPT_MESSAGE,
             "option '--split' takes a size (200MB), a time (10s), frames=N or region=GLOB, not '%.100s'",
             text);
    return false;
}

#define AT(member) offsetof(struct tk_select_args, member)

const struct tk_opt tk_select_options[TK_SELECT_COUNT] = {
    {0, "from", TK_OPT_TEXT, AT(from), "TIME", "from this time on: seconds, or 250ms, 3m, 1:30"},
    {0, "to", TK_OPT_TEXT, AT(to), "TIME", "up to this time (exclusive)"},
    {0, "frames", TK_OPT_TEXT, AT(frames), "A-B,...", "only these game frames: 7, 3-9, 100,233,350..360"},
    {0, "from-bookmark", TK_OPT_TEXT, AT(from_bookmark), "GLOB", "from the first bookmark with this text on"},
    {0, "to-bookmark", TK_OPT_TEXT, AT(to_bookmark), "GLOB", "until the next bookmark with this text"},
    {0, "region", TK_OPT_LIST, AT(regions), "GLOB", "only regions with this name; may be repeated"},
    {0, "thread", TK_OPT_LIST, AT(threads), "GLOB",
     "only threads with this name, or whose name contains this lower-case word; may be repeated"},
    {0, "timer", TK_OPT_LIST, AT(timers), "GLOB", "only timers with this name; may be repeated"},
};

static const struct {
    const char *name;
    int64_t ns;
} units[] = {{"", 1000000000}, {"s", 1000000000},  {"ms", 1000000},     {"us", 1000},
             {"ns", 1},        {"m", 60000000000}, {"h", 3600000000000}};

static int64_t unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].ns;
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number without sign and its unit, in integers, so that what is requested is what is taken. The text has
 * `n` bytes. */
static bool parse_amount(const char *p, size_t n, int64_t unit, int64_t *ns)
{
    const char *end = p + n;
    int64_t value = 0;
    bool any = false;
    for (; p < end && is_digit(*p); p++, any = true) {
        if (value > (INT64_MAX / unit - 10) / 10)
            return false;
        value = value * 10 + (*p - '0');
    }
    value *= unit;
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, any = true) {
            unit /= 10;
            value += unit * (*p - '0');
        }
    *ns = value;
    return any && p == end;
}

/* "1:30", "1:02:03.5": each part but the first is below 60. */
static bool parse_clock(const char *p, int64_t *ns)
{
    static const int64_t unit[] = {3600000000000, 60000000000, 1000000000};
    const char *first = strchr(p, ':'), *second = strchr(first + 1, ':');
    int64_t sum = 0, part;
    for (size_t i = second ? 0 : 1; i < 3; i++) {
        const size_t n = i < 2 ? strcspn(p, ":") : strlen(p);
        const bool whole = i < 2 || n < 3 || p[2] == '.', leads = i == (second ? 0u : 1u);
        if (!is_digit(*p) || !whole || (i < 2 && memchr(p, '.', n)) || !parse_amount(p, n, unit[i], &part) ||
            (!leads && part >= 60 * unit[i]) || part > INT64_MAX - sum)
            return false;
        sum += part;
        p += n + (p[n] == ':');
    }
    *ns = sum;
    return true;
}

bool tk_select_time(const char *text, int64_t *ns)
{
    const bool minus = *text == '-';
    const char *p = text + (minus || *text == '+');
    const size_t n = strspn(p, "0123456789.");
    const int64_t unit = unit_of(p + n);
    int64_t value;
    if (strchr(p, ':') ? !parse_clock(p, &value) : unit == 0 || !parse_amount(p, n, unit, &value))
        return false;
    *ns = minus ? -value : value;
    return true;
}

/* Half of the last digit of a time in seconds as pages print it; 0 for all others. */
static int64_t rounding_of(const char *text)
{
    enum { DECIMALS = 6, HALF = 500 };
    const char *point = strchr(text, '.');
    size_t n = point ? strspn(point + 1, "0123456789") : 0;
    return n == DECIMALS && unit_of(point + 1 + n) == units[0].ns ? HALF : 0;
}

bool tk_select_displayed(const char *text, int64_t *first, int64_t *last)
{
    int64_t half = rounding_of(text);
    if (!tk_select_time(text, first))
        return false;
    *last = *first < INT64_MAX - half && half ? *first + half - 1 : *first;
    *first -= *first > INT64_MIN + half ? half : 0;
    return true;
}

static bool parse_number(const char **p, uint64_t *out)
{
    char *end;
    if (!is_digit(**p))
        return false;
    *out = strtoull(*p, &end, 10);
    *p = end;
    return true;
}

static bool ends(const char *p)
{
    return *p == 0 || *p == ',';
}

/* "7", "3-9", "3..9", "3-", up to a comma or the end. */
static bool parse_range(const char **text, uint64_t *first, uint64_t *last)
{
    const char *p = *text;
    if (!parse_number(&p, first))
        return false;
    *last = ends(p) ? *first : UINT64_MAX;
    const size_t sign = p[0] == '-' ? 1 : p[0] == '.' && p[1] == '.' ? 2 : 0;
    p += sign;
    if (sign && !(sign == 1 && ends(p)) && !parse_number(&p, last))
        return false;
    *text = p;
    return ends(p) && *first <= *last;
}

/* One range, or several with commas between them: then the bounds of all of them, and the list. */
static bool parse_frames(const char *text, struct tk_selection *out)
{
    const char *p = text;
    uint64_t first, last;
    out->first_frame = UINT64_MAX;
    for (;; p++) {
        if (!parse_range(&p, &first, &last))
            return false;
        out->first_frame = first < out->first_frame ? first : out->first_frame;
        out->last_frame = last > out->last_frame ? last : out->last_frame;
        if (*p == 0)
            break;
        out->frame_list = text;
    }
    return true;
}

static bool wrong(char message[TK_OPT_MESSAGE], const char *option, const char *value, const char *wanted)
{
    snprintf(message, TK_OPT_MESSAGE, "option '%s': '%.100s' is not a %s", option, value, wanted);
    return false;
}

bool tk_select_given(const struct tk_select_args *args)
{
    return args->from || args->to || args->frames || args->from_bookmark || args->to_bookmark ||
           args->regions.n || args->threads.n;
}

bool tk_select_fill(struct tk_selection *out, const struct tk_select_args *args, char message[TK_OPT_MESSAGE])
{
    *out = (struct tk_selection){
        .has_from = args->from,
        .has_to = args->to,
        .has_frames = args->frames,
        .from_bookmark = args->from_bookmark,
        .to_bookmark = args->to_bookmark,
        .regions = (const char *const *)args->regions.v,
        .n_regions = args->regions.n,
        .threads = (const char *const *)args->threads.v,
        .n_threads = args->threads.n,
        .timers = (const char *const *)args->timers.v,
        .n_timers = args->timers.n,
    };
    int64_t last;
    if (args->from && !tk_select_displayed(args->from, &out->from_ns, &last))
        return wrong(message, "--from", args->from, "time (like 1.5s, 20ms, 7us, 3m, 1:30)");
    if (args->to && !tk_select_displayed(args->to, &out->to_ns, &last))
        return wrong(message, "--to", args->to, "time (like 1.5s, 20ms, 7us, 3m, 1:30)");
    if (args->frames && !parse_frames(args->frames, out))
        return wrong(message, "--frames", args->frames, "range of frames (like 100-200)");
    if (args->from && args->to && out->from_ns >= out->to_ns) {
        snprintf(message, TK_OPT_MESSAGE,
                 "options '--from' and '--to': nothing lies between '%.80s' and '%.80s'", args->from,
                 args->to);
        return false;
    }
    return true;
}

static bool has_times(const struct tk_select_args *a)
{
    return a->from || a->to;
}

static bool has_bookmarks(const struct tk_select_args *a)
{
    return a->from_bookmark || a->to_bookmark;
}

/* What `to` has no selection of is that of the other side. */
static void take_missing(struct tk_select_args *to, const struct tk_select_args *of)
{
    if (!has_times(to)) {
        to->from = of->from;
        to->to = of->to;
    }
    if (!has_bookmarks(to)) {
        to->from_bookmark = of->from_bookmark;
        to->to_bookmark = of->to_bookmark;
    }
    to->frames = to->frames ? to->frames : of->frames;
    to->regions = to->regions.n ? to->regions : of->regions;
    to->threads = to->threads.n ? to->threads : of->threads;
    to->timers = to->timers.n ? to->timers : of->timers;
}

void tk_select_share(struct tk_select_args *a, struct tk_select_args *b)
{
    const struct tk_select_args first = *a;
    take_missing(a, b);
    take_missing(b, &first);
}
