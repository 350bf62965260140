/*
 * A pass over the payload of a .tracy that changes it section by section: what is outside of a window goes,
 * with what referred to it, texts are marked and written as they are to be.
 *
 * It is done twice by the same code: first without a writer, to count what stays and to mark what is used, as
 * the format has numbers in front of lists; then with one.
 */
#ifndef TK_EDIT_TRACY_TRACY_PASS_H
#define TK_EDIT_TRACY_TRACY_PASS_H

#include "edit/tracy/pass_tree.h"
#include "edit/tracy/tracy_payload_in.h"
#include "edit/tracy/tracy_survey.h"
#include "edit/tracy/tracy_topics.h"
#include "format/tracy/file/payload_out.h"
#include "format/tracy/walk/zone_tree.h"

/* What a string of the table is used for. */
enum tk_tracy_role {
    TK_TRACY_ROLE_TIMER, /* shown as the name of a zone */
    TK_TRACY_ROLE_FUNCTION,
    TK_TRACY_ROLE_FILE,
    TK_TRACY_ROLE_MODULE,
    TK_TRACY_ROLE_MESSAGE,
    TK_TRACY_ROLE_ZONE_TEXT,
    TK_TRACY_ROLE_THREAD,
    TK_TRACY_ROLE_PROCESS,
    TK_TRACY_ROLE_NAME, /* of plots, frames, locks, contexts, pools, sections, notes */
    TK_TRACY_ROLE_CRASH,
    TK_TRACY_ROLE_INFO, /* what the program says of itself */
    TK_TRACY_ROLE_EDIT, /* what an edit says of itself */
    TK_TRACY_ROLES
};

/* Gives the bytes that are to stand in place of a text; false if out of memory. */
typedef bool tk_tracy_text_fn(void *ctx, uint32_t roles, const struct tk_str *text, struct tk_bytes *out);

/* Texts of the header. */
enum tk_tracy_head_text { TK_TRACY_CAPTURE_NAME, TK_TRACY_PROGRAM, TK_TRACY_HOST, TK_TRACY_HEAD_TEXTS };
typedef bool tk_tracy_head_text_fn(void *ctx, enum tk_tracy_head_text which, struct tk_bytes text,
                                   struct tk_bytes *out);

/* What a message says. */
struct tk_tracy_message_text {
    uint64_t key;
    uint8_t ref[9];
};

struct tk_tracy_pass {
    /* ---- set by the caller ---- */
    struct tk_tracy_capture *c;
    const struct tk_tracy_survey *survey;
    struct tk_tracy_window window;
    uint32_t dropped;    /* topics */
    const bool *threads; /* by number, those that stay; NULL: all; borrowed */
    size_t n_threads;
    bool closes;        /* zones without an end get one */
    bool keeps_trees;   /* zones stay as they are: they are only looked at, see `irregular` */
    bool collects;      /* texts that nobody uses go */
    const char *record; /* what the edit says of itself; NULL: nothing */
    size_t n_record;
    tk_tracy_text_fn *text; /* NULL: texts stay */
    tk_tracy_head_text_fn *head_text;
    void *text_ctx;

    /* ---- under way ---- */
    struct tk_tracy_payload_in from;
    struct tk_tracy_payload *in; /* of it */
    struct tk_tracy_writer *out; /* NULL in the first walk */
    bool failed;                 /* out of memory */
    bool ahead;                  /* the first walk is that of the survey: threads have no numbers yet */

