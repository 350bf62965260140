/* Memory of tables: all of it can be written and freed, below and above the size of a large page. */
#include "os/process.h"
#include "run.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(tables_of_all_sizes)
{
    static const size_t sizes[] = {1, 4096, (2 << 20) - 1, 2 << 20, (5 << 20) + 17};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *p = tk_os_heap_table(sizes[i]);
        ck_assert_ptr_nonnull(p);
        memset(p, 0x5a, sizes[i]);
        ck_assert_uint_eq(p[sizes[i] - 1], 0x5a);
        free(p);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {tables_of_all_sizes};
    return RUN_TESTS("heap", tests);
}
