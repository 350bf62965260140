/*
 * The list of tables that the model makes, a line each, in the order in which they are listed. The builder of
 * table x is tk_builder_x, in the folder of its topic. What a table is apart from its rows (TK_TABLE_...) is
 * said where its columns are.
 */
#ifndef TK_MODEL_TABLES_H
#define TK_MODEL_TABLES_H

#include "query/builder.h"

#define TK_TABLES(X)                                                                                         \
    X(timers)                                                                                                \
    X(threads)                                                                                               \
    X(frame_stats)                                                                                           \
    X(frames)                                                                                                \
    X(regions)                                                                                               \
    X(bookmarks)                                                                                             \
    X(logs)                                                                                                  \
    X(open_scopes)                                                                                           \
    X(scopes)                                                                                                \
    X(event_counts)                                                                                          \
    X(events)                                                                                                \
    X(generic_events)                                                                                        \
    X(capture)                                                                                               \
    X(session)                                                                                               \
    X(channels)                                                                                              \
    X(toggles)                                                                                               \
    X(health)                                                                                                \
    X(ledger)                                                                                                \
    X(gpu)                                                                                                   \
    X(gpu_queues)                                                                                            \
    X(gpu_frames)                                                                                            \
    X(gpu_scopes)                                                                                            \
    X(gpu_fences)                                                                                            \
    X(tasks)                                                                                                 \
    X(task_rows)                                                                                             \
    X(task_waits)                                                                                            \
    X(task_counters)                                                                                         \
    X(task_counter_values)                                                                                   \
    X(switches)                                                                                              \
    X(switch_rows)                                                                                           \
    X(cores)                                                                                                 \
    X(running)                                                                                               \
    X(samples)                                                                                               \
    X(sample_functions)                                                                                      \
    X(sample_lines)                                                                                          \
    X(source_lines)                                                                                          \
    X(sample_timers)                                                                                         \
    X(sample_tree)                                                                                           \
    X(sample_callers)                                                                                        \
    X(sample_callees)                                                                                        \
    X(sample_modules)                                                                                        \
    X(hardware_functions)                                                                                    \
    X(hardware_lines)                                                                                        \
    X(sample_rows)                                                                                           \
    X(locks)                                                                                                 \
    X(lock_rows)                                                                                             \
    X(memory)                                                                                                \
    X(memory_growth)                                                                                         \
    X(leaks)                                                                                                 \
    X(allocations)                                                                                           \
    X(assets)                                                                                                \
    X(modules)                                                                                               \
    X(symbol_files)                                                                                          \
    X(callstacks)                                                                                            \
    X(definitions)                                                                                           \
    X(counters)                                                                                              \
    X(counter_values)                                                                                        \
    X(stats)                                                                                                 \
    X(stat_values)                                                                                           \
    X(csv)                                                                                                   \
    X(csv_values)                                                                                            \
    X(llm)                                                                                                   \
    X(llm_values)                                                                                            \
    X(coverage)                                                                                              \
    X(crash)                                                                                                 \
    X(can)                                                                                                   \
    X(coverage_summary)                                                                                      \
    X(files)                                                                                                 \
    X(file_activity)                                                                                         \
    X(packages)                                                                                              \
    X(package_classes)                                                                                       \
    X(net)                                                                                                   \
    X(net_packets)                                                                                           \
    X(net_content)                                                                                           \
    X(net_objects)                                                                                           \
    X(net_values)                                                                                            \
    X(tree)                                                                                                  \
    X(callers)                                                                                               \
    X(callees)                                                                                               \
    X(hitches)                                                                                               \
    X(late_frames)                                                                                           \
    X(smoothness)                                                                                            \
    X(hitch_events)                                                                                          \
    X(bound)                                                                                                 \
    X(bound_shares)                                                                                          \
    X(critical_path)                                                                                         \
    X(slowest)                                                                                               \
    X(histogram)                                                                                             \
    X(per_frame)                                                                                             \
    X(groups)                                                                                                \
    X(quality)                                                                                               \
    X(metrics)

#define TK_DECLARE_BUILDER(name) extern const struct tk_builder tk_builder_##name;
TK_TABLES(TK_DECLARE_BUILDER)
#undef TK_DECLARE_BUILDER

#endif
