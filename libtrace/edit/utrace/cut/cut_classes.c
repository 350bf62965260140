/*
 * The table of how types are cut.
 */
#include "base/text/glob.h"
#include "edit/utrace/cut/survey.h"
#include "edit/utrace/stages/stage.h"

#include <string.h>

/*
 * The entries of a batch that need no decision of their own: most of them.
 */

#define CAPACITY 24 /* bytes that an entry without a depth cannot exceed */

/* What becomes of the entries: those before the window are remembered, those in it stay as well, and those
 * behind it count where they end what does not stay. */
struct alike {
    int64_t from, to; /* the times of the entries */
    bool kept;
};

static struct alike alike_at(const struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, int64_t time)
{
    if (time < w->from)
        return (struct alike){INT64_MIN, w->from, false};
    if (!s->carried)
        return (struct alike){0, 0, false};
    return time < w->to ? (struct alike){w->from, w->to, true} : (struct alike){w->to, INT64_MAX, false};
}

/* A number, of which all bytes are there; NULL: it is too long. */
static inline const uint8_t *number(const uint8_t *p, uint64_t *v)
{
    uint64_t sum = *p & 0x7f;
    unsigned shift = 7;
    for (; *p++ & 0x80; shift += 7) {
        if (shift > 56)
            return NULL;
        sum |= (uint64_t)(*p & 0x7f) << shift;
    }
    *v = sum;
    return p;
}

/* Reads an entry. NULL: it is to be looked at by itself. */
static inline const uint8_t *entry(const uint8_t *p, unsigned form, uint64_t *cycles, bool *begins,
                                   uint64_t *timer)
{
    uint64_t v = 0;
    p = number(p, &v);
    if (!p || (form > 1 && (v & 2)))
        return NULL;
    *cycles = v >> (form > 1 ? 2 : 1);
    *begins = v & 1;
    return *begins ? number(p, timer) : p;
}

/* The scope that ends. False: the end is to be looked at by itself. */
static inline bool end_scope(struct tk_edit_cut_scopes *s, const struct alike *a)
{
    if (!s->stack.n)
        return true;
    if (s->stack.v[s->stack.n - 1].kept != a->kept)
        return false;
    s->stack.n--;
    return true;
}

static int begin_scope(struct tk_edit_cut_scopes *s, const struct alike *a, uint64_t timer)
{
    const struct tk_edit_open open = {timer, 0, a->kept};
    if (tk_vec_push(&s->stack, open))
        return -1;
    return a->kept && s->used ? s->used(s->ctx, timer) : 0;
}

/* Those that stay go on where the last one that was written left off. */
static void keep(struct tk_edit_cut_scopes *s, const uint8_t *p, size_t n, int64_t last)
{
    uint8_t *to = n ? tk_uw_bytes_space(&s->out, n) : NULL;
    if (!to)
        return;
    memcpy(to, p, n);
    s->out.size += n;
    s->last = last;
    s->any = true;
}

int tk_edit_cut_alike(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      struct tk_edit_cut_place *place)
{
    const uint8_t *p = place->p;
    struct alike a = {0};
    int64_t time = place->time;
    bool known = false;
    int rc = 0;
    while (place->end - p >= CAPACITY && rc == 0) {
        uint64_t cycles = 0, timer = 0;
        bool begins = false;
        const uint8_t *next = entry(p, form, &cycles, &begins, &timer);
        if (!next)
            break;
        if (place->first)
            cycles = cycles < w->start ? cycles : cycles - w->start;
        const int64_t then = (int64_t)(place->first ? cycles : (uint64_t)time + cycles);
        if (!known) {
            a = alike_at(s, w, then);
            known = true;
            if (a.kept && !place->first && (!s->any || s->last != time))
                break;
        }
        if (then < a.from || then >= a.to || (!begins && !end_scope(s, &a)))
            break;
        if (begins)
            rc = begin_scope(s, &a, timer);
        time = then;
        p = next;
        place->first = false;
    }
    if (a.kept)
        keep(s, place->p, (size_t)(p - place->p), time);
    else
        s->clipped += p > place->p;
    place->p = p;
    place->time = time;
    return rc;
}

/* Patterns of names; the first one that fits counts. Types of no family, and all others, are points. */
static const struct {
    const char *pattern;
    enum tk_edit_cut_class kind;
} table[] = {
    {"Misc.BeginFrame", TK_CUT_FRAME},
    {"Misc.EndFrame", TK_CUT_FRAME_END},
    {"CsvProfiler.Event", TK_CUT_POINT},
    {"CpuProfiler.Metadata", TK_CUT_INSTANCE},
    {"CpuProfiler.EndThread", TK_CUT_END_THREAD},
    {"Cpu.*", TK_CUT_SCOPED},
    {"Memory.Marker", TK_CUT_MARKER},
    {"Memory.*Spec*", TK_CUT_KEPT},
    {"Memory.Init", TK_CUT_KEPT},
    {"Memory.*", TK_CUT_ALLOCATION},
    {"MetadataStack.*", TK_CUT_ALLOCATION},
    {"Metadata.*", TK_CUT_ALLOCATION},
    {"TaskTrace.Waiting*", TK_CUT_KEPT},
    {"TaskTrace.*", TK_CUT_KEYED},
    {"PlatformEvent.ContextSwitch", TK_CUT_SPAN},
    {"PlatformEvent.StackSample", TK_CUT_POINT},
    {"PlatformEvent.*", TK_CUT_KEPT},
    {"Logging.LogMessage", TK_CUT_POINT},
    {"Counters.Set*", TK_CUT_UNTIL},
    {"Stats.EventBatch*", TK_CUT_KEPT}, /* sent behind the times of what it holds */
    {"LLM.TagValue", TK_CUT_UNTIL},
};

