/*
 * What a reader hears first: at most two sentences with what is slower, by how much, and its cause, and then
 * what to do. All kinds of reports begin with them, and each finding of a report for a program has its own.
 */
#include "base/text/text.h"
#include "compare/report/report.h"
#include "judge/work.h"

#include <math.h>
#include <string.h>

#define DIGITS    3   /* of a value in a sentence */
#define TIMES     2.0 /* from here on "3.2 times as long", below it "32 % slower" */
#define WHOLE     10  /* percents from here on have no decimals */
#define MOST_ALSO 2   /* changes with names in the second sentence */
#define EXPLAINS  0.5 /* of the change of frames */
#define MOST_HOPS 8

/* ---- one change ---- */

/* How a change of a kind is spoken of: what stands before and behind its name, the verb, and the words for
 * more and less of it. */
static const struct words {
    const char *before, *behind, *are, *more, *less, *times;
} kind_words[TK_CHANGE_KINDS] = {
    [TK_CHANGE_FRAME] = {"", "", "are", "slower", "faster", "times as long"},
    [TK_CHANGE_HITCH] = {"", "", "are", "more", "fewer", "times as many"},
    [TK_CHANGE_THREAD] = {"", "", "is", "busier", "less busy", "times as busy"},
    [TK_CHANGE_TIMER] = {"", "", "is", "slower", "faster", "times as long"},
    [TK_CHANGE_PATH] = {"", "", "is", "slower", "faster", "times as long"},
    [TK_CHANGE_GPU] = {"", "", "is", "slower", "faster", "times as long"},
    [TK_CHANGE_COUNTER] = {"counter ", "", "is", "higher", "lower", "times as high"},
    [TK_CHANGE_MEMORY] = {"memory of ", "", "is", "more", "less", "times as much"},
    [TK_CHANGE_LOG] = {"log messages of ", "", "are", "more", "fewer", "times as many"},
    [TK_CHANGE_LOADING] = {"loading of ", "", "is", "slower", "faster", "times as long"},
    [TK_CHANGE_FUNCTION] = {"function ", "", "has", "more of the samples", "fewer of the samples",
                            "times as many of the samples"},
    [TK_CHANGE_COMMON] = {"", "", "is", "slower", "faster", "times as long"},
    [TK_CHANGE_ADDED] = {"", "", "is", "slower", "faster", "times as long"},
    [TK_CHANGE_SMOOTHNESS] = {"", "", "is", "higher", "lower", "times as high"},
    [TK_CHANGE_METRIC] = {"metric ", "", "is", "higher", "lower", "times as high"},
    [TK_CHANGE_CELL] = {"cell ", "", "is", "slower", "faster", "times as long"},
};

/* "32 % slower", "3.2 times as long"; nothing where the ratio is not known. */
static void put_size(struct tk_print *p, const struct tk_change *c)
{
    const struct words *w = &kind_words[c->kind];
    const double ratio = tk_report_measured(c), percent = fabs(ratio - 1) * 100;
    if (ratio >= TIMES) {
        tk_print_real(p, ratio, 2);
        tk_print(p, " %s", w->times);
    } else {
        tk_print_fixed(p, percent, percent < WHOLE);
        tk_print(p, " %% %s", ratio >= 1 ? w->more : w->less);
    }
}

/* What it is more than before; what was not there took nothing. */
static double change_of(const struct tk_change *c)
{
    return (isnan(c->candidate) ? 0 : c->candidate) - (isnan(c->baseline) ? 0 : c->baseline);
}

static const char *per_of(const char *unit)
{
    static const char *const pers[][2] = {
        {"ms/frame", " a frame"}, {"ms/run", " a run"}, {"ms/occurrence", " an occurrence"}};
    for (size_t i = 0; i < sizeof pers / sizeof *pers; i++)
        if (strcmp(pers[i][0], unit) == 0)
            return pers[i][1];
    return "";
}

static void put_value(struct tk_print *p, const struct tk_change *c, int side)
{
    tk_report_rounded(p, side ? c->candidate : c->baseline, c->unit, DIGITS);
}

/* "404 us a frame (9.16 us before), on GameThread" */
static void put_now(struct tk_print *p, const struct tk_change *c)
{
    put_value(p, c, 1);
    tk_print(p, "%s", per_of(c->unit));
    if (!isnan(c->baseline)) {
        tk_print(p, " (");
        put_value(p, c, 0);
        tk_print(p, " before)");
    }
    if (c->group->n && c->kind != TK_CHANGE_COUNTER) {
        tk_print(p, ", on ");
        tk_print_name(p, c->group);
    }
}

