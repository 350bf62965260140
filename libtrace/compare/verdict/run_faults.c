/*
 * Faults of runs. See run_faults.h.
 */
#include "compare/verdict/run_faults.h"

static const struct tk_str *copy(struct tk_run_faults *faults, const struct tk_str *s)
{
    return tk_intern(&faults->names, s->p, s->n, (enum tk_encoding)s->enc);
}

static int add_run(struct tk_run_faults *faults, const struct tk_base_run *run, struct tk_run_fault item)
{
    int worst = -1;
    for (size_t i = 0; i < run->faults.n; i++) {
        item.fault = run->faults.v[i];
        item.fault.kind = copy(faults, item.fault.kind);
        item.fault.text = copy(faults, item.fault.text);
        if (!item.fault.kind || !item.fault.text || tk_vec_push(&faults->v, item))
            return -1;
        worst = item.fault.tier > worst ? item.fault.tier : worst;
    }
    if (worst >= 0)
        faults->n[worst]++;
    return 0;
}

int tk_run_faults_add(struct tk_run_faults *faults, const struct tk_baseline *runs, uint8_t side)
{
    int rc = 0;
    for (size_t i = 0; runs && i < runs->runs.n && rc == 0; i++)
        rc = add_run(faults, runs->runs.v[i], (struct tk_run_fault){.side = side, .run = i});
    return rc;
}

const char *tk_run_faults_word(const struct tk_run_faults *faults)
{
    return faults->n[TK_FAULT_DAMAGE]    ? "damaged"
           : faults->n[TK_FAULT_LOST]    ? "lost events"
           : faults->n[TK_FAULT_CUT_OFF] ? "cut off"
                                         : "";
}

void tk_run_faults_release(struct tk_run_faults *faults)
{
    tk_vec_release(&faults->v);
    tk_intern_release(&faults->names);
}