    /* ---- what the first walk finds ---- */
    TK_VEC(uint64_t) counts;           /* of lists, in the order in which they come */
    size_t at;                         /* the next one of the second walk */
    size_t of[TK_TRACY_MOST_SECTIONS]; /* of these, those of each section */
    TK_VEC(uint32_t) roles;            /* of strings, a bit each */
    TK_VEC(uint32_t) strings;          /* their new numbers; UINT32_MAX: gone */
    TK_VEC(uint32_t) pointers;         /* the string of each entry of the map of pointers */
    uint64_t n_strings, greatest_key;
    TK_VEC(uint8_t) extras;                     /* as they are, 12 bytes each */
    TK_VEC(uint32_t) extra;                     /* their new numbers; 0: not used */
    TK_VEC(struct tk_tracy_message_text) texts; /* of messages, where threads go */
    size_t messages_place;                      /* of their number, in counts */
    size_t messages_section;
    struct tk_map messages;  /* keys of those that stay */
    TK_VEC(uint32_t) images; /* new numbers + 1; 0: not used */
    uint64_t *zones_of[2];   /* owned: by the 16 bits of a location, of threads and of the GPU */
    struct tk_tracy_zone_stack zones;
    struct tk_tracy_tree tree, gpu_tree;
    bool irregular; /* something is not as it is to be: another first walk without keeps_trees and `ahead`
                       tells */
    uint64_t open_zones;                  /* that stay, without an end */
    uint64_t lost_threads;                /* with zones that cannot be */
    uint64_t too_deep;                    /* threads with zones beyond the limit */
    uint64_t lost_places;                 /* zones of source locations that do not exist */
    uint64_t lost_events;                 /* of locks, that cannot be */
    size_t section;                       /* the one under way */
    uint64_t items;                       /* of it, where the survey asks */
    bool counted[TK_TRACY_MOST_SECTIONS]; /* sections of which the items that stay were counted: */
    uint64_t kept[TK_TRACY_MOST_SECTIONS];
    uint64_t bytes[TK_TRACY_MOST_SECTIONS]; /* of each section as it was written, after the second walk */
    bool written;                           /* it is done */
};

/* The first walk. TK_OK or as tk_edit_run. */
int tk_tracy_pass_learn(struct tk_tracy_pass *p, struct tk_err *err);

/* Surveys the capture and walks in one, where neither times nor threads are chosen. Where the survey says
 * `damaged`, or the pass is irregular, both are to be done one after the other, with another pass. */
int tk_tracy_pass_survey(struct tk_tracy_pass *p, struct tk_tracy_survey *survey, struct tk_err *err);

/* The second. */
int tk_tracy_pass_write(struct tk_tracy_pass *p, struct tk_tracy_writer *out, struct tk_err *err);

void tk_tracy_pass_release(struct tk_tracy_pass *p);

/* ---- for sections ---- */

static inline bool tk_tracy_pass_going(const struct tk_tracy_pass *p)
{
    return tk_tracy_ok(p->in) && !p->failed && !p->irregular && (!p->out || p->out->rc == TK_OK);
}

static inline bool tk_tracy_pass_drops(const struct tk_tracy_pass *p, enum tk_edit_tracy_topic topic)
{
    return tk_edit_tracy_drops(p->dropped, topic);
}

/* The time of a zone that stays: of the window, and no time of a capture is behind its last one. */
static inline int64_t tk_tracy_pass_clip(const struct tk_tracy_pass *p, int64_t time)
{
    const int64_t clipped = tk_tracy_window_clip(&p->window, time);
    return clipped > p->zones.latest ? p->zones.latest : clipped;
}

/* Does a thread stay? */
static inline bool tk_tracy_pass_has_thread(const struct tk_tracy_pass *p, uint64_t tid)
{
    const uint32_t number = p->threads ? tk_tracy_thread_number(&p->c->threads, tid) : 0;
    return !p->threads || (number < p->n_threads && p->threads[number]);
}

/* Are keys of messages looked up? */
static inline bool tk_tracy_pass_chooses_messages(const struct tk_tracy_pass *p)
{
    return p->window.cut || p->threads;
}

/* Bytes and numbers of the input as they are. */
void tk_tracy_pass_copy(struct tk_tracy_pass *p, uint64_t n);
uint64_t tk_tracy_pass_number(struct tk_tracy_pass *p);

/* Puts what was not read from there. */
static inline void tk_tracy_pass_put(struct tk_tracy_pass *p, uint64_t value, unsigned bytes)
{
    if (p->out)
        tk_tracy_put(p->out, value, bytes);
}

static inline void tk_tracy_pass_put_bytes(struct tk_tracy_pass *p, const void *bytes, size_t n)
{
    if (p->out)
        tk_tracy_put_bytes(p->out, bytes, n);
}

static inline void tk_tracy_pass_put_time(struct tk_tracy_pass *p, int64_t time)
{
    if (p->out)
        tk_tracy_put_time(p->out, time);
}

/* Begins a list: the times in it start at `time`. */
static inline void tk_tracy_pass_start_times(struct tk_tracy_pass *p, int64_t time)
{
    if (p->out)
        p->out->time = time;
}

/* A number of 4 or 8 bytes that the first walk finds, and its place for tk_tracy_pass_keep. */
size_t tk_tracy_pass_count(struct tk_tracy_pass *p, unsigned bytes);

