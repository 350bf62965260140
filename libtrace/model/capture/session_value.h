/*
 * Session value: what the recording says of itself under a key.
 */
#ifndef TK_MODEL_CAPTURE_SESSION_VALUE_H
#define TK_MODEL_CAPTURE_SESSION_VALUE_H

#include "query/context.h"

#include <string.h>

/* The value of a key; no value where the session does not have it. Lives as long as the capture. */
static inline struct tk_cell tk_session_value(const struct tk_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_str *name = dict->session.v[i].key;
        if (name->n == strlen(key) && memcmp(name->p, key, name->n) == 0)
            return dict->session.v[i].value;
    }
    return (struct tk_cell){.kind = TK_NONE};
}

#endif
