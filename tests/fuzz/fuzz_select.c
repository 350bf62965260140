/*
 * Selections: the input is a command line, an argument a line; patterns are matched against the operands.
 */
#include "args/select.h"
#include "base/text/glob.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

/* What a pattern means, by trying everything; steps bound what that takes. NULL: too many steps. */
static bool plain_glob(const char *p, const char *end, const char *t, const char *t_end, int *steps)
{
    for (; p < end && *p != '*' && --*steps > 0; p++, t++)
        if (t >= t_end || (*p != '?' && *p != *t))
            return false;
    if (p == end || *steps <= 0)
        return t == t_end;
    for (; t <= t_end && --*steps > 0; t++)
        if (plain_glob(p + 1, end, t, t_end, steps))
            return true;
    return false;
}

static void match(const char *pattern, const char *text)
{
    int steps = 20000;
    size_t np = strlen(pattern), nt = strlen(text);
    bool found = tk_glob(pattern, np, text, nt, false), wanted = true;
    if (strcspn(pattern, "[]\\{}") < np)
        return;
    for (size_t i = 0; i < nt; i++)
        wanted &= (unsigned char)text[i] < 0x80; /* ? is a character */
    bool plain = plain_glob(pattern, pattern + np, text, text + nt, &steps);
    fuzz_promise(!wanted || steps <= 0 || found == plain, "a pattern matches what it means");
    fuzz_promise(!found || tk_glob(pattern, np, text, nt, true), "with either case it matches no less");
}

static void check(const struct tk_selection *s, const struct tk_select_args *args)
{
    fuzz_promise(s->has_from == (args->from != NULL) && s->has_to == (args->to != NULL),
                 "what was given is had");
    fuzz_promise(!s->has_from || !s->has_to || s->from_ns < s->to_ns, "a time range is one");
    fuzz_promise(!s->has_frames || s->first_frame <= s->last_frame, "a range of frames is one");
}

static void parse(int argc, char **argv)
{
    struct tk_select_args args = {0};
    const struct tk_opt_group group = {"Selection", tk_select_options, TK_SELECT_COUNT, 0};
    const struct tk_opt_set set = {&group, 1, &args};
    struct tk_opt_list operands = {0};
    struct tk_selection selection;
    char message[TK_OPT_MESSAGE] = "";
    bool good = tk_opt_parse(&set, argc, argv, &operands, message);
    if (good && (good = tk_select_fill(&selection, &args, message)))
        check(&selection, &args);
    fuzz_promise(good || (message[0] && memchr(message, 0, sizeof message)), "a refusal has a sentence");
    for (size_t i = 0; i < args.timers.n; i++)
        for (size_t k = 0; k < operands.n; k++)
            match(args.timers.v[i], operands.v[k]);
    tk_opt_list_release(&operands);
    tk_opt_release(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[MOST + 1] = {"fuzz"}, *text = malloc(size + 1);
    int argc = 1;
    memcpy(text, data, size);
    text[size] = 0;
    for (char *p = text; p && argc < MOST; argc++) {
        argv[argc] = p;
        p = strchr(p, '\n');
        if (p)
            *p++ = 0;
    }
    parse(argc, argv);
    free(text);
    return 0;
}
