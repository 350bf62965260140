/*
 * Edits of a .tracy: a window of time, topics left out, texts replaced, what breaks off mended, blocks
 * compressed anew.
 * Between tk_edit_run and the walks.
 */
#ifndef TK_EDIT_TRACY_EDIT_TRACY_H
#define TK_EDIT_TRACY_EDIT_TRACY_H

#include "base/err.h"
#include "base/vec.h"
#include "edit/anonymise/dictionary.h"
#include "format/tracy/file/payload.h"
#include "format/tracy/file/sections_out.h"
#include "format/tracy/reading/section_walk.h"
#include "format/tracy/walk/own_tables.h"
#include "format/tracy/walk/zone_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The payload of a .tracy from its first byte on, for code that walks it without producing facts. Used by
 * both walks of an edit. Its address must not change while it is open.
 */
struct tk_tracy_payload_in {
    struct tk_tracy_payload in;
    struct tk_tracy_blocks *blocks; /* owned */
};

int tk_tracy_payload_in_open(struct tk_tracy_payload_in *p, struct tk_tracy_capture *c, struct tk_err *err);
void tk_tracy_payload_in_close(struct tk_tracy_payload_in *p);

/*
 * Which zones of a tree stay when it is cut, and how many children each then has: found by a first walk, and
 * reported in a second, as the format has the number of children in front of them.
 *
 * Zones that begin in the window stay; of those that begin before it, those that end in it or behind it. What
 * lies in a zone that goes becomes a child of the next zone around it that stays.
 */

/* From and to, in nanoseconds; where nothing is cut, INT64_MIN and INT64_MAX. */
struct tk_tracy_window {
    int64_t from, to;
    bool cut;
};

static inline bool tk_tracy_window_has(const struct tk_tracy_window *w, int64_t time)
{
    return time >= w->from && time < w->to;
}

/* A time of something that stays, not outside of the window. */
static inline int64_t tk_tracy_window_clip(const struct tk_tracy_window *w, int64_t time)
{
    return time < w->from ? w->from : time > w->to ? w->to : time;
}

struct tk_tracy_tree_level {
    uint64_t left;  /* of its children, for who reads */
    uint64_t after; /* when it has ended: ordinal of the next zone that is not inside of it */
    uint64_t ordinal, declared, children;
    int64_t begin;
    uint32_t extra; /* for who reads */
    int16_t location;
    bool kept, outside; /* in the second walk */
};

/* A zone whose number of children changes, or which begins before the window and stays. */
struct tk_tracy_edge {
    uint64_t ordinal, children, after;
    bool before;  /* it begins before the window */
    bool outside; /* it stays only to say that there are zones */
};

struct tk_tracy_tree {
    const struct tk_tracy_window *window; /* borrowed */
    TK_VEC(struct tk_tracy_tree_level) levels;
    TK_VEC(struct tk_tracy_edge) edges; /* of all trees, in the order of zones */
    TK_VEC(struct tk_tracy_tree_level)
    waiting;               /* without an end, begun before the window; when the tree is closed,
                              those of them that stay */
    uint64_t first;        /* ordinal of the first zone of the tree under way */
    size_t first_edge;     /* of the tree under way */
    size_t at;             /* in edges, of the second walk */
    uint64_t ordinal;      /* of the next zone, over all trees */
    uint64_t roots, zones; /* of the tree under way that stay */
    uint64_t parents;      /* of all trees: those with children that stay */
    int64_t latest;        /* time of the tree under way so far */
    bool writes;           /* the second walk */
    bool failed;           /* out of memory */
};

/* Begins the second walk. */
void tk_tracy_tree_rewind(struct tk_tracy_tree *t);

/* Begins and ends a tree. */
void tk_tracy_tree_open(struct tk_tracy_tree *t);
void tk_tracy_tree_close(struct tk_tracy_tree *t);

/* At the end of a tree in the first walk: where none of its zones stays, the first one does, outside of the
 * window and without a length, so that it is known that there are some. True where it does so. */
bool tk_tracy_tree_keep_one(struct tk_tracy_tree *t);

/* After that: how many zones, each inside of the one before it, begin before the window and stay; -1: the one
 * that stays is outside of it. */
int64_t tk_tracy_tree_continued(const struct tk_tracy_tree *t);

/* A zone with so many children begins. In the second walk: does it stay, and with how many? */
bool tk_tracy_tree_begin(struct tk_tracy_tree *t, int64_t begin, uint64_t declared, uint64_t *children);

/* The innermost ends; `open`: it has no end, and `end` is the last time that is known. In the second walk:
 * does it stay? In the first: does it for all that is known? */
