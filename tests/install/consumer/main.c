/* Prints the version of the library it runs with, and whether the header it was built with says the same. */
#include <stdio.h>
#include <string.h>
#include <tracekit.h>

int main(void)
{
    puts(tk_version());
    return strcmp(tk_version(), TK_VERSION) != 0;
}
