/*
 * Info page: what trace-info shows of a capture unasked.
 */
#include "pages/pages_in.h"
#include "pages/summary_pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Recorded: the lines of an info page about recorded and missing families.
 */

#define TOPICS              64 /* that are distinguished; families and the records of one format are fewer */
#define LISTED              12
#define RECORDED_NAME_BYTES 40
#define OFF_LISTED          16

struct topic {
    const char *name; /* borrowed from the table */
    size_t n;
    uint64_t count;
};

/* Topics that say how things are called, and nothing of what happened. */
static bool is_description(const struct tk_cell *family)
{
    static const char *const names[] = {"definition", "thread", "trace", "channel", "session", NULL};
    for (const char *const *name = names; *name; name++)
        if (tk_answer_is_text(family, *name))
            return true;
    return false;
}

/* Is it nothing that could be listed, but a part of the file? */
static bool is_unread(const struct tk_cell *family)
{
    return tk_answer_is_text(family, "unread");
}

/* The family; where events have none, for records of Tracy their own name, else "other". */
static struct topic topic_of(const struct tk_cell *family, const struct tk_cell *event)
{
    static const char tracy[] = "Tracy.", other[] = "other";
    const size_t n = sizeof tracy - 1;
    if (!tk_answer_is_text(family, "generic") && !tk_answer_is_text(family, "losses"))
        return (struct topic){.name = family->v.p, .n = family->n};
    if (event->kind == TK_TEXT && event->n > n && memcmp(event->v.p, tracy, n) == 0)
        return (struct topic){.name = (const char *)event->v.p + n, .n = event->n - n};
    return (struct topic){.name = other, .n = sizeof other - 1};
}

static size_t add_topic(struct topic topics[TOPICS], size_t n, struct topic add)
{
    for (size_t i = 0; i < n; i++)
        if (topics[i].n == add.n && memcmp(topics[i].name, add.name, add.n) == 0) {
            topics[i].count += add.count;
            return n;
        }
    if (n < TOPICS)
        topics[n++] = add;
    return n;
}

static bool has_event(const struct tk_answer *coverage, const char *name, size_t n)
{
    for (size_t i = 0; i < coverage->n_rows; i++) {
        const struct tk_cell *event = tk_answer_cell(coverage, i, "event");
        if (event->kind == TK_TEXT && event->n == n && memcmp(event->v.p, name, n) == 0)
            return true;
    }
    return false;
}

/* Ends are counted by their begins: those of "ZoneEnd" by "ZoneBegin". */
static bool is_end(const struct tk_answer *coverage, const struct tk_cell *event)
{
    static const char end[] = "End", begin[] = "Begin";
    char name[RECORDED_NAME_BYTES + sizeof begin];
    const size_t n = event->kind == TK_TEXT ? event->n : 0;
    if (n <= 3 || n > RECORDED_NAME_BYTES || memcmp((const char *)event->v.p + n - 3, end, 3) != 0)
        return false;
    memcpy(name, event->v.p, n - 3);
    memcpy(name + n - 3, begin, sizeof begin);
    return has_event(coverage, name, n + sizeof begin - sizeof end);
}

