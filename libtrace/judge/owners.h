/*
 * Owners: who is responsible for a timer, by a CODEOWNERS file. A line is a pattern and its owners; of all
 * lines that match the last one counts, and one without owners takes them away. Patterns are those of source
 * files, and with timer: or thread: in front those of names of timers and of classes of threads.
 */
#ifndef TK_JUDGE_OWNERS_H
#define TK_JUDGE_OWNERS_H

#include "base/err.h"
#include "base/text/intern.h"
#include "base/vec.h"

enum tk_owner_kind { TK_OWNER_FILE, TK_OWNER_TIMER, TK_OWNER_THREAD };

struct tk_owner_rule {
    uint8_t kind;                 /* enum tk_owner_kind */
    const struct tk_str *pattern; /* without escapes, and of files without slashes at its ends */
    bool anchored, below;         /* of files: by folders from the top on; all below a folder */
    const struct tk_str *owners;  /* with a blank between them; may be empty */
    unsigned line;                /* from 1 */
};

/* Zero-initialise to begin. */
struct tk_owners {
    struct tk_intern names;
    TK_VEC(struct tk_owner_rule) v;
    const struct tk_str *root; /* the folder of the sources, of which files are parts; NULL: not known */
};

/* Reads n bytes; root may be NULL. TK_OK; TK_EUSAGE with the line, for what CODEOWNERS does not have;
 * TK_ENOMEM. */
int tk_owners_parse(struct tk_owners *owners, const char *text, size_t n, const char *root,
                    struct tk_err *err);

/* The rule of a timer on a thread, or of its class, with the file of its source; all may be NULL. NULL: none.
 */
const struct tk_owner_rule *tk_owners_find(const struct tk_owners *owners, const struct tk_str *thread,
                                           const struct tk_str *timer, const struct tk_str *file);

/* The owners of such a thing as a text of `names`, empty where it is nobody's. NULL if out of memory. */
const struct tk_str *tk_owners_of(const struct tk_owners *owners, struct tk_intern *names,
                                  const struct tk_str *thread, const struct tk_str *timer,
                                  const struct tk_str *file);

void tk_owners_release(struct tk_owners *owners);

#endif
