/*
 * train/trained/decode_media.c - see the header.
 */
#include "train/trained/decode_media.h"

#include <inttypes.h>
#include <math.h>

#include "base/log.h"
#include "train/trained/classify.h"
#include "train/trained/describe_images.h"
#include "train/trained/draw_images.h"
#include "train/trained/transcribe.h"

static double a_second(uint64_t n, double seconds)
{
    return (double) n / fmax(seconds, 1e-9);
}

static enum t2_status classify(const struct tr_trained *t, const struct tr_media_options *m,
                               struct t2_err *err)
{
    struct tr_classify_options o = {.from = m->from,
                                    .to = m->to,
                                    .contact_sheet = m->contact_sheet,
                                    .save = m->save,
                                    .batch_size = m->batch_size,
                                    .json = m->json};
    struct tr_classify_report r;

    T2_TRY(tr_classify(t, &o, &r, err));
    if (r.n_known > 0)
        t2_info("%" PRIu64 " of %" PRIu64 " whose class is known are right: %.2f %%", r.n_right,
                r.n_known, 100.0 * (double) r.n_right / (double) r.n_known);
    t2_info("%" PRIu64 " images in %.1f s, %.1f a second%s", r.n_images, r.seconds,
            a_second(r.n_images, r.seconds),
            r.n_bad > 0 ? "; others could not be decoded, see above" : "");
    return T2_OK;
}

static enum t2_status draw(const struct tr_trained *t, const struct tr_media_options *m,
                           struct t2_err *err)
{
    struct tr_draw_options o = {m->draw, m->to, m->contact_sheet, m->batch_size, m->seed};
    struct tr_draw_report r;

    T2_TRY(tr_draw_images(t, &o, &r, err));
    t2_info("%" PRIu64 " images in %.1f s, %.1f a second", r.n_images, r.seconds,
            a_second(r.n_images, r.seconds));
    return T2_OK;
}

static enum t2_status predict(const struct tr_trained *t, const struct tr_media_options *m,
                              struct t2_err *err)
{
    struct tr_predict_options o = {.from = m->from,
                                   .to = m->to,
                                   .batch_size = m->batch_size,
                                   .max_memory = m->max_memory,
                                   .json = m->json};
    struct tr_predict_report r;

    T2_TRY(tr_predict_values(t, &o, &r, err));
    t2_info("%" PRIu64 " rows in %.1f s, %.1f a second", r.n_rows, r.seconds,
            a_second(r.n_rows, r.seconds));
    return T2_OK;
}

static enum t2_status transcribe(const struct tr_trained *t, struct dec_translator *translator,
                                 const struct tr_media_options *m, struct t2_err *err)
{
    struct tr_transcribe_options o = {.from = m->from, .to = m->to, .json = m->json};
    struct tr_transcribe_report r;

    T2_TRY(tr_transcribe(t, translator, &o, &r, err));
    if (r.n_known > 0)
        t2_info("%" PRIu64 " of them are known: word error rate %.2f %%, character error rate "
                "%.2f %%",
                r.n_known, 100 * r.word_error_rate, 100 * r.character_error_rate);
    t2_info("%" PRIu64 " sounds of %.1f s together in %.1f s", r.n_sounds, r.sound_s, r.seconds);
    return T2_OK;
}

static enum t2_status describe(const struct tr_trained *t, struct dec_translator *translator,
                               const struct tr_media_options *m, struct t2_err *err)
{
    struct tr_describe_options o = {.from = m->from, .to = m->to, .json = m->json};
    struct tr_describe_report r;

    T2_TRY(tr_describe_images(t, translator, &o, &r, err));
    t2_info("%" PRIu64 " images in %.1f s, %.1f a second%s", r.n_images, r.seconds,
            a_second(r.n_images, r.seconds),
            r.n_bad > 0 ? "; others could not be decoded, see above" : "");
    return T2_OK;
}

enum t2_status tr_decode_media(const struct tr_trained *t, struct dec_translator *translator,
                               const struct tr_media_options *options, struct t2_err *err)
{
    if (t->data.view->is_speech)
        return transcribe(t, translator, options, err);
    if (t->data.problem.describes)
        return describe(t, translator, options, err);
    if (tr_has_values(&t->data.problem))
        return predict(t, options, err);
    return options->draw > 0 ? draw(t, options, err) : classify(t, options, err);
}
