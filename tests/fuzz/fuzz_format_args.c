/*
 * Formats and their arguments: u8 bytes of the format, the format, the arguments.
 */
#include "base/text/text.h"
#include "format/utrace/schema/printf_args.h"
#include "rig.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct fuzz_in text = fuzz_take(&in, fuzz_u8(&in));
    uint8_t *p = fuzz_copy(text.p, text.n), *args = fuzz_copy(in.p, in.n);
    const struct tk_str format = {(const char *)p, (uint32_t)text.n,
                                  tk_utf8_valid(p, text.n) ? TK_ENC_UTF8 : TK_ENC_BYTES};
    struct tk_arena arena = {0};
    struct tk_str out;
    bool cut;
    fuzz_promise(tk_ut_format(&arena, &format, args, in.n, &out, &cut) == TK_OK, "a text");
    fuzz_promise(out.n <= 3 * TK_UT_PRINTF_LIMIT && tk_utf8_valid(out.p, out.n) == (out.enc == TK_ENC_UTF8) &&
                     (out.enc == TK_ENC_UTF8 || (out.enc == TK_ENC_UTF16 && !tk_utf16_valid(out.p, out.n))),
                 "it is UTF-8 or half a pair, and not too long");
    fuzz_tell(cut ? "cut text" : "text", out.p, out.n);
    tk_arena_release(&arena);
    free(p);
    free(args);
    return 0;
}
