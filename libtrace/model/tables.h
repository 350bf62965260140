/*
 * The builders of this folder, one a table; the table of all tables lists them.
 */
#ifndef TK_MODEL_TABLES_H
#define TK_MODEL_TABLES_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_allocations;
extern const struct tk_builder tk_builder_assets;
extern const struct tk_builder tk_builder_bookmarks;
extern const struct tk_builder tk_builder_callstacks;
extern const struct tk_builder tk_builder_definitions;
extern const struct tk_builder tk_builder_memory;
extern const struct tk_builder tk_builder_modules;
extern const struct tk_builder tk_builder_capture;
extern const struct tk_builder tk_builder_channels;
extern const struct tk_builder tk_builder_counter_values;
extern const struct tk_builder tk_builder_csv_values;
extern const struct tk_builder tk_builder_coverage;
extern const struct tk_builder tk_builder_coverage_summary;
extern const struct tk_builder tk_builder_event_counts;
extern const struct tk_builder tk_builder_events;
extern const struct tk_builder tk_builder_generic_events;
extern const struct tk_builder tk_builder_frame_stats;
extern const struct tk_builder tk_builder_file_activity;
extern const struct tk_builder tk_builder_frames;
extern const struct tk_builder tk_builder_gpu_fences;
extern const struct tk_builder tk_builder_gpu_frames;
extern const struct tk_builder tk_builder_health;
extern const struct tk_builder tk_builder_ledger;
extern const struct tk_builder tk_builder_llm_values;
extern const struct tk_builder tk_builder_task_counter_values;
extern const struct tk_builder tk_builder_logs;
extern const struct tk_builder tk_builder_open_scopes;
extern const struct tk_builder tk_builder_net_content;
extern const struct tk_builder tk_builder_net_objects;
extern const struct tk_builder tk_builder_net_packets;
extern const struct tk_builder tk_builder_packages;
extern const struct tk_builder tk_builder_package_classes;
extern const struct tk_builder tk_builder_quality;
extern const struct tk_builder tk_builder_regions;
extern const struct tk_builder tk_builder_scopes;
extern const struct tk_builder tk_builder_gpu_scopes;
extern const struct tk_builder tk_builder_session;
extern const struct tk_builder tk_builder_stat_values;
extern const struct tk_builder tk_builder_lock_rows;
extern const struct tk_builder tk_builder_sample_rows;
extern const struct tk_builder tk_builder_samples;
extern const struct tk_builder tk_builder_switch_rows;
extern const struct tk_builder tk_builder_task_rows;
extern const struct tk_builder tk_builder_task_waits;
extern const struct tk_builder tk_builder_threads;
extern const struct tk_builder tk_builder_toggles;

#endif
