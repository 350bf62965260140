/*
 * What recordings of all kinds of programs share; see record_shared.h.
 */
#include "live/record_shared.h"

#include "terminal/host.h"
#include "terminal/message.h"

#define COMMON(name) offsetof(struct tk_common_args, name)

const struct tk_opt tk_live_common_options[TK_LIVE_COMMON_COUNT] = {
    {'q', "quiet", TK_OPT_FLAG, COMMON(quiet), NULL, "no progress and no status lines"},
    {'h', "help", TK_OPT_FLAG, COMMON(help), NULL, "print this"},
    {'V', "version", TK_OPT_FLAG, COMMON(version), NULL, "print the version"},
    {0, "list-options", TK_OPT_FLAG, COMMON(names), NULL, NULL},
};

bool tk_record_access(struct tk_live_access *access, const struct tk_record_args *args,
                      char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < args->allow.n; i++)
        if (!tk_live_access_add(access, args->allow.v[i])) {
            snprintf(message, TK_OPT_MESSAGE,
                     "option '--allow' takes ADDRESS, ADDRESS/BITS or 'any', not '%.60s'", args->allow.v[i]);
            return false;
        }
    return true;
}

bool tk_record_folder(const char *path, char message[TK_OPT_MESSAGE])
{
    if (tk_host_make_folder(path))
        return true;
    snprintf(message, TK_OPT_MESSAGE, "'%.200s' is not a folder and cannot be created", path);
    return false;
}

int tk_record_status(const struct tk_call *call, const struct tk_record_args *args,
                     const struct tk_live_program *program, enum tk_exit code)
{
    int status;
    if (!tk_live_program_status(program, &status) || status == 0)
        return (int)code;
    tk_message_say(call->program, TK_MESSAGE_NOTE, "the exit status %d is that of '%s'", status,
                   args->program.v[0]);
    return status;
}
