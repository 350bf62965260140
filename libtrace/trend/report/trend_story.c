/*
 * What a reader of a trend hears first: at most two sentences with what is slower, since when and by how
 * much, and what moved with it; and what to do.
 */
#include "judge/outcomes.h"
#include "trend/report/report_in.h"

#include <math.h>
#include <string.h>

#define DIGITS 3  /* of a value in a sentence */
#define MANY   10 /* times as much: no percents */

static bool is_of_frames(const struct tk_trend_event *e)
{
    return e->series && (e->series->kind == TK_HISTORY_FRAME || e->series->kind == TK_HISTORY_HITCHES);
}

/* What is heard of first: frames, what all share, and else what changed most. */
static int rank_of(const struct tk_trend_event *e)
{
    return is_of_frames(e) ? 2 : !e->series;
}

static bool goes_before(const struct tk_trend_event *a, const struct tk_trend_event *b)
{
    return rank_of(a) != rank_of(b) ? rank_of(a) > rank_of(b) : fabs(a->size) > fabs(b->size);
}

/* How a change is news: those that alarm, those for the worse that hold, the newest runs alone, and what is
 * better now. */
enum news { NO_NEWS, BETTER, SUSPECT, HOLDS, ALARMS };

static bool says_way(const struct tk_trend_event *e)
{
    return !e->series || e->series->worse != TK_HISTORY_NEITHER;
}

static enum news news_of(const struct tk_trend_event *e)
{
    if (e->alarms)
        return ALARMS;
    if (e->kind == TK_TREND_MACHINE || !e->newest || e->accepted || e->state != TK_TREND_HOLDS ||
        !says_way(e))
        return NO_NEWS;
    if (e->kind == TK_TREND_SUSPECT || e->kind == TK_TREND_PROBABLE)
        return e->worse ? SUSPECT : NO_NEWS;
    return e->worse ? HOLDS : BETTER;
}

static const struct tk_trend_event *leading(const struct tk_trend *t)
{
    const struct tk_trend_event *found = NULL;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct tk_trend_event *e = &t->events.v[i];
        const enum news news = news_of(e), best = found ? news_of(found) : NO_NEWS;
        if (news > best || (news == best && found && goes_before(e, found)))
            found = news ? e : found;
    }
    return found;
}

/* What moved most in the same night, of what has a cause to look at: a timer. */
static const struct tk_trend_event *alongside(const struct tk_trend *t, const struct tk_trend_event *lead)
{
    const struct tk_trend_event *found = NULL;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct tk_trend_event *e = &t->events.v[i];
        if (e == lead || !e->series || e->series->kind != TK_HISTORY_TIMER || e->night != lead->night ||
            e->kind == TK_TREND_SUSPECT || e->worse != lead->worse || isnan(e->before) || isnan(e->after))
            continue;
        if (!found || fabs(e->after - e->before) > fabs(found->after - found->before))
            found = e;
    }
    return found;
}

static void put_values(struct tk_print *p, const struct tk_trend_event *e)
{
    char unit[32] = "";
    const struct tk_str *u = e->series->unit;
    if (u->n < sizeof unit)
        memcpy(unit, u->p, u->n);
    tk_report_rounded(p, e->before, unit, DIGITS);
    tk_print(p, " to ");
    tk_report_rounded(p, e->after, unit, DIGITS);
    tk_print(p, "%s", strcmp(unit, "ms/frame") == 0 ? " a frame" : "");
}

static void put_subject(struct tk_print *p, const struct tk_trend_event *e)
{
    if (is_of_frames(e) && e->series->kind == TK_HISTORY_FRAME) {
        tk_print(p, "Frame times (");
        tk_print_name(p, e->series->name);
        tk_print(p, ")");
    } else {
        tk_trend_subject(p, e, tk_print_name);
    }
}

static void put_change(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    put_subject(p, e);
    if (tk_trend_has_no_ratio(e)) {
        tk_print(p, " changed");
    } else if (exp(e->size) >= MANY) {
        tk_print(p, " grew to ");
        tk_print_real(p, exp(e->size), DIGITS);
        tk_print(p, " times");
    } else {
        tk_print(p, " %s ", e->kind == TK_TREND_DRIFT ? "drifted by" : "changed by");
        tk_report_percent(p, exp(e->size));
    }
    tk_print(p, " with ");
    tk_trend_night(p, t, e->night, tk_print_name);
    if (e->series && !isnan(e->before) && !isnan(e->after)) {
        tk_print(p, ": ");
        put_values(p, e);
    }
}

static void put_alongside(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *lead)
{
    const struct tk_trend_event *e = rank_of(lead) ? alongside(t, lead) : NULL;
    if (!e)
        return;
    tk_print(p, "; with it ");
    tk_print_name(p, e->series->name);
    if (e->series->group->n) {
        tk_print(p, " on ");
        tk_print_name(p, e->series->group);
    }
    tk_print(p, " went from ");
    put_values(p, e);
}

