/*
 * Messages: what the commands say on standard error.
 *
 *   trace-stats: 'game.utrace': what could not be done
 *     why
 */
#ifndef TK_CMD_MESSAGE_H
#define TK_CMD_MESSAGE_H

#include "opt.h"

#include <tracekit.h>

/* A failure with its causes, outermost first. subject (a path) may be NULL; it is left out where the causes
 * name it. */
void tk_message_error(const char *program, const char *subject, int status, const struct tk_err *err);

/* Wrong usage: a sentence and where help is. TK_EXIT_USAGE, for returning it; without a sentence memory was
 * out: TK_EXIT_FAILED. */
int tk_message_usage(const char *program, const char *sentence);

/*
 * The sentence for a name that does not exist (claim: "there is no table"), with the nearest of those that
 * do. false, for returning it.
 */
bool tk_message_unknown(char message[TK_OPT_MESSAGE], const char *claim, const char *wanted,
                        const char *const *names, size_t n);

/*
 * What is wrong with the capture, as far as it was read: at most ten faults with their offsets, and a count
 * of the rest. Nothing when it is neither damaged nor cut off.
 */
void tk_message_health(const char *program, const char *path, struct tk_trace *trace);

#endif
