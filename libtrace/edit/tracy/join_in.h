/*
 * A merge of pieces that were cut out of one capture and follow each other: what a cut added so that each of
 * them is complete is taken back, and the capture comes of it again.
 *
 * The record of a cut says its times, and of which trees so many zones began before them. So zones that were
 * divided become one; of everything else that pieces have twice, each takes what is of its own times.
 *
 * How much stays of a list is known only behind it, so that a merge of pieces is written twice: first to
 * nowhere, to count.
 * For the folder.
 */
#ifndef TK_EDIT_TRACY_JOIN_IN_H
#define TK_EDIT_TRACY_JOIN_IN_H

#include "edit/tracy/merge_in.h"

/* Are all captures pieces that follow each other? Then they are in the order of their times afterwards. */
void tk_tracy_join_look(struct tk_tracy_merge *m);

/* When headers are read: they are joined if they are of one recording, and have its numbers then. */
void tk_tracy_join_confirm(struct tk_tracy_merge *m);

/* What stands in the record of the result behind what a merge says. Borrowed from the pieces. */
void tk_tracy_join_record(const struct tk_tracy_merge *m, struct tk_str *left, struct tk_str *continued);

/* Is a string the record of the edit that made the piece? */
bool tk_tracy_join_is_own(const struct tk_tracy_merge_part *part, size_t string);

/* Of the pieces, in this order: the first one takes what was before it, too, and the last one what comes
 * behind it. */
static inline bool tk_tracy_join_owns(const struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part,
                                      int64_t time)
{
    return (part == m->parts || time >= part->since) && (part == m->parts + m->n - 1 || time < part->until);
}

/* The pieces do not fit together. */
void tk_tracy_join_refuse(struct tk_tracy_merge *m);

/* Reads a number of each piece, which is the same in all. */
uint64_t tk_tracy_join_number(struct tk_tracy_merge *m);

/* A number of the result that the first of the two walks finds: its place. */
size_t tk_tracy_join_note(struct tk_tracy_merge *m);

/* The same, and puts it with so many bytes. */
size_t tk_tracy_join_count(struct tk_tracy_merge *m, unsigned bytes);

static inline uint64_t tk_tracy_join_noted(const struct tk_tracy_merge *m, size_t place)
{
    return place < m->counts.n ? m->counts.v[place] : 0;
}

static inline void tk_tracy_join_set(struct tk_tracy_merge *m, size_t place, uint64_t value)
{
    if (m->counts_only && place < m->counts.n)
        m->counts.v[place] = value;
}

static inline void tk_tracy_join_add(struct tk_tracy_merge *m, size_t place, uint64_t value)
{
    tk_tracy_join_set(m, place, tk_tracy_join_noted(m, place) + value);
}

/* Skips a section of all but the first piece, which wrote it. */
void tk_tracy_join_skip_others(struct tk_tracy_merge *m, size_t section);

/* ---- records of other files ---- */

/* Of a thread: location, times of the CPU and children count. */
struct tk_tracy_merge_zone {
    struct tk_tracy_gpu_begin begin;
    struct tk_tracy_gpu_end end;
    uint32_t extra;
};

bool tk_tracy_merge_read_begin(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                               struct tk_tracy_merge_zone *zone);
bool tk_tracy_merge_read_end(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part,
                             struct tk_tracy_merge_zone *zone);

void tk_tracy_merge_note_names(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part);
void tk_tracy_merge_notes(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part);

/* ---- the sections that are not as in other merges ---- */

void tk_tracy_join_frames(struct tk_tracy_merge *m);
void tk_tracy_join_pointers(struct tk_tracy_merge *m);
void tk_tracy_join_locks(struct tk_tracy_merge *m);
void tk_tracy_join_threads(struct tk_tracy_merge *m);
void tk_tracy_join_gpu(struct tk_tracy_merge *m);
void tk_tracy_join_plots(struct tk_tracy_merge *m);
void tk_tracy_join_memory(struct tk_tracy_merge *m);
void tk_tracy_join_images(struct tk_tracy_merge *m);
void tk_tracy_join_switches(struct tk_tracy_merge *m);
void tk_tracy_join_cpu_switches(struct tk_tracy_merge *m);
void tk_tracy_join_hardware_samples(struct tk_tracy_merge *m);

#endif