/* Without frames there is one figure, of the whole run. */
static bool is_of_run(const struct tk_change *c)
{
    static const char whole[] = "duration";
    return c->kind == TK_CHANGE_FRAME && c->name->n == strlen(whole) &&
           memcmp(c->name->p, whole, c->name->n) == 0;
}

/* What a change is of, as a sentence begins with it. */
static void put_subject(struct tk_print *p, const struct tk_change *c)
{
    if (c->kind == TK_CHANGE_FRAME) {
        tk_print(p, is_of_run(c) ? "Runs" : "Frames");
    } else if (c->kind == TK_CHANGE_COMMON) {
        tk_print(p, "Everything");
    } else if (c->kind == TK_CHANGE_HITCH) {
        tk_print(p, "Hitches");
    } else {
        tk_print(p, "%s", kind_words[c->kind].before);
        tk_print_name(p, c->name);
    }
}

/* "16.9 to 22.4 ms", "0.9 ms to 1.2 s" */
static void put_range(struct tk_print *p, const struct tk_change *c)
{
    struct tk_print text[2] = {{0}, {0}};
    const char *unit[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        put_value(&text[side], c, side);
        unit[side] = text[side].n ? memchr(text[side].v, ' ', text[side].n) : NULL;
    }
    const size_t n = unit[1] ? text[1].n - (size_t)(unit[1] - text[1].v) : 0;
    if (unit[0] && n && text[0].n > n && memcmp(text[0].v + text[0].n - n, unit[1], n) == 0)
        text[0].n -= n;
    tk_print_through(p, &text[0], tk_print_name);
    tk_print(p, " to ");
    tk_print_through(p, &text[1], tk_print_name);
}

static void put_frames(struct tk_print *p, const struct tk_change *c)
{
    if (!is_of_run(c)) {
        tk_print(p, " at ");
        tk_print_name(p, c->name);
    }
    tk_print(p, " (");
    put_range(p, c);
    tk_print(p, ")");
}

/* The part of a sentence without its cause. */
static void put_what(struct tk_print *p, const struct tk_change *c)
{
    const struct words *w = &kind_words[c->kind];
    const double ratio = tk_report_measured(c);
    put_subject(p, c);
    if (c->verdict == TK_ADDED || isnan(c->baseline)) {
        tk_print(p, " is new: ");
        put_now(p, c);
        return;
    }
    if (isfinite(ratio)) {
        tk_print(p, " %s ",
                 ratio >= TIMES && !strcmp(w->times, "times as long")
                     ? c->kind == TK_CHANGE_FRAME ? "take" : "takes"
                     : w->are);
        put_size(p, c);
    }
    if (c->kind == TK_CHANGE_FRAME) {
        put_frames(p, c);
    } else if (c->kind != TK_CHANGE_COMMON) {
        tk_print(p, ": ");
        put_now(p, c);
    }
}

/* ---- its cause ---- */

/* What is behind it, through what is only between. */
static const struct tk_change *root_of(const struct tk_change *c)
{
    const struct tk_change *root = c->cause;
    for (int i = 0; root && root->cause && i < MOST_HOPS; i++)
        root = root->cause;
    return root;
}

/* Does a timer lie on a thread that frames are made of, and did it, or a call of it, grow by as much as
 * frames did? Else it is what grew most, and no more is known. */
static bool explains(const struct tk_change *root, const struct tk_change *frames)
{
    const enum tk_role role = tk_role_of_name(root->group->p, root->group->n);
    const double of = fabs(change_of(frames)) * EXPLAINS;
    const double call = root->per_call[1] - (isnan(root->per_call[0]) ? 0 : root->per_call[0]);
    return frames->kind == TK_CHANGE_FRAME && (role == TK_ROLE_GAME || role == TK_ROLE_RENDER) &&
           (fabs(change_of(root)) >= of || fabs(call) >= of);
}

static void put_cause(struct tk_print *p, const struct tk_change *c)
{
    const struct tk_change *root = root_of(c);
    if (root && root->kind == TK_CHANGE_COMMON) {
        tk_print(p, ": all timers are slower together, by the machine or the build");
        return;
    }
    if (!root || root->kind != TK_CHANGE_TIMER) {
        if (tk_change_is_of_frames(c->kind))
            tk_print(p, "; no timer is known to be the cause");
        return;
    }
    tk_print(p, explains(root, c) ? ": " : "; what changed most is ");
    tk_print_name(p, root->name);
    if (root->verdict == TK_REMOVED) {
        tk_print(p, ", which is gone (");
        put_value(p, root, 0);
        tk_print(p, "%s before)", per_of(root->unit));
        return;
    }
    tk_print(p, root->verdict == TK_ADDED ? " is new and takes "
                : explains(root, c)       ? " now takes "
                                          : ": now ");
    put_now(p, root);
}

