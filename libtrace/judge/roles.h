/*
 * Roles of threads: game, render, RHI, worker, by their names. Who marks the frames is the game thread, too,
 * which a name does not say.
 */
#ifndef TK_JUDGE_ROLES_H
#define TK_JUDGE_ROLES_H

#include <stddef.h>

enum tk_role {
    TK_ROLE_GAME,
    TK_ROLE_RENDER,
    TK_ROLE_RHI,
    TK_ROLE_GPU,
    TK_ROLE_WORKER,
    TK_ROLE_OTHER,
    TK_ROLES
};

/* "game", "render", "rhi", "gpu", "worker", "other". Static. */
const char *tk_role_name(enum tk_role role);

/* By the name of a thread, n bytes; "other" where it says nothing. */
enum tk_role tk_role_of_name(const char *name, size_t n);

#endif
