/*
 * Fields of a query: each member of struct tk_query and of its structs, once. Setters (api/setters.c) and the
 * key of kept answers (kept/question_bytes.c) follow this list. The struct itself is written by hand, as
 * people read it; the test `query-fields` compares both.
 *
 *   LIST(name, member, number)            texts, of which there are `number`
 *   FIELD(kind, name, member)             kind: TEXT, BOOL, UNSIGNED, ENUM, I64, U64, REAL
 *   MARK(kind, name, member, flag)        one that counts where the bool `flag` is set
 *   NUMBERS(member, number)               uint32_t, which have no setter
 */
#ifndef TK_QUERY_QUERY_FIELDS_H
#define TK_QUERY_QUERY_FIELDS_H

#define TK_QUERY_FIELDS(LIST, FIELD, MARK, NUMBERS)                                                          \
    LIST("tables", tables, n_tables)                                                                         \
    LIST("columns", columns, n_columns)                                                                      \
    LIST("regions", select.regions, select.n_regions)                                                        \
    LIST("threads", select.threads, select.n_threads)                                                        \
    LIST("timers", select.timers, select.n_timers)                                                           \
    LIST("events", select.events, select.n_events)                                                           \
    LIST("per_frame", per_frame, n_per_frame)                                                                \
    LIST("where", where, n_where)                                                                            \
    FIELD(TEXT, "from_bookmark", select.from_bookmark)                                                       \
    FIELD(TEXT, "to_bookmark", select.to_bookmark)                                                           \
    FIELD(TEXT, "frame_list", select.frame_list)                                                             \
    FIELD(TEXT, "histogram", histogram)                                                                      \
    FIELD(TEXT, "callers", tree.callers)                                                                     \
    FIELD(TEXT, "callees", tree.callees)                                                                     \
    FIELD(TEXT, "work", work)                                                                                \
    FIELD(TEXT, "source_of", source_of)                                                                      \
    FIELD(TEXT, "allocators", allocators)                                                                    \
    FIELD(ENUM, "unit", unit)                                                                                \
    FIELD(UNSIGNED, "by", by)                                                                                \
    FIELD(ENUM, "order", order)                                                                              \
    FIELD(BOOL, "clip", clip)                                                                                \
    FIELD(BOOL, "mixed", mixed)                                                                              \
    FIELD(BOOL, "in_passing", in_passing)                                                                    \
    FIELD(BOOL, "unmatched", select.unmatched)                                                               \
    FIELD(U64, "slowest", slowest)                                                                           \
    FIELD(UNSIGNED, "depth", tree.depth)                                                                     \
    FIELD(REAL, "min_share", tree.min_share)                                                                 \
    FIELD(I64, "budget_ns", hitches.budget_ns)                                                               \
    FIELD(REAL, "times", hitches.times)                                                                      \
    FIELD(UNSIGNED, "reasons", hitches.reasons)                                                              \
    FIELD(BOOL, "engine", hitches.engine)                                                                    \
    FIELD(REAL, "target", hitches.target)                                                                    \
    FIELD(U64, "top_hitches", top_hitches)                                                                   \
    FIELD(BOOL, "startup_hitches", startup_hitches)                                                          \
    FIELD(BOOL, "worst_first", worst_first)                                                                  \
    MARK(I64, "from_ns", select.from_ns, select.has_from)                                                    \
    MARK(I64, "to_ns", select.to_ns, select.has_to)                                                          \
    FIELD(U64, "first_frame", select.first_frame)                                                            \
    MARK(U64, "last_frame", select.last_frame, select.has_frames)                                            \
    MARK(I64, "memory_at_ns", memory.at_ns, memory.has_at)                                                   \
    FIELD(I64, "memory_from_ns", memory.from_ns)                                                             \
    MARK(I64, "memory_to_ns", memory.to_ns, memory.has_window)                                               \
    NUMBERS(select.thread_ids, select.n_thread_ids)

#endif
