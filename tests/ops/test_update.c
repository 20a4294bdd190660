/*
 * tests/ops/test_update.c - the update rules: every device gives the bits of the reference.  Their
 * formulas, in double, are in the test of each optimizer, as tests/unit/train/test_adam.c.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

#include "tests/support/piece_tables.h"
#include "train/device/rules/yellow_fin_rule.h"

/* ---- element by element: every line UPDATE of kernels.def ---- */

static const struct {
    const char *name;
    int n_slots;
    size_t offset;
} rules[] = {
#define KERNEL(name, args)
#define UPDATE(name, n_slots) {#name, n_slots, offsetof(struct dev_kernels, update_##name)},
#include "train/device/kernels.def"
};

/* Settings in two forms (the second has options off), numbers likewise. */
static const float settings[2][DEV_RULE_NUMBERS] = {{0.9F, 0.98F, 0.01F, 0.02F, 3.0F},
                                                    {0.9F, 0.0F, 0.01F, 0.0F, 1.0F}};
static const float numbers[2][DEV_RULE_NUMBERS] = {{0.01F, 1.0F, 0.5F}, {0.01F, 0.0F, 0.5F}};

static struct dev_optimizer_step step_of(int form, bool finite)
{
    struct dev_optimizer_step s = {.updates = 3,
                                   .rate = 0.02F,
                                   .finite = finite,
                                   .scale = form ? 1.0F : 0.7F};

    memcpy(s.numbers, numbers[form], sizeof s.numbers);
    return s;
}

struct how {
    size_t rule;
    int form;
    bool rounds; /* the values once more, into the buffer behind the slots */
};

/* Buffers: pieces, step, values, gradients, slots. */
static struct dev_update update_of(void *const *p, int form, int n_slots)
{
    struct dev_update u = {
        .pieces = p[0], .n_pieces = PIECES_N, .step = p[1], .values = p[2], .grads = p[3]};

    memcpy(u.settings, settings[form], sizeof u.settings);
    for (int i = 0; i < n_slots; i++)
        u.slots[i] = p[4 + i];
    return u;
}

static void call_rule(struct dev *d, void *const *p, const void *arg)
{
    const struct how *how = arg;
    const int n_slots = rules[how->rule].n_slots;
    struct dev_update u = update_of(p, how->form, n_slots);
    void (*kernel)(struct dev * d, const struct dev_update *a);

    u.rounded_type = how->form ? DEV_FLOAT16 : DEV_BFLOAT16;
    u.rounded = how->rounds ? p[4 + n_slots] : NULL;
    memcpy(&kernel, (const char *) d->kernels + rules[how->rule].offset, sizeof kernel);
    kernel(d, &u);
}

static void begin(struct op_call *c, const char *name, int form, bool finite, bool step_changes,
                  int n_slots)
{
    const struct dev_optimizer_step step = step_of(form, finite);

    op_begin(c, 0.0, 0.0, "%s form %d finite %d", name, form, finite);
    pieces_add(c, pieces_table, sizeof pieces_table, false);
    pieces_add(c, &step, sizeof step, step_changes);
    (void) pieces_arena(c, 2, false);
    (void) pieces_in(c, 3);
    for (int i = 0; i < n_slots; i++)
        (void) pieces_arena(c, 4 + (uint64_t) i, true);
}

/* Floats of all outputs before it: values and slots. */
static int64_t rounded_at(int n_slots)
{
    return (int64_t) (1 + n_slots) * PIECES_FLOATS;
}

static void test_rules(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int bits = 0; bits < 4; bits++) {
            struct op_call c;

            begin(&c, rules[i].name, bits & 1, bits & 2, false, rules[i].n_slots);
            (void) op_out(&c, PIECES_FLOATS / 2, true, 9);
            op_check(&c, call_rule, &(struct how){i, bits & 1, true});
        }
}

/* The rounded copy is of the new values, and of nobody else's. */
static void test_rounded(void **state)
{
    struct dev *d = op_device("reference", 1);

    (void) state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int form = 0; form < 2; form++) {
            const enum dev_type type = form ? DEV_FLOAT16 : DEV_BFLOAT16;
            struct op_call c;
            float *out;

            begin(&c, rules[i].name, form, true, false, rules[i].n_slots);
            (void) op_out(&c, PIECES_FLOATS / 2, true, 9);
            out = op_run_on(d, &c, call_rule, &(struct how){i, form, true});
            for (int p = 0; p < PIECES_N; p++)
                for (int64_t k = 0; k < pieces_table[p].n; k++) {
                    const uint16_t *rounded =
                        (const uint16_t *) (out + rounded_at(rules[i].n_slots));
                    int64_t at = pieces_table[p].offset + k;

                    assert_true(dev_get(type, rounded, at) == dev_round(type, out[at]));
                }
            free(out);
            op_release(&c);
        }
}

