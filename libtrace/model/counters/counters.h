/*
 * Tables `counters`, `stats`, `csv`, `llm` and `task_counters`.
 */
#ifndef TK_MODEL_COUNTERS_COUNTERS_H
#define TK_MODEL_COUNTERS_COUNTERS_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_counters;
extern const struct tk_builder tk_builder_stats;
extern const struct tk_builder tk_builder_csv;
extern const struct tk_builder tk_builder_llm;
extern const struct tk_builder tk_builder_task_counters;

#endif
