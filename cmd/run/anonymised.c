/*
 * Anonymised copies. See anonymised.h.
 */
#include "run/anonymised.h"

#include "terminal/host.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does a condition ask for a text? Less and more are of numbers, as is what begins with a digit. */
static bool asks_text(const char *condition)
{
    const char *sign = condition + strcspn(condition, "<>=!~");
    const char *value = sign + strspn(sign, "=!~ ");
    value += strspn(value, "+-.");
    return *sign != '<' && *sign != '>' && (strchr(sign, '~') || *value < '0' || *value > '9');
}

bool tk_anonymised_check(const struct tk_text_args *texts, const struct tk_opt_set *set,
                         char message[TK_OPT_MESSAGE])
{
    static const char *const names[] = {"region", "thread",  "timer",  "from-bookmark", "to-bookmark",
                                        "log",    "counter", "filter", "frames-from",   "per"};
    const struct tk_opt_list *where = tk_opt_listed(set, "where");
    const char *wrong = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !wrong; i++)
        wrong = tk_opt_is_set(set, names[i]) ? names[i] : NULL;
    for (size_t i = 0; where && i < where->n && !wrong; i++)
        wrong = asks_text(where->v[i]) ? "where" : NULL;
    if (!texts->anonymise || !wrong)
        return true;
    snprintf(
        message, TK_OPT_MESSAGE,
        "option '--%s' asks for a name, and --anonymise changes names; select by times or frames, or give "
        "it a capture that trace-edit has anonymised, with its new names",
        wrong);
    return false;
}

static enum tk_exit make_copy(struct tk_anonymised *a, const char *program, const char *from,
                              const struct tk_common_args *common, const struct tk_text_args *texts)
{
    struct tk_edit_options opt = TK_INIT(struct tk_edit_options);
    struct tk_capture_run capture;
    const enum tk_exit code = tk_capture_open(&capture, program, from, common);
    if (code != TK_EXIT_DONE)
        return code;
    opt.path = a->path;
    opt.force = true; /* it is there, and empty */
    opt.anonymise = texts->anonymise;
    opt.keep_text = (const char *const *)texts->keep_text.v;
    opt.n_keep_text = texts->keep_text.n;
    opt.key = texts->key;
    return tk_capture_close(&capture, tk_edit_run(capture.trace, NULL, &opt, NULL, &capture.err));
}

enum tk_exit tk_anonymised_make(struct tk_anonymised *a, const char *program, const char *from,
                                const struct tk_common_args *common, const struct tk_text_args *texts)
{
    *a = (struct tk_anonymised){0};
    if (!texts->anonymise) {
        if (!texts->key && !texts->keep_text.n)
            return TK_EXIT_DONE;
        return (enum tk_exit)tk_message_usage(program, texts->key
                                                           ? "option '--key' belongs to --anonymise"
                                                           : "option '--keep-text' belongs to --anonymise");
    }
    if (!(a->path = tk_host_temporary_file("anonymised.utrace"))) {
        tk_message_say(program, TK_MESSAGE_ERROR, "cannot make a temporary file");
        return TK_EXIT_FAILED;
    }
    const enum tk_exit code = make_copy(a, program, from, common, texts);
    if (code != TK_EXIT_DONE && code != TK_EXIT_DAMAGED)
        tk_anonymised_drop(a);
    return code;
}

void tk_anonymised_hide(struct tk_anonymised *a)
{
    if (a->path && !a->gone)
        a->gone = tk_host_remove(a->path);
}

void tk_anonymised_drop(struct tk_anonymised *a)
{
    tk_anonymised_hide(a);
    free(a->path);
    *a = (struct tk_anonymised){0};
}
