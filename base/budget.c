/*
 * base/budget.c - work on foreign bytes, bounded by their number.
 */
#include "base/budget.h"

#include <inttypes.h>

#include "base/signals.h"

void t2_budget_init(struct t2_budget *b, const char *what, const char *unit, uint64_t base,
                    uint64_t per_byte, uint64_t input_bytes)
{
    uint64_t scaled;

    if (__builtin_mul_overflow(per_byte, input_bytes, &scaled) ||
        __builtin_add_overflow(base, scaled, &scaled))
        scaled = UINT64_MAX;
    *b = (struct t2_budget){.what = what, .unit = unit, .limit = scaled};
}

enum t2_status t2_budget_spend(struct t2_budget *b, uint64_t n, struct t2_err *err)
{
    T2_TRY(t2_check_interrupt(err));
    if (n > b->limit - b->spent) {
        b->spent = b->limit; /* the first refusal is final, whatever is asked for next */
        return t2_fail(err, T2_EFORMAT,
                       "%s: more than %" PRIu64
                       " %s of work, the most that input of this size may ask "
                       "for; it is damaged or hostile",
                       b->what, b->limit, b->unit);
    }
    b->spent += n;
    return T2_OK;
}
