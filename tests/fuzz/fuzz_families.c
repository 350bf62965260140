/*
 * Events of all families, and all tables of them.
 * The input is a description of events (declared.h).
 */
#include "declared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_uw_bytes file = {0};
    fuzz_declared(&file, data, size, NULL);
    fuzz_ask(file.data, file.size, NULL, 0,
             FUZZ_PART(size) | (size % 64 == 0 ? FUZZ_JOBS | FUZZ_EXPORT : 0) |
                 (size % 32 == 1 ? FUZZ_QUESTION(size / 32) : 0));
    tk_uw_bytes_release(&file);
    return 0;
}
