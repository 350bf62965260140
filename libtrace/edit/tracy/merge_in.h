/*
 * What a merge does with each record of records.h: it is read from a capture, with the numbers, ids and times
 * that it has in the result.
 */
#ifndef TK_EDIT_TRACY_MERGE_IN_H
#define TK_EDIT_TRACY_MERGE_IN_H

#include "edit/tracy/edit_tracy_merge.h"

/* What is not there becomes 0, or -1 of images. */
uint64_t tk_tracy_merge_key(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part, uint64_t key);
uint32_t tk_tracy_merge_lock(struct tk_tracy_merge *m, uint32_t id);
int32_t tk_tracy_merge_image(const struct tk_tracy_merge_part *part, int32_t image);
uint64_t tk_tracy_merge_string_key(const struct tk_tracy_merge_part *part, uint64_t key);

static inline uint16_t tk_tracy_merge_external(const struct tk_tracy_merge_part *part, uint16_t thread)
{
    return thread < part->external.n ? part->external.v[thread] : 0;
}

/* ---- by role: what becomes of a value ---- */

#define TK_TRACY_MERGED_PLAIN(x)    x
#define TK_TRACY_MERGED_TIME(x)     tk_tracy_merge_time(part, x)
#define TK_TRACY_MERGED_END(x)      tk_tracy_merge_end(part, x)
#define TK_TRACY_MERGED_LATER(x)    ((x) > 0 ? tk_tracy_merge_time(part, x) : (x))
#define TK_TRACY_MERGED_STACK(x)    tk_tracy_merge_callstack(m, part, x)
#define TK_TRACY_MERGED_LOCAL(x)    tk_tracy_merge_local(part, x)
#define TK_TRACY_MERGED_EXTERNAL(x) tk_tracy_merge_external(part, x)
#define TK_TRACY_MERGED_TID(x)      tk_tracy_merge_tid(m, part, x)
#define TK_TRACY_MERGED_PLACE(x)    tk_tracy_merge_place(part, x)
#define TK_TRACY_MERGED_NAMED(x)    tk_tracy_merge_place(part, x)
#define TK_TRACY_MERGED_ADDRESS(x)  tk_tracy_merge_address(part, x)
#define TK_TRACY_MERGED_KEY(x)      tk_tracy_merge_key(m, part, x)
#define TK_TRACY_MERGED_LOCK(x)     tk_tracy_merge_lock(m, x)
#define TK_TRACY_MERGED_IMAGE(x)    tk_tracy_merge_image(part, x)
#define TK_TRACY_MERGED_POINTER(x)  tk_tracy_merge_pointer(part, x)
#define TK_TRACY_MERGED_INDEX(x)    tk_tracy_merge_index(part, x)
#define TK_TRACY_MERGED_STRING(x)   tk_tracy_merge_string_key(part, x)
#define TK_TRACY_MERGED_REF(x)      tk_tracy_merge_ref(part, x)

#define TK_TRACY_MERGE_FIELD(name, kind, role, text, when, what)                                             \
    if (when)                                                                                                \
        v->name = TK_TRACY_MERGED_##role(v->name);

/* Of each record: gives a record its new numbers; reads one that has them; reads one and puts it. */
#define TK_TRACY_DECLARE_MERGE(record, FIELDS, how, title)                                                   \
    static inline void tk_tracy_merge_number_##record(                                                       \
        struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct tk_tracy_##record *v)             \
    {                                                                                                        \
        const struct tk_tracy_layout *l = &part->c->layout;                                                  \
        (void)m, (void)part, (void)v, (void)l;                                                               \
        FIELDS(TK_TRACY_MERGE_FIELD)                                                                         \
    }                                                                                                        \
    static inline bool tk_tracy_merge_read_##record(                                                         \
        struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, struct tk_tracy_##record *v)             \
    {                                                                                                        \
        const bool whole = tk_tracy_read_##record(part->in, v);                                              \
        if (whole)                                                                                           \
            tk_tracy_merge_number_##record(m, part, v);                                                      \
        return whole;                                                                                        \
    }                                                                                                        \
    static inline void tk_tracy_merge_put_##record(struct tk_tracy_merge *m,                                 \
                                                   struct tk_tracy_merge_part *part)                         \
    {                                                                                                        \
        struct tk_tracy_##record v;                                                                          \
        if (tk_tracy_merge_read_##record(m, part, &v))                                                       \
            tk_tracy_put_##record(m->out, &v);                                                               \
    }
TK_TRACY_EACH_RECORD(TK_TRACY_DECLARE_MERGE)

#undef TK_TRACY_DECLARE_MERGE
#undef TK_TRACY_MERGE_FIELD

/* Begins a list of a capture: its count is read, and its times run from 0. */
static inline uint64_t tk_tracy_merge_list(struct tk_tracy_merge_part *part, const char *what)
{
    part->in->time = part->in->gpu_time = 0;
    return tk_tracy_u64(part->in, what);
}

/* Puts n records of a capture, or those of all captures behind their number. */
typedef void tk_tracy_merge_put_fn(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part);
void tk_tracy_merge_put_n(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t n,
                          tk_tracy_merge_put_fn *put);
void tk_tracy_merge_records(struct tk_tracy_merge *m, tk_tracy_merge_put_fn *put);

/*
 * A merge of pieces that were cut out of one capture and follow each other: what a cut added so that each of
 * them is complete is taken back, and the capture comes of it again.
 *
 * The record of a cut says its times, and of which trees so many zones began before them. So zones that were
 * divided become one; of everything else that pieces have twice, each takes what is of its own times.
 *
 * How much stays of a list is known only behind it, so that a merge of pieces is written twice: first to
 * nowhere, to count.
 */

/* Are all captures pieces that follow each other? Then they are in the order of their times afterwards. */
void tk_tracy_join_look(struct tk_tracy_merge *m);

/* When headers are read: they are joined if they are of one recording, and have its numbers then. */
void tk_tracy_join_confirm(struct tk_tracy_merge *m);

/* What stands in the record of the result behind what a merge says. Borrowed from the pieces. */
void tk_tracy_join_record(const struct tk_tracy_merge *m, struct tk_str *left, struct tk_str *continued);

/* Is a string the record of the edit that made the piece? */
bool tk_tracy_join_is_own(const struct tk_tracy_merge_part *part, size_t string);

/* The piece whose tables are those of all. */
static inline size_t tk_tracy_join_base(const struct tk_tracy_merge *m)
{
    return m->grows ? m->n - 1 : 0;
}

/* Of the pieces, in this order: the first one takes what was before it, too, and the last one what comes
 * behind it. Those that grow have everything once. */
static inline bool tk_tracy_join_owns(const struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part,
                                      int64_t time)
{
    return m->grows ||
           ((part == m->parts || time >= part->since) && (part == m->parts + m->n - 1 || time < part->until));
}

/* The pieces do not fit together. */
void tk_tracy_join_refuse(struct tk_tracy_merge *m);

/* Reads how many items a list of each piece has, which is the same in all unless they grow; `level` is 1 of
 * lists in items of another one. Then tk_tracy_join_has says which pieces have item k. */
uint64_t tk_tracy_join_number(struct tk_tracy_merge *m, unsigned level, uint64_t outer);

static inline bool tk_tracy_join_has(const struct tk_tracy_merge_part *part, unsigned level, uint64_t k)
{
    return k < part->items[level];
}

/* The same of an item of a list: 0 where a piece does not have it. */
uint64_t tk_tracy_join_sum(struct tk_tracy_merge *m, unsigned level, uint64_t k);

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
