/* What the processor can do, against what Linux says of it. */
#include "base/bits.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

/* What follows on the first line that begins with a word; "" where there is none. */
static const char *said(const char *word)
{
    static char line[8192];
    FILE *f = fopen("/proc/cpuinfo", "r");
    const char *found = "";
    while (f && !*found && fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0 && strchr(line, ':'))
            found = strchr(line, ':') + 1;
    if (f)
        fclose(f);
    return found;
}

START_TEST(as_the_system_says)
{
    const int slow = strstr(said("vendor_id"), "AuthenticAMD") && strtol(said("cpu family"), NULL, 10) == 23;
    const int bmi2 = strstr(said("flags"), " bmi2") != NULL;
    ck_assert_int_eq(tk_cpu_has_pext(), bmi2 && !slow);
}
END_TEST

int main(void)
{
#if defined(__x86_64__) && defined(__linux__)
    const TTest *const tests[] = {as_the_system_says};
    return RUN_TESTS("base-cpu", tests);
#else
    (void)as_the_system_says;
    (void)said;
    return tk_cpu_has_pext(); /* there is none */
#endif
}