void tk_report_sentence(struct tk_print *p, const struct tk_change *c)
{
    const size_t from = p->n;
    put_what(p, c);
    put_cause(p, c);
    if (p->n > from && p->v[from] >= 'a' && p->v[from] <= 'z' && *kind_words[c->kind].before)
        p->v[from] = (char)(p->v[from] - 'a' + 'A');
}

/* ---- the first sentence ---- */

static bool is_news(const struct tk_change *c, enum tk_verdict verdict)
{
    return c->verdict == verdict && !c->accepted;
}

static bool is_larger(const struct tk_change *a, const struct tk_change *b)
{
    return strcmp(a->unit, b->unit) == 0 && fabs(change_of(a)) > fabs(change_of(b));
}

/* What a verdict is heard of first: frames, what all timers share, hitches, and else what changed most. */
static const struct tk_change *leading(const struct tk_comparison *c, enum tk_verdict verdict)
{
    static const uint8_t first[] = {TK_CHANGE_FRAME, TK_CHANGE_COMMON, TK_CHANGE_HITCH};
    const struct tk_change *found = NULL;
    for (size_t k = 0; k < sizeof first; k++)
        for (size_t i = 0; i < c->changes.n; i++)
            if (c->changes.v[i].kind == first[k] && is_news(&c->changes.v[i], verdict))
                return &c->changes.v[i];
    for (size_t i = 0; i < c->changes.n; i++)
        if (is_news(&c->changes.v[i], verdict) && (!found || is_larger(&c->changes.v[i], found)))
            found = &c->changes.v[i];
    return found;
}

/* What is known of frames where something else leads. */
static void put_frames_too(struct tk_print *p, const struct tk_comparison *c)
{
    size_t n[TK_VERDICTS] = {0};
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].kind == TK_CHANGE_FRAME)
            n[c->changes.v[i].verdict]++;
    if (!c->unit && n[TK_UNCHANGED] + n[TK_IMPROVED] + n[TK_INCONCLUSIVE])
        tk_print(p, n[TK_INCONCLUSIVE] ? "; whether frames are slower is not sure"
                    : n[TK_IMPROVED]   ? "; frames are faster all the same"
                                       : "; frames are not slower");
}

/* ---- the second sentence ---- */

/* Is it one that the first sentence has not, and nothing else explains? */
static bool is_other(const struct tk_change *c, const struct tk_change *lead, enum tk_verdict verdict)
{
    return is_news(c, verdict) && c != lead && c != root_of(lead) && !c->cause;
}

static size_t count_other(const struct tk_comparison *c, const struct tk_change *lead,
                          enum tk_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < c->changes.n; i++)
        n += is_other(&c->changes.v[i], lead, verdict);
    return n;
}

static void put_also(struct tk_print *p, const struct tk_comparison *c, const struct tk_change *lead)
{
    const size_t worse = count_other(c, lead, TK_REGRESSED), better = count_other(c, lead, TK_IMPROVED);
    size_t displayed = 0;
    if (worse)
        tk_print(p, " Also worse: ");
    for (size_t i = 0; i < c->changes.n && displayed < MOST_ALSO; i++) {
        const struct tk_change *x = &c->changes.v[i];
        if (!is_other(x, lead, TK_REGRESSED))
            continue;
        tk_print(p, "%s%s", displayed++ ? ", " : "", kind_words[x->kind].before);
        tk_print_name(p, x->name);
        if (isfinite(tk_report_measured(x))) {
            tk_print(p, " ");
            tk_report_ratio(p, tk_report_measured(x));
        }
    }
    if (worse > displayed)
        tk_print(p, " and %zu more", worse - displayed);
    if (worse && better)
        tk_print(p, "; %zu %s better", better, better == 1 ? "is" : "are");
    else if (better)
        tk_print(p, " %zu %s better.", better, better == 1 ? "other is" : "others are");
    tk_print(p, "%s", worse ? "." : "");
}

/* ---- where nothing is worse ---- */

static void put_undecided(struct tk_print *p, const struct tk_comparison *c)
{
    const size_t n = tk_report_count(c, TK_INCONCLUSIVE);
    tk_print(p, "Nothing is known to be slower, but %zu of %zu values are not decided.", n,
             n + tk_report_count(c, TK_UNCHANGED) + tk_report_count(c, TK_IMPROVED));
    if (tk_report_common(c)) {
        tk_print(p, " Of all together: ");
        tk_report_common_summary(p, c);
        p->n -= p->n > 2 ? 2 : 0; /* "; " */
        tk_print(p, ".");
    }
}

static void put_better(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_change *best = leading(c, TK_IMPROVED);
    tk_print(p, "Nothing is slower. ");
    if (best) {
        tk_report_sentence(p, best);
        tk_print(p, ".");
    }
}

