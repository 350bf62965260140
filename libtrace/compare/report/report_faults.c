/*
 * What reports say of captures that are damaged, lost events or are cut off. See report.h.
 */
#include "compare/report/report.h"

#include <stdlib.h>

static const char *const sides[] = {"baseline, ", "candidate, ", "noise, ", ""};
static const char *const tiers[TK_FAULT_TIERS] = {"cut off", "lost events", "damaged"};

void tk_report_faults_summary(struct tk_print *p, const struct tk_run_faults *faults, const char *between)
{
    static const char *const one[TK_FAULT_TIERS] = {"run is cut off", "run lost events", "run is damaged"};
    static const char *const more[TK_FAULT_TIERS] = {"runs are cut off", "runs lost events",
                                                     "runs are damaged"};
    for (int i = TK_FAULT_TIERS; i-- > 0;) {
        if (!faults->n[i])
            continue;
        tk_print(p, "%s%zu %s", between, faults->n[i], faults->n[i] == 1 ? one[i] : more[i]);
        between = "; ";
    }
}

void tk_report_fault(struct tk_print *p, const struct tk_run_fault *f)
{
    tk_print(p, "%srun %zu, %s: ", sides[f->side], f->run + 1, tiers[f->fault.tier]);
    tk_print_name(p, f->fault.text);
    if (f->fault.count > 1)
        tk_print(p, " (%llu times)", (unsigned long long)f->fault.count);
}

void tk_report_fault_through(struct tk_print *p, const struct tk_run_fault *f,
                             void (*put)(struct tk_print *p, const struct tk_str *s))
{
    struct tk_print text = {0};
    tk_report_fault(&text, f);
    const struct tk_str s = {.p = text.v, .n = (uint32_t)text.n};
    put(p, &s);
    p->failed |= text.failed;
    free(text.v);
}

void tk_report_faults_text(struct tk_print *p, const struct tk_run_faults *faults)
{
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "  ");
        tk_report_fault(p, &faults->v.v[i]);
        tk_print(p, "\n");
    }
}

void tk_report_faults_markdown(struct tk_print *p, const struct tk_run_faults *faults)
{
    if (faults->v.n)
        tk_print(p, "\n");
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "* ");
        tk_report_fault_through(p, &faults->v.v[i], tk_print_markdown);
        tk_print(p, "\n");
    }
}

void tk_report_faults_json(struct tk_print *p, const struct tk_run_faults *faults)
{
    static const char *const names[] = {"baseline", "candidate", "noise", "checked"};
    tk_print(p, ",\"captures\":\"%s\",\"faults\":[",
             *tk_run_faults_word(faults) ? tk_run_faults_word(faults) : "sound");
    for (size_t i = 0; i < faults->v.n; i++) {
        const struct tk_run_fault *f = &faults->v.v[i];
        tk_print(p, "%s{\"side\":\"%s\",\"run\":%zu,\"what\":\"%s\",\"kind\":", i ? "," : "", names[f->side],
                 f->run, tiers[f->fault.tier]);
        tk_print_json(p, f->fault.kind);
        tk_print(p, ",\"count\":%llu,\"text\":", (unsigned long long)f->fault.count);
        tk_print_json(p, f->fault.text);
        tk_print(p, "}");
    }
    tk_print(p, "]");
}

void tk_report_faults_github(struct tk_print *p, const struct tk_run_faults *faults, const char *title)
{
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "::warning title=%s::", title);
        tk_report_fault_through(p, &faults->v.v[i], tk_print_github_message);
        tk_print(p, "\n");
    }
}
