/*
 * train/optim/image_schedule.c - learning rates of tensorflow/tpu's and tf-models-official's
 * ResNets.
 */
#include "train/optim/image_schedule.h"

#include <math.h>

struct epochs {
    double batch, images;
    double base;      /* the rate for this batch */
    double per_epoch; /* whole steps */
};

static enum t2_status count_epochs(const struct mdl_hparams *hp, const char *factor,
                                   struct epochs *e, struct t2_err *err)
{
    if (!mdl_hp_has(hp, "num_train_images"))
        return t2_fail(err, T2_EUSAGE,
                       "learning-rate factor '%s' needs an hparams set with num_train_images; '%s' "
                       "has none",
                       factor, mdl_hparams_set_name(hp));
    e->batch = (double) mdl_hp_int(hp, "batch_size");
    e->images = (double) mdl_hp_int(hp, "num_train_images");
    if (!(e->batch > 0.0) || e->images < e->batch)
        return t2_fail(err, T2_EUSAGE,
                       "learning-rate factor '%s': num_train_images (%g) must be a batch_size (%g) "
                       "at least",
                       factor, e->images, e->batch);
    e->per_epoch = floor(e->images / e->batch);
    e->base = mdl_hp_float(hp, "learning_rate") * e->batch / 256.0;
    return T2_OK;
}

/*
 * resnet_main.learning_rate_schedule: boundaries in whole epochs, as the original rounds them down.
 */
enum t2_status opt_tpu_resnet_rate(const struct mdl_hparams *hp, double step, double train_steps,
                                   double *rate, struct t2_err *err)
{
    static const struct {
        double part, multiple;
    } pieces[] = {{5.0 / 90.0, 1.0}, {30.0 / 90.0, 0.1}, {60.0 / 90.0, 0.01}, {80.0 / 90.0, 0.001}};
    double all, epoch, warm;
    struct epochs e = {0};

    T2_TRY(count_epochs(hp, "tpu_resnet", &e, err));
    all = train_steps / e.per_epoch;
    epoch = step / (e.images / e.batch);
    warm = floor(pieces[0].part * all);
    *rate = warm > 0.0 ? e.base * epoch / warm : e.base;
    for (int i = 0; i < 4; i++)
        if (epoch >= floor(pieces[i].part * all))
            *rate = e.base * pieces[i].multiple;
    return T2_OK;
}

/* lars_util.poly_rate_schedule: peak and epochs of warm-up by batch size. */
enum t2_status opt_tpu_resnet_lars_rate(const struct mdl_hparams *hp, double step,
                                        double train_steps, double *rate, struct t2_err *err)
{
    static const struct {
        double batch, rate, epochs;
    } table[] = {{16384, 10.0, 5.0},
                 {32768, 25.0, 5.0},
                 {65536, 32.0, 14.0},
                 {INFINITY, 35.6, 40.0}};
    static const double end = 1e-4;
    double peak, epoch, warm, steps, left;
    struct epochs e = {0};
    int i = 0;

    T2_TRY(count_epochs(hp, "tpu_resnet_lars", &e, err));
    while (e.batch >= table[i].batch)
        i++;
    peak = mdl_hp_has(hp, "poly_rate") ? mdl_hp_float(hp, "poly_rate") : 0.0;
    peak = peak > 0.0 ? peak : table[i].rate;
    epoch = step / (e.images / e.batch);
    if (epoch <= table[i].epochs) {
        *rate = peak * epoch / table[i].epochs;
        return T2_OK;
    }
    warm = floor(table[i].epochs * e.images / e.batch);
    steps = train_steps - warm + 1.0;
    if (!(steps > 0.0))
        return t2_fail(err, T2_EUSAGE,
                       "learning-rate factor 'tpu_resnet_lars' needs more training steps (%g) than "
                       "its warm-up of %g",
                       train_steps, warm);
    left = 1.0 - fmin(fmax(step - warm, 1.0), steps) / steps;
    *rate = (peak - end) * left * left + end;
    return T2_OK;
}

enum t2_status opt_keras_resnet_rate(const struct mdl_hparams *hp, double step, double train_steps,
                                     double *rate, struct t2_err *err)
{
    static const struct {
        double epoch, multiple;
    } pieces[] = {{30.0, 0.1}, {60.0, 0.01}, {80.0, 0.001}};
    struct epochs e = {0};

    (void) train_steps;
    T2_TRY(count_epochs(hp, "keras_resnet", &e, err));
    *rate = e.base;
    if (step < 5.0 * e.per_epoch)
        *rate = e.base * step / (5.0 * e.per_epoch);
    for (int i = 0; i < 3; i++)
        if (step > pieces[i].epoch * e.per_epoch)
            *rate = e.base * pieces[i].multiple;
    return T2_OK;
}
