/*
 * trace-edit: writes the part of a capture that is to stay, as a valid capture.
 */
#include "args/endings.h"
#include "args/select.h"
#include "pages/out.h"
#include "run/listing.h"
#include "run/report.h"
#include "run/windows.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/edits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edit_args {
    struct tk_common_args common;
    struct tk_select_args select;
    const char *path, *into, *compress, *format, *streams, *split, *align;
    struct tk_opt_list keep, drop;
    struct tk_text_args texts;
    bool force, dry_run, repair, close, guard;
};

#define AT(member) offsetof(struct edit_args, member)

static const struct tk_opt content_options[] = {
    {0, "keep", TK_OPT_WORDS, AT(keep), "WORD,...",
     "keep only these events: topics (memory, logs, ...) or patterns of Logger.Event"},
    {0, "drop", TK_OPT_WORDS, AT(drop), "WORD,...", "remove these events"},
    {0, "repair", TK_OPT_FLAG, AT(repair), NULL, "only repair damage (every edit repairs the capture, too)"},
    {0, "close", TK_OPT_FLAG, AT(close), NULL, "close scopes without an end at the last known time"},
};

static const struct tk_opt output_options[] = {
    {'o', "output", TK_OPT_TEXT, AT(path), "FILE",
     "write the result to this file (-: standard output); .zst, .lz4, .gz compress it"},
    {0, "into", TK_OPT_TEXT, AT(into), "DIR", "write each capture under its own name to this folder"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace an existing output"},
    {0, "split", TK_OPT_TEXT, AT(split), TK_SPLIT_VALUE,
     "split into numbered files, each of about 200MB, of 10s, of N game frames, or of one region"},
    {0, "compress", TK_OPT_TEXT, AT(compress), "HOW",
     "compression of a .utrace: raw, lz4, lz4hc:1 to lz4hc:12; of a .tracy: zstd:1 to zstd:22, zstd:-5 to "
     "zstd:-1, lz4, lz4hc:1 to lz4hc:12"},
    {0, "streams", TK_OPT_TEXT, AT(streams), "N", ".tracy: number of block streams, 1 to 255"},
    {0, "align", TK_OPT_TEXT, AT(align), "HOW",
     "merging .tracy files: clock (default) aligns their times by the wall clock, none keeps them"},
    {0, "dry-run", TK_OPT_FLAG, AT(dry_run), NULL,
     "write nothing; list the texts in each event type, and which of them are kept"},
    {0, "format", TK_OPT_TEXT, AT(format), "NAME", "of --dry-run: " TK_OUT_FORMATS " (default: table)"},
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL,
     "csv, tsv of --dry-run: keep spreadsheets from treating texts as formulas"},
};

enum { MOST_STREAMS = 255 };

#define SELECTION 7 /* of the options of a selection: those of time, and threads */

