/*
 * Copies of events. See held_event.h.
 */
#include "edit/utrace/stages/held_event.h"

#include <stdlib.h>
#include <string.h>

/* Puts a copy of some bytes at *at and moves that on. */
static const uint8_t *put(uint8_t **at, const uint8_t *p, size_t n)
{
    uint8_t *to = *at;
    if (n)
        memcpy(to, p, n);
    *at += n;
    return to;
}

struct tk_edit_held *tk_edit_hold(const struct tk_ut_event *ev, uint64_t number)
{
    size_t n = sizeof(struct tk_edit_held) + ev->n_blobs * sizeof(struct tk_ut_blob) + ev->n_fixed +
               ev->n_attachment;
    for (uint32_t i = 0; i < ev->n_blobs; i++)
        n += ev->blobs[i].n;
    struct tk_edit_held *held = malloc(n + 1);
    if (!held)
        return NULL;
    struct tk_ut_blob *blobs = (struct tk_ut_blob *)(held + 1);
    uint8_t *at = (uint8_t *)(blobs + ev->n_blobs);
    held->ev = *ev;
    held->number = number;
    held->ev.fixed = put(&at, ev->fixed, ev->n_fixed);
    held->ev.attachment = put(&at, ev->attachment, ev->n_attachment);
    for (uint32_t i = 0; i < ev->n_blobs; i++) {
        blobs[i] = ev->blobs[i];
        blobs[i].p = put(&at, ev->blobs[i].p, ev->blobs[i].n);
    }
    held->ev.blobs = blobs;
    held->ev.scratch = NULL;
    return held;
}
