/*
 * Collapsed stacks: the input is the file.
 */
#include "rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_ask(data, size, NULL, 0,
             FUZZ_PART(size) | (size % 16 == 5 ? FUZZ_EXPORT : 0) | (size % 16 == 6 ? FUZZ_JOBS : 0) |
                 (size % 16 == 7 ? FUZZ_STRICT : 0) | (size % 16 == 8 ? FUZZ_QUESTION(size / 16) : 0));
    return 0;
}