static const struct tk_opt_group groups[] = {
    {"Selection", tk_select_options, SELECTION, AT(select)},
    {"Content", content_options, sizeof content_options / sizeof *content_options, 0},
    TK_TEXT_GROUP(AT(texts)),
    {"Output", output_options, sizeof output_options / sizeof *output_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

/* What was given; 0: nothing. It is checked before. */
static unsigned streams_of(const char *text)
{
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

static bool check_streams(const char *text, char message[TK_OPT_MESSAGE])
{
    if (!text || (strspn(text, "0123456789") == strlen(text) && strlen(text) < 6 && streams_of(text) >= 1 &&
                  streams_of(text) <= MOST_STREAMS))
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--streams' takes 1 to %d, not '%.100s'", MOST_STREAMS, text);
    return false;
}

static struct tk_edit_options options_of(const struct edit_args *args, const char *path)
{
    struct tk_edit_options opt = TK_INIT(struct tk_edit_options);
    opt.path = path;
    opt.force = args->force;
    opt.dry_run = args->dry_run;
    opt.keep = (const char *const *)args->keep.v;
    opt.n_keep = args->keep.n;
    opt.drop = (const char *const *)args->drop.v;
    opt.n_drop = args->drop.n;
    opt.close = args->close;
    opt.compress = args->compress;
    opt.streams = streams_of(args->streams);
    opt.anonymise = args->texts.anonymise;
    opt.keep_text = (const char *const *)args->texts.keep_text.v;
    opt.n_keep_text = args->texts.keep_text.n;
    opt.key = args->texts.key;
    return opt;
}

/* It was checked before. */
static struct tk_selection selection_of(const struct edit_args *args)
{
    char message[TK_OPT_MESSAGE];
    struct tk_selection select = {0};
    (void)tk_select_fill(&select, &args->select, message);
    return select;
}

static int run(struct tk_trace *trace, const struct edit_args *args, const struct tk_edit_options *opt,
               const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_selection select = selection_of(args);
    const int rc = tk_past_end_check(trace, &select, err);
    return rc < 0 ? rc : tk_edit_run(trace, &select, opt, sink, err);
}

static int produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    const struct edit_args *args = ctx;
    struct tk_edit_options opt = options_of(args, NULL);
    struct tk_result *result;
    opt.dry_run = true;
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    const struct tk_sink keep = tk_result_sink(result);
    rc = run(trace, args, &opt, &keep, err);
    if (rc >= 0)
        rc = tk_result_sort(result, 0, "bytes", true, err);
    if (rc >= 0)
        rc = tk_result_replay(result, sink, err);
    tk_result_free(result);
    return rc;
}

static int dry_run(const struct tk_call *call, const struct edit_args *args, const char *path)
{
    const struct tk_out_args out = {.guard = args->guard};
    const char *format = args->format ? args->format : "table";
    char message[TK_OPT_MESSAGE];
    if (!tk_report_check_format(format, message))
        return tk_message_usage(call->program, message);
    return tk_report_run(&(struct tk_report){.call = call,
                                             .path = path,
                                             .common = &args->common,
                                             .out = &out,
                                             .format = format,
                                             .produce = produce,
                                             .ctx = (void *)(uintptr_t)args});
}

static struct tk_split split_of(const struct edit_args *args)
{
    char message[TK_OPT_MESSAGE];
    struct tk_split split;
    (void)tk_split_read(&split, args->split, message);
    return split;
}

static int write_part(struct tk_trace *trace, const struct edit_args *args, const struct tk_selection *select,
                      struct tk_output_set *set, const char *to, struct tk_edit_report *report,
                      struct tk_err *err)
{
    struct tk_edit_options opt = options_of(args, to);
    opt.set = set;
    const struct tk_sink sink = tk_edit_report_sink(report);
    const int rc = tk_edit_run(trace, select, &opt, &sink, err);
    if (rc >= 0)
        tk_edit_report_say(report, to);
    return rc;
}

static bool is_input(const struct tk_call *call, const char *path)
{
    for (size_t i = 0; i < call->operands->n; i++)
        if (tk_host_same_file(path, call->operands->v[i]))
            return true;
    return false;
}

/* No part may have the name of a capture that is read. */
static int check_parts(const struct tk_call *call, const char *to, size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        char *path = tk_window_path(to, i + 1);
        if (path && is_input(call, path)) {
            rc = TK_EUSAGE;
            *err = (struct tk_err){.code = rc, .n = 1};
            snprintf(err->text[0], TK_ERR_TEXT, "'%.200s' is an input; refusing to overwrite it", path);
        }
        rc = path ? rc : TK_ENOMEM;
        free(path);
    }
    return rc;
}

/* Why a result may be larger than what it was made of. */
static const char *why_larger(const struct edit_args *args, const char *from, const char *to)
{
    if (args->compress)
        return "its compression is that of --compress";
    if (tk_capture_is_packed(from) && !tk_capture_is_packed(to))
        return "the capture is compressed as a whole, which an output that ends in .zst, .lz4 or .gz is, too";
    if (args->texts.anonymise)
        return "pseudonyms are longer than most texts and do not compress as well; --compress lz4hc:9 "
               "(.utrace) or "
               "zstd:9 (.tracy) makes the file smaller";
    return "what is new in it, such as the record of the edit and the places of removed events, takes more "
           "than what "
           "was removed; --compress lz4hc:9 (.utrace) or zstd:9 (.tracy) makes the file smaller";
}

static void say_larger(const struct tk_call *call, const struct edit_args *args, const char *from,
                       const char *to)
{
    const uint64_t before = tk_host_size(from), after = tk_host_size(to);
    if (args->common.quiet || !before || after <= before)
        return;
    char by[48];
    if ((after - before) / 100 >= before / 10000)
        snprintf(by, sizeof by, "is %.0f %% larger", 100.0 * (double)(after - before) / (double)before);
    else
        snprintf(by, sizeof by, "has %" PRIu64 " bytes more", after - before);
    tk_message_say(call->program, TK_MESSAGE_NOTE, "'%s' %s than '%s': %s", to, by, from,
                   why_larger(args, from, to));
}

static void say_larger_parts(const struct tk_call *call, const struct edit_args *args, const char *from,
                             const char *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *path = tk_window_path(to, i + 1);
        if (path)
            say_larger(call, args, from, path);
        free(path);
    }
}

