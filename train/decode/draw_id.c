/*
 * train/decode/draw_id.c - an id drawn from a row of logits: softmax((x - largest) / temperature)
 * over the keep_top_k largest.
 *
 * The number for sentence s at position p comes from a stream named by both, so neither the batch
 * that a sentence is in nor threads change it.  Values at or below the (k+1)-th largest are set to
 * -1e6, as the original does, and stay in the sum.
 */
#include "train/decode/draw_id.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"

bool dec_draws(const struct mdl_hparams *hp)
{
    return strcmp(mdl_hp_string(hp, "sampling_method"), "argmax") != 0;
}

enum t2_status dec_sampling_of(const struct mdl_hparams *hp, uint64_t seed, struct dec_sampling *s,
                               struct t2_err *err)
{
    const char *method = mdl_hp_string(hp, "sampling_method");

    *s = (struct dec_sampling){.temperature = mdl_hp_float(hp, "sampling_temp"),
                               .keep_top_k = mdl_hp_int(hp, "sampling_keep_top_k"),
                               .seed = seed};
    if (strcmp(method, "random_per_example") == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "hparam sampling_method=random_per_example is not supported: give all "
                       "sentences one sampling_temp with sampling_method=random");
    if (strcmp(method, "argmax") != 0 && strcmp(method, "random") != 0)
        return t2_fail(err, T2_EUSAGE, "hparam sampling_method=%s is neither argmax nor random",
                       method);
    if (!(s->temperature >= 0.0) || !isfinite(s->temperature))
        return t2_fail(err, T2_EUSAGE, "hparam sampling_temp=%g must not be negative",
                       s->temperature);
    if (s->keep_top_k != -1 && s->keep_top_k < 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam sampling_keep_top_k=%" PRId64 " must be -1 (no limit) or positive",
                       s->keep_top_k);
    s->random = strcmp(method, "random") == 0 && s->temperature > 0.0;
    return T2_OK;
}

void dec_sample_stream(struct t2_rng *r, const struct dec_sampling *s, uint64_t sentence,
                       int32_t position)
{
    t2_rng_init(r, s->seed ^ sentence, T2_RNG_SAMPLE, (uint64_t) position, 0);
}

/* ---- the threshold ---- */

static void sink(float *heap, int64_t n, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        float value = heap[at];

        if (child >= n)
            return;
        child += child + 1 < n && heap[child + 1] < heap[child];
        if (heap[child] >= value)
            return;
        heap[at] = heap[child];
        heap[child] = value;
        at = child;
    }
}

/* The n-th largest: the least of a min-heap that holds the n largest so far; V log n at worst, and
 * close to V for random rows. */
static float nth_largest(const float *x, int32_t length, int64_t n)
{
    float *heap = t2_alloc((size_t) n, sizeof *heap), found;

    memcpy(heap, x, (size_t) n * sizeof *heap);
    for (int64_t i = n / 2; i-- > 0;)
        sink(heap, n, i);
    for (int64_t i = n; i < length; i++)
        if (x[i] > heap[0]) {
            heap[0] = x[i];
            sink(heap, n, 0);
        }
    found = heap[0];
    t2_free(heap);
    return found;
}

/* ---- drawing ---- */

static bool all_finite(const float *x, int32_t n)
{
    bool fine = true;

    for (int32_t i = 0; i < n; i++)
        fine &= isfinite(x[i]) != 0;
    return fine;
}

/* Inverts the distribution: the id at which the running sum of probabilities passes a uniform
 * number. Sums in double; the exponentials are computed twice instead of being stored. */
bool dec_row_sample(const struct dec_sampling *s, const float *logits, int32_t vocab,
                    struct t2_rng *r, int32_t *id, float *log_prob)
{
    const double left_out = -1e6;
    float threshold = -INFINITY, largest = -INFINITY;
    double top, sum = 0, all = 0, draw;
    bool any = false;

    if (!all_finite(logits, vocab))
        return false;
    if (s->keep_top_k > 0 && s->keep_top_k < vocab)
        threshold = nth_largest(logits, vocab, s->keep_top_k + 1);
    for (int32_t i = 0; i < vocab; i++) {
        largest = fmaxf(largest, logits[i]);
        any |= logits[i] > threshold;
    }
    top = any ? (double) largest : left_out;
    for (int32_t i = 0; i < vocab; i++) {
        double x = logits[i] > threshold ? (double) logits[i] : left_out;

        sum += exp((x - top) / s->temperature);
        all += exp((double) logits[i] - (double) largest);
    }
    draw = t2_rng_uniform_double(r) * sum;
    *id = 0;
    for (int32_t i = 0; i < vocab; i++) {
        double x = logits[i] > threshold ? (double) logits[i] : left_out;
        double part = exp((x - top) / s->temperature);

        if (part > 0) /* rounding may leave the last one with nothing */
            *id = i;
        draw -= part;
        if (draw < 0)
            break;
    }
    *log_prob = (float) ((double) logits[*id] - (double) largest - log(all));
    return true;
}
