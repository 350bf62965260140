/*
 * Fuzzes executables and libraries: ELF, PE and Mach-O files, their sections, DWARF and tables of symbols.
 */
#include "symbol_questions.h"
#include "symbols/containers/image.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/plain/symbol_table.h"

#include <stdio.h>
#include <stdlib.h>

static struct tk_dwarf_sections sections_of(struct tk_image *image, const char *suffix)
{
    struct tk_dwarf_sections s = {.shared = NULL};
    const struct {
        const char *name;
        struct tk_bytes *to;
    } list[] = {{"debug_info", &s.info},
                {"debug_abbrev", &s.abbrev},
                {"debug_str", &s.str},
                {"debug_line", &s.line},
                {"debug_line_str", &s.line_str},
                {"debug_ranges", &s.ranges},
                {"debug_rnglists", &s.rnglists},
                {"debug_addr", &s.addr},
                {"debug_str_offsets", &s.str_offsets},
                {"debug_aranges", &s.aranges}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[TK_IMAGE_NAME];
        const char *why = NULL;
        snprintf(name, sizeof name, "%s%s", list[i].name, suffix);
        *list[i].to = tk_image_section(image, name, &why);
    }
    return s;
}

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
    const char *why = NULL;
    const struct tk_dwarf_sections shared = sections_of(image, "");
    struct tk_dwarf_split split = {.sections = sections_of(image, ".dwo"),
                                   .index = tk_image_section(image, "debug_cu_index", &why)};
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
    fuzz_promise((rc < 0) == (why != NULL), "a file that is refused has a cause");
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
