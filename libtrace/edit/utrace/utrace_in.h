/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EDIT_UTRACE_UTRACE_IN_H
#define TK_EDIT_UTRACE_UTRACE_IN_H

#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/merge_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/texts/texts.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/write/lanes.h"
#include "format/utrace/write/packets.h"

/*
 * The stage that ends CPU scopes which have no end: where a thread ends, where bytes of it are missing, or at
 * the end of the capture. It stands behind the stages that choose and before those that replace.
 */

struct tk_edit_closer {
    struct tk_edit_stage stage;
    struct tk_edit_close_type *types; /* by type id, n; owned */
    size_t n;
    struct tk_edit_close_lane **lanes; /* by tid; owned */
    int64_t last;                      /* time of the end of the capture, cycles since the start, */
    uint64_t start;                    /* of its clock */
};

/* TK_OK or TK_ENOMEM. */
int tk_edit_closer_init(struct tk_edit_closer *s, const struct tk_ut_capture *c, int64_t last,
                        struct tk_edit_stage *next);
void tk_edit_closer_release(struct tk_edit_closer *s);

/*
 * The line of JSON that an edit writes of itself: what was done, never to which texts.
 */

/* Appends the line; sets text->failed if out of memory. */
void tk_edit_record_text(struct tk_uw_bytes *text, const struct tk_edit_utrace *e);

/*
 * The first walk over a piece of a merge: when it begins, and what its threads begin with.
 */

/* Fills in begin, first, markers and, where `overlaps` says so, the first records of threads. What is damaged
 * goes to the capture's health. TK_OK or as tk_edit_run. */
int tk_merge_piece_look(struct tk_merge_piece *p, bool overlaps, struct tk_err *err);

/*
 * Records of a lane as they are written again: of edits and of merges.
 */

/* Writes an event, of the type that has this uid in the result. */
void tk_edit_put_event(struct tk_uw_lane *lane, const struct tk_ut_event *ev, uint16_t uid, uint32_t serial);

/* Writes an event as it stands but for its serial number; of a thread of protocols 5 to 7. */
void tk_edit_put_passed(struct tk_uw_lane *lane, const struct tk_ut_type *from,
                        const struct tk_ut_passed *event, uint32_t serial);

/* The serial number that an event with one has in the file. */
static inline uint32_t tk_edit_passed_serial(const struct tk_ut_passed *event)
{
    return event->synced ? tk_load32(event->p + 1) >> 8 : 0;
}

/* Writes a scope record. */
void tk_edit_put_scope(struct tk_uw_lane *lane, const struct tk_ut_scope *scope);

/* Writes the declaration of a type as its capture states it. */
void tk_edit_put_type(struct tk_uw_lane *lane, const struct tk_ut_type *type);

/*
 * What an edit that replaces texts does in addition its two walks: one before them that learns the texts
 * where the first does not, one between them over what was not sure then, one over the result, and the
 * header. Between edit_utrace.c and the stages of texts/.
 */

/* Learns all texts of a capture. TK_OK or as tk_edit_run. */
int tk_edit_replace_learn(struct tk_edit_texts *texts, struct tk_anon *anon, struct tk_ut_capture *c,
                          struct tk_err *err);

/* Looks at the chains of an account that are unsure, with an anonymiser like `as`: are they dirty? All is
 * learned. `sound`: no other packet has to be read for that. TK_OK or as tk_edit_run. */
int tk_edit_replace_settle(struct tk_edit_account *account, const struct tk_edit_anonymiser *as, bool sound,
                           struct tk_err *err);

/* Writes what stands for the id of a session to `out`, which may be NULL. Is it another? */
bool tk_edit_replace_session(const struct tk_anon *anon, const uint8_t guid[16], uint8_t *out);

/* Replaces the session of a header. */
void tk_edit_replace_header(const struct tk_anon *anon, struct tk_uw_bytes *header);

/*
 * The last stage of the second walk: writes the result. Packets that stay are copied, the others written
 * anew.
 */

struct tk_edit_rewrite {
    struct tk_edit_stage stage;
    struct tk_edit_account *account; /* closed; borrowed */
    struct tk_edit_result result;
    struct tk_uw_queue queue; /* where several threads work */
    bool repack;              /* packets that stay are compressed anew, too */
    bool recorded;            /* the result says what was done */
    bool tallies;             /* events that change are counted here */
    uint64_t copied;          /* bytes of packets as they were */
};

