/*
 * tfrec/where_eval.c - runs the steps of a condition on a record, or on a row of an index.
 *
 * A stack machine. where_parse.c has put the steps in postfix order: a load step pushes one value,
 * a unary operator replaces the top, a binary one replaces two by one, and REC_STEP_IN with its n
 * choices replaces n + 1 by one. "and" and "or" jump: when the left side decides, step->arg is the
 * step to go on with and the left value stays as the result; else it is popped and the right side
 * is run. The depth is known after parsing (REC_WHERE_MAX_STACK), so that the stack is an array
 * here and running allocates nothing but the scratch.
 *
 * A value is int64, double, bytes or missing. Missing is contagious in arithmetic and makes every
 * comparison false; only has() and len() give a number for a feature that is not there.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrec/where_private.h"

/* The operand of the steps: a record, or record `row` of an index (then example is NULL). */
struct subject {
    const struct rec_where *w;
    struct rec_where_scratch *scratch;
    const struct tfr_example *example;
    const struct tfr_index *ix;
    uint64_t row;
    uint64_t n_bytes;
    uint64_t number;
};

static const struct rec_value missing = {.kind = REC_MISSING};

static struct rec_value of_int(int64_t i)
{
    return (struct rec_value){.kind = REC_INT, .i = i};
}

static struct rec_value of_double(double d)
{
    return (struct rec_value){.kind = REC_DOUBLE, .d = d};
}

static struct rec_value of_bytes(struct t2_slice s)
{
    return (struct rec_value){.kind = REC_BYTES, .bytes = s};
}

static struct rec_value of_count(uint64_t n)
{
    return n <= INT64_MAX ? of_int((int64_t) n) : of_double((double) n);
}

static bool is_number(struct rec_value v)
{
    return v.kind == REC_INT || v.kind == REC_DOUBLE;
}

static double as_double(struct rec_value v)
{
    return v.kind == REC_INT ? (double) v.i : v.d;
}

static bool is_true(struct rec_value v)
{
    switch (v.kind) {
    case REC_INT:
        return v.i != 0;
    case REC_DOUBLE:
        return v.d != 0;
    case REC_BYTES:
        return v.bytes.len_bytes > 0;
    case REC_MISSING:
        break;
    }
    return false;
}

void rec_where_scratch_release(struct rec_where_scratch *s)
{
    t2_buf_release(&s->values);
}

/* ---- features of a record ---- */

static void *room(struct rec_where_scratch *scratch, size_t n, size_t size)
{
    scratch->values.len_bytes = 0;
    return t2_buf_reserve(&scratch->values, n * size); /* n values lie in a record: no overflow */
}

/*
 * Element `which` of a feature, counted from the end when negative. All values are unpacked into
 * the scratch, as views are packed varints without random access; extreme_of_view() and
 * sum_of_view() read them there. from_end is computed as -(which + 1) + 1, which does not overflow
 * for INT64_MIN.
 */
static struct rec_value element_of_view(const struct tfr_view *v, int64_t which,
                                        struct rec_where_scratch *scratch)
{
    uint64_t from_end = which < 0 ? (uint64_t) - (which + 1) + 1 : 0;
    size_t at;

    if (v->kind == TFR_NONE || (which >= 0 ? (uint64_t) which >= v->n : from_end > v->n))
        return missing;
    at = which >= 0 ? (size_t) which : v->n - (size_t) from_end;
    if (v->kind == TFR_INT64) {
        int64_t *ints = room(scratch, v->n, sizeof *ints);
        tfr_view_ints(v, ints);
        return of_int(ints[at]);
    }
    if (v->kind == TFR_FLOAT) {
        float *floats = room(scratch, v->n, sizeof *floats);
        tfr_view_floats(v, floats);
        return of_double((double) floats[at]);
    }
    struct t2_slice *bytes = room(scratch, v->n, sizeof *bytes);
    tfr_view_bytes(v, bytes);
    return of_bytes(bytes[at]);
}

static int compare(struct rec_value a, struct rec_value b, bool *comparable);

/* The larger or smaller of two values of one kind; NaN is taken over by anything. */
static struct rec_value better(struct rec_value a, struct rec_value b, bool want_larger)
{
    bool comparable;
    int c = compare(b, a, &comparable);

