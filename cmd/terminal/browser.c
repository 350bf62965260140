/*
 * The browser of the user: see browser.h.
 */
#include "terminal/browser.h"

#include "os/show.h"

bool tk_browser_open(const char *address)
{
    return tk_os_show(address);
}