/* Where the definitions of others may stand at any place. */
static bool defines(const struct tk_ut_type *type)
{
    const char *name = type->event->p;
    const size_t n = type->event->n;
    return type->flags & (TK_UT_FLAG_IMPORTANT | TK_UT_FLAG_DEFINITION) || tk_edit_type_vital(type) ||
           (n >= 4 && memcmp(name + n - 4, "Spec", 4) == 0) ||
           (n >= 4 && memcmp(name + n - 4, "Init", 4) == 0);
}

/* What is of a family and in no line of the table has rules of its own in that family: it stays. */
static enum tk_edit_cut_class class_of(const struct tk_ut_type *type)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (tk_glob(table[i].pattern, strlen(table[i].pattern), type->name->p, type->name->n, false))
            return table[i].kind;
    if (tk_edit_batch_form(type))
        return TK_CUT_BATCH;
    return defines(type) || type->record.family ? TK_CUT_KEPT : TK_CUT_POINT;
}

static enum tk_edit_memory_step step_of(const char *name)
{
    return strncmp(name, "Alloc", 5) == 0     ? TK_STEP_ALLOCATES
           : strncmp(name, "Free", 4) == 0    ? TK_STEP_FREES
           : strncmp(name, "Realloc", 7) == 0 ? TK_STEP_MOVES
                                              : TK_STEP_OTHER;
}

/* A task without one of these goes on until the end of the recording. */
static bool ends(const char *name)
{
    return strcmp(name, "Finished") == 0 || strcmp(name, "Completed") == 0 || strcmp(name, "Destroyed") == 0;
}

/* Where protocols 5 to 7 have the time. */
static uint16_t time_at(const struct tk_ut_type *type, const struct tk_ut_time_rule *rule)
{
    enum { CODE = 2, SERIAL = 3, BYTES = 8 };
    const struct tk_ut_field *f = rule->field;
    const uint32_t head = CODE + (type->flags & TK_UT_FLAG_NOSYNC ? 0u : SERIAL);
    if (!f || rule->shift || rule->relative || !f->readable || (uint32_t)f->offset + BYTES > type->fixed ||
        head + f->offset > UINT16_MAX)
        return 0;
    return (uint16_t)(head + f->offset);
}

struct tk_edit_cut_rule tk_edit_cut_rule_of(const struct tk_ut_type *type)
{
    struct tk_edit_cut_rule rule = {.kind = class_of(type), .time = tk_ut_time_rule_of(type)};
    rule.chunk = tk_edit_chunk_rule_of(type);
    if (rule.chunk.kind)
        rule.kind = TK_CUT_CHUNK;
    if (rule.kind == TK_CUT_FRAME)
        rule.key = tk_ut_type_field(type, "FrameType");
    if (rule.kind == TK_CUT_KEYED)
        rule.key = tk_ut_type_field(type, "TaskId");
    if (rule.kind == TK_CUT_KEYED) {
        rule.later = tk_ut_type_field(type, "SubsequentId");
        rule.ends = ends(tk_ut_type_event(type));
    }
    if (rule.kind == TK_CUT_INSTANCE)
        rule.key = tk_ut_type_field(type, "Id");
    if (rule.kind == TK_CUT_ALLOCATION) {
        rule.key = tk_ut_type_field(type, "Address");
        rule.heap = tk_ut_type_field(type, "RootHeap");
        rule.video = strstr(tk_ut_type_event(type), "Video") != NULL;
        rule.step = step_of(tk_ut_type_event(type));
    }
    if (rule.kind == TK_CUT_BATCH) {
        rule.key = tk_ut_type_field(type, "Data");
        rule.form = tk_edit_batch_form(type);
    }
    rule.from = tk_ut_type_field(type, "StartTime");
    rule.to = tk_ut_type_field(type, "EndTime");
    const bool lacks = (rule.kind == TK_CUT_KEYED && (!rule.key || !rule.time.field)) ||
                       (rule.kind == TK_CUT_INSTANCE && !rule.key) ||
                       (rule.kind == TK_CUT_SPAN && (!rule.from || !rule.to));
    if (lacks || (defines(type) && rule.kind != TK_CUT_INSTANCE && rule.kind != TK_CUT_CHUNK))
        rule.kind = TK_CUT_KEPT;
    rule.time_at = time_at(type, &rule.time);
    rule.by_time = rule.kind == TK_CUT_POINT || rule.kind == TK_CUT_UNTIL || rule.kind == TK_CUT_KEPT ||
                   rule.kind == TK_CUT_FRAME || rule.kind == TK_CUT_FRAME_END;
    return rule;
}
