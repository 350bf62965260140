/*
 * Recorded: the families that were recorded, and those that were not. See recorded.h.
 */
#include "pages/recorded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TOPICS     64 /* that are told apart; families and the records of one format are fewer */
#define LISTED     12
#define NAME_BYTES 40
#define OFF_LISTED 16

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
    if (!tk_answer_is_text(family, "generic"))
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
    char name[NAME_BYTES + sizeof begin];
    const size_t n = event->kind == TK_TEXT ? event->n : 0;
    if (n <= 3 || n > NAME_BYTES || memcmp((const char *)event->v.p + n - 3, end, 3) != 0)
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

void tk_recorded_put(struct tk_lines *lines, const struct tk_answer *coverage, bool in_part)
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
        tk_lines_cell(lines, &name, NAME_BYTES);
        tk_lines_put(lines, " ");
        put_count(lines, topics[i].count);
    }
    if (n > LISTED)
        tk_lines_put(lines, ", and %zu more kind%s", n - LISTED, n - LISTED == 1 ? "" : "s");
}

/* A packet of Perfetto of which nothing is made: formats of others name more than is read of them. */
static bool is_packet(const struct tk_cell *family, const struct tk_cell *event)
{
    static const char prefix[] = "Perfetto.";
    const size_t n = sizeof prefix - 1;
    return tk_answer_is_text(family, "generic") && event->kind == TK_TEXT && event->n > n &&
           memcmp(event->v.p, prefix, n) == 0;
}

void tk_recorded_put_unread(struct tk_lines *lines, const struct tk_answer *coverage)
{
    size_t n = 0;
    tk_lines_begin(lines, "unread");
    for (size_t i = 0; i < coverage->n_rows; i++) {
        const struct tk_cell *family = tk_answer_cell(coverage, i, "family");
        const struct tk_cell *event = tk_answer_cell(coverage, i, "event");
        if ((!is_unread(family) && !is_packet(family, event)) || n++ >= LISTED)
            continue;
        tk_lines_comma(lines);
        tk_lines_cell(lines, event, NAME_BYTES);
        tk_lines_put(lines, " ");
        tk_lines_size(lines, tk_answer_cell(coverage, i, "bytes")->v.u);
    }
    if (n > LISTED)
        tk_lines_put(lines, ", and %zu more", n - LISTED);
}

void tk_recorded_put_off(struct tk_lines *lines, const struct tk_answer *channels)
{
    size_t off = 0;
    tk_lines_begin(lines, "off");
    for (size_t i = 0; i < channels->n_rows; i++) {
        const struct tk_cell *enabled = tk_answer_cell(channels, i, "enabled");
        const struct tk_cell *name = tk_answer_cell(channels, i, "name");
        if (enabled->kind != TK_BOOL || enabled->v.u || name->kind != TK_TEXT || off++ >= OFF_LISTED)
            continue;
        tk_lines_comma(lines);
        tk_lines_cell(lines, name, NAME_BYTES);
    }
    if (off > OFF_LISTED)
        tk_lines_put(lines, ", and %zu more", off - OFF_LISTED);
    if (off)
        tk_lines_put(lines, " (channels)");
}