bool tk_tracy_tree_end(struct tk_tracy_tree *t, int64_t end, bool open);

void tk_tracy_tree_release(struct tk_tracy_tree *t);

/*
 * Where the sections of a .tracy stand, and how far it can be read: the first of two walks of an edit.
 * Below the pass, which changes them.
 */

enum { TK_TRACY_MOST_SECTIONS = 40 };

struct tk_tracy_span {
    uint64_t start, end; /* in the payload */
    uint64_t items;
};

struct tk_tracy_survey {
    struct tk_tracy_span sections[TK_TRACY_MOST_SECTIONS];
    size_t whole;     /* sections that are there to their end; all where nothing is wrong */
    uint64_t threads; /* of the section with the zones, where that is not whole: those that are */
    bool damaged;
};

/* Walks. TK_OK or as tk_edit_run. */
int tk_tracy_survey_run(struct tk_tracy_survey *s, struct tk_tracy_capture *c, struct tk_err *err);

/* The same with `instead` of struct tk_tracy_walk. Of a damaged capture nothing is noted, and it is to be
 * surveyed again. */
int tk_tracy_survey_with(struct tk_tracy_survey *s, struct tk_tracy_capture *c,
                         bool (*instead)(void *ctx, struct tk_tracy_walk *w), void *ctx, struct tk_err *err);

/*
 * Topics of a .tracy: words and the letters of Tracy's own tool, and what of the file belongs to them.
 * Below the edit of a .tracy, which leaves topics out.
 */

enum tk_edit_tracy_topic {
    TK_TRACY_LOCKS,
    TK_TRACY_MESSAGES,
    TK_TRACY_PLOTS,
    TK_TRACY_MEMORY,
    TK_TRACY_IMAGES,
    TK_TRACY_SWITCHES,
    TK_TRACY_SAMPLES,
    TK_TRACY_CODE,
    TK_TRACY_SOURCES,
    TK_TRACY_CPU,    /* zones of threads */
    TK_TRACY_GPU,    /* contexts with their zones */
    TK_TRACY_FRAMES, /* all but the first mark, which is needed */
    TK_TRACY_REGIONS,
    TK_TRACY_STACKS,
    TK_TRACY_SYMBOLS,
    TK_TRACY_CRASH,
    TK_TRACY_INFO, /* what the program says of itself */
    TK_TRACY_TOPICS,
    TK_TRACY_OTHERS = TK_TRACY_TOPICS /* always stays */
};

/* The first word for it. Static. */
const char *tk_edit_tracy_topic_name(enum tk_edit_tracy_topic topic);

/* The topic that a section belongs to, by its name. */
enum tk_edit_tracy_topic tk_edit_tracy_topic_of(const char *section);

/* One bit for each topic that is left out: of `drop`, and all but `keep` where there are words in it. TK_OK,
 * TK_EMATCH with the word that names none. */
int tk_edit_tracy_topics_read(uint32_t *dropped, const char *const *keep, size_t n_keep,
                              const char *const *drop, size_t n_drop, struct tk_err *err);

static inline bool tk_edit_tracy_drops(uint32_t dropped, enum tk_edit_tracy_topic topic)
{
    return topic < TK_TRACY_TOPICS && (dropped >> topic & 1);
}

/* Does a section go as a whole? With the zones of threads stand their messages and samples. */
static inline bool tk_edit_tracy_drops_section(uint32_t dropped, const char *section)
{
    const enum tk_edit_tracy_topic topic = tk_edit_tracy_topic_of(section);
    return topic != TK_TRACY_CPU && topic != TK_TRACY_FRAMES && tk_edit_tracy_drops(dropped, topic);
}

/*
 * A pass over the payload of a .tracy that changes it section by section: what is outside of a window goes,
 * with what referred to it, texts are marked and written as they are to be.
 *
 * It is done twice by the same code: first without a writer, to count what stays and to mark what is used, as
 * the format has numbers in front of lists; then with one.
 */

