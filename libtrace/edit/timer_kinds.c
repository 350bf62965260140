/*
 * Kinds of timers. See timer_kinds.h.
 */
#include "edit/timer_kinds.h"

/* Names that the patterns of schemas/work.txt know, wherever they stand at an end. */
static const char *const words[TK_WORK_KINDS + 1] = {
    [TK_WORK_WAIT] = "Idle",           [TK_WORK_GC] = "CollectGarbage",
    [TK_WORK_LOADING] = "LoadPackage", [TK_WORK_SHADER] = "CompileShader",
    [TK_WORK_IO] = "ReadFile",
};

int tk_edit_timer_kinds_init(struct tk_edit_timer_kinds *k, struct tk_err *err)
{
    return tk_work_rules_parse(&k->rules, NULL, err);
}

const char *tk_edit_timer_kind(void *ctx, const uint8_t *p, size_t n)
{
    const struct tk_edit_timer_kinds *k = ctx;
    return words[tk_work_of_name(&k->rules, (const char *)p, n)];
}

void tk_edit_timer_kinds_release(struct tk_edit_timer_kinds *k)
{
    tk_work_rules_release(&k->rules);
}
