/*
 * Budget files, checked against a run made here, and reported.
 */
#include "compare/report/budget.h"
#include "rig.h"
#include "unit/compare/made_runs.h"

#include <stdlib.h>

static void report(const struct tk_budgets *b, struct tk_err *err)
{
    const char *const *kinds = tk_budgets_reports();
    for (size_t i = 0; kinds[i]; i++) {
        struct tk_output *out;
        fuzz_promise(tk_output_open(&out, "/dev/null", true, err) == TK_OK, "nowhere");
        fuzz_promise(tk_budgets_report(b, kinds[i], out, NULL, err) == TK_OK, "a report");
        tk_output_discard(out);
    }
}

static void apply(struct tk_budgets *b)
{
    static const struct made_timer timers[] = {{"Lighting", 0.5}, {"Physics", 2}, {"Draw \"all\"", 0.1}};
    struct tk_baseline runs = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = made_run(7, timers, 3);
    fuzz_promise(tk_baseline_take(&runs, run, &err) == TK_OK, "a run");
    int rc = tk_budgets_apply(b, &runs, NULL, &err);
    fuzz_promise(rc == TK_OK || (rc == TK_EMATCH && err.n), "checked, or what matches nothing");
    if (rc == TK_OK)
        report(b, &err);
    made_release(&runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_budgets *b = calloc(1, sizeof *b);
    struct tk_err err = {0};
    uint8_t *text = fuzz_copy(data, size);
    int rc = tk_budgets_parse(b, (const char *)text, size, &err);
    fuzz_promise(rc == TK_OK || (rc == TK_EUSAGE && err.n), "read, or refused with a cause");
    if (rc == TK_OK)
        apply(b);
    tk_budgets_free(b);
    free(text);
    return 0;
}
