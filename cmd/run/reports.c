/*
 * Reports of a verdict: see reports.h.
 */
#include "run/reports.h"

#include <stdio.h>
#include <string.h>

bool tk_reports_check(const struct tk_opt_list *wanted, const char *const *kinds,
                      char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < wanted->n; i++)
        if (!tk_out_check_report(wanted->v[i], kinds, message))
            return false;
    return true;
}

int tk_reports_write_to(const struct tk_reports *reports, const char *kind, const char *path, bool force,
                        struct tk_err *err)
{
    struct tk_report_options opt = TK_INIT(struct tk_report_options);
    struct tk_output *out;
    tk_out_look(&opt, reports->colour, path);
    opt.top = (size_t)reports->top;
    opt.guard = reports->guard;
    opt.plot = reports->plot;
    int rc = tk_out_create(&out, path, force, err);
    if (rc < 0)
        return rc;
    tk_out_escape(out, path, kind);
    rc = reports->write(reports->of, kind, out, &opt, err);
    if (rc >= 0)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

int tk_reports_write(const struct tk_reports *reports, struct tk_err *err)
{
    const struct tk_opt_list *wanted = reports->wanted;
    int rc = wanted->n ? TK_OK : tk_reports_write_to(reports, "text", "-", true, err);
    for (size_t i = 0; i < wanted->n && rc >= 0; i++) {
        const char *equals = strchr(wanted->v[i], '=');
        char kind[32];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(wanted->v[i], "="), wanted->v[i]);
        rc = tk_reports_write_to(reports, kind, equals ? equals + 1 : "-", true, err);
    }
    return rc;
}
