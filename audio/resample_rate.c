/*
 * audio/resample_rate.c - see the header.  The declarations are those of libsamplerate 0.1.9 and
 * later.
 */
#include "audio/resample_rate.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/library.h"

/* Medium: errors 121 dB below, where 16 bits are 98; the best takes four times as long. */
enum { SINC_MEDIUM = 1, MOST_RATIO = 256, SPARE = 64 };

struct src_data {
    const float *in;
    float *out;
    long n_in, n_out, n_in_used, n_out_made;
    int end_of_input;
    double ratio;
};

static struct {
    int (*simple)(struct src_data *data, int kind, int channels);
    const char *(*strerror)(int error);
} samplerate;

static const struct t2_symbol symbols[] = {
    {"src_simple", &samplerate.simple},
    {"src_strerror", &samplerate.strerror},
};

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static bool is_there;
static char why_not[256];

static void open_library(void)
{
    is_there = t2_library_open(&t2_libsamplerate, symbols, sizeof symbols / sizeof *symbols,
                               why_not, sizeof why_not);
}

enum t2_status aud_resample(const float *x, size_t n, int32_t from, int32_t to, float **y,
                            size_t *n_y, struct t2_err *err)
{
    double ratio = (double) to / (double) from, n_out = (double) n * ratio + SPARE;
    struct src_data d = {.in = x, .ratio = ratio};
    int error;

    *y = NULL;
    *n_y = 0;
    pthread_once(&opened, open_library);
    if (!is_there)
        return t2_fail(err, T2_EUNSUPPORTED, "%d samples a second are to become %d: %s", from, to,
                       why_not);
    if (ratio > MOST_RATIO || ratio * MOST_RATIO < 1 || n_out >= (double) (LONG_MAX / 2) ||
        n > LONG_MAX / 2)
        return t2_fail(err, T2_EFORMAT, "%d samples a second cannot become %d", from, to);
    *y = t2_alloc((size_t) n_out, sizeof **y);
    d.out = *y;
    d.n_in = (long) n;
    d.n_out = (long) n_out;
    error = samplerate.simple(&d, SINC_MEDIUM, 1);
    if (error != 0) {
        t2_free(*y);
        *y = NULL;
        return t2_fail(err, T2_EFORMAT, "%d samples a second cannot become %d: %s", from, to,
                       samplerate.strerror(error));
    }
    *n_y = (size_t) d.n_out_made;
    return T2_OK;
}
