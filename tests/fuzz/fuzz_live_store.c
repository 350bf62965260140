/*
 * Requests to a store, and lines for a control port: the input is the one (first byte even) or the argument
 * of the other.
 */
#include "live/access.h"
#include "live/server.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

static uint16_t relay(void *ctx, const struct tk_store_capture *capture)
{
    (void)ctx;
    fuzz_promise(capture->id != 0, "what is given out is of the list");
    return 7;
}

/* Every answer is a map that begins with its status and has what was put into it. */
static void check_answer(const struct tk_cbor_writer *w)
{
    struct tk_cbor_item item;
    fuzz_promise(!w->full && w->n >= 2 && w->p[0] == 0xBF && w->p[w->n - 1] == 0xFF, "an answer is a map");
    fuzz_promise(tk_cbor_find(w->p, w->n, "$status", &item) && item.kind == TK_CBOR_NUMBER, "with a status");
    fuzz_promise(item.value == 200 || item.value == 400 || item.value == 403 || item.value == 404,
                 "that is one of four");
    fuzz_promise(item.value == 200 || w->n == 13, "which is all where it is an error");
}

static void ask(const uint8_t *p, size_t n, enum tk_store_form form)
{
    static char first[] = "20250102_030405", second[] = "mine";
    struct tk_store_capture captures[] = {{first, 70805884, 100, 1735787045}, {second, 5, 0, 0}};
    const struct tk_store_listing listing = {.captures = {captures, 2, 2}};
    const struct tk_recorder_options options = {.folder = "."};
    struct tk_recorder *recorder;
    uint8_t out[8192];
    struct tk_cbor_writer w = {.p = out, .capacity = sizeof out};
    struct tk_err err;
    if (tk_recorder_open(&recorder, &options, &err) != TK_OK)
        return;
    const struct tk_store_facts facts = {
        .form = form, .folder = "/tmp", .listing = &listing, .recorder = recorder, .relay = relay};
    tk_store_answer(&facts, p, n, &w);
    check_answer(&w);
    tk_recorder_close(recorder);
}

static void make_line(const uint8_t *p, size_t n, enum tk_control_verb verb)
{
    char line[TK_CONTROL_LINE + 1], *argument = malloc(n + 1);
    struct tk_err err = {0};
    if (!argument)
        return;
    if (n)
        memcpy(argument, p, n);
    argument[n] = '\0';
    const int rc = tk_control_line(line, verb, argument, &err);
    fuzz_error(rc, &err);
    if (rc == TK_OK) {
        const char *end = strchr(line, '\n');
        fuzz_promise(end && end[1] == '\0' && strlen(line) <= TK_CONTROL_LINE,
                     "one line that a program takes");
        fuzz_promise(verb == TK_CONTROL_STOP || strlen(argument) == 0 || strstr(line, argument),
                     "with its word in it");
        fuzz_promise(!strchr(line, '\t') && !strchr(line, '\r'), "and nothing that ends words or lines");
    }
    tk_control_channel_id(argument, n);
    free(argument);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint8_t *p = fuzz_copy(data + 1, size - 1);
    if (data[0] % 2 == 0)
        ask(p, size - 1, data[0] % 4 ? TK_STORE_FORM_5_1 : TK_STORE_FORM_5_4);
    else
        make_line(p, size - 1, (enum tk_control_verb)(data[0] / 2 % 5));
    free(p);
    return 0;
}
