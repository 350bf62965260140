/*
 * Fuzzes executables and libraries: ELF, PE and Mach-O files, their sections, DWARF and tables of symbols.
 */
#include "symbol_questions.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/files/image.h"
#include "symbols/symbols_in.h"

#include <stdlib.h>

/* The file is also the one with its split units. */
static const struct tk_dwarf_split *split_of(void *ctx, const char *name, size_t n, bool more)
{
    (void)name;
    (void)n;
    return more ? NULL : ctx;
}

/* ... and the one that it shares with others. */
static void resolve(struct tk_image *image, struct tk_sym_question *questions, struct tk_sym_answers *answers)
{
    const char *why[3] = {NULL};
    const struct tk_dwarf_sections shared = tk_module_sections(image, "", &why[0]);
    struct tk_dwarf_split split = {.sections = tk_module_sections(image, ".dwo", &why[1]),
                                   .index = tk_image_section(image, "debug_cu_index", &why[2])};
    struct tk_dwarf dwarf = {.sections = shared, .split = split_of, .ctx = &split};
    dwarf.sections.shared = &shared;
    if (split.index.n)
        dwarf.package = &split;
    tk_dwarf_resolve(&dwarf, questions, FUZZ_QUESTIONS, answers);
    tk_symbol_table_resolve(image, questions, FUZZ_QUESTIONS, answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_image image;
    const char *why = NULL;
    uint8_t *copy = fuzz_copy(data, size);
    int rc = tk_image_open(&image, (struct tk_bytes){copy, size}, NULL, 0, &why);
    fuzz_promise(rc == 0 || why, "a file that is refused has a cause");
    if (rc == 0) {
        struct tk_sym_question questions[FUZZ_QUESTIONS];
        struct tk_sym_answers answers = {0};
        fuzz_questions(questions, image.base + (image.kind == TK_IMAGE_MACHO ? 0x2c0 : 0x1000));
        resolve(&image, questions, &answers);
        fuzz_answers(questions, &answers);
    }
    tk_image_release(&image);
    free(copy);
    return 0;
}
