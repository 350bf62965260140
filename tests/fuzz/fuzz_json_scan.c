/*
 * The tokenizer of JSON: whole values lie in the input, a value that is cut says so, and texts without
 * escapes are no longer than they were.
 */
#include "format/chrome_json/chrome_json_in.h"
#include "rig.h"

#include <stdlib.h>

static void walk(struct tk_jscan_value object)
{
    struct tk_jscan_scan s = {.p = object.p + 1, .end = object.p + object.n};
    struct tk_jscan_value key, value;
    bool more;
    int64_t number;
    struct tk_number measure;
    while (tk_jscan_member(&s, &key, &more) == TK_JSON_OK && more &&
           tk_jscan_value(&s, &value) == TK_JSON_OK) {
        uint8_t *plain = malloc(value.n + 1);
        fuzz_promise(value.p >= object.p && value.p + value.n <= object.p + object.n,
                     "a value lies in its object");
        if (value.kind == TK_JSON_STRING && plain)
            fuzz_promise(tk_jscan_unescape(&value, plain) <= value.n,
                         "no text is longer without its escapes");
        tk_jscan_time(&value, &number);
        tk_jscan_integer(&value, &number);
        tk_jscan_measure(&value, &measure);
        free(plain);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_copy(data, size);
    struct tk_jscan_scan s = {.p = copy, .end = copy + size};
    struct tk_jscan_value value;
    struct tk_cj_event event;
    enum tk_jscan_result r = tk_jscan_value(&s, &value);
    fuzz_promise(r != TK_JSON_BAD || s.reason, "what is no JSON has a reason");
    if (r == TK_JSON_OK && value.kind == TK_JSON_OBJECT) {
        walk(value);
        s = (struct tk_jscan_scan){.p = copy, .end = copy + size};
        fuzz_promise(tk_cj_event_read(&s, &event) == TK_JSON_OK, "an object can be read as an event");
    }
    free(copy);
    return 0;
}
