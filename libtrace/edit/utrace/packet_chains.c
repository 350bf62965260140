/*
 * Chains of packets. See packet_chains.h.
 */
#include "edit/utrace/packet_chains.h"

#include "edit/utrace/texts/text_reader.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>

#define NONE TK_EDIT_NOWHERE

int tk_edit_chains_init(struct tk_edit_chains *c, size_t packets)
{
    *c = (struct tk_edit_chains){.packets = calloc(packets + 1, sizeof *c->packets),
                                 .n = packets,
                                 .of_lane = malloc(TK_UT_TIDS * sizeof *c->of_lane),
                                 .open = calloc(TK_UT_TIDS, sizeof *c->open)};
    if (!c->packets || !c->of_lane || !c->open)
        return TK_ENOMEM;
    for (size_t i = 0; i < TK_UT_TIDS; i++)
        c->of_lane[i] = NONE;
    return TK_OK;
}

void tk_edit_chains_begin(struct tk_edit_chains *c, size_t packet, uint32_t tid)
{
    const bool goes_on = c->open[tid] && c->of_lane[tid] != NONE;
    if (!goes_on)
        c->of_lane[tid] = (uint32_t)packet;
    c->packets[packet].head = c->of_lane[tid];
}

struct tk_edit_chain *tk_edit_chains_now(struct tk_edit_chains *c, uint32_t tid)
{
    return c->of_lane[tid] == NONE ? NULL : &c->packets[c->of_lane[tid]];
}

void tk_edit_chains_found(struct tk_edit_chains *c, const uint8_t *found)
{
    for (size_t i = 0; i < c->n; i++) {
        c->packets[i].dirty |= (found[i] & TK_EDIT_TEXT_CHANGES) != 0;
        c->packets[i].unsure |= (found[i] & TK_EDIT_TEXT_UNSURE) != 0;
    }
}

bool tk_edit_chains_dirty(const struct tk_edit_chains *c, size_t packet, uint64_t shifted)
{
    const struct tk_edit_chain *head = &c->packets[c->packets[packet].head];
    return head->dirty || head->number >= shifted;
}

void tk_edit_chains_follow(struct tk_edit_chains *c, size_t packet, uint32_t tid)
{
    c->of_lane[tid] = c->packets[packet].head;
}

void tk_edit_chains_release(struct tk_edit_chains *c)
{
    free(c->packets);
    free(c->of_lane);
    free(c->open);
    *c = (struct tk_edit_chains){0};
}
