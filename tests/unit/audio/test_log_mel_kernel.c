/* test_log_mel_kernel.c - every CPU variant is near plain C. */
#include "audio/log_mel_kernel.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "tests/support/t.h"

enum { SAMPLES = AUD_MOST_LANES * AUD_STEP + AUD_FRAME, T = 37, MARGIN = AUD_TAPS / 2 };

static const struct aud_mel_kernel *variants[2];

static int find_variants(void)
{
    int n = 0;
#define ADD(name, cpu)                                                                             \
    if (cpu != T2_CPU_GENERIC && t2_cpu_variant() >= cpu)                                          \
        variants[n++] = &aud_mel_kernel_##name;
    T2_CPU_EACH(ADD)
    return n;
}

/* Any tables will do. */
static void fill_tables(struct aud_mel_tables *t)
{
    t_fill(t->window, AUD_FRAME, 1);
    t_fill(t->cosine, AUD_HALF, 2);
    t_fill(t->sine, AUD_HALF, 3);
    t_fill(t->turn_re, AUD_HALF, 4);
    t_fill(t->turn_im, AUD_HALF, 5);
    t_fill(t->rising, AUD_HALF + 1, 6);
    t_fill(t->falling, AUD_HALF + 1, 7);
    t_fill(t->delta, AUD_TAPS, 8);
    t_fill(t->delta_delta, AUD_TAPS, 9);
    for (int i = 0; i < AUD_QUARTER; i++)
        t->place[i] = (uint16_t) ((i * 77) % AUD_QUARTER * 4);
    for (int k = 0; k <= AUD_HALF; k++) {
        t->band[k] = (int16_t) (k * (AUD_MEL_BANDS + 2) / (AUD_HALF + 1));
        t->rising[k] = t->rising[k] < 0 ? -t->rising[k] : t->rising[k];
        t->falling[k] = t->falling[k] < 0 ? -t->falling[k] : t->falling[k];
    }
}

/* Of AUD_MOST_LANES frames, by as many calls as it takes. */
static void all_bands(const struct aud_mel_kernel *k, const struct aud_mel_tables *t,
                      const float *y, float *out)
{
    for (size_t first = 0; first < AUD_MOST_LANES; first += k->lanes)
        k->bands(t, y + first * AUD_STEP, out + first * AUD_MEL_BANDS);
}

static void test_variants(void **state)
{
    enum { N = T * 3 * AUD_MEL_BANDS, N_BANDS = AUD_MEL_BANDS * AUD_MOST_LANES };
    struct aud_mel_tables *t = t2_alloc(1, sizeof *t);
    float *y = t2_alloc(SAMPLES, sizeof *y),
          *x = t2_alloc((T + 2 * MARGIN) * AUD_MEL_BANDS, sizeof *x);
    float *a = t2_alloc(N, sizeof *a), *b = t2_alloc(N, sizeof *b);
    int n = find_variants();

    (void) state;
    if (n == 0)
        t_skip("no variant beside plain C");
    fill_tables(t);
    t_fill(y, SAMPLES, 10);
    t_fill(x, (T + 2 * MARGIN) * AUD_MEL_BANDS, 11);
    for (int i = 0; i < n; i++) {
        all_bands(&aud_mel_kernel_generic, t, y, a);
        all_bands(variants[i], t, y, b);
        t_assert_close(b, a, N_BANDS, 1e-4, 1e-5);
        aud_mel_kernel_generic.differences(t, x, T, a);
        variants[i]->differences(t, x, T, b);
        t_assert_close(b, a, N, 1e-5, 1e-5);
        aud_mel_kernel_generic.normalise(a, T);
        variants[i]->normalise(b, T);
        t_assert_close(b, a, N, 1e-4, 1e-4);
    }
    t2_free(t);
    t2_free(y);
    t2_free(x);
    t2_free(a);
    t2_free(b);
}

T_MAIN(cmocka_unit_test(test_variants))
