/* test_resize_kernel.c - every CPU variant gives the bits of plain C, and reads no further than it
 * says. */
#include <string.h>

#include "augment/resize_kernel.h"
#include "base/cpu.h"
#include "tests/support/t.h"

enum { N = 333, ROWS = 11, OUT = 97 };

static const struct aug_resize_kernel *variants[4];
static int n_variants;

static void find_variants(void)
{
    variants[n_variants++] = &aug_resize_kernel_generic;
#define ADD(name, cpu)                                                                             \
    if (cpu != T2_CPU_GENERIC && t2_cpu_variant() >= cpu)                                          \
        variants[n_variants++] = &aug_resize_kernel_##name;
    T2_CPU_EACH(ADD)
}

struct data {
    uint8_t *bytes[ROWS]; /* behind them is a page that cannot be read */
    float *floats[ROWS], w[OUT * ROWS];
    int32_t index[OUT * ROWS], runs[OUT * ROWS], pairs[OUT * ROWS];
    int32_t fixed[OUT * ROWS + AUG_READ_BEHIND];
};

static void make(struct data *d, size_t n, int32_t c, int32_t taps)
{
    float noise[N * 4];
    int32_t pixels = (int32_t) n / c;

    for (int r = 0; r < ROWS; r++) {
        d->bytes[r] = t_guarded_alloc(n);
        d->floats[r] = t_guarded_alloc(n * sizeof(float));
        t_fill(noise, n, (uint64_t) r);
        for (size_t i = 0; i < n; i++) {
            d->bytes[r][i] = (uint8_t) t_hash64((uint64_t) r << 20 | i);
            d->floats[r][i] = 255 * noise[i];
        }
    }
    t_fill(d->w, OUT * ROWS, 99);
    for (int i = 0; i < OUT * ROWS; i++) {
        d->index[i] = (int32_t) (t_hash64((uint64_t) i) % (uint64_t) pixels);
        d->fixed[i] = (int32_t) (d->w[i] * (1 << 20));
    }
    for (int i = 0; i < OUT * ROWS; i++)
        d->runs[i] =
            (int32_t) (t_hash64((uint64_t) (i / taps)) % (uint64_t) (pixels - taps + 1)) + i % taps;
    for (int x = 0; x < OUT; x++) { /* first, how many */
        int32_t count = 1 + x % taps;
        d->pairs[x * taps] = (int32_t) (t_hash64((uint64_t) x) % (uint64_t) (pixels - count + 1));
        if (taps > 1)
            d->pairs[x * taps + 1] = count;
        for (int k = count; k < taps; k++)
            d->fixed[x * taps + k] = 0;
    }
}

static void release(struct data *d, size_t n)
{
    for (int r = 0; r < ROWS; r++) {
        t_guarded_free(d->bytes[r], n);
        t_guarded_free(d->floats[r], n * sizeof(float));
    }
}

/* All kernels into one array. */
static size_t run(const struct aug_resize_kernel *k, const struct data *d, size_t n, int32_t c,
                  int32_t taps, float *out)
{
    static float padded[N * 4 + AUG_READ_BEHIND];
    static uint8_t bytes[N * 4 + AUG_READ_BEHIND];
    float *at = out;
    size_t m = OUT * (size_t) c;

    memcpy(padded, d->floats[0], n * sizeof(float));
    memcpy(bytes, d->bytes[0], n);
    k->weigh_bytes((const uint8_t *const *) d->bytes, d->w, taps, n, at);
    k->weigh_floats((const float *const *) d->floats, d->w, taps, n, at += n);
    k->gather(padded, d->index, d->w, taps, OUT, c, at += n);
    k->gather_runs(padded, d->runs, d->w, taps, OUT, c, at += m);
    k->gather_bytes(bytes, d->index, d->w, taps, OUT, c, at += m);
    k->lerp_bytes(bytes, d->index, d->w, OUT, c, at += m);
    k->lerp(padded, d->index, d->w, OUT, c, at += m);
    k->lerp_rows(d->floats[0], d->floats[1], 0.3f, n, at += m);
    memcpy(at += n, d->floats[2], n * sizeof(float));
    k->add_row(at, d->floats[1], 0.7f, n);
    at += n;
    memset(at, 0, (m + n + 8) * sizeof(float));
    if (taps > 1)
        k->fixed_gather(bytes, d->pairs, d->fixed, taps, OUT, c, (uint8_t *) at);
    k->fixed_weigh((const uint8_t *const *) d->bytes, d->fixed, taps, n, (uint8_t *) (at + m));
    return (size_t) (at - out) + m + n;
}

static void test_variants(void **state)
{
    static float plain[40 * N], other[40 * N];
    static struct data d;

    (void) state;
    find_variants();
    for (int32_t c = 1; c <= 4; c++)
        for (int32_t taps = 2; taps <= ROWS; taps += 1 + taps / 4) {
            size_t n = (size_t) (N / c * c);
            make(&d, n, c, taps);
            size_t len = run(variants[0], &d, n, c, taps, plain);
            assert_true(len < 40 * N);
            for (int v = 1; v < n_variants; v++) {
                assert_int_equal(run(variants[v], &d, n, c, taps, other), len);
                assert_memory_equal(plain, other, len * sizeof(float));
            }
            release(&d, n);
        }
    assert_non_null(aug_resize_kernel());
}

/* Against sums written down here. */
static void test_plain(void **state)
{
    static float out[40 * N];
    static struct data d;
    size_t n = 99;

    (void) state;
    make(&d, n, 3, 5);
    (void) run(&aug_resize_kernel_generic, &d, n, 3, 5, out);
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 5; k++)
            sum += (float) d.bytes[k][i] * d.w[k];
        assert_true(out[i] == sum);
    }
    for (int x = 0; x < OUT; x++)
        for (int j = 0; j < 3; j++) {
            float sum = 0;
            for (int k = 0; k < 5; k++)
                sum += d.floats[0][3 * d.index[5 * x + k] + j] * d.w[5 * x + k];
            assert_true(out[2 * n + (size_t) (3 * x + j)] == sum);
        }
    release(&d, n);
}

/* Nothing is written behind the last value. */
static void test_ends(void **state)
{
    static struct data d;
    size_t n = 99;

    (void) state;
    make(&d, n, 3, 4);
    for (int v = 0; v < n_variants; v++)
        for (int32_t len = 1; len <= 13; len++) {
            const struct aug_resize_kernel *k = variants[v];
            size_t m = 3 * (size_t) len;
            static float padded[99 + AUG_READ_BEHIND];
            static uint8_t bytes[99 + AUG_READ_BEHIND];
            float *out = t_guarded_alloc(m * sizeof *out);
            uint8_t *small = t_guarded_alloc(m);
            k->gather(padded, d.index, d.w, 4, len, 3, out);
            k->gather_runs(padded, d.runs, d.w, 4, len, 3, out);
            k->gather_bytes(bytes, d.index, d.w, 4, len, 3, out);
            k->lerp(padded, d.index, d.w, len, 3, out);
            k->lerp_bytes(bytes, d.index, d.w, len, 3, out);
            k->fixed_gather(bytes, d.pairs, d.fixed, 4, len, 3, small);
            k->fixed_weigh((const uint8_t *const *) d.bytes, d.fixed, 4, m, small);
            t_guarded_free(out, m * sizeof *out);
            t_guarded_free(small, m);
        }
    release(&d, n);
}

T_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_variants), cmocka_unit_test(test_ends))
