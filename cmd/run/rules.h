/*
 * The option --rules: which rules are judged, and what is displayed of them.
 */
#ifndef TK_RUN_RULES_H
#define TK_RUN_RULES_H

#include "args/opt.h"
#include "terminal/message.h"
#include "tracekit/rules.h"

/* Zero-initialise; release with tk_rules_choice_release. */
struct tk_rules_choice {
    struct tk_rules *rules;  /* owned */
    struct tk_opt_list only; /* owned: names; none: all rules */
    bool all;                /* those that are not found are displayed with what is known of them, too */
};

/* Is there a rule of this name? */
bool tk_rules_has(const struct tk_rules *rules, const char *name);

#define TK_RULES_VALUE "WHAT,..."

/* Reads what stands behind --rules: nothing, "all", names of rules, and folders with a user's rules. true, or
 * false with a sentence. */
bool tk_rules_choose(struct tk_rules_choice *choice, const char *text, char message[TK_OPT_MESSAGE]);

void tk_rules_choice_release(struct tk_rules_choice *choice);

/* Says that rules of --fail could not be judged, and what to do. The exit status. */
enum tk_exit tk_rules_unjudged(const char *program);

#endif
