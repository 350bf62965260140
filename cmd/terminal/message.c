/*
 * Messages: errors, usage and the state of the capture on standard error. See message.h.
 */
#include "terminal/message.h"

#include "terminal/exit.h"
#include "terminal/host.h"
#include "terminal/progress.h"

#include <stdarg.h>
#include <string.h>

#define LISTED   10
#define RANKS    3    /* of what is listed */
#define SENTENCE 4608 /* a path and what is said of it */
#define FEW      12   /* names that are listed where none is near */

static const char *colour_when;

void tk_message_colour(const char *when)
{
    colour_when = when;
}

static void paint(const char *escape)
{
    if (tk_host_colour(colour_when, tk_host_terminal(stderr)))
        fputs(escape, stderr);
}

/* Names of files and texts of captures come here: nothing of them must steer the terminal. */
void tk_message_put(const char *text, size_t n)
{
    char shown[4 * SENTENCE];
    fwrite(shown, 1, tk_text_show(shown, sizeof shown, text, n), stderr);
}

void tk_message_begin(const char *program, enum tk_message_kind kind)
{
    static const char *const colours[] = {
        [TK_MESSAGE_ERROR] = "\x1b[31m", [TK_MESSAGE_WARNING] = "\x1b[33m", [TK_MESSAGE_NOTE] = ""};
    fflush(stdout);
    tk_progress_hide();
    paint("\x1b[1m");
    fprintf(stderr, "%s: ", program);
    paint("\x1b[0m");
    paint(colours[kind]);
}

void tk_message_end(void)
{
    paint("\x1b[0m");
    fputc('\n', stderr);
}

void tk_message_say(const char *program, enum tk_message_kind kind, const char *format, ...)
{
    char text[SENTENCE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tk_message_begin(program, kind);
    tk_message_put(text, strlen(text));
    tk_message_end();
}

static void put_line(const char *text)
{
    tk_message_put(text, strlen(text));
    fputc('\n', stderr);
}

static bool is_named(const char *subject, const struct tk_err *err)
{
    for (unsigned i = 0; i < err->n; i++)
        if (strstr(err->text[i], subject))
            return true;
    return false;
}

/* A sentence about a subject, which may be NULL. */
static void put_about(const char *program, enum tk_message_kind kind, const char *subject, const char *text)
{
    tk_message_begin(program, kind);
    if (subject) {
        fputc('\'', stderr);
        tk_message_put(subject, strlen(subject));
        fputs("': ", stderr);
    }
    tk_message_put(text, strlen(text));
    tk_message_end();
}

void tk_message_error(const char *program, const char *subject, int status, const struct tk_err *err)
{
    put_about(program, TK_MESSAGE_ERROR, subject && !is_named(subject, err) ? subject : NULL,
              tk_err_text(err, status));
    for (unsigned i = err->n; i-- > 1;) {
        fputs("  ", stderr);
        put_line(err->text[i - 1]);
    }
    if (status == TK_ENOMEM && tk_host_memory_is_limited())
        put_line("  (limit 'memory': --limit memory=NUMBER sets another)");
}

int tk_message_usage(const char *program, const char *sentence)
{
    put_about(program, TK_MESSAGE_ERROR, NULL, *sentence ? sentence : "out of memory");
    if (!*sentence)
        return TK_EXIT_FAILED;
    fprintf(stderr, "  see '%s --help'\n", program);
    return TK_EXIT_USAGE;
}

/* The names, where they are few. */
static void add_names(char message[TK_OPT_MESSAGE], const char *const *names, size_t n)
{
    size_t used = strlen(message);
    for (size_t i = 0; i < n && used < TK_OPT_MESSAGE; i++)
        used += (size_t)snprintf(message + used, TK_OPT_MESSAGE - used, "%s%s",
                                 i == 0       ? "; there are "
                                 : i + 1 == n ? " and "
                                              : ", ",
                                 names[i]);
}

bool tk_message_unknown(char message[TK_OPT_MESSAGE], const char *claim, const char *wanted,
                        const char *const *names, size_t n)
{
    const char *near = tk_nearest(wanted, names, n);
    snprintf(message, TK_OPT_MESSAGE, "%s '%.60s'%s%s%s", claim, wanted, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
    if (!near && n <= FEW)
        add_names(message, names, n);
    return false;
}

bool tk_message_unknown_of(char message[TK_OPT_MESSAGE], const char *claim, const char *wanted,
                           const char *const *names, size_t n)
{
    const char *near = tk_nearest(wanted, names, n);
    size_t used = (size_t)snprintf(message, TK_OPT_MESSAGE, "%s '%.60s'%s%s%s it has ", claim, wanted,
                                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ";");
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(names[i]) + 2;
        if (used + length + 4 >= TK_OPT_MESSAGE) {
            snprintf(message + used, TK_OPT_MESSAGE - used, ", ...");
            return false;
        }
        used += (size_t)snprintf(message + used, TK_OPT_MESSAGE - used, "%s%s", i ? ", " : "", names[i]);
    }
    return false;
}

/* The columns of the table `health` that are used here. */
struct health_columns {
    int damage, kind, count, offset, text;
};

static bool find_columns(const struct tk_table *table, struct health_columns *c)
{
    *c = (struct health_columns){tk_table_column(table, "damage"), tk_table_column(table, "kind"),
                                 tk_table_column(table, "count"), tk_table_column(table, "offset"),
                                 tk_table_column(table, "text")};
    return c->damage >= 0 && c->kind >= 0 && c->count >= 0 && c->offset >= 0 && c->text >= 0;
}

static bool is_text(const struct tk_cell *c, const char *text)
{
    return c->kind == TK_TEXT && c->n == strlen(text) && memcmp(c->v.p, text, c->n) == 0;
}

/* Notices that belong to sound captures are for trace-info. */
static bool is_told(const struct tk_cell *row, const struct health_columns *c)
{
    static const char *const kinds[] = {"file_truncated",     "events_lost",     "serial_late",
                                        "definition_missing", "scope_after_end", "limit_reached"};
    bool told = row[c->damage].v.u;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        told |= is_text(&row[c->kind], kinds[i]);
    return told;
}

static void put_fault(const struct tk_cell *row, const struct health_columns *c)
{
    fputs("  ", stderr);
    if (row[c->offset].kind != TK_NONE)
        fprintf(stderr, "offset %llu: ", (unsigned long long)row[c->offset].v.u);
    tk_message_put(row[c->text].v.p, row[c->text].n);
    if (row[c->count].v.u > 1)
        fprintf(stderr, " (%llu %s)", (unsigned long long)row[c->count].v.u,
                is_text(&row[c->kind], "events_lost") ? "events" : "times");
    fputc('\n', stderr);
}

/* Counts those that are told, and lists the first. */
struct told {
    unsigned listed;
    uint64_t rest;
};

static void tell_fault(struct told *told, const struct tk_cell *row, const struct health_columns *c)
{
    if (told->listed < LISTED && ++told->listed)
        put_fault(row, c);
    else
        told->rest += row[c->count].v.u;
}

/* Limits first, which can be raised, and are few; then damage, so that many lost events do not hide it. */
static unsigned rank_of(const struct tk_cell *row, const struct health_columns *c)
{
    return is_text(&row[c->kind], "limit_reached") ? 0 : row[c->damage].v.u ? 1 : RANKS - 1;
}

/* Are there events with serial numbers that others have, or lower ones, and nothing that is lost? */
static bool is_only_late(const struct tk_result *health)
{
    struct health_columns c;
    size_t n_rows;
    bool late = false;
    if (tk_result_count(health) == 0 || !find_columns(tk_result_table(health, 0, &n_rows), &c))
        return false;
    for (size_t i = 0; i < n_rows; i++) {
        const struct tk_cell *row = tk_result_row(health, 0, i);
        if (is_text(&row[c.kind], "serial_late"))
            late = true;
        else if (is_told(row, &c))
            return false;
    }
    return late;
}

static void put_faults(const struct tk_result *health)
{
    struct health_columns c;
    size_t n_rows;
    struct told told = {0};
    if (tk_result_count(health) == 0 || !find_columns(tk_result_table(health, 0, &n_rows), &c))
        return;
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < n_rows; i++) {
            const struct tk_cell *row = tk_result_row(health, 0, i);
            if (is_told(row, &c) && rank_of(row, &c) == rank)
                tell_fault(&told, row, &c);
        }
    if (told.rest)
        fprintf(stderr, "  and %llu more; trace-info --full shows all\n", (unsigned long long)told.rest);
}