    if (!comparable)
        return a.kind == REC_DOUBLE && isnan(a.d) ? b : a;
    return (want_larger ? c > 0 : c < 0) ? b : a;
}

static struct rec_value extreme_of_view(const struct tfr_view *v, bool want_larger,
                                        struct rec_where_scratch *scratch)
{
    struct rec_value best = element_of_view(v, 0, scratch); /* fills the scratch with all */

    for (size_t i = 1; best.kind != REC_MISSING && i < v->n; i++) {
        struct rec_value x = missing;
        if (v->kind == TFR_INT64)
            x = of_int(((const int64_t *) (const void *) scratch->values.data)[i]);
        else if (v->kind == TFR_FLOAT)
            x = of_double((double) ((const float *) (const void *) scratch->values.data)[i]);
        else
            x = of_bytes(((const struct t2_slice *) (const void *) scratch->values.data)[i]);
        best = better(best, x, want_larger);
    }
    return best;
}

static struct rec_value arithmetic(enum rec_step_kind kind, struct rec_value a, struct rec_value b);

/* int64 while the sum fits, double from the first overflow on; floats are added in double. */
static struct rec_value sum_of_view(const struct tfr_view *v, struct rec_where_scratch *scratch)
{
    struct rec_value first = element_of_view(v, 0, scratch);
    double floats = 0;
    struct rec_value sum = of_int(0);

    if (v->kind == TFR_NONE || v->kind == TFR_BYTES)
        return missing;
    if (first.kind == REC_MISSING) /* an empty list of numbers */
        return v->kind == TFR_INT64 ? sum : of_double(0);
    for (size_t i = 0; i < v->n; i++) {
        if (v->kind == TFR_FLOAT)
            floats += (double) ((const float *) (const void *) scratch->values.data)[i];
        else
            sum = arithmetic(REC_STEP_ADD, sum,
                             of_int(((const int64_t *) (const void *) scratch->values.data)[i]));
    }
    return v->kind == TFR_FLOAT ? of_double(floats) : sum;
}

static struct rec_value of_record(const struct subject *s, const struct rec_step *step)
{
    const struct tfr_view *v = tfr_example_find(s->example, s->w->names.items[step->arg]);
    static const struct tfr_view none = {.kind = TFR_NONE};

    if (!v)
        v = &none;
    switch (step->kind) {
    case REC_STEP_LEN:
        return of_count(v->n);
    case REC_STEP_HAS:
        return of_int(v->kind != TFR_NONE);
    case REC_STEP_MIN:
        return extreme_of_view(v, false, s->scratch);
    case REC_STEP_MAX:
        return extreme_of_view(v, true, s->scratch);
    case REC_STEP_SUM:
        return sum_of_view(v, s->scratch);
    default:
        return element_of_view(v, step->i, s->scratch);
    }
}

/* ---- features of a record, from an index ---- */

/*
 * An index (tfrecord/index_format.h) has per feature the number of values (UINT32_MAX: the feature
 * is absent) and, of numbers, the first value.  So an index answers has(), len() and element 0;
 * rec_where_fits_index() refuses every other use.
 */

static struct rec_value of_row(const struct subject *s, const struct rec_step *step)
{
    const struct tfr_index_column *c =
        tfr_index_column(s->ix, s->w->names.items[step->arg]); /* not NULL: rec_where_fits_index */
    uint32_t n = c->counts[s->row];

    if (step->kind == REC_STEP_HAS)
        return of_int(n != UINT32_MAX);
    if (n == UINT32_MAX)
        n = 0;
    if (step->kind == REC_STEP_LEN)
        return of_count(n);
    if (n == 0)
        return missing;
    if (c->ints)
        return of_int(c->ints[s->row]);
    return c->floats ? of_double((double) c->floats[s->row]) : missing;
}

bool rec_where_fits_index(const struct rec_where *w, const struct tfr_index *ix)
{
    for (size_t i = 0; i < w->n_steps; i++) {
        const struct rec_step *step = &w->steps[i];
        const struct tfr_index_column *c;

        if (step->kind < REC_STEP_ELEMENT || step->kind > REC_STEP_SUM)
            continue;
        c = tfr_index_column(ix, w->names.items[step->arg]);
        if (!c)
            return false;
        if (step->kind == REC_STEP_LEN || step->kind == REC_STEP_HAS)
            continue;
        if (step->kind != REC_STEP_ELEMENT || step->i != 0 || c->kind == TFR_BYTES)
            return false;
    }
    return true;
}

