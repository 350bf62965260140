/*
 * Class of a thread: what threads that do the same have in common, inside a capture and in several.
 */
#ifndef TK_MODEL_GROUPS_THREAD_CLASS_H
#define TK_MODEL_GROUPS_THREAD_CLASS_H

#include "base/text/intern.h"

/* The name without the number, #N and hex digits at its end; the group, then the name, where nothing is left.
 * group may be NULL. Interned in `names`. NULL if out of memory. */
const struct tk_str *tk_thread_class(struct tk_intern *names, const struct tk_str *name,
                                     const struct tk_str *group);

#endif
