/*
 * Conditions on rows: what they can be asked of, and a comparison with a cell. See condition.h.
 */
#include "query/condition.h"

#include "base/text/glob.h"

#include <math.h>
#include <string.h>

static bool is_time(unsigned kind)
{
    return kind == TK_TIME || kind == TK_DURATION || kind == TK_MEAN;
}

static bool is_number(unsigned kind)
{
    return kind == TK_INT || kind == TK_UINT || kind == TK_HEX || kind == TK_REAL32 || kind == TK_REAL ||
           kind == TK_SIZE || is_time(kind);
}

static enum tk_amount_kind amount_kind(unsigned kind, bool cycles)
{
    if (kind == TK_SIZE)
        return TK_AMOUNT_SIZE;
    return is_time(kind) && !cycles ? TK_AMOUNT_TIME : TK_AMOUNT_COUNT;
}

static bool is_order(enum tk_condition_op op)
{
    return op >= TK_CONDITION_BELOW && op <= TK_CONDITION_AT_LEAST;
}

static bool holds_text(enum tk_condition_op op)
{
    return op == TK_CONDITION_HOLDS || op == TK_CONDITION_HOLDS_NOT;
}

static bool truth_of(const struct tk_condition *c, bool *out)
{
    static const char *const yes[] = {"true", "yes", "1"}, *const no[] = {"false", "no", "0"};
    for (size_t i = 0; i < 3; i++) {
        *out = tk_condition_is_word(yes[i], c->value, c->n_value);
        if (*out || tk_condition_is_word(no[i], c->value, c->n_value))
            return true;
    }
    return false;
}

static int bad_value(const struct tk_condition *c, const char *what, struct tk_err *err)
{
    return tk_err_set(err, TK_EUSAGE, "condition '%s': %s", c->text, what);
}

int tk_condition_check(const struct tk_condition *c, unsigned kind, bool cycles, struct tk_err *err)
{
    static const char *const wanted[TK_AMOUNT_KINDS] = {
        [TK_AMOUNT_COUNT] = "the column has numbers, compare it with one (12, 0x1f, 2.5k, 5%)",
        [TK_AMOUNT_TIME] = "the column has times, compare it with one that has a unit (250us, 5ms, 1.5s)",
        [TK_AMOUNT_SIZE] = "the column has sizes, compare it with one (4096, 64KiB, 1.5MB)"};
    bool truth;
    const enum tk_amount_kind amount = amount_kind(kind, cycles);
    if (c->n_value == 0 && !is_order(c->op))
        return TK_OK;
    if (kind == TK_BOOL)
        return truth_of(c, &truth) && !is_order(c->op) && !holds_text(c->op)
                   ? TK_OK
                   : bad_value(c, "the column is true or false: use =true or =false", err);
    if (is_number(kind) && holds_text(c->op))
        return bad_value(c, "~ looks into texts, and the column has numbers: use = < or >", err);
    if (is_number(kind) && !c->amounts[amount].valid)
        return bad_value(c, wanted[amount], err);
    if (kind == TK_TEXT && is_order(c->op) && c->severity < 0)
        return bad_value(c, "texts have no order, other than severities (<=warning): use = or ~", err);
    if (kind == TK_ARRAY || kind == TK_LIST || kind == TK_BYTES)
        return bad_value(c, "the column has lists, which cannot be compared", err);
    return TK_OK;
}

/* ---- comparing ---- */

static int compare_whole(bool minus, uint64_t magnitude, const struct tk_amount *to)
{
    const bool below = minus && magnitude, to_below = to->minus && to->magnitude;
    if (below != to_below)
        return below ? -1 : 1;
    const int order = (magnitude > to->magnitude) - (magnitude < to->magnitude);
    return below ? -order : order;
}

static bool is_real(unsigned kind)
{
    return kind == TK_REAL || kind == TK_REAL32 || kind == TK_MEAN;
}

static bool is_signed(unsigned kind)
{
    return kind == TK_INT || kind == TK_TIME || kind == TK_DURATION;
}

