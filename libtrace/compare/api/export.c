/*
 * Runs for databases of time series.
 */
#include "base/err.h"
#include "base/given.h"
#include "compare/report/time_series.h"
#include "tracekit/runs.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*print)(struct tk_print *p, const struct tk_baseline *b, struct tk_err *err);
} formats[] = {{"openmetrics", tk_runs_openmetrics}, {"influx", tk_runs_influx}};

int tk_baseline_export(struct tk_baseline *baseline, const char *format, struct tk_output *out,
                       struct tk_err *err)
{
    TK_GIVEN(err, baseline, format, out);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) != 0)
            continue;
        struct tk_print text = {0};
        int rc = formats[i].print(&text, baseline, err);
        if (rc == TK_OK)
            rc = tk_output_write(out, text.v, text.n, err);
        free(text.v);
        return rc;
    }
    return tk_err_set(err, TK_EUSAGE, "runs are exported as openmetrics or influx, not '%.60s'", format);
}
