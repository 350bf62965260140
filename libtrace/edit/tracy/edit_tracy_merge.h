/*
 * A merge of captures of Tracy: what is requested, and the file that comes of it.
 * Between tk_edit_merge and the walk over all payloads.
 */
#ifndef TK_EDIT_TRACY_EDIT_TRACY_MERGE_H
#define TK_EDIT_TRACY_EDIT_TRACY_MERGE_H

#include "base/wrap.h"
#include "edit/tracy/edit_tracy.h"
#include "format/tracy/file/sections_out.h"

/*
 * Several captures of Tracy as one: section by section, what each has of it, with numbers, ids and times that
 * fit together.
 * Between tk_edit_merge, which opens and mends the captures, and the records of the writer.
 *
 * All payloads are read at once, each forwards only, so that memory does not grow with what they hold. What
 * stands in front of its first use and needs to be known is known from opening them.
 */

enum { TK_TRACY_MERGED_MOST = 128 }; /* captures: addresses are distinguished by one byte */

/* A capture that is sound. */
struct tk_tracy_merge_part {
    /* ---- set by the caller ---- */
    struct tk_tracy_capture *c;            /* borrowed */
    uint64_t callstacks, images;           /* how many it has */
    uint64_t ends[TK_TRACY_MOST_SECTIONS]; /* of its sections, in the payload */

    /* ---- under way ---- */
    struct tk_tracy_payload_in from;
    struct tk_tracy_payload *in; /* of it */
    struct tk_tracy_head head;   /* texts of it are owned: */
    uint8_t *texts[3];
    uint64_t number;             /* from 0 */
    int64_t shift;               /* ns that its times come later */
    uint64_t n;                  /* of the list that is read */
    const struct tk_str *prefix; /* of names that another capture has, too */
    uint32_t frames, pool;       /* strings: its main frames and its default pool, where another has those */
    TK_VEC(uint32_t) strings;    /* by number: the new one; UINT32_MAX: gone */
    TK_VEC(uint16_t) local, external;                   /* by number: the new one */
    TK_VEC(uint64_t) tids;                              /* new ids */
    struct tk_map tid_of;                               /* id -> place in tids */
    int16_t *places;                                    /* owned: by the 16 bits of a location */
    uint64_t first_callstack, first_extra, first_image; /* numbers of those before it */
    /* ---- of a piece of a capture ---- */
    int64_t since, until;
    struct tk_tracy_continued_list continued[2]; /* of threads and of the GPU */
    size_t at_continued[2];
    uint64_t items[2]; /* of lists under way that are as long as they had become: of one, and of one in it */
    uint64_t images_again; /* that pieces before it have, too: its first ones */
};

struct tk_tracy_merged_name {
    uint64_t tid;
    uint32_t name; /* string */
};

struct tk_tracy_merge {
    /* ---- set by the caller ---- */
    struct tk_tracy_merge_part *parts; /* borrowed */
    size_t n;
    bool keeps_times; /* captures are not shifted to each other */

    /* ---- what the plan finds ---- */
    uint32_t version;
    bool joins;              /* they are pieces of one capture that follow each other */
    bool grows;              /* they were recorded one after another: the last one has the tables of all */
    struct tk_map active;    /* then: ids of threads that have zones or samples */
    bool counts_only;        /* the first of two walks over them, which finds */
    TK_VEC(uint64_t) counts; /* what stays of lists, in the order in which they come */
    size_t at;               /* in them, of the second walk */
    struct tk_arena arena;
    TK_VEC(struct tk_str) strings;
    struct tk_map string_of; /* by hash */
    struct tk_map owner;     /* id of a thread -> the capture that has it */
    struct tk_map named;     /* string of a thread's name -> likewise */
    uint64_t next_tid;
    TK_VEC(struct tk_tracy_merged_name) names;
    TK_VEC(uint64_t) local, external; /* ids of threads */
    TK_VEC(struct tk_tracy_location) statics, dynamics;
    struct tk_map place_of; /* by hash: place in statics, or -1 - that in dynamics */
    uint64_t *zones_of[2];  /* owned: by the 16 bits of a new location, of threads and of the GPU */
    size_t main_frames;     /* the capture whose main frames are those of the result */
    size_t edits;           /* records of edits that captures brought */
    const char *record;     /* borrowed */
    size_t n_record;
    struct tk_err *err;  /* borrowed */
    int rc;              /* the first error that is not of a payload or of the writer */
    struct tk_map locks; /* ids that are taken */
    uint32_t next_lock;
    TK_VEC(uint32_t) stack; /* of zones: children left */
    TK_VEC(uint64_t) stack64;
    struct tk_tracy_writer *out;
};