/* One more item of a list stays. */
static inline void tk_tracy_pass_keep(struct tk_tracy_pass *p, size_t place)
{
    if (p->out || place >= p->counts.n)
        return;
    p->counts.v[place]++;
    p->kept[p->section]++;
}

/* The same for a number that only the pass itself needs: where it was found, and what it is in the second
 * walk. */
size_t tk_tracy_pass_note(struct tk_tracy_pass *p);

static inline void tk_tracy_pass_set(struct tk_tracy_pass *p, size_t place, uint64_t value)
{
    if (!p->out && place < p->counts.n)
        p->counts.v[place] = value;
}

static inline uint64_t tk_tracy_pass_noted(const struct tk_tracy_pass *p, size_t place)
{
    return place < p->counts.n ? p->counts.v[place] : 0;
}

/* Marks what a string is used for, by the ways in which the format refers to it. */
void tk_tracy_pass_mark(struct tk_tracy_pass *p, uint32_t index, enum tk_tracy_role role); /* 0: none */
void tk_tracy_pass_mark_pointer(struct tk_tracy_pass *p, uint64_t pointer, enum tk_tracy_role role);
void tk_tracy_pass_mark_key(struct tk_tracy_pass *p, uint64_t key, enum tk_tracy_role role);
void tk_tracy_pass_mark_ref(struct tk_tracy_pass *p, const uint8_t ref[9], enum tk_tracy_role role);

/* Puts the string of a number, or a reference, as it is to be. */
void tk_tracy_pass_put_index(struct tk_tracy_pass *p, uint32_t index);
void tk_tracy_pass_put_ref(struct tk_tracy_pass *p, const uint8_t ref[9]);

/* Reads, marks and puts. */
uint32_t tk_tracy_pass_index(struct tk_tracy_pass *p, enum tk_tracy_role role);
uint64_t tk_tracy_pass_pointer(struct tk_tracy_pass *p, enum tk_tracy_role role);

/* The sections that change. */
void tk_tracy_pass_header(struct tk_tracy_pass *p);
void tk_tracy_pass_crash(struct tk_tracy_pass *p);
void tk_tracy_pass_frames(struct tk_tracy_pass *p);
void tk_tracy_pass_time_sections(struct tk_tracy_pass *p);
void tk_tracy_pass_strings(struct tk_tracy_pass *p);
void tk_tracy_pass_pointers(struct tk_tracy_pass *p);
void tk_tracy_pass_thread_names(struct tk_tracy_pass *p);
void tk_tracy_pass_locations(struct tk_tracy_pass *p);
void tk_tracy_pass_zone_counts(struct tk_tracy_pass *p);
void tk_tracy_pass_locks(struct tk_tracy_pass *p);
void tk_tracy_pass_messages(struct tk_tracy_pass *p);
void tk_tracy_pass_extras(struct tk_tracy_pass *p);
void tk_tracy_pass_threads(struct tk_tracy_pass *p);
void tk_tracy_pass_gpu(struct tk_tracy_pass *p);
void tk_tracy_pass_plots(struct tk_tracy_pass *p);
void tk_tracy_pass_memory(struct tk_tracy_pass *p);
void tk_tracy_pass_callstack_frames(struct tk_tracy_pass *p);
void tk_tracy_pass_app_info(struct tk_tracy_pass *p);
void tk_tracy_pass_images(struct tk_tracy_pass *p);
void tk_tracy_pass_switches(struct tk_tracy_pass *p);
void tk_tracy_pass_cpu_switches(struct tk_tracy_pass *p);
void tk_tracy_pass_symbols(struct tk_tracy_pass *p);
void tk_tracy_pass_hardware_samples(struct tk_tracy_pass *p);

/* The zones of a thread, with how many there are on the first level in front of them, where keeps_trees. */
void tk_tracy_pass_keep_tree(struct tk_tracy_pass *p, uint64_t zones);

/* Gives the extras that zones use their new numbers: at the end of the first walk over zones. */
void tk_tracy_pass_number_extras(struct tk_tracy_pass *p);

/* Bytes of a section in which there is nothing. */
uint64_t tk_tracy_pass_empty_size(const struct tk_tracy_capture *c, const char *section);

/* The one more line of what the program says of itself: the record. */
void tk_tracy_pass_put_record(struct tk_tracy_pass *p);

#endif
