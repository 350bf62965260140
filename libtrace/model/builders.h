/*
 * The builders of this folder, one a table; the table of all tables lists them.
 */
#ifndef TK_MODEL_BUILDERS_H
#define TK_MODEL_BUILDERS_H

#include "model/builder.h"

extern const struct tk_builder tk_builder_bookmarks;
extern const struct tk_builder tk_builder_capture;
extern const struct tk_builder tk_builder_channels;
extern const struct tk_builder tk_builder_event_counts;
extern const struct tk_builder tk_builder_events;
extern const struct tk_builder tk_builder_frame_stats;
extern const struct tk_builder tk_builder_frames;
extern const struct tk_builder tk_builder_health;
extern const struct tk_builder tk_builder_ledger;
extern const struct tk_builder tk_builder_logs;
extern const struct tk_builder tk_builder_open_scopes;
extern const struct tk_builder tk_builder_regions;
extern const struct tk_builder tk_builder_session;
extern const struct tk_builder tk_builder_threads;
extern const struct tk_builder tk_builder_toggles;

#endif
