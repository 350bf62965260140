/*
 * Reports of a comparison, one file for each family of formats. They are written from struct tk_comparison
 * alone, so the same comparison gives the same bytes.
 */
#ifndef TK_COMPARE_REPORT_REPORT_H
#define TK_COMPARE_REPORT_REPORT_H

#include "compare/report/report_print.h"
#include "compare/verdict/compare.h"

struct tk_report_setup {
    bool colour;       /* text */
    size_t top;        /* changes that are displayed one by one; 0: the usual number */
    size_t width;      /* text: lines are broken to it; 0: they are not */
    bool ascii;        /* text */
    bool plot;         /* text of trends: values as a picture of several lines */
    const char *front; /* html of trends: n_front bytes behind the head; NULL: none */
    size_t n_front;
};

struct tk_report_kind {
    const char *name;
    void (*print)(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
};

/* All kinds, ended by one without a name. */
extern const struct tk_report_kind tk_report_kinds[];

/* ---- shared by the kinds ---- */

#define TK_REPORT_WIDTH       100 /* of texts where there is no terminal */
#define TK_REPORT_OWNERS_FROM 100 /* narrower than this, texts leave owners out */

/* What a report for people has a part for, in its order. */
struct tk_report_section {
    enum tk_verdict verdict;
    const char *title, *colour;
};
#define TK_REPORT_SECTIONS 7
extern const struct tk_report_section tk_report_sections[TK_REPORT_SECTIONS];

/* How many changes of a verdict are displayed where `top` are: few of those that are inconclusive. */
size_t tk_report_limit(enum tk_verdict verdict, size_t top);

/* At most two sentences, with which all reports begin: what is slower, by how much, and its cause. */
void tk_report_lead(struct tk_print *p, const struct tk_comparison *c);

/* "To do: ...": a sentence behind these. */
void tk_report_todo(struct tk_print *p, const struct tk_comparison *c);
void tk_report_page_todo(struct tk_print *p, const struct tk_comparison *c); /* as a page says it */

/* A change and its cause, a sentence without a full stop. */
void tk_report_sentence(struct tk_print *p, const struct tk_change *c);

/* How many changes there are of each verdict; a line without a full stop. */
void tk_report_headline(struct tk_print *p, const struct tk_comparison *c);

/* How it was found: runs, noise, warm-up. A sentence without a full stop. */
void tk_report_method(struct tk_print *p, const struct tk_comparison *c);

/* The change that all timers share, or NULL; and "everything is slower by 15.0 %: ...; " in front of others.
 */
const struct tk_change *tk_report_common(const struct tk_comparison *c);
void tk_report_common_summary(struct tk_print *p, const struct tk_comparison *c);

/* "2 %, 0.1 % of the median frame (...), ...": changes that are smaller are none; and the sentence that says
 * so. */
void tk_report_floors(struct tk_print *p, const struct tk_comparison *c);
void tk_report_floors_said(struct tk_print *p, const struct tk_comparison *c);

/* What the words of the tables mean, a sentence each; NULL behind the last. */
struct tk_report_word {
    const char *word, *means;
};
extern const struct tk_report_word tk_report_words[];

/* "Lighting: 0.5 to 0.575 ms/frame, +15.0 % (+13.2 to +16.9)". */
void tk_report_change(struct tk_print *p, const struct tk_change *c);

/* What is behind the change of a timer, where it is known: "; calls +20 %; time of a call +3 %". */
void tk_report_detail(struct tk_print *p, const struct tk_change *c);

/* The path of calls that has most of a change, where a report says it: "A > B". l, or NULL, is broken behind
 * each of its parts. */
bool tk_report_has_path(const struct tk_change *c);
void tk_report_path(struct tk_print *p, const struct tk_change *c, struct tk_print_line *l);

/* "465.8 us", "29.27 /min", "1.5 MiB": a value of that unit of a change, with the unit that suits it. "-" for
 * NaN. */
void tk_report_value(struct tk_print *p, double v, const char *unit);
void tk_report_rounded(struct tk_print *p, double v, const char *unit, unsigned digits);

/* The value of a side of a change so: "<= 0.31 %" where it is the most that it can be. */
void tk_report_side_value(struct tk_print *p, const struct tk_change *c, int side);

/* The ratio that stands first: as measured, where that is known apart from the one that is judged. */
double tk_report_measured(const struct tk_change *c);

/* Is the ratio that is judged another than the one as measured? Then the interval is of the one that is
 * judged. */
bool tk_report_is_adjusted(const struct tk_change *c);

/* "adjusted +14.2 % (+12.1 to +16.0 %)": the ratio that is judged, where it is another, with `between` in
 * front. */
void tk_report_adjusted(struct tk_print *p, const struct tk_change *c, const char *between);

/* "+15.6 to +22.0 %", "x 32.9 to 43.8"; nothing where there is no interval. */
void tk_report_interval(struct tk_print *p, const struct tk_change *c);

/* "+15.0 %", or "x 37.9" where it is many times as much; nothing for NaN. */
void tk_report_ratio(struct tk_print *p, double ratio);

/* What it is and where, with names as `put` writes them: "timer, GameThread, time a frame". */
void tk_report_what(struct tk_print *p, const struct tk_change *c,
                    void (*put)(struct tk_print *p, const struct tk_str *s));

/* What all timers have in common; a sentence without a full stop, nothing where it is nothing. */
bool tk_report_says_machine(const struct tk_comparison *c);
void tk_report_machine(struct tk_print *p, const struct tk_comparison *c);

/* Runs that lie apart: left out, or of two speeds; the same. */
bool tk_report_says_apart(const struct tk_comparison *c);
void tk_report_apart(struct tk_print *p, const struct tk_comparison *c);

/* "4 more runs a side would decide", with `between` in front; nothing where that is not known. */
void tk_report_runs(struct tk_print *p, const struct tk_change *c, const char *between);

/* "+15.0 %"; nothing for NaN. */
void tk_report_percent(struct tk_print *p, double ratio);

/* "not comparable; ": where that is so, in front of the headline. */
void tk_report_flaws_summary(struct tk_print *p, const struct tk_sides *sides);

/* A side in a line: "2 runs of Game, build 7, ...". */
void tk_report_side(struct tk_print *p, const struct tk_sides *sides, enum tk_run_side side);

/* A side in a few words: its build, or its captures where both sides have the same. */
void tk_report_side_named(struct tk_print *p, const struct tk_sides *sides, enum tk_run_side side);

/* Runs that are not what they seem, and what else has to be known before anything: lines, a list of Markdown.
 * Nothing where there is nothing. */
void tk_report_warnings_text(struct tk_print *p, const struct tk_sides *sides, size_t width);
void tk_report_warnings_markdown(struct tk_print *p, const struct tk_sides *sides);

/* What the sides are, and what differs of their environment: lines, a list of Markdown; with the warnings
 * members of a JSON object, annotations, properties, members of a run of SARIF. */
void tk_report_sides_text(struct tk_print *p, const struct tk_sides *sides, size_t width);
void tk_report_sides_markdown(struct tk_print *p, const struct tk_sides *sides);
void tk_report_sides_json(struct tk_json *j, const struct tk_sides *sides);
void tk_report_sides_github(struct tk_print *p, const struct tk_sides *sides, const char *title);
void tk_report_sides_junit(struct tk_print *p, const struct tk_sides *sides);
void tk_report_sides_sarif(struct tk_json *j, const struct tk_sides *sides, struct tk_print *summary);
/* A cell: the line of a side. */
void tk_report_side_csv(struct tk_print *p, const struct tk_sides *sides, enum tk_run_side side);

/* How many runs are failures, and these as failed test cases. */
size_t tk_report_flaws(const struct tk_sides *sides);
void tk_report_flaws_junit(struct tk_print *p, const struct tk_sides *sides);
/* "candidate run 2 (night-3) ended in ...": one of the runs with flaws. */
void tk_report_flawed_run(struct tk_print *p, const struct tk_sides *sides, size_t i);
/* The sentence of one of them. */
void tk_report_flaw(struct tk_print *p, const struct tk_sides *sides, size_t i);

/* "; 1 run is damaged", with `between` in front of it; nothing where all captures are sound. */
void tk_report_faults_summary(struct tk_print *p, const struct tk_run_faults *faults, const char *between);

/* "candidate, run 1, damaged: offset 120: ... (3 times)"; plain, and through an escape. */
void tk_report_fault(struct tk_print *p, const struct tk_run_fault *fault);
void tk_report_fault_through(struct tk_print *p, const struct tk_run_fault *fault,
                             void (*put)(struct tk_print *p, const struct tk_str *s));

/* All of them, each in a line of its own; in JSON as members of an object. */
void tk_report_faults_text(struct tk_print *p, const struct tk_run_faults *faults);
void tk_report_faults_markdown(struct tk_print *p, const struct tk_run_faults *faults);
void tk_report_faults_json(struct tk_json *j, const struct tk_run_faults *faults);
void tk_report_faults_github(struct tk_print *p, const struct tk_run_faults *faults, const char *title);

/* Hitches gained and lost, by their reasons; nothing where counts are the same. */
void tk_report_hitches_text(struct tk_print *p, const struct tk_comparison *c, size_t width, size_t top);
void tk_report_hitches_markdown(struct tk_print *p, const struct tk_comparison *c, size_t top);
void tk_report_hitches_html(struct tk_print *p, const struct tk_comparison *c, size_t top);
void tk_report_hitches_json(struct tk_json *j, const struct tk_comparison *c);

/* What stands before and behind the cases of a JUnit suite, and the results of a SARIF run (`what` a thing is
 * that is reported). Sides may be NULL. */
struct tk_report_cases {
    size_t tests, failures, skipped;
    const struct tk_comparison *of; /* NULL: they are of none */
    struct tk_print *summary;       /* what the report begins with; freed */
};
void tk_report_junit_begin(struct tk_print *p, const char *suite, const struct tk_report_cases *cases,
                           const struct tk_run_faults *faults, const struct tk_sides *sides);
void tk_report_junit_end(struct tk_print *p);
void tk_report_sarif_begin(struct tk_json *j, const char *tool, const char *what,
                           const struct tk_run_faults *faults, const struct tk_sides *sides,
                           struct tk_print *summary); /* what the report begins with; freed */
void tk_report_sarif_end(struct tk_json *j);

/* A result of a SARIF run; the locations of one are those of `name`, and of a file where there is one. */
struct tk_report_result {
    const char *rule, *level;
    struct tk_print message;   /* freed */
    const struct tk_str *name; /* NULL: `run` */
    const struct tk_str *file; /* NULL: none */
    uint32_t line;             /* 0: not known */
    size_t run;
    const struct tk_str *owner; /* NULL or empty: not known, or nobody */
};
void tk_report_sarif_result(struct tk_json *j, struct tk_report_result *result);

/* Bytes of Markdown behind which nothing more is begun; what receives it takes 65536. */
#define TK_REPORT_MARKDOWN_MOST 60000

size_t tk_report_count(const struct tk_comparison *c, enum tk_verdict verdict);

void tk_report_text(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_markdown(struct tk_print *p, const struct tk_comparison *c,
                        const struct tk_report_setup *setup);
void tk_report_json(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_csv(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_junit(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_github(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_sarif(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);

void tk_report_html(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_folded(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);
void tk_report_flame(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup);

#endif
