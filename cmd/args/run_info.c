/*
 * What is said of runs, from the command line.
 */
#include "args/run_info.h"

#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/values.h"

#include <string.h>

#define MOST_KEYS 64

static bool is_same(const struct tk_str *key, const char *name)
{
    return key->n == strlen(name) && memcmp(key->p, name, key->n) == 0;
}

/* A slip of the pen would be a key of its own, and the run without the one that was meant. */
static void warn_of_slip(const struct tk_str *key, const char *const *names, size_t n, const char *program)
{
    char text[128];
    if (key->n > 5 && memcmp(key->p, "host.", 5) == 0) /* what is said of the host */
        return;
    snprintf(text, sizeof text, "%.*s", (int)(key->n < 100 ? key->n : 100), key->p);
    for (size_t i = 0; i < n; i++)
        if (is_same(key, names[i]))
            return;
    const char *near = tk_nearest(text, names, n);
    if (near)
        tk_message_say(program, TK_MESSAGE_WARNING,
                       "'%s' of --run-info is not a known key; did you mean '%s'?", text, near);
}

static void warn_of_slips(const struct tk_run_info *info, const char *program)
{
    const char *names[MOST_KEYS];
    const struct tk_str *value;
    size_t n = 0;
    for (const struct tk_run_key *key; n < MOST_KEYS && (key = tk_run_key_at(n)); n++)
        names[n] = key->name;
    for (size_t i = 0; i < tk_run_info_count(info); i++)
        warn_of_slip(tk_run_info_item(info, i, &value), names, n, program);
}

int tk_run_info_option_read(struct tk_run_info **out, const struct tk_opt_list *words, const char *program,
                            bool quiet)
{
    struct tk_err err = {0};
    *out = NULL;
    if (words->n == 0)
        return TK_EXIT_DONE;
    int rc = tk_run_info_new(out, (const char *const *)words->v, words->n, &err);
    if (rc < 0)
        tk_message_error(program, NULL, rc, &err);
    else if (!quiet)
        warn_of_slips(*out, program);
    return (int)tk_exit_of(rc);
}