static void put_outcome(struct tk_print *p, const struct tk_comparison *c, enum tk_outcome_kind kind)
{
    tk_print(p, tk_outcomes[kind].status ? "Nothing can be said: " : "Warning: ");
    if (tk_sides_flawed(&c->sides))
        tk_report_flawed_run(p, &c->sides, 0);
    else
        tk_print(p, "%s", tk_outcomes[kind].when);
    tk_print(p, ".");
}

static void put_accepted(struct tk_print *p, const struct tk_comparison *c)
{
    tk_print(p, "Nothing new is slower: %zu known %s let pass.", c->accepted,
             c->accepted == 1 ? "regression is" : "regressions are");
}

static void put_same(struct tk_print *p, const struct tk_comparison *c)
{
    const size_t unsure = tk_report_count(c, TK_INCONCLUSIVE);
    const size_t same = tk_report_count(c, TK_UNCHANGED);
    tk_print(p, "Nothing is slower: %zu %s the same within noise and floors", same,
             same == 1 ? "value is" : "values are");
    if (unsure)
        tk_print(p, ", %zu %s not decided", unsure, unsure == 1 ? "is" : "are");
    tk_print(p, ".");
}

static void put_worse(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_change *lead = leading(c, TK_REGRESSED);
    if (!lead)
        return;
    tk_report_sentence(p, lead);
    if (!tk_change_is_of_frames(lead->kind) && lead->kind != TK_CHANGE_COMMON)
        put_frames_too(p, c);
    tk_print(p, lead->kind == TK_CHANGE_COMMON ? ": machine or build?" : ".");
    put_also(p, c, lead);
}

void tk_report_lead(struct tk_print *p, const struct tk_comparison *c)
{
    const enum tk_outcome_kind kind = tk_comparison_ended(c);
    switch (kind) {
    case TK_OUTCOME_REGRESSED:
    case TK_OUTCOME_REGRESSED_ELSEWHERE:
        put_worse(p, c);
        break;
    case TK_OUTCOME_UNCHANGED:
        put_same(p, c);
        break;
    case TK_OUTCOME_IMPROVED:
        put_better(p, c);
        break;
    case TK_OUTCOME_ACCEPTED:
        put_accepted(p, c);
        break;
    case TK_OUTCOME_INCONCLUSIVE:
        put_undecided(p, c);
        break;
    default:
        put_outcome(p, c, kind);
        break;
    }
}

/* ---- what to do ---- */

/* The least number of runs that would decide something undecided, as a sentence; NULL: not known. */
static const struct tk_change *nearest(const struct tk_comparison *c)
{
    const struct tk_change *found = NULL;
    for (size_t i = 0; i < c->changes.n; i++) {
        const struct tk_change *x = &c->changes.v[i];
        if (x->verdict == TK_INCONCLUSIVE && x->runs && x->more[0] + x->more[1] &&
            (!found || x->more[0] + x->more[1] < found->more[0] + found->more[1]))
            found = x;
    }
    return found;
}

static void put_more_runs(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_change *x = nearest(c);
    tk_print(p, "record more runs of each side, or give --noise");
    if (x) {
        tk_print(p, "; of ");
        tk_print_name(p, x->name);
        tk_print(p, " ");
        tk_report_runs(p, x, "");
    }
}

/* What a regression calls for: where it is, which a page has below, and a text says how to get. */
static void put_where(struct tk_print *p, const struct tk_comparison *c, bool page)
{
    const char *tree = page ? "see the tree of the difference; "
                            : "see the tree of the difference (--report html=FILE writes a page with it); ";
    tk_print(p, "%s--accepted FILE lets what is known pass", c->paths.n ? tree : "see what changed below; ");
}

static void put_todo(struct tk_print *p, const struct tk_comparison *c, bool page)
{
    const enum tk_outcome_kind kind = tk_comparison_ended(c);
    tk_print(p, "To do: ");
    if (kind == TK_OUTCOME_REGRESSED_ELSEWHERE)
        tk_print(p, "%s, since these are of another kind; then ", tk_outcomes[kind].advice);
    if (kind == TK_OUTCOME_REGRESSED || kind == TK_OUTCOME_REGRESSED_ELSEWHERE)
        put_where(p, c, page);
    else if (kind == TK_OUTCOME_INCONCLUSIVE)
        put_more_runs(p, c);
    else
        tk_print(p, "%s", *tk_outcomes[kind].advice ? tk_outcomes[kind].advice : "nothing");
    tk_print(p, ".");
}

void tk_report_todo(struct tk_print *p, const struct tk_comparison *c)
{
    put_todo(p, c, false);
}

void tk_report_page_todo(struct tk_print *p, const struct tk_comparison *c)
{
    put_todo(p, c, true);
}
