/*
 * What counters are called and worth, as cells. See counting.h.
 */
#include "model/marks/counting.h"
#include "table/cell.h"

#include <stdlib.h>
#include <string.h>

struct tk_cell tk_counting_cell(const struct tk_counter *counter, struct tk_number number)
{
    if (number.real)
        return tk_cell_of_real(number.v.r);
    if (counter->info.unit == TK_COUNTER_BYTES && number.v.i >= 0)
        return tk_cell_of_size((uint64_t)number.v.i);
    return tk_cell_of_int(number.v.i);
}

const char *tk_counting_unit(const struct tk_counter *counter)
{
    static const char *const units[] = {
        [TK_COUNTER_NUMBER] = NULL, [TK_COUNTER_BYTES] = "bytes", [TK_COUNTER_CYCLES] = "ms",
        [TK_COUNTER_PERCENT] = "%", [TK_COUNTER_WATTS] = "W",
    };
    return counter->info.unit < sizeof units / sizeof units[0] ? units[counter->info.unit] : NULL;
}

struct tk_cell tk_counting_name(const struct tk_counter *counter, struct tk_emit *emit)
{
    static const char behind[] = " (1/frame)";
    const struct tk_str *name = counter->info.name;
    struct tk_cell cell = tk_cell_of_text(name);
    if (!name || counter->of == TK_MAP_NONE || name->enc == TK_ENC_UTF16)
        return cell;
    char *p = malloc(name->n + sizeof behind);
    if (!p)
        return cell;
    memcpy(p, name->p, name->n);
    memcpy(p + name->n, behind, sizeof behind);
    const void *kept = tk_emit_bytes(emit, p, name->n + sizeof behind - 1);
    free(p);
    if (kept) {
        cell.v.p = kept;
        cell.n = (uint32_t)(name->n + sizeof behind - 1);
    }
    return cell;
}
