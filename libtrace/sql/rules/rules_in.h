/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SQL_RULES_RULES_IN_H
#define TK_SQL_RULES_RULES_IN_H

#include "base/err.h"
#include "base/vec.h"
#include "sink/write/buffer.h"
#include "tracekit/rules.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"

/*
 * Rules as their files have them.
 */

enum tk_rule_key {
    TK_RULE_QUESTION,
    TK_RULE_NEEDS,   /* a question of the table `can`, a part of one, or "none" */
    TK_RULE_LACKS,   /* what is missing where it cannot be judged; NULL: what `needs` says */
    TK_RULE_RECORD,  /* how that is recorded; NULL: what `needs` says */
    TK_RULE_ADVICE,  /* what to do */
    TK_RULE_LEVEL,   /* error, warning or note */
    TK_RULE_SAYS,    /* the evidence in words, with {columns} of its first row */
    TK_RULE_COMMAND, /* what displays it */
    TK_RULE_KEYS
};

struct tk_rule_value {
    const char *text; /* NULL: not given */
    unsigned line;
};

struct tk_rule {
    char *name, *path;                                     /* owned; path NULL: a rule of the build */
    char *text;                                            /* owned; the values lie in it */
    struct tk_rule_value keys[TK_RULE_KEYS], needs, found; /* the last two: statements */
};

/* Makes a rule of the text of a file, which is copied. path: of a user's file, or NULL. TK_OK, TK_EUSAGE
 * (with the file, the line, what is wrong and what is allowed), TK_ENOMEM. */
int tk_rule_parse(struct tk_rule *rule, const char *name, const char *path, const char *text, size_t n,
                  struct tk_err *err);

void tk_rule_release(struct tk_rule *rule);

/* Says what is wrong with a line of it, as TK_EUSAGE. */
int tk_rule_fail(const struct tk_rule *rule, unsigned line, struct tk_err *err, const char *format, ...)
    TK_PRINTF(4, 5);

struct tk_rules {
    TK_VEC(struct tk_rule *) list; /* owned, by name */
};

/* Says that there is no rule of the name, and which are near: TK_EMATCH. */
int tk_rules_unknown(const struct tk_rules *rules, const char *name, struct tk_err *err);

/*
 * Evidence in words: texts with the columns of a row in braces, as {timer} or {growth:duration}.
 */

/* Is every name in braces followed by a form that there is? TK_OK or TK_EUSAGE, of the line of the value. */
int tk_rule_template_check(const struct tk_rule *rule, enum tk_rule_key key, struct tk_err *err);

/* Are the names columns of the table? `capture` always is one. As above. */
int tk_rule_template_names(const struct tk_rule *rule, enum tk_rule_key key, const struct tk_table *table,
                           struct tk_err *err);

/* Appends the text of a row. file: for {capture}, as a word of a shell, as all names of a command are. */
void tk_rule_template_put(struct tk_buffer *b, const struct tk_rule *rule, enum tk_rule_key key,
                          const struct tk_table *table, const struct tk_cell *row, const char *file);

#endif