/* ---- operators ---- */

/* Negative, 0 or positive; comparable: both numbers without NaN, or both bytes (as memcmp).  Two
 * int64 are compared as such, since doubles above 2^53 would make different ids equal. */
static int compare(struct rec_value a, struct rec_value b, bool *comparable)
{
    *comparable = true;
    if (a.kind == REC_INT && b.kind == REC_INT)
        return (a.i > b.i) - (a.i < b.i);
    if (a.kind == REC_BYTES && b.kind == REC_BYTES)
        return t2_slice_cmp(a.bytes, b.bytes);
    if (!is_number(a) || !is_number(b)) {
        *comparable = false;
        return 0;
    }
    double x = as_double(a);
    double y = as_double(b);
    *comparable = !isnan(x) && !isnan(y);
    return (x > y) - (x < y);
}

/*
 * The six comparisons. Values that cannot be compared (a number and bytes, NaN) are different, so
 * only != holds; with a missing value none holds, not even !=.
 */
static bool holds(enum rec_step_kind kind, struct rec_value a, struct rec_value b)
{
    bool comparable;
    int c = compare(a, b, &comparable);

    if (a.kind == REC_MISSING || b.kind == REC_MISSING)
        return false;
    if (!comparable)
        return kind == REC_STEP_NE;
    switch (kind) {
    case REC_STEP_EQ:
        return c == 0;
    case REC_STEP_NE:
        return c != 0;
    case REC_STEP_LT:
        return c < 0;
    case REC_STEP_LE:
        return c <= 0;
    case REC_STEP_GT:
        return c > 0;
    default:
        return c >= 0;
    }
}

/* The int64 result; false: it does not fit, as INT64_MIN / -1.  b is not 0 in a quotient.  a % -1
 * is 0 by itself, as the instruction traps for INT64_MIN. */
static bool exact(enum rec_step_kind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case REC_STEP_ADD:
        return !__builtin_add_overflow(a, b, result);
    case REC_STEP_SUBTRACT:
        return !__builtin_sub_overflow(a, b, result);
    case REC_STEP_MULTIPLY:
        return !__builtin_mul_overflow(a, b, result);
    case REC_STEP_DIVIDE:
        if (a == INT64_MIN && b == -1)
            return false;
        *result = a / b;
        return true;
    default:
        *result = b == -1 ? 0 : a % b;
        return true;
    }
}

static struct rec_value arithmetic(enum rec_step_kind kind, struct rec_value a, struct rec_value b)
{
    int64_t i;

    if (!is_number(a) || !is_number(b))
        return missing;
    if (a.kind == REC_INT && b.kind == REC_INT) {
        if ((kind == REC_STEP_DIVIDE || kind == REC_STEP_MODULO) && b.i == 0)
            return missing;
        if (exact(kind, a.i, b.i, &i))
            return of_int(i);
    }
    double x = as_double(a);
    double y = as_double(b);
    switch (kind) {
    case REC_STEP_ADD:
        return of_double(x + y);
    case REC_STEP_SUBTRACT:
        return of_double(x - y);
    case REC_STEP_MULTIPLY:
        return of_double(x * y);
    case REC_STEP_DIVIDE:
        return y == 0 ? missing : of_double(x / y);
    default:
        return y == 0 ? missing : of_double(fmod(x, y));
    }
}

static struct rec_value negate(struct rec_value v)
{
    if (v.kind == REC_DOUBLE)
        return of_double(-v.d);
    return arithmetic(REC_STEP_SUBTRACT, of_int(0), v);
}

/*
 * An unanchored search. REG_STARTEND gives regexec a length, so that a value may hold NUL and
 * needs no copy; rm_eo is an int.
 */
static bool matches(const regex_t *pattern, struct rec_value v)
{
    static const char nothing[] = "";
    regmatch_t range = {.rm_so = 0};
    const char *text = nothing;

    if (v.kind != REC_BYTES || v.bytes.len_bytes > INT32_MAX)
        return false;
    range.rm_eo = (regoff_t) v.bytes.len_bytes;
    if (v.bytes.len_bytes > 0)
        text = (const char *) v.bytes.data;
    return regexec(pattern, text, 1, &range, REG_STARTEND) == 0;
}

