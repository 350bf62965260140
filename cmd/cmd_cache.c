/*
 * trace-cache: what commands keep between questions in the folder of the user for caches.
 *
 *   tracekit cache list
 *   tracekit cache clear
 */
#include "run/command.h"
#include "run/listing.h"
#include "terminal/message.h"

#include <string.h>

struct cache_args {
    struct tk_common_args common;
};

#define AT(member) offsetof(struct cache_args, member)

static const struct tk_opt_group groups[] = {
    {"Common options", tk_live_common_options, TK_LIVE_COMMON_COUNT, AT(common)},
};

static int run_cache(const struct tk_call *call, const void *command_args)
{
    const struct cache_args *args = command_args;
    static const char *const verbs[] = {"list", "clear"};
    char message[TK_OPT_MESSAGE];
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "list or clear the cache?");
    const char *verb = call->operands->v[0];
    if (strcmp(verb, "list") == 0)
        return tk_cache_list(call);
    if (strcmp(verb, "clear") == 0)
        return tk_cache_clear(call, args->common.quiet);
    tk_message_unknown_of(message, "there is no action", verb, verbs, sizeof verbs / sizeof *verbs);
    return tk_message_usage(call->program, message);
}

const struct tk_command tk_command_cache = {
    .name = "cache",
    .operands = "list | clear",
    .summary = "Lists or clears the cache that commands keep.",
    .help = "list prints the folders, their files and sizes; clear removes the files.\n"
            "Files about captures are named by numbers. They hold answers with all their\n"
            "names and texts. trace-cache.1 says what is kept and when.\n",
    .codes = "0 done; 2 wrong usage; 3 there is no folder for caches, or a file cannot be removed.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct cache_args),
    .most = 1,
    .run = run_cache,
};
