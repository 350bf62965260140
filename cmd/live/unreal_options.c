/*
 * The options of trace-record as those of the recorder of Unreal programs, its store and its rules for the
 * disk.
 */
#include "live/live_in.h"
#include "live/live_json.h"
#include "live/record.h"

#include <stdio.h>
#include <string.h>

static bool fill_addresses(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    uint16_t ports[TK_RECORDER_LISTEN] = {1981, 1980};
    struct tk_os_address at = tk_os_address_loopback(0);
    size_t n = 2;
    run->default_ports = !args->port;
    if (!tk_live_read_ports("port", args->port, ports, TK_RECORDER_LISTEN, &n, message))
        return false;
    if (args->listen && !tk_os_address_parse(&at, args->listen, 0)) {
        snprintf(message, TK_OPT_MESSAGE, "option '--listen' takes a numeric address, not '%.60s'",
                 args->listen);
        return false;
    }
    if (!tk_record_access(&o->access, args, message))
        return false;
    if (!tk_os_address_is_loopback(&at) && args->allow.n == 0) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--listen' needs --allow: who may connect? ('any' is everybody)");
        return false;
    }
    o->n_listen = n;
    for (size_t i = 0; i < n; i++) {
        o->listen[i] = at;
        o->listen[i].port = ports[i];
    }
    return true;
}

static bool fill_files(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    if (!tk_live_read_format(args->format, &run->json, message))
        return false;
    if (args->name && !tk_live_prefix_is_good(args->name)) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--name' takes a text that file names can contain, not '%.60s'", args->name);
        return false;
    }
    if (args->output && strcmp(args->output, "-") == 0) {
        snprintf(message, TK_OPT_MESSAGE, "option '--output' names a file, and '-' is none");
        return false;
    }
    if (args->store && args->into) {
        snprintf(message, TK_OPT_MESSAGE, "option '--store' names the folder, and goes without --into");
        return false;
    }
    o->file = args->output;
    o->replace = args->force;
    o->folder = args->store ? args->store : args->into ? args->into : ".";
    o->prefix = args->name;
    if (!tk_record_folder(o->folder, message))
        return false;
    o->programs = args->count ? args->count : args->output && !args->into && !args->store ? 1 : 0;
    return true;
}

static bool fill_store(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_store_options *o = &run->store_options;
    uint16_t port = 1989;
    size_t n = 1;
    *o = (struct tk_store_options){
        .access = run->options.access, .folder = args->store, .form = TK_STORE_FORM_5_4};
    if (!args->store && (args->store_port || args->store_form)) {
        snprintf(message, TK_OPT_MESSAGE, "option '--%s' needs --store",
                 args->store_port ? "store-port" : "store-form");
        return false;
    }
    if (args->store_form && strcmp(args->store_form, "5.1") == 0)
        o->form = TK_STORE_FORM_5_1;
    else if (args->store_form && strcmp(args->store_form, "5.4") != 0) {
        snprintf(message, TK_OPT_MESSAGE, "option '--store-form' takes 5.1 or 5.4, not '%.60s'",
                 args->store_form);
        return false;
    }
    if (!tk_live_read_ports("store-port", args->store_port, &port, 1, &n, message))
        return false;
    o->listen = run->options.listen[0];
    o->listen.port = port;
    return true;
}

static bool fill_rules(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_keep_rules *rules = &run->rules;
    if (args->store)
        rules->free_bytes = 1000000000;
    rules->prefix = args->name;
    if (!tk_opt_real("keep-days", args->keep_days, false, &rules->days, message) ||
        !tk_live_read_size("keep-bytes", args->keep_bytes, &rules->most_bytes, message) ||
        !tk_live_read_size("free", args->free_bytes, &rules->free_bytes, message))
        return false;
    run->options.free_bytes = rules->free_bytes;
    return true;
}

static bool fill_rotation(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    if (args->rotate && (args->size || args->store)) {
        snprintf(message, TK_OPT_MESSAGE, "option '--rotate' goes on in new files, and goes without --%s",
                 args->size ? "size" : "store");
        return false;
    }
    return tk_live_read_rotation(args->rotate, &o->turn_bytes, &o->turn_seconds, message);
}

bool tk_unreal_fill(struct tk_unreal_run *run, char message[TK_OPT_MESSAGE])
{
    const struct tk_record_args *args = run->args;
    struct tk_recorder_options *o = &run->options;
    o->summary = !args->no_summary;
    o->events = (struct tk_recorder_events){tk_unreal_on_began,
                                            tk_unreal_on_ended,
                                            tk_unreal_on_turned,
                                            tk_unreal_on_denied,
                                            args->control ? tk_unreal_on_channel : NULL,
                                            run};
    return fill_addresses(run, message) && fill_files(run, message) && fill_store(run, message) &&
           fill_rules(run, message) && tk_live_read_size("size", args->size, &o->file_bytes, message) &&
           fill_rotation(run, message) &&
           tk_opt_real("seconds", args->seconds, false, &run->seconds, message) &&
           tk_opt_real("until-idle", args->idle, false, &run->idle, message);
}
