/*
 * Messages: what the commands say on standard error.
 *
 *   trace-stats: 'game.utrace': what could not be done
 *     why
 */
#ifndef TK_TERMINAL_MESSAGE_H
#define TK_TERMINAL_MESSAGE_H

#include "tracekit/captures.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Lists of words: what options were given, names of files; and the space for a sentence about one of them.
 */

/* Bytes of a sentence that says what is wrong with a word, with its NUL. */
#define TK_OPT_MESSAGE 512

struct tk_opt_list {
    char **v; /* owned, and the texts */
    size_t n;
};

/* Adds a copy; false if out of memory. */
bool tk_opt_list_add(struct tk_opt_list *list, const char *text, size_t n);

void tk_opt_list_release(struct tk_opt_list *list);

/*
 * Replaces the first `n` operands that are patterns by the names that they match, in the order of their
 * bytes: * and ? in the last part of a path, where no file has that name; capitals do not count, and names
 * that begin with a dot match patterns that do. One that matches nothing stays where `lenient`. Else false,
 * with a sentence, empty if out of memory.
 */
bool tk_patterns_expand(struct tk_opt_list *operands, size_t n, bool lenient, char message[TK_OPT_MESSAGE]);

enum tk_message_kind { TK_MESSAGE_ERROR, TK_MESSAGE_WARNING, TK_MESSAGE_NOTE };

/* From now on messages are coloured as --color says (NULL: where standard error is a terminal). Borrowed. */
void tk_message_colour(const char *when);

/* A message in pieces: its begin, texts, and its end, which ends the line. */
void tk_message_begin(const char *program, enum tk_message_kind kind);
void tk_message_put(const char *text, size_t n);
void tk_message_end(void);

/* A sentence. */
void tk_message_say(const char *program, enum tk_message_kind kind, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* A failure with its causes, outermost first. err: NULL where only the status says it. subject (a path) may
 * be NULL; it is left out where the causes name it. */
void tk_message_error(const char *program, const char *subject, int status, const struct tk_err *err);

/* Wrong usage: a sentence and where help is. TK_EXIT_USAGE, for returning it; without a sentence memory was
 * out: TK_EXIT_FAILED. */
int tk_message_usage(const char *program, const char *sentence);

/* A message on a subject (a path; NULL: none), which is quoted in front of the text. */
void tk_message_about(const char *program, enum tk_message_kind kind, const char *subject, const char *text);

/*
 * The sentence for a name that does not exist (claim: "there is no table"), with the nearest of those that
 * do. false, for returning it.
 */
bool tk_message_unknown(char message[TK_OPT_MESSAGE], const char *claim, const char *wanted,
                        const char *const *names, size_t n);

/* The same, where the sentence lists all names also alongside the nearest, as far as there is space. */
bool tk_message_unknown_of(char message[TK_OPT_MESSAGE], const char *claim, const char *wanted,
                           const char *const *names, size_t n);

/* The sentence for a column that a table does not have, with its name of today where it had it in 0.1. false.
 */
bool tk_message_no_column(char message[TK_OPT_MESSAGE], const char *table, const char *wanted,
                          const char *const *names, size_t n);

/*
 * What is wrong with the capture, as far as it was read: at most ten faults with their offsets, and a count
 * of the rest. Nothing when it is neither damaged nor cut off.
 */
void tk_message_health(const char *program, const char *path, struct tk_trace *trace);

/* Are late events, and serial numbers that others have, all that is wrong with the capture? */
bool tk_message_only_late(struct tk_trace *trace);

#endif