/* What is not finite stops an update, of all slots, and nothing outside of the pieces changes. */
static void test_what_is_left_alone(void **state)
{
    struct dev *d = op_device("cpu", 2);

    (void) state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int finite = 0; finite < 2; finite++) {
            const struct how how = {i, 0, false};
            struct op_call c;
            float *out;

            begin(&c, rules[i].name, 0, finite, false, rules[i].n_slots);
            for (int64_t k = 0; k < PIECES_FLOATS; k++)
                ((float *) c.buffers[3].initial)[k] = 1.0F;
            out = op_run_on(d, &c, call_rule, &how);
            for (int64_t k = 0; k < PIECES_FLOATS; k++) {
                bool inside = k < 5 || (k >= 64 && k < 64 + 32768 + 127) || k == 64 + 32768 + 128 ||
                              k >= 64 + 32768 + 192;

                if ((out[k] != ((float *) c.buffers[2].initial)[k]) != (finite && inside))
                    fail_msg("%s finite %d: element %d", rules[i].name, finite, (int) k);
            }
            free(out);
            op_release(&c);
        }
}

/* ---- those with a kernel of their own ---- */

static void call_adafactor(struct dev *d, void *const *p, const void *arg)
{
    const int *form = arg;
    struct dev_adafactor a = {.of = update_of(p, *form, 0),
                              .variables = p[4],
                              .n_variables = 3,
                              .slots = p[5],
                              .factors = op_scratch(d, 3 * 7 + 3 * 9 + 64),
                              .col_sums = (double *) (void *) op_scratch(d, 2 * (9 + 16))};

    a.of.settings[0] = *form ? 0.9F : 0.0F; /* beta1 */
    a.of.settings[1] = 0.8F;                /* threshold */
    a.of.settings[2] = *form ? 1.0F : 0.0F; /* by scale */
    d->kernels->update_adafactor(d, &a);
}

/* Three matrices (7,9), a vector (5), and with means (12,16). */
static void test_adafactor(void **state)
{
    (void) state;
    for (int form = 0; form < 2; form++)
        for (int finite = 0; finite < 2; finite++) {
            const struct dev_adafactor_variable variables[3] = {
                {.offset = 64,
                 .matrices = 3,
                 .rows = 7,
                 .cols = 9,
                 .vr = 0,
                 .vc = 21,
                 .m = -1,
                 .factored = true},
                {.offset = 0, .matrices = 1, .rows = 1, .cols = 5, .v = 48, .m = form ? 60 : -1},
                {.offset = 512,
                 .matrices = 1,
                 .rows = 12,
                 .cols = 16,
                 .vr = 70,
                 .vc = 82,
                 .m = form ? 100 : -1,
                 .factors = 48,
                 .col_sums = 9,
                 .factored = true}};
            struct op_call c;

            begin(&c, "adafactor", form, finite, false, 0);
            pieces_add(&c, variables, sizeof variables, false);
            for (float *x = op_out(&c, 292, true, 9), *end = x + 292; x < end; x++)
                *x = fabsf(*x) + 0.01F;
            op_check(&c, call_adafactor, &form);
        }
}

static void call_lars(struct dev *d, void *const *p, const void *arg)
{
    const int *form = arg;
    struct dev_lars a = {.of = update_of(p, *form, 1),
                         .skipped = p[5],
                         .n_variables = PIECES_VARIABLES,
                         .sums = (double *) (void *) op_scratch(d, 4 * PIECES_N),
                         .rates = op_scratch(d, PIECES_VARIABLES)};

    d->kernels->update_lars(d, &a);
}

static void test_lars(void **state)
{
    static const bool skipped[PIECES_VARIABLES] = {false, false, true, false};

    (void) state;
    for (int bits = 0; bits < 4; bits++) {
        struct op_call c;
        int form = bits & 1;

        begin(&c, "lars", form, bits & 2, false, 1);
        pieces_add(&c, skipped, sizeof skipped, false);
        op_check(&c, call_lars, &form);
    }
}

static void call_yellow_fin(struct dev *d, void *const *p, const void *arg)
{
    const int *form = arg;
    struct dev_yellow_fin a = {.of = update_of(p, *form, 2),
                               .step = p[1],
                               .state = p[6],
                               .sums = (double *) (void *) op_scratch(d, 6 * PIECES_N)};

    d->kernels->update_yellow_fin(d, &a);
}

static void test_yellow_fin(void **state)
{
    (void) state;
    for (int bits = 0; bits < 8; bits++) {
        struct op_call c;
        struct dev_optimizer_step *step;
        float *tuned;
        int form = bits & 1;

        begin(&c, "yellow_fin", form, bits & 2, true, 2);
        step = c.buffers[1].initial;
        step->updates = bits & 4 ? 3 : 0;
        tuned = op_out(&c, DEV_YELLOW_FIN_STATE, true, 9);
        for (int i = 0; i < DEV_YELLOW_FIN_STATE; i++)
            tuned[i] = fabsf(tuned[i]) + 0.01F;
        op_check(&c, call_yellow_fin, &form);
    }
}

T_MAIN(cmocka_unit_test(test_rules), cmocka_unit_test(test_rounded),
       cmocka_unit_test(test_what_is_left_alone), cmocka_unit_test(test_adafactor),
       cmocka_unit_test(test_lars), cmocka_unit_test(test_yellow_fin))