/* ---- the answers ---- */

static void put_answer(struct tk_print *p, const struct tk_trend *t, const char *other)
{
    const uint32_t n = t->history->nights;
    if (t->answer != TK_TREND_UNKNOWN) {
        tk_print(p, "%so %schange beyond ", *other ? "n" : "N", other);
        tk_print_fixed(p, t->unseen * 100, 1);
        tk_print(p, " %%");
    } else if (n < TK_TREND_KNOWN) {
        tk_print(p, "%snknown: %u %s%s too few, %u are needed", *other ? "u" : "U", n, tk_trend_unit(t),
                 n == 1 ? " is" : "s are", TK_TREND_KNOWN);
    } else if (t->blind && !isnan(t->unseen)) {
        tk_print(p, "%snknown: a step of ", *other ? "u" : "U");
        tk_print_name(p, t->blind->name);
        tk_print(p, " below 25 %% would not be seen in these %u %ss", n, tk_trend_unit(t));
    } else {
        tk_print(p, "%snknown: a step below 25 %% would not be seen in these %u %ss", *other ? "u" : "U", n,
                 tk_trend_unit(t));
    }
}

/* What nothing alarms of: the first of what is news all the same, and how small a change would show. */
static void put_calm(struct tk_print *p, const struct tk_trend *t)
{
    const struct tk_trend_event *e = leading(t);
    if (!e) {
        put_answer(p, t, "");
        return;
    }
    tk_print(p, "%s",
             e->known                ? "Still open: "
             : news_of(e) == HOLDS   ? "Likely: "
             : news_of(e) == SUSPECT ? "Suspect, as so few runs show it: "
                                     : "Better: ");
    put_change(p, t, e);
    tk_print(p, "; ");
    put_answer(p, t, "other ");
}

static void put_worse(struct tk_print *p, const struct tk_trend *t)
{
    const struct tk_trend_event *e = leading(t);
    if (!e)
        return;
    put_change(p, t, e);
    put_alongside(p, t, e);
}

/* What else there is, as one sentence. */
static void put_counts(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *g)
{
    const size_t worse = tk_trend_groups_count(g, TK_TREND_REGRESSED),
                 open = tk_trend_groups_count(g, TK_TREND_OPEN);
    const char *between = " ";
    size_t accepted = 0;
    for (size_t i = 0; i < t->events.n; i++)
        accepted += t->events.v[i].accepted;
    if (worse) {
        tk_print(p, " Regressed: %zu change%s for the worse", worse, worse == 1 ? "" : "s");
        between = ", ";
    }
    if (open) {
        tk_print(p, "%s%zu open since an earlier %s", between, open, tk_trend_unit(t));
        between = ", ";
    }
    if (accepted) {
        tk_print(p, "%s%zu accepted", between, accepted);
        between = ", ";
    }
    tk_print(p, *between == ',' ? "." : "");
}

void tk_trend_lead(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *g)
{
    if (t->worse)
        put_worse(p, t);
    else
        put_calm(p, t);
    if (t->disturbed && !t->worse)
        tk_print(p, "; the last run is disturbed: more than 5 %% of the series are far off");
    tk_print(p, ".");
    put_counts(p, t, g);
}

/* The command that compares the night of a change with the one before. */
static void put_diff(struct tk_print *p, const struct tk_trend *t)
{
    const struct tk_trend_event *e = leading(t);
    const struct tk_history_run *to = e ? tk_history_run_of(t->history, e->night) : NULL,
                                *from = e && e->night ? tk_history_run_of(t->history, e->night - 1) : NULL;
    tk_print(p, "compare both sides of the change");
    if (from && to) {
        tk_print(p, " (trace-diff ");
        tk_print_name(p, from->name);
        tk_print(p, " ");
        tk_print_name(p, to->name);
        tk_print(p, ")");
    }
    tk_print(p, "; --accepted FILE lets what is known pass");
}

void tk_trend_todo(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *g)
{
    tk_print(p, "To do: ");
    if (t->worse)
        put_diff(p, t);
    else if (t->disturbed || tk_trend_groups_count(g, TK_TREND_SUSPECTS))
        tk_print(p, "run the last build again, as something in it is suspect");
    else if (t->answer == TK_TREND_UNKNOWN)
        tk_print(p, "%s; trace-diff compares two builds", tk_outcomes[TK_OUTCOME_NOT_KNOWN].advice);
    else if (tk_trend_groups_count(g, TK_TREND_OPEN))
        tk_print(p, "mend what is open, or accept it (--accepted FILE)");
    else
        tk_print(p, "nothing");
    tk_print(p, ".");
}