/* ---- running ---- */

static struct rec_value load(const struct subject *s, const struct rec_step *step)
{
    switch (step->kind) {
    case REC_STEP_INT:
        return of_int(step->i);
    case REC_STEP_DOUBLE:
        return of_double(step->d);
    case REC_STEP_TEXT:
        return of_bytes(t2_buf_slice(&s->w->texts[step->arg]));
    case REC_STEP_BYTES:
        return of_count(s->n_bytes);
    case REC_STEP_RECORD:
        return of_count(s->number);
    default:
        return s->ix ? of_row(s, step) : of_record(s, step);
    }
}

/*
 * Applies an operator to the values at the top; returns the new top.  REC_STEP_IN finds
 *
 *   top[-n]   top[-n + 1] ... top[0]        n = step->arg
 *   subject   choice 0    ... choice n - 1
 */
static struct rec_value *operate(const struct subject *s, const struct rec_step *step,
                                 struct rec_value *top)
{
    bool found = false;

    switch (step->kind) {
    case REC_STEP_NEGATE:
        *top = negate(*top);
        return top;
    case REC_STEP_NOT:
        *top = of_int(!is_true(*top));
        return top;
    case REC_STEP_TRUTH:
        *top = of_int(is_true(*top));
        return top;
    case REC_STEP_MATCH:
        *top = of_int(matches(&s->w->patterns[step->arg], *top));
        return top;
    case REC_STEP_IN:
        for (size_t i = 0; i < step->arg; i++)
            found = found || holds(REC_STEP_EQ, top[-(ptrdiff_t) step->arg], top[-(ptrdiff_t) i]);
        top -= step->arg;
        *top = of_int(found);
        return top;
    case REC_STEP_ADD:
    case REC_STEP_SUBTRACT:
    case REC_STEP_MULTIPLY:
    case REC_STEP_DIVIDE:
    case REC_STEP_MODULO:
        top[-1] = arithmetic(step->kind, top[-1], top[0]);
        return top - 1;
    default:
        top[-1] = of_int(holds(step->kind, top[-1], top[0]));
        return top - 1;
    }
}

static struct rec_value run(const struct subject *s)
{
    struct rec_value stack[REC_WHERE_MAX_STACK + 1];
    struct rec_value *top = stack; /* stack[0] is below the first */
    const struct rec_where *w = s->w;

    for (size_t i = 0; i < w->n_steps; i++) {
        const struct rec_step *step = &w->steps[i];

        if (step->kind <= REC_STEP_RECORD) {
            *++top = load(s, step);
        } else if (step->kind == REC_STEP_AND || step->kind == REC_STEP_OR) {
            if (is_true(*top) == (step->kind == REC_STEP_OR))
                i = step->arg - 1;
            else
                top--;
        } else {
            top = operate(s, step, top);
        }
    }
    return *top;
}

struct rec_value rec_where_value(const struct rec_where *w, struct rec_where_scratch *scratch,
                                 const struct tfr_example *example, struct t2_slice record,
                                 uint64_t number)
{
    const struct subject s = {.w = w,
                              .scratch = scratch,
                              .example = example,
                              .n_bytes = record.len_bytes,
                              .number = number};

    return run(&s);
}

bool rec_where_match(const struct rec_where *w, struct rec_where_scratch *scratch,
                     const struct tfr_example *example, struct t2_slice record, uint64_t number)
{
    return is_true(rec_where_value(w, scratch, example, record, number));
}

bool rec_where_match_index(const struct rec_where *w, struct rec_where_scratch *scratch,
                           const struct tfr_index *ix, uint64_t record, uint64_t number)
{
    enum { FRAME_BYTES = 16 }; /* around the payload; offsets are those of whole records */
    const struct subject s = {.w = w,
                              .scratch = scratch,
                              .ix = ix,
                              .row = record,
                              .n_bytes =
                                  ix->offsets[record + 1] - ix->offsets[record] - FRAME_BYTES,
                              .number = number};

    return is_true(run(&s));
}
