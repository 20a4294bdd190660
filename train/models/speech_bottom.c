/*
 * train/models/speech_bottom.c - the two-dimensional convolutional bottom of speech.
 */
#include "train/models/speech_bottom.h"

#include <stdio.h>

#include "train/models/transformer_parts.h"
#include "train/ops/conv.h"
#include "train/ops/conv2d.h"
#include "train/ops/elementwise.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"

enum { CHANNELS = 128, TAPS = 3, N_STRIDED = 2 };
static const double epsilon =
    1e-6; /* common_layers.layer_norm's, whatever hparam norm_epsilon is */

/* "conv2d", "conv2d_1", ...: as TensorFlow numbers layers. */
static void name_layer(const struct mdl_build *b, const char *what, int i,
                       char name[MDL_TF_NAME_BYTES])
{
    static const char modality[] = "speech_recognition_modality";
    char number[16] = "";

    if (i > 0)
        snprintf(number, sizeof number, "_%d", i);
    snprintf(name, MDL_TF_NAME_BYTES, "%s/%s/%s/%s%s", b->model, modality, modality, what, number);
}

static struct gr_tensor *kernel(const struct mdl_build *b, int i, const int64_t dims[4])
{
    char scope[MDL_TF_NAME_BYTES];

    name_layer(b, "conv2d", i, scope);
    return mdl_tf_variable(b, scope, "kernel", 4, dims, GR_INIT_DEFAULT, 0.0);
}

static struct gr_tensor *norm_relu(const struct mdl_build *b, struct gr_tensor *x, int i)
{
    int64_t n = x->dims[x->rank - 1];
    char scope[MDL_TF_NAME_BYTES];

    name_layer(b, "layer_norm", i, scope);
    x = nn_layer_norm(b->g, x, mdl_tf_vector(b, scope, "layer_norm_scale", n, GR_INIT_ONES),
                      mdl_tf_vector(b, scope, "layer_norm_bias", n, GR_INIT_ZEROS), epsilon);
    return nn_relu(b->g, x);
}

struct gr_tensor *mdl_speech_bottom(const struct mdl_build *b, struct gr_tensor *x)
{
    const struct nn_conv2d how = {.stride = 2, .padding = NN_VALID};
    const struct nn_unfold ahead = {.taps = TAPS, .first = 0, .scale = 1.0};
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");

    for (int i = 0; i < N_STRIDED; i++) {
        x = nn_conv2d(b->g, x, kernel(b, i, (int64_t[]){TAPS, TAPS, x->dims[3], CHANNELS}), NULL,
                      &how);
        x = norm_relu(b, x, i);
    }
    /* (B, L, 19, 128): all rows of a frame are one, so the last convolution goes along frames */
    {
        int64_t rows = x->dims[2], dims[] = {x->dims[0], x->dims[1], rows * CHANNELS};
        int64_t taps[] = {TAPS, rows, CHANNELS, hidden};

        x = nn_unfold(b->g, nn_reshape(b->g, x, 3, dims), &ahead);
        x = nn_linear(b->g, x, kernel(b, N_STRIDED, taps), NULL, false, 0.0);
    }
    return norm_relu(b, x, N_STRIDED);
}
