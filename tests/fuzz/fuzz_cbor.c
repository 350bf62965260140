/*
 * CBOR of metadata, and the labels made of it: u8 bytes of a name, the name, u8 bytes of a format, the
 * format, values.
 */
#include "base/text/text.h"
#include "format/utrace/schema/printf_args.h"
#include "format/utrace/schema/schema.h"
#include "rig.h"

#include <stdlib.h>

static void walk(const uint8_t *p, size_t n)
{
    struct tk_cur c = tk_cur_of(p, n);
    struct tk_ut_cbor value;
    size_t values = 0;
    while (tk_ut_cbor_next(&c, &value)) {
        fuzz_promise(++values <= n, "a value takes a byte");
        fuzz_promise(value.kind <= TK_UT_CBOR_NULL, "a kind that there is");
        if (value.kind == TK_UT_CBOR_TEXT)
            fuzz_promise(value.text.n <= n && (value.text.n == 0 ||
                                               (value.text.p >= p && value.text.p + value.text.n <= p + n)),
                         "a text lies in the values");
    }
    fuzz_promise(!tk_cur_ok(&c) || tk_cur_left(&c) == 0, "the end, or a fault");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct fuzz_in name = fuzz_take(&in, fuzz_u8(&in)), format = fuzz_take(&in, fuzz_u8(&in));
    uint8_t *a = fuzz_copy(name.p, name.n), *b = fuzz_copy(format.p, format.n),
            *values = fuzz_copy(in.p, in.n);
    const struct tk_str name_text = {(const char *)a, (uint32_t)name.n,
                                     tk_utf8_valid(a, name.n) ? TK_ENC_UTF8 : TK_ENC_BYTES};
    const struct tk_str format_text = {(const char *)b, (uint32_t)format.n,
                                       tk_utf8_valid(b, format.n) ? TK_ENC_UTF8 : TK_ENC_BYTES};
    struct tk_arena arena = {0};
    struct tk_bytes out;
    bool cut;
    walk(values, in.n);
    struct tk_str rest = tk_ut_label_format(&name_text, &format_text);
    fuzz_promise(rest.n <= format_text.n, "the rest of a format is in it");
    fuzz_promise(tk_ut_label(&arena, &name_text, &rest, values, in.n, &out, &cut) == TK_OK, "a label");
    fuzz_promise(tk_utf8_valid(out.p, out.n), "a label is UTF-8");
    fuzz_tell(cut ? "cut label" : "label", out.p, out.n);
    tk_arena_release(&arena);
    free(a);
    free(b);
    free(values);
    return 0;
}
