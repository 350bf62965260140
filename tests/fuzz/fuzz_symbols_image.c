/*
 * Fuzzes executables and libraries: ELF, PE and Mach-O files, their sections, DWARF and tables of symbols.
 */
#include "symbol_questions.h"
#include "symbols/containers/image.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/plain/symbol_table.h"

#include <stdlib.h>

static struct tk_dwarf_sections sections_of(struct tk_image *image)
{
    const char *why = NULL;
    return (struct tk_dwarf_sections){.info = tk_image_section(image, "debug_info", &why),
                                      .abbrev = tk_image_section(image, "debug_abbrev", &why),
                                      .str = tk_image_section(image, "debug_str", &why),
                                      .line = tk_image_section(image, "debug_line", &why),
                                      .line_str = tk_image_section(image, "debug_line_str", &why),
                                      .ranges = tk_image_section(image, "debug_ranges", &why),
                                      .rnglists = tk_image_section(image, "debug_rnglists", &why),
                                      .addr = tk_image_section(image, "debug_addr", &why),
                                      .str_offsets = tk_image_section(image, "debug_str_offsets", &why)};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_image image;
    const char *why = NULL;
    uint8_t *copy = fuzz_copy(data, size);
    int rc = tk_image_open(&image, (struct tk_bytes){copy, size}, NULL, 0, &why);
    fuzz_promise((rc < 0) == (why != NULL), "a file that is refused has a cause");
    if (rc == 0) {
        struct tk_sym_question questions[FUZZ_QUESTIONS];
        struct tk_sym_answers answers = {0};
        const struct tk_dwarf dwarf = {.sections = sections_of(&image)};
        fuzz_questions(questions, image.base + (image.kind == TK_IMAGE_MACHO ? 0x2c0 : 0x1000));
        tk_dwarf_resolve(&dwarf, questions, FUZZ_QUESTIONS, &answers);
        tk_symbol_table_resolve(&image, questions, FUZZ_QUESTIONS, &answers);
        fuzz_answers(questions, &answers);
    }
    tk_image_release(&image);
    free(copy);
    return 0;
}
