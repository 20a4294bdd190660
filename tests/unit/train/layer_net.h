/*
 * tests/unit/train/layer_net.h - nets of layer files for tests: images of 8 x 8 x 3, or texts of 50
 * words, to 10 classes.
 */
#ifndef T2_TESTS_LAYER_NET_H
#define T2_TESTS_LAYER_NET_H

#include "tests/unit/train/image_model.h"

static inline struct mdl_problem layer_problem(bool text)
{
    if (!text)
        return image_problem(8, 3);
    return (struct mdl_problem){.has_inputs = true,
                                .inputs_vocab = 50,
                                .targets_vocab = IMAGE_CLASSES,
                                .loss_multiplier = 1.0,
                                .class_labels = true};
}

/* With the hparams of a set, and changes; the status of reading and shaping. */
static inline enum t2_status layer_read(const char *set, const char *overrides, bool of_text,
                                        const char *text, struct mdl_layer_net **net,
                                        struct t2_err *err)
{
    struct mdl_problem problem = layer_problem(of_text);
    struct mdl_hparams *hp = image_hparams(set, overrides);
    enum t2_status st = mdl_layer_file_declare(text, "x.yaml", hp, err);

    *net = NULL;
    if (st == T2_OK)
        st = mdl_layer_net_new(text, "x.yaml", hp, &problem, net, err);
    mdl_hparams_free(hp);
    return st;
}

/* Owned by the caller. */
static inline struct mdl_layer_net *layer_net(bool of_text, const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_layer_net *net;

    if (layer_read("flowers_cnn", "", of_text, text, &net, &err) != T2_OK)
        fail_msg("%s", err.message);
    return net;
}

static inline void layer_refused(bool of_text, const char *text, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_layer_net *net;

    if (layer_read("flowers_cnn", "", of_text, text, &net, &err) == T2_OK)
        fail_msg("accepted: %s", text);
    assert_null(net);
    t_assert_contains(err.message, message);
}

#endif
