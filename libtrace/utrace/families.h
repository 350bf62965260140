/*
 * The event families, one file fam_*.c each.
 */
#ifndef TK_UTRACE_FAMILIES_H
#define TK_UTRACE_FAMILIES_H

#include "utrace/feed.h"

extern const struct tk_ut_family tk_ut_fam_trace;
extern const struct tk_ut_family tk_ut_fam_session;
extern const struct tk_ut_family tk_ut_fam_thread;
extern const struct tk_ut_family tk_ut_fam_channel;
extern const struct tk_ut_family tk_ut_fam_cpu;
extern const struct tk_ut_family tk_ut_fam_scope_text;
extern const struct tk_ut_family tk_ut_fam_frame;
extern const struct tk_ut_family tk_ut_fam_bookmark;
extern const struct tk_ut_family tk_ut_fam_region;
extern const struct tk_ut_family tk_ut_fam_log;
extern const struct tk_ut_family tk_ut_fam_gpu;
extern const struct tk_ut_family tk_ut_fam_task;
extern const struct tk_ut_family tk_ut_fam_platform;
extern const struct tk_ut_family tk_ut_fam_lock;
extern const struct tk_ut_family tk_ut_fam_counter;
extern const struct tk_ut_family tk_ut_fam_stat;
extern const struct tk_ut_family tk_ut_fam_csv;
extern const struct tk_ut_family tk_ut_fam_llm;
extern const struct tk_ut_family tk_ut_fam_memory;
extern const struct tk_ut_family tk_ut_fam_callstack;
extern const struct tk_ut_family tk_ut_fam_module;
extern const struct tk_ut_family tk_ut_fam_context;
extern const struct tk_ut_family tk_ut_fam_definition;
extern const struct tk_ut_family tk_ut_fam_file;
extern const struct tk_ut_family tk_ut_fam_load;
extern const struct tk_ut_family tk_ut_fam_net;
extern const struct tk_ut_family tk_ut_fam_screenshot;
extern const struct tk_ut_family tk_ut_fam_cook;
extern const struct tk_ut_family tk_ut_fam_http;
extern const struct tk_ut_family tk_ut_fam_io;
extern const struct tk_ut_family tk_ut_fam_chunk;
extern const struct tk_ut_family tk_ut_fam_verse;

/* Name of the family that understands events of a type, or NULL. Its logger, name and flags are looked at. */
const char *tk_ut_family_of(const struct tk_ut_type *type);

/* Tables that families say rows of; NULL-terminated. */
extern const struct tk_table *const tk_ut_row_tables[];

extern const struct tk_table tk_ut_table_cook;
extern const struct tk_table tk_ut_table_load_requests;
extern const struct tk_table tk_ut_table_load_groups;
extern const struct tk_table tk_ut_table_load_activity;
extern const struct tk_table tk_ut_table_csv_events;
extern const struct tk_table tk_ut_table_gpu_labels;
extern const struct tk_table tk_ut_table_http;
extern const struct tk_table tk_ut_table_http_ranges;
extern const struct tk_table tk_ut_table_io;
extern const struct tk_table tk_ut_table_io_batches;
extern const struct tk_table tk_ut_table_io_chunks;
extern const struct tk_table tk_ut_table_screenshots;
extern const struct tk_table tk_ut_table_verse;

#endif
