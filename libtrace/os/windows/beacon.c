/*
 * Names that others look up, as events.
 */
#include "os/windows/win32.h"

#include "os/beacon.h"

#include "os/windows/failure.h"
#include "os/windows/wide.h"

#include <stdio.h>
#include <stdlib.h>

struct tk_os_beacon {
    HANDLE event;
};

/* The system takes it down when the last one who has it open closes it. */
struct tk_os_result tk_os_beacon_open(struct tk_os_beacon **out, const char *name)
{
    char text[80];
    struct tk_os_beacon *b = calloc(1, sizeof *b);
    *out = NULL;
    if (!b)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    snprintf(text, sizeof text, "Local\\%s", name);
    wchar_t *wide = tk_os_wide(text);
    if (wide)
        b->event = CreateEventW(NULL, TRUE, FALSE, wide);
    if (b->event) {
        free(wide);
        *out = b;
        return tk_os_result_of(TK_OS_OK);
    }
    const struct tk_os_result why = tk_os_last_failure();
    free(wide);
    free(b);
    return why;
}

void tk_os_beacon_close(struct tk_os_beacon *b)
{
    if (b)
        CloseHandle(b->event);
    free(b);
}
