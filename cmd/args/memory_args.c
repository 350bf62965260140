/*
 * Memory: moments and windows. See memory_args.h.
 */
#include "args/memory_args.h"

#include "args/select.h"

#define AT(member) offsetof(struct tk_memory_args, member)

const struct tk_opt tk_memory_options[TK_MEMORY_COUNT] = {
    {0, "at", TK_OPT_TEXT, AT(at), "TIME", "memory: show what is alive at this time (default: at the end)"},
    {0, "alloc-window", TK_OPT_WORDS, AT(window), "A,B[,C]",
     "memory: only what was allocated from A up to B (exclusive) and is alive at C (default: at the end)"},
    {0, "allocators", TK_OPT_TEXT, AT(allocators), "FILE",
     "memory: file with patterns of allocator functions, one per line, instead of the built-in ones"},
};

static bool wrong_time(const char *option, const char *value, char message[TK_OPT_MESSAGE])
{
    snprintf(message, TK_OPT_MESSAGE, "option '%s': '%.100s' is not a time (like 1.5s, 20ms, 7us)", option,
             value);
    return false;
}

static bool fill_window(struct tk_memory_query *out, const struct tk_opt_list *window,
                        char message[TK_OPT_MESSAGE])
{
    int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, out->at_ns};
    if (window->n != 2 && window->n != 3) {
        snprintf(message, TK_OPT_MESSAGE, "option '--alloc-window' takes two or three times, A,B or A,B,C");
        return false;
    }
    for (size_t i = 0; i < window->n; i++)
        if (!tk_select_shown(window->v[i], &first[i], &last[i]))
            return wrong_time("--alloc-window", window->v[i], message);
    out->from_ns = first[0];
    out->to_ns = first[1];
    out->at_ns = last[2];
    out->has_window = true;
    out->has_at = out->has_at || window->n == 3;
    if (out->from_ns < out->to_ns)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--alloc-window': nothing lies between '%.80s' and '%.80s'",
             window->v[0], window->v[1]);
    return false;
}

bool tk_memory_fill(struct tk_query *query, const struct tk_memory_args *args, char message[TK_OPT_MESSAGE])
{
    struct tk_memory_query *out = &query->memory;
    *out = (struct tk_memory_query){.has_at = args->at};
    if (args->allocators && !tk_opt_patterns(args->allocators, &query->allocators, message))
        return false;
    if (args->at && args->window.n == 3) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--at' and the third time of '--alloc-window' say the same");
        return false;
    }
    int64_t first;
    if (args->at && !tk_select_shown(args->at, &first, &out->at_ns))
        return wrong_time("--at", args->at, message);
    return args->window.n == 0 || fill_window(out, &args->window, message);
}
