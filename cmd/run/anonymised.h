/*
 * A capture whose texts became words, as a file that is there for a while: what a command then reads in place
 * of the capture, so that all that it writes has the words that trace-edit gives.
 */
#ifndef TK_CMD_RUN_ANONYMISED_H
#define TK_CMD_RUN_ANONYMISED_H

#include "args/text_args.h"
#include "run/capture.h"

/* Zero-initialised it is none. */
struct tk_anonymised {
    char *path; /* owned */
    bool gone;  /* the file is away already */
};

/* Can what is selected be found where --anonymise changes the names? `set`: all options of the command. true,
 * or false with a sentence. */
bool tk_anonymised_check(const struct tk_text_args *texts, const struct tk_opt_set *set,
                         char message[TK_OPT_MESSAGE]);

/* Makes one of a capture where --anonymise asks for it. TK_EXIT_DONE, TK_EXIT_DAMAGED (it is there), or the
 * exit code after telling why not. */
enum tk_exit tk_anonymised_make(struct tk_anonymised *a, const char *program, const char *from,
                                const struct tk_common_args *common, const struct tk_text_args *texts);

/* Takes the name from a file that is open, where the system does that: nothing is left then whatever
 * happens. The path stays. */
void tk_anonymised_hide(struct tk_anonymised *a);

/* Takes the file away; nobody uses it or its path any more. */
void tk_anonymised_drop(struct tk_anonymised *a);

#endif
