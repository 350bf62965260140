/*
 * Limits: everything that a file could make grow has a name, a default and an entry here. A reached limit is
 * reported by name (TK_HEALTH_LIMIT_REACHED or TK_ELIMIT), never silently.
 */
#ifndef TK_HEALTH_LIMITS_H
#define TK_HEALTH_LIMITS_H

#include "tracekit/values.h"

#include <stddef.h>
#include <stdint.h>

/* X(name, default, what it bounds) */
#define TK_LIMITS(X)                                                                                         \
    X(memory, UINT64_MAX, "bytes that a command may allocate; beyond that it fails")                         \
    X(unpacked_bytes, UINT64_C(1) << 40,                                                                     \
      "bytes of a compressed or piped input after decompression; by default at most half of the free disk "  \
      "space")                                                                                               \
    X(unpacked_ratio, 2000, "factor by which a compressed input may grow, from 64 MiB on")                   \
    X(members, 1000, "files in an archive")                                                                  \
    X(whole_bytes, UINT64_C(64) << 20,                                                                       \
      "size up to which trace-info reads all of a capture by default; of larger ones it reads both ends, "   \
      "1/256 each")                                                                                          \
    X(packets, UINT64_C(1) << 31, "packets of a capture")                                                    \
    X(types, 65536, "event type declarations, redeclarations included")                                      \
    X(fields, UINT64_C(1) << 20, "fields of all event types together")                                       \
    X(definitions, UINT64_C(1) << 21,                                                                        \
      "threads, timers, channels and all other definitions of a capture together")                           \
    X(threads, 65536, "threads and lanes")                                                                   \
    X(connections, 65536, "network connections")                                                             \
    X(timers, UINT64_C(1) << 24, "timers")                                                                   \
    X(strings, UINT64_C(1) << 30, "bytes of interned text")                                                  \
    X(event_bytes, UINT64_C(256) << 20, "bytes of one text or picture, or of an incomplete record")          \
    X(group_events, 32767, "records of a thread inside one open event with array data")                      \
    X(group_bytes, UINT64_C(64) << 20, "bytes of a thread inside one open event with array data")            \
    X(open_scopes, 1024, "open scopes of a thread; deeper ones are counted but not timed")                   \
    X(lanes, 1024, "lanes of a thread whose scopes overlap")                                                 \
    X(kept_events, UINT64_C(1) << 31,                                                                        \
      "events held for sorting, at most 24 bytes each; beyond the memory limit they go to a file")           \
    X(nesting, 65536, "nesting depth of zones; deeper zones are dropped")                                    \
    X(hitches, 256, "hitches with explanations, longest first")                                              \
    X(tree_nodes, 300000, "distinct stacks of all threads, 120 bytes each; others are combined")             \
    X(stack_name_bytes, 4096, "bytes of a name in folded stacks; longer ones are cut")                       \
    X(stacks_ratio, 100,                                                                                     \
      "factor by which exported stacks may exceed the size of the capture's file, from 64 MiB on")           \
    X(stacks_bytes, UINT64_C(1) << 30, "bytes of exported stacks, however large the capture is")             \
    X(pending_scopes, UINT64_C(1) << 20,                                                                     \
      "timestamped scope records of a thread waiting for the batch to merge with")                           \
    X(pending_serials, UINT64_C(1) << 20,                                                                    \
      "events waiting for lower serial numbers; each 128 bytes of them also count as one")                   \
    X(metadata_instances, UINT64_C(1) << 28, "metadata instances of scopes")                                 \
    X(late_metadata, 65536, "scopes waiting for the definition of their metadata instance")                  \
    X(scope_texts, UINT64_C(1) << 17, "distinct metadata texts of scopes; others are counted as one")        \
    X(pending_logs, 65536, "log messages and bookmarks waiting for their definition")                        \
    X(tasks, UINT64_C(1) << 22, "tasks alive at one time, with the threads and tasks waiting for them")      \
    X(sample_addresses, UINT64_C(1) << 26, "return addresses of stack samples")                              \
    X(switches, UINT64_C(1) << 25, "intervals in which operating system threads ran on a core")              \
    X(rows, UINT64_C(1) << 22, "rows that a table holds for sorting")                                        \
    X(counters, UINT64_C(1) << 18, "counters, statistics, series and memory tags, of each kind")             \
    X(counter_window, UINT64_C(1) << 19, "counter values held to sort them by time")                         \
    X(alive_allocations, UINT64_C(1) << 25, "allocations alive at one time")                                 \
    X(memory_groups, UINT64_C(1) << 22,                                                                      \
      "combinations of tag, heap, callstack, thread and asset of allocations")                               \
    X(callstack_bytes, UINT64_C(1) << 30, "bytes of callstacks that a table holds")                          \
    X(ordered_facts, UINT64_C(1) << 25, "counter values and memory steps sorted by time")                    \
    X(held_events, UINT64_C(1) << 20, "events held back to keep their order, or until their end")            \
    X(parts, 999, "files that an export is split into")                                                      \
    X(metric_seconds, 60, "seconds that a metric may take to be measured in one capture")                    \
    X(health_items, 1000, "faults that are listed individually; the rest are counted")

enum tk_limit {
#define TK_LIMIT_SYMBOL(name, value, help) TK_LIMIT_##name,
    TK_LIMITS(TK_LIMIT_SYMBOL)
#undef TK_LIMIT_SYMBOL
        TK_LIMIT_COUNT
};

_Static_assert(TK_LIMIT_COUNT <= 64, "struct tk_health has a bit for each");

struct tk_limits {
#define TK_LIMIT_FIELD(name, value, help) uint64_t name;
    TK_LIMITS(TK_LIMIT_FIELD)
#undef TK_LIMIT_FIELD
};

/* The defaults of the table above. */
struct tk_limits tk_limits_default(void);

/*
 * Appends to a text what every message about a reached limit ends with: its name and how to raise it. text
 * has `space` bytes with its NUL; of a long one the end is given up, so that this is always whole.
 */
void tk_limit_tell(char *text, size_t capacity, enum tk_limit limit);

/* What names beyond a limit are displayed as: one of them stands for all. */
extern const struct tk_str tk_beyond_limit;

/* Sets one by name. 0, or TK_EUSAGE when there is no such name. */
int tk_limits_set(struct tk_limits *limits, const char *name, size_t len, uint64_t value);

#endif
