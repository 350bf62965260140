/*
 * Anonymised copies. See anonymised.h.
 */
#include "run/anonymised.h"

#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>

static enum tk_exit make_copy(struct tk_anonymised *a, const char *program, const char *from,
                              const struct tk_common_args *common, const struct tk_text_args *texts)
{
    struct tk_edit_options opt = TK_INIT(struct tk_edit_options);
    struct tk_capture_run capture;
    const enum tk_exit code = tk_capture_open(&capture, program, from, common);
    if (code != TK_EXIT_DONE)
        return code;
    opt.path = a->path;
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
    if (!(a->path = tk_host_temporary_name("anonymised.utrace"))) {
        tk_message_say(program, TK_MESSAGE_ERROR, "memory is out");
        return TK_EXIT_FAILED;
    }
    const enum tk_exit code = make_copy(a, program, from, common, texts);
    if (code != TK_EXIT_DONE && code != TK_EXIT_DAMAGED)
        tk_anonymised_drop(a);
    return code;
}

void tk_anonymised_drop(struct tk_anonymised *a)
{
    if (a->path)
        (void)tk_host_remove(a->path);
    free(a->path);
    a->path = NULL;
}
