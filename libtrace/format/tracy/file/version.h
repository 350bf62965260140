/*
 * Versions of the payload, and what differs between them by name, so that no section compares numbers
 * (tracy-file 2).
 */
#ifndef TK_FORMAT_TRACY_CONTAINER_VERSION_H
#define TK_FORMAT_TRACY_CONTAINER_VERSION_H

#include "base/err.h"

/* A version as one number that orders like (major, minor, patch). */
#define TK_TRACY_V(major, minor, patch) ((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(patch))

#define TK_TRACY_OLDEST TK_TRACY_V(0, 7, 0)
#define TK_TRACY_NEWEST TK_TRACY_V(0, 14, 1)
#define TK_TRACY_ALWAYS UINT32_MAX /* until is not known */

/* X(name, from, until, help): the layout has it in versions from <= v < until. */
#define TK_TRACY_LAYOUT(X)                                                                                   \
    X(delay, 0, TK_TRACY_V(0, 12, 3), "the header begins with the delay of the queue")                       \
    X(named_pools, TK_TRACY_V(0, 7, 3), TK_TRACY_ALWAYS, "memory has several named pools")                   \
    X(zone_colour, TK_TRACY_V(0, 7, 5), TK_TRACY_ALWAYS, "zone extras have a colour")                        \
    X(exec_time, TK_TRACY_V(0, 7, 6), TK_TRACY_ALWAYS, "the header has the time of the executable")          \
    X(gpu_name, TK_TRACY_V(0, 7, 6), TK_TRACY_ALWAYS, "GPU contexts have a name")                            \
    X(image_dictionary, TK_TRACY_V(0, 7, 8), TK_TRACY_ALWAYS, "a dictionary precedes the frame images")      \
    X(kernel_samples, TK_TRACY_V(0, 7, 9), TK_TRACY_ALWAYS, "threads count kernel samples")                  \
    X(gpu_overflow, TK_TRACY_V(0, 7, 9), TK_TRACY_ALWAYS, "GPU contexts have an overflow")                   \
    X(code_symbols, TK_TRACY_V(0, 7, 9), TK_TRACY_ALWAYS, "code is mapped to symbols; hardware samples")     \
    X(plot_sum, TK_TRACY_V(0, 7, 10), TK_TRACY_ALWAYS, "plots have a sum")                                   \
    X(fiber, TK_TRACY_V(0, 7, 11), TK_TRACY_ALWAYS, "threads say whether they are fibers")                   \
    X(switch_thread, TK_TRACY_V(0, 7, 12), TK_TRACY_ALWAYS, "context switches have a thread")                \
    X(switch_samples, TK_TRACY_V(0, 7, 14), TK_TRACY_ALWAYS, "threads have samples of context switches")     \
    X(gpu_counts, TK_TRACY_V(0, 7, 15), TK_TRACY_ALWAYS, "GPU zones are counted by source location")         \
    X(plot_style, TK_TRACY_V(0, 8, 3), TK_TRACY_ALWAYS, "plots have steps, fill and colour")                 \
    X(code_locations, 0, TK_TRACY_V(0, 8, 5), "code locations follow the code of symbols")                   \
    X(on_demand, TK_TRACY_V(0, 9, 2), TK_TRACY_ALWAYS, "the header says whether it was on demand")           \
    X(group_hint, TK_TRACY_V(0, 11, 1), TK_TRACY_ALWAYS, "threads have a group hint")                        \
    X(dies, TK_TRACY_V(0, 11, 2), TK_TRACY_ALWAYS, "CPU packages have dies")                                 \
    X(wakeup_cpu, TK_TRACY_V(0, 11, 3), TK_TRACY_ALWAYS, "context switches say which CPU woke them")         \
    X(gpu_notes, TK_TRACY_V(0, 12, 4), TK_TRACY_ALWAYS, "GPU zones have queries, queries have notes")        \
    X(message_source, TK_TRACY_V(0, 13, 2), TK_TRACY_ALWAYS, "messages have source and severity")            \
    X(section_list, TK_TRACY_V(0, 13, 4), TK_TRACY_V(0, 13, 5), "time sections in one list")                 \
    X(section_categories, TK_TRACY_V(0, 13, 5), TK_TRACY_ALWAYS, "time sections by category")

/* What the layout of a version has; members of the table above. */
struct tk_tracy_layout {
#define TK_TRACY_LAYOUT_MEMBER(name, from, until, help) bool name;
    TK_TRACY_LAYOUT(TK_TRACY_LAYOUT_MEMBER)
#undef TK_TRACY_LAYOUT_MEMBER
};

/* Bytes of the payload that hold its mark and its version. */
#define TK_TRACY_VERSION_BYTES 8

/*
 * Reads mark and version of a payload from its first TK_TRACY_VERSION_BYTES. TK_OK, also for a patch of a
 * known minor version that is not known; TK_EFORMAT with a sentence that names the version and what reads it.
 */
int tk_tracy_version_parse(const uint8_t *p, uint32_t *version, struct tk_err *err);

/* Is it a patch that came after those that are known of its minor version? */
bool tk_tracy_version_is_newer(uint32_t version);

/* Is it one that was released? Others may be of forks, whose numbers do not say how they are laid out. */
bool tk_tracy_version_is_released(uint32_t version);

/* Of a patch that is not known: that of the newest that is known of its minor version. */
struct tk_tracy_layout tk_tracy_layout_of(uint32_t version);

/*
 * The versions by whose layouts a capture of a version may be read, the likeliest first: its own or the
 * newest that is known, then the others of its minor version, from new to old, one for each layout. Returns
 * how many, at most TK_TRACY_CANDIDATES.
 */
size_t tk_tracy_version_candidates(uint32_t version, uint32_t *out);

#define TK_TRACY_CANDIDATES 16

/* Writes "0.14.1"; out has space for 12 bytes. */
void tk_tracy_version_text(char *out, uint32_t version);

/* How the line begins that an edit of a capture says of itself. */
#define TK_TRACY_EDIT_MARK "tracekit-edit {\"edit\":1,\"tool\":\"tracekit "

/* In a record of a cut, last: its times, and how many zones of each tree began before them. */
#define TK_TRACY_EDIT_TIMES     ",\"times\":{"
#define TK_TRACY_EDIT_CONTINUED ",\"continued\":{"

/* In the record of a capture that is one of several of a recording: each has what is new since the one
 * before, and tables that have become longer. */
#define TK_TRACY_EDIT_GROWS ",\"grows\":true"

#endif