static int write_parts(struct tk_trace *trace, const struct edit_args *args, const struct tk_call *call,
                       const char *from, const char *to, struct tk_err *err)
{
    const struct tk_selection within = selection_of(args);
    const struct tk_split split = split_of(args);
    struct tk_windows windows = {0};
    struct tk_output_set *set = NULL;
    int rc = tk_past_end_check(trace, &within, err);
    if (rc >= 0)
        rc = tk_windows_divide(&windows, trace, &within, &split, err);
    if (rc >= 0)
        rc = check_parts(call, to, windows.n, err);
    if (rc >= 0)
        rc = tk_output_set_new(&set, to, err);
    for (size_t i = 0; i < windows.n && rc >= 0; i++) {
        struct tk_edit_report report = {.program = call->program, .quiet = args->common.quiet};
        const struct tk_selection select = tk_window_select(&windows.v[i], &within);
        char *path = tk_window_path(to, i + 1);
        rc = path ? write_part(trace, args, &select, set, path, &report, err) : TK_ENOMEM;
        free(path);
    }
    if (rc >= 0)
        rc = tk_output_set_commit(set, err);
    else
        tk_output_set_discard(set);
    if (rc >= 0)
        say_larger_parts(call, args, from, to, windows.n);
    tk_windows_release(&windows);
    return rc;
}

