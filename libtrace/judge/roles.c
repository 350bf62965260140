/*
 * Roles of threads.
 */
#include "judge/roles.h"

#include "base/text/glob.h"

#include <string.h>

const char *tk_role_name(enum tk_role role)
{
    static const char *const names[TK_ROLES] = {
        [TK_ROLE_GAME] = "game", [TK_ROLE_RENDER] = "render", [TK_ROLE_RHI] = "rhi",
        [TK_ROLE_GPU] = "gpu",   [TK_ROLE_WORKER] = "worker", [TK_ROLE_OTHER] = "other"};
    return names[role];
}

enum tk_role tk_role_of_name(const char *name, size_t n)
{
    static const struct {
        const char *pattern; /* case does not count */
        enum tk_role role;
    } patterns[] = {
        {"gamethread*", TK_ROLE_GAME},     {"game thread*", TK_ROLE_GAME},   {"main thread*", TK_ROLE_GAME},
        {"mainthread*", TK_ROLE_GAME},     {"unitymain*", TK_ROLE_GAME},     {"rhithread*", TK_ROLE_RHI},
        {"rhi thread*", TK_ROLE_RHI},      {"rhisubmission*", TK_ROLE_RHI},  {"render*", TK_ROLE_RENDER},
        {"*worker*", TK_ROLE_WORKER},      {"*taskgraph*", TK_ROLE_WORKER},  {"*threadpool*", TK_ROLE_WORKER},
        {"*thread pool*", TK_ROLE_WORKER}, {"*poolthread*", TK_ROLE_WORKER}, {"job*", TK_ROLE_WORKER},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (tk_glob(patterns[i].pattern, strlen(patterns[i].pattern), name, n, true))
            return patterns[i].role;
    return TK_ROLE_OTHER;
}
