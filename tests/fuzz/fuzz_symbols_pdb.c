/*
 * Fuzzes PDB files: their streams, modules, inlined calls, lines, types and public symbols.
 */
#include "symbol_questions.h"
#include "symbols/files/pdb.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_pdb pdb;
    const char *why = NULL;
    uint8_t *copy = fuzz_copy(data, size);
    int rc = tk_pdb_open(&pdb, (struct tk_bytes){copy, size}, &why);
    fuzz_promise((rc < 0) == (why != NULL), "a file that is refused has a cause");
    if (rc == 0) {
        struct tk_sym_question questions[FUZZ_QUESTIONS];
        struct tk_sym_answers answers = {0};
        fuzz_questions(questions, 0x1000);
        tk_pdb_resolve(&pdb, questions, FUZZ_QUESTIONS, &answers);
        fuzz_answers(questions, &answers);
    }
    tk_pdb_release(&pdb);
    free(copy);
    return 0;
}
