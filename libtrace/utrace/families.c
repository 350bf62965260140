/*
 * The table of event families.
 */
#include "utrace/families.h"

const struct tk_ut_family *const tk_ut_families[] = {
    &tk_ut_fam_trace, &tk_ut_fam_session,  &tk_ut_fam_thread, &tk_ut_fam_channel, &tk_ut_fam_cpu,
    &tk_ut_fam_frame, &tk_ut_fam_bookmark, &tk_ut_fam_region, &tk_ut_fam_log,     NULL,
};

size_t tk_ut_family_count(void)
{
    return sizeof tk_ut_families / sizeof *tk_ut_families - 1;
}
