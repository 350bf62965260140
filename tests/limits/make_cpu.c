/*
 * Makers of timers, scopes, frames, and the metadata of scopes.
 */
#include "cpu.h"
#include "make.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void timers(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Timer%" PRIu64, i);
        tk_uw_cpu_spec(&m->uw, (uint32_t)(1 + i), name, "f.cpp", 1);
        make_drain(m, i);
    }
}

/* One id, n times, each time with another name. */
static void redefined(struct make *m)
{
    char name[32];
    for (uint64_t i = 0; i < m->n; i++) {
        snprintf(name, sizeof name, "Timer%" PRIu64, i);
        tk_uw_cpu_spec(&m->uw, 1, name, "f.cpp", (uint32_t)i);
        make_drain(m, i);
    }
}

/* n calls of a timer inside each other. */
static void recurse(struct make *m, const char *name)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&m->uw, 1, name, "f.cpp", 1);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++)
        tk_uw_cpu_begin(&cpu, make_now(m), 1);
    for (uint64_t i = 0; i < m->n; i++)
        tk_uw_cpu_end(&cpu, make_now(m));
    tk_uw_cpu_flush(&cpu);
}

static void scopes(struct make *m)
{
    recurse(m, "Scope");
}

/* The same of a timer with a name of 4096 bytes. */
static void recursion(struct make *m)
{
    static char name[4096 + 1];
    memset(name, 'x', sizeof name - 1);
    recurse(m, name);
}

/* Scopes side by side; each begins before the one that came before it. */
static void backwards(struct make *m)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&m->uw, 1, "Scope", "f.cpp", 1);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++) {
        uint64_t at = m->uw.start_cycle + 2 * (m->n - i);
        tk_uw_cpu_begin(&cpu, at, 1);
        tk_uw_cpu_end(&cpu, at + 1);
        make_drain(m, i);
    }
}

static void instances(struct make *m)
{
    struct tk_uw_bytes none = {0};
    tk_uw_cpu_metadata_spec(&m->uw, 1, "Meta", "", &none);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_cpu_metadata(&m->uw, &m->lane, (uint32_t)(1 + i), 1, &none);
        make_drain(m, i);
    }
}

/* n timers, each called once. */
static void roots(struct make *m)
{
    struct tk_uw_cpu cpu;
    timers(m);
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_cpu_begin(&cpu, make_now(m), (uint32_t)(1 + i));
        tk_uw_cpu_end(&cpu, make_now(m));
        make_drain(m, i);
    }
}

/* n game frames of 0.1 s each. */
static void frames(struct make *m)
{
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_frame_begin(&m->uw, &m->lane, m->uw.start_cycle + i * (m->uw.frequency / 10), 0);
        tk_uw_frame_end(&m->uw, &m->lane, m->uw.start_cycle + (i + 1) * (m->uw.frequency / 10), 0);
        make_drain(m, i);
    }
}

/* n scopes with the instances 1 ... n of metadata, which are not defined. */
static void unknown_metadata(struct make *m)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_cpu_begin_metadata(&cpu, make_now(m), (uint32_t)(1 + i));
        tk_uw_cpu_end(&cpu, make_now(m));
        make_drain(m, i);
    }
}

/* n scopes, each with another text. */
static void labels(struct make *m)
{
    struct tk_uw_cpu cpu;
    struct tk_uw_bytes names = {0}, values = {0};
    tk_uw_cbor_text(&names, "Number", true);
    tk_uw_cpu_metadata_spec(&m->uw, 1, "Meta", "%u", &names);
    tk_uw_lane_flush(&m->uw.important);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_bytes_clear(&values);
        tk_uw_cbor_uint(&values, i);
        tk_uw_cpu_metadata(&m->uw, &m->lane, (uint32_t)(1 + i), 1, &values);
        tk_uw_cpu_begin_metadata(&cpu, make_now(m), (uint32_t)(1 + i));
        tk_uw_cpu_end(&cpu, make_now(m));
        make_drain(m, i);
    }
    tk_uw_bytes_release(&names);
    tk_uw_bytes_release(&values);
}

/* n stamped scopes, which all wait: the batch of their thread is older than they are, and so far behind them
 * that they are placed before it is read. */
static void stamped(struct make *m)
{
    struct put_type *type = make_type(m, "Cpu.Scope", "", TK_UW_NOSYNC);
    struct tk_uw_lane other;
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&m->uw, 1, "Scope", "f.cpp", 1);
    tk_uw_lane_flush(&m->uw.important);
    for (uint64_t i = 0; i < m->n; i++) {
        tk_uw_enter_at(&m->lane, 1000 + 2 * i);
        put_event(&m->lane, type);
        tk_uw_leave_at(&m->lane, 1001 + 2 * i);
        make_drain(m, i);
    }
    tk_uw_lane_flush(&m->lane);
    tk_uw_thread(&m->uw, &other, TK_UW_TID_FIRST + 1);
    for (unsigned i = 0; i < 9000; i++) {
        put_event(&other, type);
        tk_uw_lane_flush(&other);
    }
    tk_uw_lane_release(&other);
    tk_uw_cpu_init(&cpu, &m->uw, &m->lane, 3);
    tk_uw_cpu_begin(&cpu, make_now(m), 1);
    tk_uw_cpu_end(&cpu, make_now(m));
}

const struct make_kind make_cpu[] = {
    {"timers", timers, NULL},
    {"redefined", redefined, NULL},
    {"scopes", scopes, NULL},
    {"recursion", recursion, NULL},
    {"backwards", backwards, NULL},
    {"instances", instances, NULL},
    {"roots", roots, NULL},
    {"frames", frames, NULL},
    {"unknown-metadata", unknown_metadata, NULL},
    {"labels", labels, NULL},
    {"stamped", stamped, NULL},
    {NULL, NULL, NULL},
};
