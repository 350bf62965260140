/*
 * The head of a .utrace file.
 */
#include "format/utrace/wire/header.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

static void check(const struct tk_ut_header *h, size_t n)
{
    char text[33];
    fuzz_promise(h->size <= n && h->size >= 2, "the header lies in the file");
    fuzz_promise(strcmp(h->magic, "2CRT") == 0 || strcmp(h->magic, "ECRT") == 0 ||
                     strcmp(h->magic, "none") == 0,
                 "a magic of three");
    fuzz_promise(h->transport >= 1 && h->transport <= 4 && h->protocol <= 7,
                 "a transport and protocol that is known");
    tk_ut_guid_text(text, h->trace_guid);
    fuzz_promise(strlen(text) == 32, "32 digits");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_health health = {.max_items = 10};
    struct tk_ut_header h;
    struct tk_err err = {0};
    uint8_t *p = fuzz_copy(data, size);
    const char *sentence = tk_ut_header_explain(p, size);
    int sure = tk_ut_header_probe(p, size);
    fuzz_promise(sure >= 0 && sure <= 100, "0 to 100");
    fuzz_promise(!sentence || sure == 0, "what is explained is not claimed");
    int rc = tk_ut_header_parse(&h, p, size, &health, &err);
    fuzz_promise(rc == TK_OK || (rc == TK_EFORMAT && err.n), "read, or refused with a cause");
    if (rc == TK_OK)
        check(&h, size);
    tk_health_release(&health);
    free(p);
    return 0;
}
