/*
 * Folders below which files may be read: a path is followed through all links first.
 */
#ifndef TK_AGENT_FOLDERS_H
#define TK_AGENT_FOLDERS_H

#include "base/err.h"
#include "base/vec.h"

struct tk_agent_folders {
    TK_VEC(char *) list; /* owned, without links, without a slash at the end */
};

/* TK_OK; TK_EUSAGE (there is no such folder); TK_ENOMEM. */
int tk_agent_folders_add(struct tk_agent_folders *f, const char *path, struct tk_err *err);

/* The real path of a file, which is below one of them; a path that is not absolute is looked for in each.
 * *out is to be freed. TK_OK; TK_EUSAGE (it is not below them, or not there); TK_ENOMEM. */
int tk_agent_folders_find(const struct tk_agent_folders *f, const char *path, char **out, struct tk_err *err);

/* Calls with each file that is a capture or baseline, at most `most`. TK_OK or what `fn` returned. */
int tk_agent_folders_list(const struct tk_agent_folders *f, unsigned most,
                          int (*fn)(void *ctx, const char *path), void *ctx);

void tk_agent_folders_release(struct tk_agent_folders *f);

#endif
