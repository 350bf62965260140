/*
 * What is said when the payload ends or makes no sense.
 */
#include "format/tracy/walk/section.h"

/* Was this noted when the capture was opened? */
static bool is_old(const struct tk_tracy_walk *w, uint64_t at)
{
    return !w->defining && at < w->c->front_end;
}

uint64_t tk_tracy_block_offset(const struct tk_tracy_walk *w, uint64_t at)
{
    uint64_t block = at / TK_TRACY_BLOCK;
    return w->c->box.blocks.v[block < w->c->box.n ? block : w->c->box.n];
}

/* What is likely to be the reason of a fault. */
static const char *reason_of(const struct tk_tracy_walk *w)
{
    return tk_tracy_version_is_newer(w->c->version)
               ? "; it was probably saved by a newer Tracy than the known ones"
               : "";
}

void tk_tracy_note(struct tk_tracy_walk *w, enum tk_health_kind kind, uint64_t at, uint64_t count,
                   const char *text)
{
    if (!is_old(w, at))
        tk_health_note(w->health, kind, tk_tracy_block_offset(w, at), count, "section '%s', byte %llu: %s",
                       w->section->name, (unsigned long long)at, text);
}

void tk_tracy_check_total(struct tk_tracy_walk *w, uint64_t stated, uint64_t found, const char *items)
{
    if (stated != found && tk_tracy_ok(&w->in) && !is_old(w, w->start))
        tk_health_note(w->health, TK_HEALTH_PAYLOAD_DAMAGED, tk_tracy_block_offset(w, w->start), 1,
                       "section '%s', byte %llu: it states %llu %s and has %llu%s", w->section->name,
                       (unsigned long long)w->start, (unsigned long long)stated, items,
                       (unsigned long long)found, reason_of(w));
}

void tk_tracy_limit(struct tk_tracy_walk *w, enum tk_limit limit, uint64_t at, uint64_t count,
                    const char *text)
{
    if (!is_old(w, at))
        tk_health_limit(w->health, limit, tk_tracy_block_offset(w, at), count, "section '%s', byte %llu: %s",
                        w->section->name, (unsigned long long)at, text);
}

static void note_block(struct tk_tracy_walk *w, size_t block, const char *why, bool gone)
{
    const struct tk_tracy_container *box = &w->c->box;
    uint64_t at = box->blocks.v[block];
    tk_health_note(
        w->health, gone ? TK_HEALTH_FILE_SHRANK : TK_HEALTH_PACKET_DAMAGED, at, 1,
        "block %zu cannot be decompressed: %s; section '%s' ends at byte %llu of the decompressed capture",
        block, why, w->section->name, (unsigned long long)w->in.fault_at);
    tk_health_move(w->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE,
                   box->blocks.v[box->n] - at - 4 * (uint64_t)(box->n - block));
}

/* The payload ends inside a section. When its last block is a full one, more may have followed it. */
static void note_end(struct tk_tracy_walk *w)
{
    bool cut = w->c->box.truncated || tk_tracy_blocks_full(w->blocks);
    tk_health_note(w->health, cut ? TK_HEALTH_FILE_TRUNCATED : TK_HEALTH_PAYLOAD_DAMAGED,
                   tk_tracy_block_offset(w, w->in.fault_at), 1,
                   "section '%s' ends at byte %llu of the decompressed capture, inside its part '%s'%s",
                   w->section->name, (unsigned long long)w->in.fault_at, w->in.fault, reason_of(w));
    w->c->truncated |= cut;
}

void tk_tracy_note_fault(struct tk_tracy_walk *w)
{
    const char *why;
    bool gone;
    size_t block = tk_tracy_blocks_bad(w->blocks, &why, &gone);
    if (is_old(w, w->in.fault_at))
        return;
    if (w->in.content)
        tk_health_note(w->health, TK_HEALTH_PAYLOAD_DAMAGED, tk_tracy_block_offset(w, w->in.fault_at), 1,
                       "section '%s', byte %llu: %s%s", w->section->name, (unsigned long long)w->in.fault_at,
                       w->in.fault, reason_of(w));
    else if (block < w->c->box.n)
        note_block(w, block, why, gone);
    else
        note_end(w);
}

void tk_tracy_note_trailing(struct tk_tracy_walk *w)
{
    uint64_t at = tk_tracy_at(&w->in);
    if (!tk_tracy_at_end(&w->in) && tk_tracy_ok(&w->in))
        tk_health_note(w->health, TK_HEALTH_PAYLOAD_DAMAGED, tk_tracy_block_offset(w, at), 1,
                       "bytes follow the last section, from byte %llu of the decompressed capture on%s",
                       (unsigned long long)at, reason_of(w));
}
