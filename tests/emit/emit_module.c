/* A traced module that is loaded and unloaded. */
#include <tracekit_emit.h>

TKE_API void ten_scopes(void);
void ten_scopes(void)
{
    for (int i = 0; i < 10; i++) {
        TKE_SCOPE("Module");
    }
}
