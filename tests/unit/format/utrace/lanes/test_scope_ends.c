/* The ends of scopes around events (tk_ut_handler.scope_end): reported only of types that want it, in their
 * place among the events of the lane. */
#include "format/utrace/fed.h"

enum { TAG = 20, NOTE, QUIET };

static const struct tk_uw_field tag_fields[] = {{.name = "Tag", .type = TK_UW_U8}};
static const struct tk_uw_field note_fields[] = {{.name = "Text", .type = TK_UW_ANSI}};
static const struct tk_uw_type tag = {"Memory", "Scope", TK_UW_FIELDS(tag_fields), TK_UW_NOSYNC, TAG};
static const struct tk_uw_type note = {"Demo", "Note", TK_UW_FIELDS(note_fields), TK_UW_NOSYNC | TK_UW_AUX,
                                       NOTE};
static const struct tk_uw_type quiet = {"Demo", "Quiet", TK_UW_FIELDS(tag_fields), TK_UW_NOSYNC, QUIET};

static int on_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev)
{
    struct fed *f = self;
    (void)lane;
    add_line(&f->reported, "%.*s%s\n", (int)ev->type->event->n, ev->type->event->p,
             ev->scoped ? " scoped" : "");
    return TK_OK;
}

static int on_scope_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type)
{
    (void)lane;
    add_line(&((struct fed *)self)->reported, "end of %.*s\n", (int)type->event->n, type->event->p);
    return TK_OK;
}

static void open_ends(struct fed *f, uint8_t protocol)
{
    fed_open(f, protocol, 2);
    fed_declare(f, &tag);
    fed_declare(f, &note);
    fed_declare(f, &quiet);
    f->handler.event = on_event;
    f->handler.scope_end = on_scope_end;
    f->want[0] = TK_UT_WANT_EVENTS | TK_UT_WANT_SCOPES;
    f->want[1] = f->want[2] = TK_UT_WANT_EVENTS;
    f->decoder.n_want = 3;
}

static void put_tag(struct fed *f, const struct tk_uw_type *type)
{
    tk_uw_begin(&f->lane, type);
    tk_uw_u8(&f->lane.pending, 7);
    tk_uw_end(&f->lane, type);
}

START_TEST(ends_are_reported_in_place)
{
    struct fed f;
    open_ends(&f, 7);
    put_tag(&f, &tag); /* no scope record before it */
    tk_uw_enter(&f.lane);
    put_tag(&f, &tag);
    put_tag(&f, &tag); /* the scope has its event already */
    tk_uw_enter(&f.lane);
    put_tag(&f, &quiet); /* its end is not wanted */
    tk_uw_leave(&f.lane);
    tk_uw_leave(&f.lane);
    put_tag(&f, &tag);
    tk_uw_leave(&f.lane);         /* of nothing */
    tk_uw_enter_at(&f.lane, 100); /* stamped ones too */
    put_tag(&f, &tag);
    tk_uw_leave_at(&f.lane, 200);
    tk_uw_enter(&f.lane); /* of no event */
    tk_uw_leave(&f.lane);
    fed_check(&f,
              "Scope\nScope scoped\nScope\nQuiet scoped\nend of Scope\nScope\nScope scoped\nend of Scope\n");
    fed_close(&f);
}
END_TEST

/* Scopes that begin and end while an event's array data is written come behind it, as the events among them
 * do. */
START_TEST(ends_inside_an_open_event)
{
    struct fed f;
    open_ends(&f, 7);
    tk_uw_begin(&f.lane, &note);
    tk_uw_blob(&f.lane, &note, 0, "a", 1);
    tk_uw_enter(&f.lane);
    put_tag(&f, &tag);
    put_tag(&f, &quiet);
    tk_uw_leave(&f.lane);
    put_tag(&f, &quiet);
    tk_uw_blob(&f.lane, &note, 0, "b", 1);
    tk_uw_end(&f.lane, &note);
    fed_check(&f, "Note\nScope scoped\nQuiet\nend of Scope\nQuiet\n");
    fed_close(&f);
}
END_TEST

/* Nobody to tell: nothing is reported. */
START_TEST(nobody_wants_ends)
{
    struct fed f;
    open_ends(&f, 7);
    f.handler.scope_end = NULL;
    tk_uw_enter(&f.lane);
    put_tag(&f, &tag);
    tk_uw_leave(&f.lane);
    fed_check(&f, "Scope scoped\n");
    fed_close(&f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ends_are_reported_in_place, ends_inside_an_open_event, nobody_wants_ends};
    return RUN_TESTS("scope_ends", tests);
}
