/*
 * Messages: errors, usage and the state of the capture on standard error.
 */
#include "terminal/message.h"

#include "base/text/glob.h"
#include "terminal/host.h"
#include "terminal/progress.h"

#include <stdarg.h>
#include <string.h>

#define SENTENCE 4608 /* a path and what is said of it */
#define PIECE    1024 /* bytes that are displayed at once: a small stack has space for them */
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
    char displayed[4 * PIECE + 1];
    for (size_t piece; n; text += piece, n -= piece) {
        piece = n < PIECE ? n : PIECE;
        while (piece < n && piece > PIECE - 4 &&
               ((unsigned char)text[piece] & 0xc0) == 0x80) /* inside a character */
            piece--;
        fwrite(displayed, 1, tk_text_show(displayed, sizeof displayed, text, piece), stderr);
    }
}

void tk_message_begin(const char *program, enum tk_message_kind kind)
{
    static const char *const colours[] = {
        [TK_MESSAGE_ERROR] = "\x1b[31m", [TK_MESSAGE_WARNING] = "\x1b[35m", [TK_MESSAGE_NOTE] = ""};
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
void tk_message_about(const char *program, enum tk_message_kind kind, const char *subject, const char *text)
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
    static const struct tk_err none;
    err = err ? err : &none;
    tk_message_about(program, TK_MESSAGE_ERROR, subject && !is_named(subject, err) ? subject : NULL,
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
    tk_message_about(program, TK_MESSAGE_ERROR, NULL, *sentence ? sentence : "out of memory");
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

/* The name of today, quoted, if the table has it. */
static const char *renamed(const char *wanted, const char *const *names, size_t n)
{
    const char *now = tk_column_now(wanted);
    char quoted[64];
    for (size_t i = 0; i < n && now; i++) {
        snprintf(quoted, sizeof quoted, "'%.60s'", names[i]);
        if (strstr(now, quoted))
            return now;
    }
    return NULL;
}

bool tk_message_no_column(char message[TK_OPT_MESSAGE], const char *table, const char *wanted,
                          const char *const *names, size_t n)
{
    char claim[80];
    const char *now = renamed(wanted, names, n);
    snprintf(claim, sizeof claim, "table '%.40s' has no column", table);
    if (!now)
        return tk_message_unknown_of(message, claim, wanted, names, n);
    snprintf(message, TK_OPT_MESSAGE, "%s '%.60s'; since 0.2 it is %s", claim, wanted, now);
    return false;
}