/* Opens the payloads and finds out what becomes of strings, threads, locations and times. TK_OK, TK_ENOMEM,
 * TK_ELIMIT (more than one file can have), TK_EUSAGE, TK_EIO. */
int tk_tracy_merge_plan(struct tk_tracy_merge *m, struct tk_err *err);

/* Writes the payload, once. `out` is open in m->version. */
int tk_tracy_merge_write(struct tk_tracy_merge *m, struct tk_tracy_writer *out, struct tk_err *err);

/* Opens the payloads for another walk. */
int tk_tracy_merge_again(struct tk_tracy_merge *m, struct tk_err *err);

void tk_tracy_merge_release(struct tk_tracy_merge *m);

/* ---- for sections ---- */

/* All goes well so far. */
bool tk_tracy_merge_going(const struct tk_tracy_merge *m);

/* Reads a number of each capture, and gives their sum; with `put`, puts it. */
uint64_t tk_tracy_merge_sum(struct tk_tracy_merge *m);
void tk_tracy_merge_put_sum(struct tk_tracy_merge *m);

void tk_tracy_merge_copy(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t n);

/* The place of a text in the strings of the result. False: m->rc says why. */
bool tk_tracy_merge_string(struct tk_tracy_merge *m, const struct tk_str *text, uint32_t *number);

/* The new id of a thread. */
uint64_t tk_tracy_merge_tid(struct tk_tracy_merge *m, struct tk_tracy_merge_part *part, uint64_t tid);

/* Ends the merge for a reason. */
void tk_tracy_merge_fail(struct tk_tracy_merge *m, int rc, const char *why);

static inline int64_t tk_tracy_merge_time(const struct tk_tracy_merge_part *part, int64_t time)
{
    return tk_wrap_add(time, part->shift);
}

/* The same where times below 0 say that there is none. */
static inline int64_t tk_tracy_merge_end(const struct tk_tracy_merge_part *part, int64_t time)
{
    return time < 0 ? time : tk_wrap_add(time, part->shift);
}

/* Pointers and addresses of programs may be the same and mean something else. Bits that they do not use tell
 * them apart; those of code are fewer, as a frame of a callstack has 62. */
static inline uint64_t tk_tracy_merge_pointer(const struct tk_tracy_merge_part *part, uint64_t pointer)
{
    return pointer ? pointer ^ part->number << 56 : 0;
}

static inline uint64_t tk_tracy_merge_address(const struct tk_tracy_merge_part *part, uint64_t address)
{
    return address ? address ^ part->number << 48 : 0;
}

/* Pointers that no program has, for what a merge names. */
enum tk_tracy_merged_names { TK_TRACY_MERGED_FRAMES = 1, TK_TRACY_MERGED_POOL, TK_TRACY_MERGED_NOBODY };

static inline uint64_t tk_tracy_merge_own_pointer(const struct tk_tracy_merge_part *part,
                                                  enum tk_tracy_merged_names which)
{
    return part->number << 56 | UINT64_C(0xfe) << 48 | (uint64_t)which;
}

/* Numbers + 1 of strings. */
static inline uint32_t tk_tracy_merge_index(const struct tk_tracy_merge_part *part, uint32_t index)
{
    return index && index - 1 < part->strings.n && part->strings.v[index - 1] != UINT32_MAX
               ? part->strings.v[index - 1] + 1
               : 0;
}

