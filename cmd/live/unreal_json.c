/*
 * Lines of JSON about Unreal programs. See unreal_json.h.
 */
#include "live/unreal_json.h"

#include "live/live_json.h"

void tk_unreal_json_began(const struct tk_session *s)
{
    char address[TK_OS_ADDRESS_TEXT];
    struct tk_live_object o;
    tk_live_object_begin(&o, "began");
    tk_live_object_text(&o, "file", s->file.path);
    tk_live_object_text(&o, "engine", tk_hello_engine(&s->hello));
    tk_live_object_text(&o, "from", tk_os_address_text(&s->from, address));
    if (s->hello.has_port && s->hello.control_port != UINT16_MAX)
        tk_live_object_number(&o, "control_port", s->hello.control_port);
    else
        tk_live_object_null(&o, "control_port");
    tk_live_object_end(&o);
}

void tk_unreal_json_ended(const struct tk_session *s, const struct tk_live_figures *f)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "ended");
    tk_live_object_text(&o, "file", s->file.path);
    tk_live_object_number(&o, "bytes", s->file.bytes);
    tk_live_object_seconds(&o, "seconds", s->last - s->since);
    tk_live_object_text(&o, "why", tk_session_end_text(s->end));
    tk_live_object_bool(&o, "cut", tk_session_is_cut(s));
    tk_live_object_bool(&o, "damaged", s->packets.damaged || f->bad_packets || f->undeclared);
    if (s->summary) { /* else nobody looked at what it holds */
        tk_live_object_text(&o, "program", f->program);
        tk_live_object_text(&o, "build", f->build);
        tk_live_object_text(&o, "platform", f->platform);
        tk_live_object_number(&o, "threads", f->threads);
        tk_live_object_number(&o, "frames", f->frames);
        tk_live_object_number(&o, "events", f->events);
        tk_live_object_number(&o, "lost", f->lost);
    }
    tk_live_object_end(&o);
}

void tk_unreal_json_refused(const char *why)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "refused");
    tk_live_object_text(&o, "why", why);
    tk_live_object_end(&o);
}

void tk_unreal_json_channel(const struct tk_session *s, const char *name, uint32_t id, bool enabled)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "channel");
    tk_live_object_text(&o, "file", s->file.path);
    tk_live_object_text(&o, "channel", name);
    tk_live_object_number(&o, "channel_id", id);
    tk_live_object_bool(&o, "enabled", enabled);
    tk_live_object_end(&o);
}

void tk_unreal_json_removed(const char *capture, uint64_t bytes, const char *why)
{
    struct tk_live_object o;
    tk_live_object_begin(&o, "removed");
    tk_live_object_text(&o, "capture", capture);
    tk_live_object_number(&o, "bytes", bytes);
    tk_live_object_text(&o, "why", why);
    tk_live_object_end(&o);
}
