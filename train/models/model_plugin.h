/*
 * train/models/model_plugin.h - models, operators and hparams sets in a shared object, for
 * --t2t_usr_dir of the trainer, the decoder and the exporter: what the author of one includes.
 *
 * The object defines one thing:
 *
 *     static enum t2_status add(struct t2_err *err)
 *     {
 *         T2_TRY(mdl_hparams_register("my_net_small", "basic_fc_small", "hidden_size=64", err));
 *         return mdl_register(&my_net, err);
 *     }
 *     MDL_PLUGIN(add);
 *
 * and is compiled with the headers of the same version: cc -shared -fPIC -I<source> -o my.so my.c.
 *
 * kind.h says what a model is, hparams.h how hparams are read.  Models are built of the operators
 * of train/ops/; an operator of one's own is a struct gr_op (graph.h) whose functions call kernels
 * that are there (node->dev->kernels), or one of its own (own_kernels.h).  The same object may have
 * problems: datagen/plugin.h.
 */
#ifndef MDL_MODEL_PLUGIN_H
#define MDL_MODEL_PLUGIN_H

#include "train/graph/graph.h"
#include "train/models/hparams.h"
#include "train/models/kind.h"

/* Raised whenever a structure or a function of these headers changes. */
#define MDL_PLUGIN_ABI 1

struct mdl_plugin {
    int abi;
    /* Of struct mdl_kind, mdl_build, mdl_graph, gr_graph, gr_node, gr_tensor, dev, dev_kernels: a
     * change that nobody raised the number for. */
    size_t bytes[8];
    enum t2_status (*add)(struct t2_err *err); /* registers what the object has */
};

#define MDL_PLUGIN_BYTES                                                                           \
    {                                                                                              \
        sizeof(struct mdl_kind), sizeof(struct mdl_build), sizeof(struct mdl_graph),               \
            sizeof(struct gr_graph), sizeof(struct gr_node), sizeof(struct gr_tensor),             \
            sizeof(struct dev), sizeof(struct dev_kernels)                                         \
    }

extern const struct mdl_plugin mdl_plugin;
#define MDL_PLUGIN(function)                                                                       \
    const struct mdl_plugin mdl_plugin = {MDL_PLUGIN_ABI, MDL_PLUGIN_BYTES, function}

/*
 * Loads the shared objects (*.so) of a folder in the order of their names and lets each register
 * what it has; they stay loaded.  An object that has problems alone is passed over.  *n_loaded: how
 * many had models; 0, too, where there is no such folder.  T2_EFORMAT names the file and what is
 * wrong with it.  Before there are threads.
 */
T2_MUST_CHECK enum t2_status mdl_load_plugins(const char *dir, int *n_loaded, struct t2_err *err);

#endif
