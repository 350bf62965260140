/*
 * Copies what health knows to the run being collected. See collect.h.
 */
#include "compare/collect/collect.h"

#include <stdio.h>

/* The text of the first fault of a kind, with its place; the help of the kind where none is listed. */
static const struct tk_str *text_of(struct tk_base_run *run, const struct tk_health *health,
                                    enum tk_health_kind kind)
{
    char text[640];
    for (size_t i = 0; i < health->n_items; i++) {
        const struct tk_health_item *item = &health->items[i];
        if (item->kind != kind)
            continue;
        if (item->offset == TK_NO_OFFSET)
            return tk_intern_c(&run->names, item->text);
        snprintf(text, sizeof text, "offset %llu: %s", (unsigned long long)item->offset, item->text);
        return tk_intern_c(&run->names, text);
    }
    return tk_intern_c(&run->names, tk_health_help(kind));
}

int tk_collect_faults(struct tk_base_run *run, const struct tk_health *health, bool cut_off)
{
    for (int i = 0; i < TK_HEALTH_COUNT; i++) {
        enum tk_health_kind kind = (enum tk_health_kind)i;
        uint64_t count = health->counts[i];
        bool cut = kind == TK_HEALTH_FILE_TRUNCATED && cut_off;
        if ((!count && !cut) || (!cut && !tk_health_is_damage(kind) && !tk_health_is_loss(kind)))
            continue;
        struct tk_base_fault fault = {.tier = cut                         ? TK_FAULT_CUT_OFF
                                              : tk_health_is_damage(kind) ? TK_FAULT_DAMAGE
                                                                          : TK_FAULT_LOST,
                                      .count = count ? count : 1,
                                      .kind = tk_intern_c(&run->names, tk_health_name(kind)),
                                      .text = text_of(run, health, kind)};
        if (!fault.kind || !fault.text || tk_vec_push(&run->faults, fault))
            return -1;
    }
    return 0;
}