struct tk_tracy_ref tk_tracy_merge_ref(const struct tk_tracy_merge_part *part, struct tk_tracy_ref ref);
uint32_t tk_tracy_merge_callstack(struct tk_tracy_merge *m, const struct tk_tracy_merge_part *part,
                                  uint32_t callstack);

static inline uint16_t tk_tracy_merge_local(const struct tk_tracy_merge_part *part, uint16_t thread)
{
    return thread < part->local.n ? part->local.v[thread] : 0;
}

static inline int16_t tk_tracy_merge_place(const struct tk_tracy_merge_part *part, int16_t location)
{
    return part->places[(uint16_t)location];
}

/* What numbers the plan gives to strings, threads and locations (merge_names.c). */
void tk_tracy_merge_number(struct tk_tracy_merge *m);

/* The sections, in the order of the file. */
void tk_tracy_merge_header(struct tk_tracy_merge *m);
void tk_tracy_merge_topology(struct tk_tracy_merge *m);
void tk_tracy_merge_crash(struct tk_tracy_merge *m);
void tk_tracy_merge_frames(struct tk_tracy_merge *m);
void tk_tracy_merge_time_sections(struct tk_tracy_merge *m);
void tk_tracy_merge_strings(struct tk_tracy_merge *m);
void tk_tracy_merge_pointers(struct tk_tracy_merge *m);
void tk_tracy_merge_thread_names(struct tk_tracy_merge *m);
void tk_tracy_merge_thread_tables(struct tk_tracy_merge *m);
void tk_tracy_merge_locations(struct tk_tracy_merge *m);
void tk_tracy_merge_zone_counts(struct tk_tracy_merge *m);
void tk_tracy_merge_locks(struct tk_tracy_merge *m);
void tk_tracy_merge_messages(struct tk_tracy_merge *m);
void tk_tracy_merge_extras(struct tk_tracy_merge *m);
void tk_tracy_merge_threads(struct tk_tracy_merge *m);
void tk_tracy_merge_gpu(struct tk_tracy_merge *m);
void tk_tracy_merge_plots(struct tk_tracy_merge *m);
void tk_tracy_merge_memory(struct tk_tracy_merge *m);
void tk_tracy_merge_callstacks(struct tk_tracy_merge *m);
void tk_tracy_merge_callstack_frames(struct tk_tracy_merge *m);
void tk_tracy_merge_app_info(struct tk_tracy_merge *m);
void tk_tracy_merge_images(struct tk_tracy_merge *m);
void tk_tracy_merge_switches(struct tk_tracy_merge *m);
void tk_tracy_merge_cpu_switches(struct tk_tracy_merge *m);
void tk_tracy_merge_processes(struct tk_tracy_merge *m);
void tk_tracy_merge_cpu_use(struct tk_tracy_merge *m);
void tk_tracy_merge_symbols(struct tk_tracy_merge *m);
void tk_tracy_merge_symbol_code(struct tk_tracy_merge *m);
void tk_tracy_merge_code_symbols(struct tk_tracy_merge *m);
void tk_tracy_merge_hardware_samples(struct tk_tracy_merge *m);
void tk_tracy_merge_sources(struct tk_tracy_merge *m);

/* Zero-initialise, and release. */
struct tk_edit_tracy_merge {
    struct tk_tracy_merge merge; /* its first members set by the caller */
    struct tk_tracy_packing packing;
};

/* Finds out what becomes of names and times. TK_OK or as tk_edit_merge. */
int tk_edit_tracy_merge_plan(struct tk_edit_tracy_merge *e, const char *compress, unsigned streams,
                             struct tk_err *err);

int tk_edit_tracy_merge_write(struct tk_edit_tracy_merge *e, tk_tracy_write_fn *write, void *ctx,
                              struct tk_err *err);

void tk_edit_tracy_merge_release(struct tk_edit_tracy_merge *e);

#endif
