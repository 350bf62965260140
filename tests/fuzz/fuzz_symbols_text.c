/*
 * Fuzzes symbols as text, as Breakpad has them.
 */
#include "symbol_questions.h"
#include "symbols/files/image.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t id[16] = {0x4c, 0x4c, 0x44, 0x3b, 0x55, 0x55, 0x31, 0x44,
                                   0xa1, 0x66, 0xb0, 0x43, 0xa4, 0x1d, 0xa7, 0x86};
    struct tk_sym_question questions[FUZZ_QUESTIONS];
    struct tk_sym_answers answers = {0};
    struct tk_breakpad_head head;
    uint8_t *copy = fuzz_copy(data, size);
    const struct tk_bytes bytes = {copy, size};
    if (tk_breakpad_head(bytes, &head))
        tk_breakpad_has_id(head.id, id, sizeof id);
    fuzz_questions(questions, 0x2c0);
    tk_breakpad_resolve(bytes, questions, FUZZ_QUESTIONS, &answers);
    fuzz_answers(questions, &answers);
    free(copy);
    return 0;
}
