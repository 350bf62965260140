/*
 * What a generated capture holds, timer by timer, added up while it is generated.
 */
#ifndef TK_BENCH_CPU_TRUTH_H
#define TK_BENCH_CPU_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

/* One timer; times in cycles, over all threads, every call in full. */
struct tk_truth_timer {
    uint32_t id; /* of its spec */
    bool metadata;
    uint64_t count;
    uint64_t total;
    uint64_t min;
    uint64_t max;
    uint64_t excl;
};

/* The number of characters of a timer's name, its NUL included. */
enum { TK_TRUTH_NAME = 64 };

/* The name of a timer: a made-up function with the timer's id. */
void tk_truth_name(const struct tk_truth_timer *timer, char name[TK_TRUTH_NAME]);

/* Counts one call. */
static inline void tk_truth_add(struct tk_truth_timer *timer, uint64_t duration, uint64_t own)
{
    timer->min = timer->count && timer->min < duration ? timer->min : duration;
    timer->max = timer->max > duration ? timer->max : duration;
    timer->count++;
    timer->total += duration;
    timer->excl += own;
}

/*
 * Writes {"scopes", "timers": [{"name", "kind", "count", "total", "min", "max", "excl"}]} with the timers
 * that were called. Returns 0, or -1 with errno set.
 */
int tk_truth_write(const char *path, const struct tk_truth_timer *timers, uint32_t count);

#endif
