/*
 * tests/ops/test_own.c - a plug-in's kernel on every device: each piece once, with a copy of
 * the arguments.
 */
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

enum { N = 1000, PIECE = 64 };

struct halves {
    const float *x;
    float *y;
};

/* y [+]= x / 2 for the elements of a piece; y begins as 0, so a piece that is run twice shows */
static void halve(const void *arguments, int64_t piece)
{
    const struct halves *h = arguments;

    for (int64_t i = piece * PIECE; i < (piece + 1) * PIECE && i < N; i++)
        h->y[i] += h->x[i] / 2.0f;
}

static void call(struct dev *d, void *const *p, const void *arg)
{
    struct dev_own_args a = {.name = "halve", .run = halve, .n_pieces = (N + PIECE - 1) / PIECE};
    struct halves h = {p[0], p[1]};

    (void) arg;
    if (strcmp(d->name, "cuda") == 0) { /* has no such kernels: test_refused */
        d->kernels->scale(d, &(struct dev_scale_args){
                                 .x = p[0], .n = N, .scale = 0.5f, .accumulate = true, .y = p[1]});
        return;
    }
    memcpy(a.arguments, &h, sizeof h);
    d->kernels->own_code(d, &a);
    memset(&a, 0xff, sizeof a); /* the device has its copy */
}

static void test_pieces(void **state)
{
    struct op_call c;

    (void) state;
    op_begin(&c, 0, 0, "own_code");
    (void) op_in(&c, N, 1);
    (void) op_out(&c, N, true, 2);
    op_check(&c, call, NULL);
}

static void test_refused(void **state)
{
    struct dev_own_args a = {.name = "halve", .run = halve, .n_pieces = 1};
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = NULL;

    (void) state;
    if (dev_open("cuda", 1, &d, &err) != T2_OK)
        t_skip("no device cuda");
    d->kernels->own_code(d, &a);
    assert_int_equal(dev_check(d, &err), T2_EDEVICE);
    assert_non_null(strstr(err.message, "halve"));
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_pieces), cmocka_unit_test(test_refused))