/* Fields of a header (wire 1). */
enum tk_edit_guid { TK_EDIT_SESSION_GUID = 1, TK_EDIT_TRACE_GUID = 2 };

/* Where the 16 bytes of a GUID stand in a header, whose fields have no fixed place; NULL: it has none. */
uint8_t *tk_edit_header_guid(uint8_t *header, size_t n, enum tk_edit_guid which);

/* Appends the header as it stands in the file, or what can be read of a damaged one. TK_OK or as tk_edit_run.
 */
int tk_edit_header_read(const struct tk_ut_capture *c, struct tk_uw_bytes *head, struct tk_err *err);

/* Has packets compressed as those of the capture are: not at all, or by the least level that makes them as
 * small. */
void tk_edit_packing_keep(struct tk_uw_packets *packets, const struct tk_ut_capture *c);

/* Everything goes to `sink`, borrowed. TK_OK or TK_ENOMEM. */
int tk_edit_rewrite_init(struct tk_edit_rewrite *w, struct tk_edit_account *account, struct tk_uw_sink *sink);

/* Writes the header and the declarations of the edit's own types. `guid` names the result; NULL: as it was.
 */
int tk_edit_rewrite_head(struct tk_edit_rewrite *w, const uint8_t *header, size_t n, const uint8_t guid[16]);

/* Hooks of the walker. */
int tk_edit_rewrite_begin(void *self, const struct tk_edit_packet *packet);
int tk_edit_rewrite_packet(void *self, const struct tk_edit_packet *packet);
int tk_edit_rewrite_rest(void *self);

/* The end: what the edit says of itself, and sync packets. */
int tk_edit_rewrite_tail(struct tk_edit_rewrite *w, const struct tk_edit_span *span, const char *record,
                         size_t n);

void tk_edit_rewrite_release(struct tk_edit_rewrite *w);

/*
 * The stage of a merge that makes one scope of two where a cut divided it. In a piece that was cut, what was
 * open at its begin stands in a batch of its own in front of each thread, and what is open at its end ends
 * there. Where the next piece begins there, with the same scopes, both the ends and the begins are left out.
 * Stamped scopes go in the same way, by their events; they stand in front of the batch. Coroutines go by
 * their ids, and by how many scopes came back with them. What is inside of a stamped scope that stays divided
 * does, too, as scopes of a thread nest.
 */

/* Scopes that are open, the innermost last. */
struct tk_merge_row {
    TK_VEC(uint64_t) numbers;
    size_t live; /* those before this place are open; the others ended with the last cycle */
};

/* Scopes of a thread. */
struct tk_merge_opens {
    struct tk_merge_row batched; /* by what a batch says of them */
    struct tk_merge_row stamped; /* by the contents of their events */
    struct tk_ut_scope begin;    /* a begin that waits for its event, */
    bool waits;                  /* where this says so */
    bool begun;                  /* a batch of the thread came */
    bool parted;                 /* a stamped scope around batches was divided */
    bool inside;                 /* no more stamped scopes go on from the piece before */
    uint32_t joined;             /* those that did so far */
};

/* Of the piece before the one in hand: what goes on behind its end, by tid. Zero-initialise. */
struct tk_merge_seams {
    struct tk_merge_opens **ends; /* owned */
};

struct tk_merge_seam {
    struct tk_edit_stage stage;
    struct tk_merge_piece *piece;
    const struct tk_merge_piece *next;  /* it begins where the piece ends; NULL: none does */
    const struct tk_merge_seams *seams; /* of a piece that ends where this one begins; NULL: none does */
    struct tk_merge_opens **lanes;      /* by tid; owned */
    struct tk_uw_bytes out;
    bool plans; /* the first walk, which finds how many scopes go on (tk_merge_piece.joined) */
};

/* In front of `next`. before and behind: the pieces alongside it, or NULL; seams: those of the piece before.
 * TK_OK or TK_ENOMEM. */
int tk_merge_seam_init(struct tk_merge_seam *s, struct tk_merge_piece *piece,
                       const struct tk_merge_piece *before, const struct tk_merge_piece *behind,
                       const struct tk_merge_seams *seams, struct tk_edit_stage *next);

/* The end of a walk: what goes on in the next piece goes to `seams`, in place of what was there. */
void tk_merge_seam_close(struct tk_merge_seam *s, struct tk_merge_seams *seams);

void tk_merge_seams_release(struct tk_merge_seams *s);

#endif
