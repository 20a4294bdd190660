/*
 * train/decode/draw_id.c - hparams sampling_*, and the number that an id is drawn with.
 *
 * That of sentence s at position p comes from a stream named by both, so neither the batch that a
 * sentence is in nor threads change it.
 */
#include "train/decode/draw_id.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"

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
                               .keep_top_p = mdl_hp_float(hp, "sampling_keep_top_p"),
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
    if (!(s->keep_top_p > 0.0 && s->keep_top_p <= 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparam sampling_keep_top_p=%g must be above 0 and up to 1 (no limit)",
                       s->keep_top_p);
    s->random = strcmp(method, "random") == 0 && s->temperature > 0.0;
    return T2_OK;
}

double dec_draw(const struct dec_sampling *s, uint64_t sentence, int32_t position)
{
    struct t2_rng r;

    t2_rng_init(&r, s->seed ^ sentence, T2_RNG_SAMPLE, (uint64_t) position, 0);
    return t2_rng_uniform_double(&r);
}
