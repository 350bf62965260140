/*
 * The list of event families, one line each, and of the tables that they say rows of. Family x is tk_ut_fam_x
 * in fam_*.c, table x is tk_ut_table_x.
 */
#ifndef TK_FORMAT_UTRACE_FEED_FAMILY_LIST_H
#define TK_FORMAT_UTRACE_FEED_FAMILY_LIST_H

#include "format/utrace/feed/family.h"

/* An event that several families want goes to the last one first. */
#define TK_UT_FAMILIES(X)                                                                                    \
    X(trace)                                                                                                 \
    X(session)                                                                                               \
    X(thread)                                                                                                \
    X(channel)                                                                                               \
    X(edit)                                                                                                  \
    X(cpu)                                                                                                   \
    X(frame)                                                                                                 \
    X(bookmark)                                                                                              \
    X(region)                                                                                                \
    X(log)                                                                                                   \
    X(memory)                                                                                                \
    X(callstack)                                                                                             \
    X(module)                                                                                                \
    X(context)                                                                                               \
    X(definition)                                                                                            \
    X(file)                                                                                                  \
    X(load)                                                                                                  \
    X(net)                                                                                                   \
    X(screenshot)                                                                                            \
    X(cook)                                                                                                  \
    X(http)                                                                                                  \
    X(io)                                                                                                    \
    X(chunk)                                                                                                 \
    X(verse)                                                                                                 \
    X(counter)                                                                                               \
    X(stat)                                                                                                  \
    X(csv)                                                                                                   \
    X(llm)                                                                                                   \
    X(gpu)                                                                                                   \
    X(task)                                                                                                  \
    X(platform)                                                                                              \
    X(lock)                                                                                                  \
    X(object)                                                                                                \
    X(spatial)                                                                                               \
    X(scope_text)

#define TK_UT_ROW_TABLES(X)                                                                                  \
    X(gpu_labels)                                                                                            \
    X(csv_events)                                                                                            \
    X(load_requests)                                                                                         \
    X(load_groups)                                                                                           \
    X(load_activity)                                                                                         \
    X(io)                                                                                                    \
    X(io_batches)                                                                                            \
    X(io_chunks)                                                                                             \
    X(cook)                                                                                                  \
    X(http)                                                                                                  \
    X(http_ranges)                                                                                           \
    X(verse)                                                                                                 \
    X(objects)                                                                                               \
    X(spatial)                                                                                               \
    X(screenshots)

#define TK_UT_DECLARE_FAMILY(name) extern const struct tk_ut_family tk_ut_fam_##name;
#define TK_UT_DECLARE_TABLE(name)  extern const struct tk_table tk_ut_table_##name;
TK_UT_FAMILIES(TK_UT_DECLARE_FAMILY)
TK_UT_ROW_TABLES(TK_UT_DECLARE_TABLE)
#undef TK_UT_DECLARE_FAMILY
#undef TK_UT_DECLARE_TABLE

#endif
