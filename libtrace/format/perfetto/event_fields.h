/*
 * The fields of a TrackEvent and of the legacy event in it, as numbers and stretches of bytes (import 5.5).
 */
#ifndef TK_FORMAT_PERFETTO_EVENT_FIELDS_H
#define TK_FORMAT_PERFETTO_EVENT_FIELDS_H

#include "format/perfetto/message.h"

struct tk_pf_legacy {
    bool there, has_phase, has_unscoped, has_local, has_global, has_pid, has_tid;
    uint64_t name, duration, unscoped, local, global, scope_of_instant, pid, tid;
    uint32_t phase;
    struct tk_bytes id_scope;
};

struct tk_pf_event {
    struct tk_bytes all;
    bool has_type, has_track, has_delta, has_value, has_real, has_log, has_extra, has_location;
    unsigned annotations;
    uint64_t type, track, delta, absolute, name_iid, value, real, category_iid, location_iid, log_body,
        log_level;
    struct tk_bytes name, category;
    const struct tk_pf_legacy *legacy; /* of_chrome, or one without anything */
    struct tk_bytes location;          /* where has_location says so */
    struct tk_pf_legacy of_chrome;     /* where it is there */
};

/* 1; -1: broken. */
int tk_pf_event_read(struct tk_bytes message, struct tk_pf_event *e);

#endif
