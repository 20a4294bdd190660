/*
 * tests/fuzz/fuzz_layer_file.c - layer files: no crash on any bytes, every refusal has a message,
 * and what is read can be described; of images and of texts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train/models/layer_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, const struct mdl_problem *problem)
{
    static struct mdl_hparams *set; /* made once; each text adds to a copy */
    struct t2_err err = T2_ERR_INIT;
    struct mdl_layer_net *net = NULL;
    struct mdl_hparams *hp;
    struct t2_buf out = {0};

    if (!set && mdl_hparams_new("mg_resnet_imagenet", &set, &err) != T2_OK)
        abort();
    hp = mdl_hparams_copy(set);
    if (mdl_layer_file_declare(text, "x.yaml", hp, &err) == T2_OK &&
        mdl_layer_net_new(text, "x.yaml", hp, problem, &net, &err) == T2_OK) {
        mdl_layer_net_table(net, &out);
        if (net->n < 200)
            mdl_layer_net_svg(net, &out);
    } else if (net || err.message[0] == '\0') {
        abort();
    }
    t2_buf_release(&out);
    mdl_layer_net_free(net);
    mdl_hparams_free(hp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mdl_problem images = {.targets_vocab = 10,
                                              .class_labels = true,
                                              .image = {32, 32, 3}};
    static const struct mdl_problem texts = {.has_inputs = true,
                                             .inputs_vocab = 50,
                                             .targets_vocab = 10,
                                             .class_labels = true};
    char *text = t2_strndup((const char *) data, size); /* up to a byte 0 */

    check(text, &images);
    check(text, &texts);
    t2_free(text);
    return 0;
}