static int edit_into_parts(const struct tk_call *call, const struct edit_args *args, const char *from,
                           const char *to)
{
    struct tk_capture_run capture;
    const enum tk_exit code = tk_capture_open(&capture, call->program, from, &args->common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    const int rc = write_parts(capture.trace, args, call, from, to, &capture.err);
    return (int)tk_capture_close(&capture, rc);
}

static int edit_one(const struct tk_call *call, const struct edit_args *args, const char *from,
                    const char *to)
{
    if (args->split)
        return edit_into_parts(call, args, from, to);
    const struct tk_edit_options opt = options_of(args, to);
    struct tk_capture_run capture;
    struct tk_edit_report report = {.program = call->program, .quiet = args->common.quiet};
    const struct tk_sink sink = tk_edit_report_sink(&report);
    enum tk_exit code = tk_capture_open(&capture, call->program, from, &args->common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    const int rc = run(capture.trace, args, &opt, &sink, &capture.err);
    if (rc >= 0)
        tk_edit_report_say(&report, to);
    if (rc >= 0)
        say_larger(call, args, from, to);
    return (int)tk_capture_close(&capture, rc);
}

/* ---- several captures as one ---- */

/* The worst of what is said of all of them; `at` is the first one that was not opened. An error is that of
 * the merge: it says which of them it is about by their order. */
static int close_all(struct tk_capture_run *captures, size_t at, int rc, enum tk_exit code)
{
    if (rc < 0 && at)
        captures[0].path = NULL;
    for (size_t i = 0; i < at; i++)
        code = tk_exit_worse(code, tk_capture_close(&captures[i], i == 0 ? rc : TK_OK));
    free(captures);
    return (int)code;
}

static int merge(const struct tk_call *call, const struct edit_args *args)
{
    const size_t n = call->operands->n;
    struct tk_capture_run *captures = calloc(n, sizeof *captures);
    struct tk_trace **traces = calloc(n, sizeof *traces);
    enum tk_exit code = TK_EXIT_DONE;
    size_t at = 0;
    int rc = captures && traces ? TK_OK : TK_ENOMEM;
    for (; rc == TK_OK && at < n && code == TK_EXIT_DONE; at++) {
        code = tk_capture_open(&captures[at], call->program, call->operands->v[at], &args->common);
        traces[at] = captures[at].trace;
    }
    if (!captures || !traces) {
        tk_message_say(call->program, TK_MESSAGE_ERROR, "out of memory");
        code = TK_EXIT_FAILED;
    } else if (code == TK_EXIT_DONE) {
        const struct tk_edit_options opt = options_of(args, args->path);
        const bool keeps = args->align && strcmp(args->align, "none") == 0;
        rc = tk_edit_merge(traces, n, keeps ? TK_MERGE_KEEP : TK_MERGE_CLOCK, &opt, &captures[0].err);
    } else {
        at--;
    }
    free(traces);
    return close_all(captures, at, rc, code);
}

/* The place of a capture in the folder; NULL if out of memory. To be freed. */
static char *place_in(const char *folder, const char *path)
{
    const char *name = tk_host_base_name(path);
    const size_t capacity = strlen(folder) + strlen(name) + 2;
    char *place = malloc(capacity);
    if (place)
        snprintf(place, capacity, "%s/%s", folder, name);
    return place;
}

static int check_places(const struct tk_call *call, const struct edit_args *args, char *const *places)
{
    char message[TK_OPT_MESSAGE];
    for (size_t i = 0; i < call->operands->n; i++)
        for (size_t k = 0; k < call->operands->n; k++) {
            const bool input = !args->split && tk_host_same_file(places[i], call->operands->v[k]);
            if (!input && (k >= i || strcmp(places[i], places[k]) != 0))
                continue;
            snprintf(message, sizeof message,
                     input ? "'%.200s' is an input; refusing to overwrite it"
                           : "two captures would be written to '%.200s'",
                     places[i]);
            return tk_message_usage(call->program, message);
        }
    return TK_EXIT_DONE;
}

static int edit_each(const struct tk_call *call, const struct edit_args *args)
{
    const size_t n = call->operands->n;
    char **places = calloc(n, sizeof *places);
    bool whole = places != NULL;
    int code = TK_EXIT_FAILED;
    for (size_t i = 0; whole && i < n; i++)
        whole = (places[i] = place_in(args->into, call->operands->v[i])) != NULL;
    if (!whole)
        tk_message_say(call->program, TK_MESSAGE_ERROR, "out of memory");
    else if (!tk_host_make_folder(args->into))
        tk_message_say(call->program, TK_MESSAGE_ERROR, "cannot make folder '%s'", args->into);
    else if ((code = check_places(call, args, places)) == TK_EXIT_DONE)
        for (size_t i = 0; i < n; i++)
            code = (int)tk_exit_worse((enum tk_exit)code,
                                      (enum tk_exit)edit_one(call, args, call->operands->v[i], places[i]));
    for (size_t i = 0; places && i < n; i++)
        free(places[i]);
    free(places);
    return code;
}

/* A form of the list requests the list. */
static bool is_dry(const struct edit_args *args)
{
    return args->dry_run || (args->format && !args->path && !args->into);
}

/* Several captures become one as they are. */
static const char *wrong_merge(const struct edit_args *args)
{
    if (args->keep.n || args->drop.n || args->split || args->close || args->texts.anonymise ||
        args->texts.key || args->texts.keep_text.n || tk_select_given(&args->select))
        return "captures are merged unchanged; edit the result, or each of them with --into DIR";
    if (args->align && strcmp(args->align, "clock") != 0 && strcmp(args->align, "none") != 0)
        return "option '--align' is clock or none";
    if (strcmp(args->path, "-") == 0 && tk_host_terminal(stdout))
        return "a capture is not for a terminal; name a file with --output";
    return NULL;
}

static const char *wrong_output(const struct edit_args *args, size_t n)
{
    if (n == 0)
        return "which capture?";
    if (is_dry(args))
        return n > 1         ? "option '--dry-run' is for one capture at a time"
               : args->split ? "options '--dry-run' and '--split' do not go together"
                             : NULL;
    if (!args->path == !args->into)
        return args->path ? "options '--output' and '--into' do not go together"
                          : "where to? Name a file with --output, or a folder with --into";
    if (args->path && n > 1)
        return wrong_merge(args);
    if (args->align)
        return "option '--align' is for several captures that become one";
    if (args->split && args->path && strcmp(args->path, "-") == 0)
        return "option '--split' writes several files; name one that they are numbered by";
    if (args->split && (args->select.frames || args->select.regions.n || args->select.from_bookmark ||
                        args->select.to_bookmark))
        return "option '--split' goes with '--from' and '--to', not with other selections";
    if (args->texts.anonymise && !args->texts.key && (args->split || n > 1))
        return "several results need one key to have the same pseudonyms; give it with --key";
    if (args->path && strcmp(args->path, "-") == 0 && tk_host_terminal(stdout))
        return "a capture is not for a terminal; name a file with --output";
    return NULL;
}

static int run_edit(const struct tk_call *call, const void *command_args)
{
    const struct edit_args *args = command_args;
    const char *wrong = wrong_output(args, call->operands->n);
    if (wrong)
        return tk_message_usage(call->program, wrong);
    char message[TK_OPT_MESSAGE];
    struct tk_selection select = {0};
    struct tk_split split;
    if (!check_streams(args->streams, message) || !tk_select_fill(&select, &args->select, message) ||
        !tk_split_read(&split, args->split, message))
        return tk_message_usage(call->program, message);
    if (is_dry(args))
        return dry_run(call, args, call->operands->v[0]);
    tk_host_note_stop();
    if (args->into)
        return edit_each(call, args);
    if (call->operands->n > 1)
        return merge(call, args);
    return edit_one(call, args, call->operands->v[0], args->path);
}

const struct tk_command tk_command_edit = {
    .name = "edit",
    .operands = "FILE...",
    .summary = "Cuts, strips, anonymises, repairs, merges or recompresses captures.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct edit_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "edit",
    .run = run_edit,
};
