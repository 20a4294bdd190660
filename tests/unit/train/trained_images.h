/*
 * tests/unit/train/trained_images.h - a model for images as tr_trained_open gives it, without a
 * run: basic_fc_relu for the classes of image_cifar10, with made-up variables.
 */
#ifndef T2_TESTS_UNIT_TRAIN_TRAINED_IMAGES_H
#define T2_TESTS_UNIT_TRAIN_TRAINED_IMAGES_H

#include <stdio.h>

#include "tests/support/device_floats.h"
#include "tests/unit/train/image_shards.h"
#include "train/trained/trained.h"

/* Images of side x side x 3, resized from any size. */
static inline void trained_images_on(struct tr_trained *t, const char *device, int threads,
                                     const char *pipeline)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    *t = (struct tr_trained){.state = {.seed = 1, .step = 70}};
    snprintf(t->state.problem, sizeof t->state.problem, "image_cifar10");
    assert_int_equal(mdl_hparams_new("basic_fc_small", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "hidden_size=6,image_size=12", &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, pipeline, &err), T2_OK);
    mdl_hparams_for_eval(hp);
    assert_int_equal(tr_data_set_open("image_cifar10", t_tmp_path(""), &t->data, &err), T2_OK);
    assert_int_equal(tr_data_set_images(&t->data, hp, &err), T2_OK);
    assert_int_equal(dev_open(device, threads, &t->dev, &err), T2_OK);
    if (mdl_new("basic_fc_relu", t->dev, hp, &t->data.problem, MDL_EVAL, &t->m, &err) != T2_OK ||
        mdl_initialise(t->m, 3, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
}

static inline void trained_images(struct tr_trained *t, int threads)
{
    trained_images_on(t, "cpu", threads, "image_pipeline=photos");
}

/* All variables 0, the last one (the classes' biases) as given. */
static inline void trained_biases(struct tr_trained *t, const float biases[10])
{
    struct gr_params *p = mdl_params(t->m);

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];

        p->dev->zero(p->dev, p->values + v->offset, (size_t) v->n * sizeof(float));
        if (v->n == 10)
            device_write(p->dev, p->values + v->offset, biases, v->n);
    }
}

#endif