static double real_value(const struct tk_cell *cell)
{
    if (is_real(cell->kind))
        return cell->v.r;
    return is_signed(cell->kind) ? (double)cell->v.i : (double)cell->v.u;
}

static int compare_number(const struct tk_cell *cell, const struct tk_amount *to)
{
    if (to->whole && !is_real(cell->kind)) {
        const bool minus = is_signed(cell->kind) && cell->v.i < 0;
        return compare_whole(minus, minus ? 0 - cell->v.u : cell->v.u, to);
    }
    const double v = real_value(cell);
    return (v > to->real) - (v < to->real);
}

static bool meets(enum tk_condition_op op, int order)
{
    static const struct {
        bool less, equal, more;
    } met[] = {
        [TK_CONDITION_EQUAL] = {false, true, false},  [TK_CONDITION_UNEQUAL] = {true, false, true},
        [TK_CONDITION_BELOW] = {true, false, false},  [TK_CONDITION_AT_MOST] = {true, true, false},
        [TK_CONDITION_ABOVE] = {false, false, true},  [TK_CONDITION_AT_LEAST] = {false, true, true},
        [TK_CONDITION_HOLDS] = {false, false, false}, [TK_CONDITION_HOLDS_NOT] = {true, true, true},
    };
    return order < 0 ? met[op].less : order == 0 ? met[op].equal : met[op].more;
}

static bool is_text(const struct tk_condition *c, const struct tk_cell *cell)
{
    return (cell->n == c->n_value && memcmp(cell->v.p, c->value, c->n_value) == 0) ||
           tk_glob_typed(c->value, c->n_value, cell->v.p, cell->n);
}

/* Does the text contain what is asked for? Without a capital letter case is ignored, as in patterns. */
static bool holds_part(const struct tk_condition *c, const struct tk_cell *cell)
{
    const char *p = cell->v.p;
    bool fold = true;
    for (size_t i = 0; i < c->n_value; i++)
        fold = fold && !(c->value[i] >= 'A' && c->value[i] <= 'Z');
    for (size_t at = 0; at + c->n_value <= cell->n; at++) {
        size_t i = 0;
        while (i < c->n_value && (fold ? tk_condition_lower(p[at + i]) : p[at + i]) == c->value[i])
            i++;
        if (i == c->n_value)
            return true;
    }
    return false;
}

static bool text_meets(const struct tk_condition *c, const struct tk_cell *cell)
{
    if (holds_text(c->op))
        return holds_part(c, cell) == (c->op == TK_CONDITION_HOLDS);
    if (c->op <= TK_CONDITION_UNEQUAL)
        return is_text(c, cell) == (c->op == TK_CONDITION_EQUAL);
    const int severity = tk_condition_severity(cell->v.p, cell->n);
    return severity >= 0 && c->severity >= 0 && meets(c->op, severity - c->severity);
}

static bool is_negative(enum tk_condition_op op)
{
    return op == TK_CONDITION_UNEQUAL || op == TK_CONDITION_HOLDS_NOT;
}

bool tk_condition_holds(const struct tk_condition *c, const struct tk_cell *cell, bool cycles)
{
    bool truth = false;
    const bool none = cell->kind == TK_NONE || (cell->kind == TK_TEXT && cell->n == 0);
    if (none || c->n_value == 0)
        return (none && c->n_value == 0) != is_negative(c->op) && !is_order(c->op);
    if (cell->kind == TK_TEXT)
        return text_meets(c, cell);
    if (cell->kind == TK_BOOL && truth_of(c, &truth))
        return c->op <= TK_CONDITION_UNEQUAL && ((cell->v.u != 0) == truth) == (c->op == TK_CONDITION_EQUAL);
    const struct tk_amount *to = &c->amounts[amount_kind(cell->kind, cycles)];
    if (!is_number(cell->kind) || !to->valid || (is_real(cell->kind) && isnan(cell->v.r)))
        return is_negative(c->op);
    return meets(c->op, compare_number(cell, to));
}
