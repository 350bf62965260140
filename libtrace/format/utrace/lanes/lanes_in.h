/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_LANES_LANES_IN_H
#define TK_FORMAT_UTRACE_LANES_LANES_IN_H

#include "format/utrace/lanes/lane.h"

/*
 * What the record parsers of the protocol generations share; private to the lane.
 */

struct tk_ut_piece {
    struct tk_ut_blob blob;
    struct tk_ut_piece *next;
};

/* Bytes of a lane that are being parsed. */
struct tk_ut_input {
    const uint8_t *base, *p, *end;
    size_t joint; /* index from which the bytes are of the packet in hand; those before are carried over */
};

/* Results of a record parser in addition TK_OK (go on) and negative statuses: TK_UT_MORE, where lane->need
 * bytes from the beginning of the record are wanted, and */
#define TK_UT_STOP 3 /* the rest of the packet cannot be read; said why */

/* Parses one record at in->p and moves it on. One for protocols 5..7, one for 0..4. */
int tk_ut_record_new(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in);
int tk_ut_record_old(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in);

/* Hands on what is there of the record that a lane ends in, and the carry holds. TK_OK, TK_ENOMEM or what a
 * handler said. */
int tk_ut_rest_new(struct tk_ut_decoder *d, struct tk_ut_lane *lane);
int tk_ut_rest_old(struct tk_ut_decoder *d, struct tk_ut_lane *lane);

/* Of protocols 5..7: array data and its end, and the first uid of events. */
#define TK_UT_CODE_BLOB     0x02
#define TK_UT_CODE_TERMINAL 0x06
#define TK_UT_FIRST_UID     16

/* What a record is, by its head. In protocols 5..7 array data is a record of its own. */
struct tk_ut_record_kind {
    bool event;  /* or a declaration */
    bool opens;  /* protocols 5..7: an event that array data and its terminal follow */
    bool closes; /* protocols 5..7: the terminal */
    bool synced; /* protocols 5..7: an event with a serial number */
    uint32_t serial;
};

/* The length of the record at in->p, 0 where none can be or not all of it is there. */
size_t tk_ut_length_new(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                        const struct tk_ut_input *in, struct tk_ut_record_kind *kind);
size_t tk_ut_length_old(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                        const struct tk_ut_input *in, struct tk_ut_record_kind *kind);

/* Passes over events that nobody wants, or hands them on together (tk_ut_decoder.passes), as many as follow
 * each other from in->p on, and moves that. TK_ITEM: there are some; 0: none; TK_ENOMEM or what `passed`
 * said. */
int tk_ut_pass_over(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in);

/* Hands on plain events (tk_ut_decoder.plains), as many as follow each other from in->p on, and moves that.
 * As tk_ut_pass_over. */
int tk_ut_pass_plain(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_input *in);

/* n bytes are wanted from in->p on: is that all there? Else sets lane->need. */
static inline bool tk_ut_ready(struct tk_ut_lane *lane, const struct tk_ut_input *in, size_t n)
{
    if ((size_t)(in->end - in->p) >= n)
        return true;
    lane->need = n;
    return false;
}

/* Fills in where the event at `p` begins. */
void tk_ut_place(const struct tk_ut_lane *lane, const struct tk_ut_input *in, const uint8_t *p,
                 struct tk_ut_event *ev);

/* Counts an event and binds it to a scope record that waits for one. */
int tk_ut_begin_event(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev, size_t bytes);

static inline bool tk_ut_wanted(const struct tk_ut_decoder *d, const struct tk_ut_type *t)
{
    return t->id >= d->n_want || d->want[t->id];
}

/* Are events of a type there alongside what was requested? And where their faults are noted. */
static inline bool tk_ut_is_extra(const struct tk_ut_decoder *d, uint32_t type)
{
    return d->extra && type < d->n_want && d->want[type] & TK_UT_WANT_EXTRA;
}

static inline struct tk_health *tk_ut_health_of(const struct tk_ut_decoder *d, uint32_t type)
{
    return tk_ut_is_extra(d, type) ? d->extra : d->health;
}

/* Is there a scope record that the next event belongs to? */
static inline bool tk_ut_scope_waits(const struct tk_ut_lane *lane)
{
    return lane->marks.n && !lane->marks_over && !lane->marks.v[lane->marks.n - 1].type;
}

/* Is the next event one in a stamped scope, and times are followed? */
static inline bool tk_ut_says_time(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane)
{
    return d->stamps && tk_ut_scope_waits(lane) && lane->marks.v[lane->marks.n - 1].timed;
}

