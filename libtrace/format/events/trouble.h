/*
 * Troubles of captures of other tools (import 6): each kind is counted, and noted once with the place of the
 * first.
 */
#ifndef TK_FORMAT_EVENTS_TROUBLE_H
#define TK_FORMAT_EVENTS_TROUBLE_H

#include "base/health/health.h"

/* X(symbol, kind of health, what is said behind the number) */
#define TK_EV_TROUBLES(X)                                                                                    \
    X(NO_PHASE, EVENT_DAMAGED, "without a phase (ph) left out")                                              \
    X(NO_TIME, EVENT_DAMAGED, "without a readable time left out")                                            \
    X(NO_DURATION, EVENT_DAMAGED, "of phase X without a duration left out")                                  \
    X(NO_FRAME_TIME, EVENT_DAMAGED, "without a frame time left out")                                         \
    X(NEGATIVE_DURATION, EVENT_DAMAGED, "with an end before the begin left out")                             \
    X(TIME_CUT, TIME_BEYOND, "ending beyond the range of 64 bits")                                           \
    X(NO_OBJECT, EVENT_DAMAGED, "that are not objects left out")                                             \
    X(ASYNC_WITHOUT_ID, EVENT_DAMAGED, "of asynchronous work without an id left out")                        \
    X(NO_NUMBER, EVENT_DAMAGED, "of counters whose value is not a number left out")                          \
    X(NO_VALUE, EVENT_DAMAGED, "of counters without a value left out")                                       \
    X(ASYNC_WITHOUT_BEGIN, PART_UNMATCHED, "ending asynchronous work that never began")                      \
    X(TRAILING_COMMA, FORM_MENDED, "with an extra comma")                                                    \
    X(COMMAS, FORM_MENDED, "without a comma between, or with extra ones")                                    \
    X(KEY_TWICE, FORM_MENDED, "with a key that comes twice, of which the last counts")                       \
    X(NO_JSON_NUMBER, FORM_MENDED, "with NaN or Infinity, which JSON has not")                               \
    X(NOT_UTF8, FORM_MENDED, "with text that is not UTF-8; U+FFFD stands for what could not be read")        \
    X(QUOTE_OPEN, FORM_MENDED, "with a quote that is not closed")                                            \
    X(UNKNOWN_KIND, VERSION_UNSUPPORTED, "of an unknown kind left out")                                      \
    X(CELLS_MISSING, EVENT_DAMAGED, "with fewer cells than the first")                                       \
    X(ROWS_AGAIN, FORM_MENDED,                                                                               \
      "behind names of columns or facts of the recording, as where files were joined")                       \
    X(TRACE_AGAIN, FORM_MENDED, "beginning another trace, which was read as well")                           \
    X(REPEATED, PACKET_REPEATED, "equal to the one in front, time included; both were used")                 \
    X(PARENT_UNKNOWN, DEFINITION_MISSING, "describing a track whose parent is not described")                \
    X(RECORD_OF_SIZE_0, EVENT_DAMAGED, "of size 0; everything up to the next valid one was skipped")         \
    X(RECORD_TOO_SHORT, EVENT_DAMAGED, "too short for their content left out")                               \
    X(UNKNOWN_STRING, DEFINITION_MISSING, "referring to a text that is not defined")                         \
    X(UNKNOWN_THREAD, DEFINITION_MISSING, "referring to a thread that is not defined")                       \
    X(UNKNOWN_PROVIDER, DEFINITION_MISSING, "of an undeclared provider")                                     \
    X(LOST_RECORDS, LOSS_ANNOUNCED, "announcing events that the recorder lost")                              \
    X(FREQUENCY_OF_0, HEADER_DAMAGED, "with a tick rate of 0, which was ignored")                            \
    X(UNKNOWN_ARGUMENT, VERSION_UNSUPPORTED, "with an argument of an unknown kind")                          \
    X(NO_STATE, EVENT_DAMAGED, "depending on lost state left out")                                           \
    X(UNKNOWN_NAME, DEFINITION_MISSING, "with a name that is not defined")                                   \
    X(NAME_CHANGED, FORM_MENDED, "defining a name again, with another text")                                 \
    X(CLOCK_UNKNOWN, EVENT_DAMAGED, "in a clock that cannot be converted left out")                          \
    X(CLOCK_AS_IT_IS, FORM_MENDED, "in a clock without a snapshot taken as they are")                        \
    X(UNKNOWN_COUNTER, EVENT_DAMAGED, "of a counter that is not described left out")                         \
    X(TRACK_WITHOUT_PARENT, EVENT_DAMAGED, "on a track whose parent is missing left out")                    \
    X(TRACK_WITHOUT_ID, EVENT_DAMAGED, "describing a track without its ids left out")                        \
    X(NO_TYPE, EVENT_DAMAGED, "of a track without a type left out")                                          \
    X(NO_SEQUENCE, EVENT_DAMAGED, "without a sequence left out")                                             \
    X(COMPRESSED_BROKEN, PACKET_DAMAGED, "with compressed content that cannot be unpacked left out")         \
    X(PACKET_BROKEN, PACKET_DAMAGED, "broken and skipped")                                                   \
    X(EXTRA_VALUES, EVENT_DAMAGED, "with more values than counters")

enum tk_ev_trouble {
#define TK_EV_TROUBLE_SYMBOL(symbol, kind, text) TK_EV_##symbol,
    TK_EV_TROUBLES(TK_EV_TROUBLE_SYMBOL)
#undef TK_EV_TROUBLE_SYMBOL
        TK_EV_TROUBLE_COUNT
};

struct tk_ev_troubles {
    struct {
        uint64_t count, first;
    } of[TK_EV_TROUBLE_COUNT];
};

static inline void tk_ev_trouble(struct tk_ev_troubles *t, enum tk_ev_trouble what, uint64_t offset,
                                 uint64_t count)
{
    if (!t->of[what].count)
        t->of[what].first = offset;
    t->of[what].count += count;
}

/* Tells all, in the order of the list. `noun` is what is counted, as one and as many ("event", "events"). */
void tk_ev_troubles_tell(const struct tk_ev_troubles *t, struct tk_health *health, const char *one,
                         const char *many);

#endif