/* What a string of the table is used for. */
enum tk_tracy_role {
    TK_TRACY_ROLE_TIMER, /* displayed as the name of a zone */
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

/* Of the threads, or of the timelines of the GPU, in their order: those with zones that began before the
 * window. The record of the edit has them, so that a merge can take back what the cut added. */
struct tk_tracy_continued {
    uint64_t tree; /* number from 0 */
    int64_t zones; /* as tk_tracy_tree_continued */
};

struct tk_tracy_continued_list {
    TK_VEC(struct tk_tracy_continued) v;
    uint64_t trees; /* so far */
};

/* Callstacks, frames and symbols to which something refers that stays: what only dropped topics referred to
 * goes. */
struct tk_tracy_used_code {
    TK_VEC(uint8_t) stacks; /* by number - 1 */
    uint64_t last_stack;    /* the greatest number */
    struct tk_map frames;   /* ids of their frames */
    struct tk_map symbols;  /* addresses */
    TK_VEC(struct tk_tracy_symbol) all;
    TK_VEC(struct tk_tracy_symbol) functions; /* those that are not inlined, by address */
    TK_VEC(struct tk_tracy_code_symbol) parts;
    TK_VEC(uint64_t) code, samples; /* addresses of code, and of hardware samples */
    size_t places[5];               /* of their numbers, in counts: enum of pass_code.c */
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
    bool collects;      /* texts that nobody uses go, */
    bool unlinks;       /* and callstacks, frames, symbols and code */
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
    TK_VEC(struct tk_tracy_extra) extras;  /* as they are */
    TK_VEC(uint32_t) extra;                /* their new numbers; 0: not used */
    TK_VEC(struct tk_tracy_message) texts; /* messages, where threads go */
    size_t messages_place;                 /* of their number, in counts */
    size_t messages_section;
    struct tk_map messages;  /* keys of those that stay */
    TK_VEC(uint32_t) images; /* new numbers + 1; 0: not used */
    uint64_t *zones_of[2];   /* owned: by the 16 bits of a location, of threads and of the GPU */
    struct tk_tracy_zone_stack zones;
    struct tk_tracy_tree tree, gpu_tree;
    struct tk_tracy_continued_list continued[2]; /* of threads and of the GPU */
    bool irregular; /* something is not as it is to be: another first walk without keeps_trees and `ahead`
                       says */
    struct tk_tracy_used_code used;
    uint64_t open_zones;                  /* that stay, without an end */
    uint64_t lost_threads;                /* with zones that cannot be */
    uint64_t too_deep;                    /* threads with zones beyond the limit */
    uint64_t lost_places;                 /* zones of source locations that do not exist */
    uint64_t lost_events;                 /* of locks, that cannot be */
    size_t section;                       /* the one under way */
    uint64_t items;                       /* of it, where the survey queries */
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

/* A tree of threads (0) or of the GPU (1) has ended: notes how many of its zones began before the window. */
void tk_tracy_pass_note_continued(struct tk_tracy_pass *p, unsigned kind, const struct tk_tracy_tree *tree);

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

/* Begins a list: the times in it start at `time`. */
static inline void tk_tracy_pass_start_times(struct tk_tracy_pass *p, int64_t time)
{
    p->in->time = p->in->gpu_time = time;
    if (p->out)
        p->out->time = p->out->gpu_time = time;
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
void tk_tracy_pass_mark_ref(struct tk_tracy_pass *p, struct tk_tracy_ref ref, enum tk_tracy_role role);

/* The string of a number, or a reference, as it is to be. */
uint32_t tk_tracy_pass_new_index(const struct tk_tracy_pass *p, uint32_t index);
struct tk_tracy_ref tk_tracy_pass_new_ref(const struct tk_tracy_pass *p, struct tk_tracy_ref ref);

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
void tk_tracy_pass_callstacks(struct tk_tracy_pass *p);
void tk_tracy_pass_callstack_frames(struct tk_tracy_pass *p);
void tk_tracy_pass_app_info(struct tk_tracy_pass *p);
void tk_tracy_pass_images(struct tk_tracy_pass *p);
void tk_tracy_pass_switches(struct tk_tracy_pass *p);
void tk_tracy_pass_cpu_switches(struct tk_tracy_pass *p);
void tk_tracy_pass_symbols(struct tk_tracy_pass *p);
void tk_tracy_pass_symbol_code(struct tk_tracy_pass *p);
void tk_tracy_pass_code_symbols(struct tk_tracy_pass *p);
void tk_tracy_pass_hardware_samples(struct tk_tracy_pass *p);

/* The zones of a thread, with how many there are on the first level in front of them, where keeps_trees. */
void tk_tracy_pass_keep_tree(struct tk_tracy_pass *p, uint64_t zones);

/* Something that stays refers to a callstack. In the first walk. */
void tk_tracy_pass_use_stack(struct tk_tracy_pass *p, uint64_t number);

/* At the end of the first walk, where `unlinks`: which symbols stay. */
void tk_tracy_pass_link_symbols(struct tk_tracy_pass *p);

void tk_tracy_used_code_release(struct tk_tracy_used_code *used);

/* Gives the extras that zones use their new numbers: at the end of the first walk over zones. */
void tk_tracy_pass_number_extras(struct tk_tracy_pass *p);

/* Bytes of a section in which there is nothing. */
uint64_t tk_tracy_pass_empty_size(const struct tk_tracy_capture *c, const char *section);

/* The one more line of what the program says of itself: the record. */
void tk_tracy_pass_put_record(struct tk_tracy_pass *p);

/*
 * Texts of a .tracy while it is anonymised: learned when it is known what each is used for, and replaced when
 * they are written.
 * Between the edit and the pass, which requests each text as it is to be.
 */

/* A word that says what kind of work a timer of this name does; NULL: none. */
typedef const char *tk_tracy_kind_fn(void *ctx, const uint8_t *p, size_t n);

/* A text that stays. */
struct tk_tracy_kept_text {
    const uint8_t *p; /* in the arena */
    uint32_t n;
    enum tk_anon_class class; /* TK_ANON_CLASSES: of none */
};

/* Zero-initialise, set the first three, and release. */
struct tk_tracy_texts {
    struct tk_anon *anon; /* borrowed */
    tk_tracy_kind_fn *kind;
    void *kind_ctx;
    bool learned;             /* else texts of the header are learned where they are requested */
    struct tk_anon_text text; /* the last one that was given */
    struct tk_map timers;     /* hashes of names of timers that stay */
    uint64_t replaced;        /* texts */
    bool wants_kept;          /* texts that stay are noted: */
    TK_VEC(struct tk_tracy_kept_text) kept;
    struct tk_arena arena;
};

/* Learns all strings by the marks of the first walk. TK_OK or TK_ENOMEM. */
int tk_tracy_texts_learn(struct tk_tracy_texts *t, const struct tk_tracy_pass *pass);

/* What the pass requests; the context is a struct tk_tracy_texts. */
bool tk_tracy_texts_string(void *ctx, uint32_t roles, const struct tk_str *text, struct tk_bytes *out);
bool tk_tracy_texts_head(void *ctx, enum tk_tracy_head_text which, struct tk_bytes text,
                         struct tk_bytes *out);

/* Looks for texts that were replaced in a result that was written with `t`. TK_OK; TK_EOUTPUT: one stands
 * there. */
int tk_tracy_texts_inspect(const struct tk_tracy_texts *t, struct tk_tracy_capture *result,
                           struct tk_err *err);

void tk_tracy_texts_release(struct tk_tracy_texts *t);

/* What is requested. Borrowed. */
struct tk_edit_tracy_request {
    const char *const *keep, *const *drop;
    size_t n_keep, n_drop;
    const char *compress; /* "zstd:LEVEL", "lz4", "lz4hc:LEVEL"; NULL: as it is */
    unsigned streams;     /* 0: as many as there are */
    bool close;           /* zones without an end get one */
    bool counts;          /* how many items each section has is requested, as tk_edit_tracy_measure says it */
    struct tk_tracy_window window;
    const bool *threads; /* by number, those that stay; NULL: all */
    size_t n_threads;
    struct tk_anon *anon; /* what is replaced, with its first four members set; NULL: nothing */
    tk_tracy_kind_fn *kind;
    void *kind_ctx;
};

/* An edit under way. Zero-initialise, and release. */
struct tk_edit_tracy {
    struct tk_tracy_capture *c;
    struct tk_tracy_survey survey;
    struct tk_tracy_packing packing;
    struct tk_tracy_pass pass;
    struct tk_tracy_texts texts;
    uint32_t dropped;  /* topics of which there is something */
    bool keeps, drops; /* topics were named */
    bool repack;
    bool changes; /* the payload will be another */
};

/* How blocks are written: as those of a capture where nothing else is requested; versions before 0.11 have
 * one form that its tools read. TK_OK, TK_EUSAGE. */
int tk_edit_tracy_packing(struct tk_tracy_packing *packing, const struct tk_tracy_capture *c,
                          uint32_t version, const char *compress, unsigned streams, struct tk_err *err);

/* The first walks. TK_OK or as tk_edit_run. */
int tk_edit_tracy_plan(struct tk_edit_tracy *e, struct tk_tracy_capture *c,
                       const struct tk_edit_tracy_request *request, struct tk_err *err);

/* The last one. */
int tk_edit_tracy_write(struct tk_edit_tracy *e, tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* The last one without a result: how many bytes each section will have is known then. */
int tk_edit_tracy_measure(struct tk_edit_tracy *e, struct tk_err *err);

/* Does a section stay, and is it there to its end? */
bool tk_edit_tracy_keeps(const struct tk_edit_tracy *e, size_t section);

void tk_edit_tracy_release(struct tk_edit_tracy *e);

#endif
