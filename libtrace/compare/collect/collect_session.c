/*
 * Copies the session of a capture to the run being collected. collect.c calls it at the end of the reading.
 */
#include "compare/collect/collect_session.h"

#include <stdio.h>

static int add_item(struct tk_base_run *run, const struct tk_str *key, const char *p, size_t n, uint8_t enc)
{
    struct tk_base_item item = {tk_intern(&run->names, key->p, key->n, (enum tk_encoding)key->enc),
                                tk_intern(&run->names, p, n, (enum tk_encoding)enc)};
    return item.key && item.value && !tk_vec_push(&run->session, item) ? 0 : -1;
}

int tk_collect_session(struct tk_base_run *run, const struct tk_dict *dict)
{
    char digits[32];
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_session_item *item = &dict->session.v[i];
        const struct tk_cell *v = &item->value;
        int n = 0;
        if (v->kind == TK_TEXT && add_item(run, item->key, v->v.p, v->n, v->enc))
            return -1;
        if (v->kind == TK_UINT || v->kind == TK_BOOL)
            n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v->v.u);
        else if (v->kind == TK_INT)
            n = snprintf(digits, sizeof digits, "%lld", (long long)v->v.i);
        if (n > 0 && add_item(run, item->key, digits, (size_t)n, TK_ENC_UTF8))
            return -1;
    }
    return 0;
}