static int most_first(const void *a, const void *b)
{
    const struct topic *x = a, *y = b;
    const size_t n = x->n < y->n ? x->n : y->n;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    const int order = memcmp(x->name, y->name, n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* A count in at most four digits. */
static void put_count(struct tk_lines *lines, uint64_t count)
{
    static const char units[] = "kMGTPE";
    unsigned unit = 0;
    if (count < 10000) {
        tk_lines_put(lines, "%" PRIu64, count);
        return;
    }
    double v = (double)count / 1000;
    for (; v >= 999.5; unit++)
        v /= 1000;
    tk_lines_put(lines, "%.*f%c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[unit]);
}

/* Events by topic, the most first. coverage: the table of that name. in_part: there may be more of them. */
static void tk_recorded_put(struct tk_lines *lines, const struct tk_answer *coverage, bool in_part)
{
    struct topic topics[TOPICS];
    size_t n = 0;
    for (size_t i = 0; i < coverage->n_rows; i++) {
        const struct tk_cell *family = tk_answer_cell(coverage, i, "family");
        if (family->kind != TK_TEXT || is_description(family) || is_unread(family))
            continue;
        const struct tk_cell *event = tk_answer_cell(coverage, i, "event");
        struct topic topic = topic_of(family, event);
        topic.count = tk_answer_cell(coverage, i, "count")->v.u;
        n = is_end(coverage, event) ? n : add_topic(topics, n, topic);
    }
    if (n)
        qsort(topics, n, sizeof *topics, most_first);
    tk_lines_begin(lines, "recorded");
    for (size_t i = 0; i < n && i < LISTED && topics[i].count; i++) {
        const struct tk_cell name = {
            .kind = TK_TEXT, .enc = TK_ENC_BYTES, .n = (uint32_t)topics[i].n, .v.p = topics[i].name};
        tk_lines_put(lines, i ? ", " : in_part ? "events, at least: " : "events: ");
        tk_lines_cell(lines, &name, RECORDED_NAME_BYTES);
        tk_lines_put(lines, " ");
        put_count(lines, topics[i].count);
    }
    if (n > LISTED)
        tk_lines_put(lines, ", and %zu more kind%s", n - LISTED, n - LISTED == 1 ? "" : "s");
}

static bool begins_with(const struct tk_cell *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    return text->kind == TK_TEXT && text->n > n && memcmp(text->v.p, prefix, n) == 0;
}

static bool has_losses(const struct tk_cell *family)
{
    return tk_answer_is_text(family, "losses");
}

/* A packet or record of which nothing is made: formats of others name more than is read of them. */
static bool is_packet(const struct tk_cell *family, const struct tk_cell *event)
{
    return has_losses(family) || (tk_answer_is_text(family, "generic") &&
                                  (begins_with(event, "Perfetto.") || begins_with(event, "Fuchsia.")));
}

/* What the file names and nothing is made of, with its bytes. */
static void tk_recorded_put_unread(struct tk_lines *lines, const struct tk_answer *coverage)
{
    size_t n = 0;
    tk_lines_begin(lines, "unread");
    for (size_t i = 0; i < coverage->n_rows; i++) {
        const struct tk_cell *family = tk_answer_cell(coverage, i, "family");
        const struct tk_cell *event = tk_answer_cell(coverage, i, "event");
        if ((!is_unread(family) && !is_packet(family, event)) || n++ >= LISTED)
            continue;
        tk_lines_comma(lines);
        tk_lines_cell(lines, event, RECORDED_NAME_BYTES);
        tk_lines_put(lines, " ");
        tk_lines_size(lines, tk_answer_cell(coverage, i, "bytes")->v.u);
        tk_lines_put(lines, has_losses(family) ? " (but for losses)" : "");
    }
    if (n > LISTED)
        tk_lines_put(lines, ", and %zu more", n - LISTED);
}

/* Channels that were off. channels: the table of that name; captures without channels have no such line. */
static void tk_recorded_put_off(struct tk_lines *lines, const struct tk_answer *channels)
{
    size_t off = 0;
    tk_lines_begin(lines, "off");
    for (size_t i = 0; i < channels->n_rows; i++) {
        const struct tk_cell *enabled = tk_answer_cell(channels, i, "enabled");
        const struct tk_cell *name = tk_answer_cell(channels, i, "name");
        if (enabled->kind != TK_BOOL || enabled->v.u || name->kind != TK_TEXT || off++ >= OFF_LISTED)
            continue;
        tk_lines_comma(lines);
        tk_lines_cell(lines, name, RECORDED_NAME_BYTES);
    }
    if (off > OFF_LISTED)
        tk_lines_put(lines, ", and %zu more", off - OFF_LISTED);
    if (off)
        tk_lines_put(lines, " (channels)");
}

const char *const tk_info_page_tables[TK_INFO_PAGE_TABLES + 1] = {
    "capture", "file", "session", "threads", "channels", "frame_stats", "coverage", "edits", NULL};

const char *const tk_info_page_part_tables[] = {"capture",     "file",   "session",  "threads", "channels",
                                                "frame_stats", "frames", "coverage", "edits",   NULL};

const char *const tk_info_page_front_tables[] = {"capture", "file", "session", "channels", "edits", NULL};

#define NAME_BYTES   100
#define RECORD_BYTES 600

/* A cell of a table with a single row. */
static const struct tk_cell *only(const struct tk_answer *answer, const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    return answer->n_rows ? tk_answer_cell(answer, 0, column) : &none;
}

/* A field of what the recording says about itself. */
static struct tk_cell said(const struct tk_answer *session, const char *field)
{
    struct tk_cell value = {.kind = TK_NONE};
    const struct tk_cell *cell = only(session, "session");
    const struct tk_record *record = cell->kind == TK_RECORD ? cell->v.p : NULL;
    for (uint32_t i = 0; record && i < record->type->n_fields; i++) {
        const struct tk_str *name = &record->type->fields[i];
        if (name->n == strlen(field) && memcmp(name->p, field, name->n) == 0)
            record->type->value(record, i, &value);
    }
    return value;
}

static bool has_text(const struct tk_cell *cell)
{
    return cell->kind == TK_TEXT && cell->n > 0;
}

static void put_listed(struct tk_lines *l, const struct tk_cell *cell)
{
    if (!has_text(cell))
        return;
    tk_lines_comma(l);
    tk_lines_cell(l, cell, NAME_BYTES);
}

static void put_program(struct tk_lines *l, const struct tk_answer *capture, const struct tk_answer *session)
{
    static const char *const targets[] = {NULL, "game", "server", "client", "editor", "program"};
    const struct tk_cell target = said(session, "TargetType"), tracy = said(session, "ProgramName");
    tk_lines_begin(l, "program");
    put_listed(l, only(capture, "app"));
    if (!has_text(only(capture, "app")))
        put_listed(l, &tracy);
    if (target.kind == TK_UINT && target.v.u > 0 && target.v.u < sizeof targets / sizeof *targets)
        tk_lines_put(l, " (%s)", targets[target.v.u]);
    put_listed(l, only(capture, "platform"));
}

static void put_build(struct tk_lines *l, const struct tk_answer *capture, const struct tk_answer *session)
{
    static const char *const kinds[] = {NULL, "Debug", "DebugGame", "Development", "Shipping", "Test"};
    const struct tk_cell kind = said(session, "ConfigurationType"), info = said(session, "AppInfo");
    tk_lines_begin(l, "build");
    put_listed(l, only(capture, "build"));
    if (!has_text(only(capture, "build")))
        put_listed(l, &info);
    if (kind.kind == TK_UINT && kind.v.u > 0 && kind.v.u < sizeof kinds / sizeof *kinds) {
        tk_lines_comma(l);
        tk_lines_put(l, "%s", kinds[kind.v.u]);
    }
    if (has_text(only(capture, "engine"))) {
        tk_lines_comma(l);
        tk_lines_put(l, "engine ");
        tk_lines_cell(l, only(capture, "engine"), NAME_BYTES);
    }
}

static void put_date(struct tk_lines *l, const struct tk_answer *capture)
{
    char text[TK_UTC_TEXT];
    const struct tk_cell *epoch = only(capture, "epoch");
    tk_lines_begin(l, "date");
    if (epoch->kind == TK_REAL && tk_utc(text, epoch->v.r))
        tk_lines_put(l, "%s", text);
}

/* In front of what is a lower bound where not all was read. */
static const char *least(bool in_part)
{
    return in_part ? ">= " : "";
}

static void put_length(struct tk_lines *l, const struct tk_answer *capture, bool in_part)
{
    const struct tk_cell *duration = only(capture, "dur"), *size = only(capture, "bytes");
    tk_lines_begin(l, "length");
    if (duration->kind == TK_DURATION) {
        tk_lines_put(l, "%s", least(in_part));
        tk_lines_span(l, (double)duration->v.i, 4);
    }
    if (size->kind == TK_SIZE) {
        tk_lines_comma(l);
        tk_lines_size(l, size->v.u);
    }
}

/* Frames of a type that follow each other: how many, and when the first and the last one began. */
struct frame_run {
    uint64_t n;
    double first, last; /* ns */
};

static struct frame_run run_of(const struct tk_answer *frames, uint64_t type)
{
    struct frame_run run = {0};
    for (size_t i = 0; i < frames->n_rows; i++) {
        const struct tk_cell *begin = tk_answer_cell(frames, i, "start");
        if (tk_answer_cell(frames, i, "type_id")->v.u != type || begin->kind != TK_TIME)
            continue;
        const double at = (double)begin->v.i;
        run.first = run.n && run.first < at ? run.first : at;
        run.last = run.n && run.last > at ? run.last : at;
        run.n++;
    }
    return run;
}

/* How many frames there are if those between the ends come as often as those that were read, up to the time
 * `last`; 0 where nothing says how often that is. */
static double estimate_frames(const struct frame_run *a, const struct frame_run *b, double last)
{
    const uint64_t steps = (a->n ? a->n - 1 : 0) + (b->n ? b->n - 1 : 0);
    const double read = (double)(a->n + b->n), spans = a->last - a->first + b->last - b->first;
    const double gap = (b->n ? b->first : last) - a->last;
    return a->n && steps && spans > 0 && gap > 0 ? read + gap * (double)steps / spans - (b->n > 0) : 0;
}

/* To two digits: more is not known of what is estimated. */
static uint64_t rounded(double value)
{
    double unit = 1;
    while (value / unit >= 100)
        unit *= 10;
    return (uint64_t)(value / unit + 0.5) * (uint64_t)unit;
}

static void put_estimate(struct tk_lines *l, const struct tk_info_page *page, uint64_t type, double last)
{
    const struct tk_answer begin = tk_answer_find(page->result, "frames"),
                           end = tk_answer_find(page->ends, "frames");
    const struct frame_run a = run_of(&begin, type), b = run_of(&end, type);
    const double all = estimate_frames(&a, &b, last);
    if (all < 1e15 && all > (double)(a.n + b.n))
        tk_lines_put(l, "about %" PRIu64 " ", rounded(all));
    else
        tk_lines_put(l, "%s%" PRIu64 " ", least(true), a.n + b.n);
}

static void put_frames_of(struct tk_lines *l, const struct tk_info_page *page)
{
    const struct tk_answer stats = tk_answer_find(page->result, "frame_stats");
    tk_lines_begin(l, "frames");
    for (size_t i = 0; i < stats.n_rows && i < 4; i++) {
        tk_lines_comma(l);
        if (page->ends) {
            const struct tk_answer capture = tk_answer_find(page->ends, "capture");
            const struct tk_cell *last = only(&capture, "last");
            put_estimate(l, page, tk_answer_cell(&stats, i, "type_id")->v.u,
                         last->kind == TK_TIME ? (double)last->v.i : 0);
        } else {
            tk_lines_put(l, "%" PRIu64 " ", tk_answer_cell(&stats, i, "count")->v.u);
        }
        tk_lines_cell(l, tk_answer_cell(&stats, i, "type"), NAME_BYTES);
        if (!page->ends) /* what is open where a part was cut off says nothing */
            tk_game_frames_put_open(&stats, i, l);
    }
    if (stats.n_rows == 0 && !page->ends)
        tk_lines_put(l, "none");
}

static void put_threads_of(struct tk_lines *l, const struct tk_answer *threads, bool in_part)
{
    struct tk_main_threads main;
    tk_main_threads_find(&main, threads);
    tk_lines_begin(l, "threads");
    if (in_part && !threads->n_rows)
        return;
    tk_lines_put(l, "%s%zu", least(in_part), threads->n_rows);
    if (!in_part && (main.used == 0 || main.used == threads->n_rows) && threads->n_rows)
        tk_lines_put(l, ", %s with scopes", main.used ? "all" : "none");
    else if (!in_part || main.used)
        tk_lines_put(l, ", %s%" PRIu64 " of them with scopes", least(in_part), main.used);
    for (size_t i = 0; i < main.n; i++) {
        tk_lines_put(l, "%s", i ? ", " : ": ");
        tk_lines_cell(l, tk_answer_cell(threads, main.v[i].row, "thread"), NAME_BYTES);
    }
    if (main.used > main.n && main.n)
        tk_lines_put(l, ", ...");
}

static void put_file(struct tk_lines *l, const struct tk_answer *file)
{
    static const char *const columns[] = {"transport", "protocol"};
    tk_lines_begin(l, "file");
    put_listed(l, only(file, "format"));
    if (has_text(only(file, "version"))) {
        tk_lines_put(l, " ");
        tk_lines_cell(l, only(file, "version"), NAME_BYTES);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (only(file, columns[i])->kind == TK_UINT)
            tk_lines_put(l, ", %s %" PRIu64, columns[i], only(file, columns[i])->v.u);
    put_listed(l, only(file, "compression"));
}

/* Of what was not read nothing is said to be whole. */
static void put_rest(struct tk_lines *l, const struct tk_answer *capture, bool in_part)
{
    const bool known = l->cells[l->n - 1].n > 0;
    if (!in_part) {
        tk_lines_put(l, known ? "; --full shows the rest" : "whole, no damage; --full shows the rest");
        return;
    }
    tk_lines_put(l, known ? "; the rest is not checked: --full reads all" : "not checked: --full reads all");
    if (only(capture, "bytes")->kind == TK_SIZE) {
        tk_lines_put(l, " ");
        tk_lines_size(l, only(capture, "bytes")->v.u);
    }
}

/* What was read, where that is not all. */
static void put_part(struct tk_lines *l, const struct tk_info_page *page)
{
    if (!page->ends)
        return;
    tk_lines_begin(l, "read");
    tk_lines_put(l, "%s; >= and 'at least' stand for what may be more, 'about' is estimated", page->part);
}

static void put_state(struct tk_lines *l, const struct tk_answer *capture, const struct tk_answer *session,
                      const struct tk_info_page *page)
{
    const struct tk_cell crash = said(session, "CrashMessage");
    const uint64_t faults = only(capture, "faults")->kind == TK_UINT ? only(capture, "faults")->v.u : 0;
    tk_lines_begin(l, "state");
    if (only(capture, "empty")->v.u)
        tk_lines_put(l, "nothing was recorded");
    if (only(capture, "truncated")->v.u) {
        tk_lines_comma(l);
        tk_lines_put(l, "cut off at its end");
    }
    if (only(capture, "damaged")->v.u) {
        tk_lines_comma(l);
        tk_lines_put(l, "damaged (%" PRIu64 " fault%s)", faults, faults == 1 ? "" : "s");
    }
    if (has_text(&crash)) {
        tk_lines_comma(l);
        tk_lines_put(l, "the program crashed");
    }
    if (page->lossy) {
        tk_lines_comma(l);
        tk_lines_put(l, page->only_late ? "events come late or have serial numbers that others have"
                                        : "events were lost");
    }
    put_rest(l, capture, page->ends);
}

/* Edits that left something out or mended it. */
static void put_edits(struct tk_lines *l, const struct tk_answer *edits)
{
    if (edits->n_rows == 0)
        return;
    tk_lines_begin(l, "edited");
    tk_lines_put(l, edits->n_rows == 1 ? "once" : "%zu times", edits->n_rows);
    for (size_t i = 0; i < edits->n_rows; i++) {
        tk_lines_put(l, i ? ", " : ": ");
        tk_lines_cell(l, tk_answer_cell(edits, i, "record"), RECORD_BYTES);
    }
}

int tk_info_page_send(const struct tk_info_page *page, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_result *result = page->result;
    const bool part = page->ends;
    const struct tk_answer capture = tk_answer_find(part ? page->ends : result, "capture"),
                           file = tk_answer_find(result, "file"), session = tk_answer_find(result, "session"),
                           threads = tk_answer_find(result, "threads"),
                           channels = tk_answer_find(result, "channels"),
                           coverage = tk_answer_find(result, "coverage"),
                           edits = tk_answer_find(result, "edits");
    struct tk_lines lines = {0};
    put_program(&lines, &capture, &session);
    put_build(&lines, &capture, &session);
    put_date(&lines, &capture);
    put_length(&lines, &capture, part);
    put_frames_of(&lines, page);
    put_threads_of(&lines, &threads, part);
    tk_recorded_put(&lines, &coverage, part);
    tk_recorded_put_unread(&lines, &coverage);
    tk_recorded_put_off(&lines, &channels);
    put_file(&lines, &file);
    put_edits(&lines, &edits);
    put_part(&lines, page);
    put_state(&lines, &capture, &session, page);
    return tk_lines_send(&lines, "capture", sink, err);
}
