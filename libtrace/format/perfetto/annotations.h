/*
 * Debug annotations of events as the text of a scope.
 */
#ifndef TK_FORMAT_PERFETTO_ANNOTATIONS_H
#define TK_FORMAT_PERFETTO_ANNOTATIONS_H

#include "format/perfetto/sequences.h"

#define TK_PF_TEXT_BYTES 1024u /* of a text; longer ones are cut */

struct tk_pf_text {
    uint8_t p[TK_PF_TEXT_BYTES];
    size_t n;
};

/* Appends an annotation: its value where it is the only one, else "name=value" behind a comma. */
void tk_pf_annotate(struct tk_pf_text *t, const struct tk_pf_sequence *s, const struct tk_ev_capture *c,
                    struct tk_bytes annotation, bool only);

#endif