/* What is said of the capture as a whole, the worst first. NULL: nothing. */
static const char *sentence_of(const struct tk_trace *trace)
{
    const bool in_part = tk_in_part(trace, NULL, 0);
    const struct {
        bool is;
        const char *sentence;
    } states[] = {
        {tk_damaged(trace), "the capture is damaged; what could be read was used"},
        {tk_truncated(trace) && in_part, "the capture is cut off at its end"},
        {tk_truncated(trace), "the capture is cut off at its end; everything before that was used"},
        {tk_partial(trace), "a limit was reached; what lies beyond it was left out"},
        {tk_lossy(trace), "events of the capture were lost; the others were used"},
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].is)
            return states[i].sentence;
    return NULL;
}

/* The faults of a capture; NULL: memory is out. */
static struct tk_result *health_of(struct tk_trace *trace)
{
    struct tk_result *health = NULL;
    if (tk_result_new(&health, NULL) != TK_OK)
        return NULL;
    const struct tk_sink sink = tk_result_sink(health);
    if (tk_health(trace, &sink, NULL) == TK_OK)
        return health;
    tk_result_free(health);
    return NULL;
}

bool tk_message_only_late(struct tk_trace *trace)
{
    struct tk_result *health = health_of(trace);
    const bool late = health && is_only_late(health);
    tk_result_free(health);
    return late;
}

void tk_message_health(const char *program, const char *path, struct tk_trace *trace)
{
    static const char only_late[] =
        "events of the capture come late or have serial numbers that others have; all were used";
    const char *sentence = sentence_of(trace);
    if (!sentence)
        return;
    struct tk_result *health = health_of(trace);
    put_about(program, TK_MESSAGE_WARNING, path, health && is_only_late(health) ? only_late : sentence);
    if (health)
        put_faults(health);
    tk_result_free(health);
}