/* Says the end of a scope behind the events that wait. */
int tk_ut_keep_scope_end(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_type *type);

/* Says a scope record behind the events that wait. */
int tk_ut_keep_scope(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_scope *scope);

/* Hands on the serial number of what is not handed on itself; behind the events that wait. */
int tk_ut_keep_serial(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint32_t serial);

static inline void tk_ut_saw_serial(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint32_t serial)
{
    uint64_t number = d->serials ? tk_ut_serials_saw(d->serials, serial) : 0;
    if (!number)
        return;
    lane->disordered += number <= lane->number;
    lane->number = number;
}

static inline int tk_ut_skip_serial(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint32_t serial)
{
    if (!d->handler->skip_serial)
        return TK_OK;
    if (lane->group.open.n)
        return tk_ut_keep_serial(d, lane, serial);
    return d->handler->skip_serial(d->handler->self, lane, serial);
}

/* The event that array data or a terminal of the packet in hand is for, or NULL. */
const struct tk_ut_open_event *tk_ut_touch_open(struct tk_ut_lane *lane);

/* As tk_ut_flush_group, at the end of the stream. */
int tk_ut_end_group(struct tk_ut_decoder *d, struct tk_ut_lane *lane);

/* Delivers an event now, or behind those that wait. */
int tk_ut_deliver(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev);

/* Puts an event whose array data is not complete into the group; blobs so far are in lane->blobs. */
int tk_ut_open_event(struct tk_ut_decoder *d, struct tk_ut_lane *lane, struct tk_ut_event *ev, bool wanted);

/* Array data or its end for the innermost open event. */
int tk_ut_add_blob(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_blob *blob);
int tk_ut_end_blobs(struct tk_ut_decoder *d, struct tk_ut_lane *lane);

/* Does a type have a field for array data of this number? */
static inline bool tk_ut_type_takes(const struct tk_ut_type *type, uint32_t field)
{
    return field < type->n_fields && type->fields[field].family == TK_UT_REGULAR &&
           type->fields[field].info & (TK_UT_INFO_ARRAY | TK_UT_INFO_STRING);
}

/* The same of an event. Notes it when not. */
bool tk_ut_blob_fits(struct tk_ut_decoder *d, const struct tk_ut_event *ev, uint32_t field);

/* Delivers all that waits; events without their terminal are marked incomplete. */
int tk_ut_flush_group(struct tk_ut_decoder *d, struct tk_ut_lane *lane);

/* The event at in->p has a type that is not declared, so that it has no length: the rest of its packet is
 * dropped. TK_UT_STOP. */
int tk_ut_undeclared_stop(struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                          const struct tk_ut_input *in, uint32_t uid);

/* Scope records. */
int tk_ut_enter(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool timed, int64_t time);
int tk_ut_leave(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool timed, int64_t time);

/* A stamp that adds to the one before (protocols 4..6), as time since the start. */
int64_t tk_ut_stamp(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint64_t delta);

/*
 * Parts of the records of protocols 0 to 4 (lane_protocol0.c); private to the lane.
 */

/* Bytes of the serial number. */
static inline size_t tk_ut_old_serial(const struct tk_ut_decoder *d, bool synced)
{
    return !synced ? 0 : d->protocol == 1 ? 2 : 3;
}

/* The uid that a record begins with. */
static inline uint32_t tk_ut_old_uid(const struct tk_ut_decoder *d, const uint8_t *p, size_t code_size)
{
    uint32_t code = code_size == 2 ? (uint32_t)tk_load16(p) : (uint32_t)*p;
    return d->protocol == 4 ? code >> 1 : code & (d->protocol ? 0x7fffu : 0x3fffu);
}

/* Array data at p with its terminal; 0 when that is not all before the end. */
static inline size_t tk_ut_old_blobs(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;
    while (end - p >= 4 && *p & 0x80 && (size_t)(end - p) - 4 >= tk_load32(p) >> 8)
        p += 4 + (tk_load32(p) >> 8);
    return p < end && !*p ? (size_t)(p + 1 - start) : 0;
}

/* As tk_ut_length_old. */
typedef size_t tk_ut_length_fn(const struct tk_ut_decoder *d, const struct tk_ut_lane *lane,
                               const struct tk_ut_input *in, struct tk_ut_record_kind *kind);

/* The length of a record of an undeclared uid, and the bytes of its serial number, as what follows in its
 * packet proves; 0: nothing does. */
size_t tk_ut_step_over(const struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_input *in,
                       uint32_t uid, size_t code_size, size_t *serial, tk_ut_length_fn *length);

#endif
