/*
 * Sections of DWARF by their names.
 */
#include "symbols/symbols_in.h"

#include <stdio.h>

struct tk_dwarf_sections tk_module_sections(struct tk_image *image, const char *suffix, const char **why)
{
    struct tk_dwarf_sections s = {0};
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
        snprintf(name, sizeof name, "%s%s", list[i].name, suffix);
        *list[i].to = tk_image_section(image, name, why);
    }
    return s;
}
