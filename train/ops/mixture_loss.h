/*
 * train/ops/mixture_loss.h - the loss of pixels under a discretised mixture of logistics.
 */
#ifndef NN_MIXTURE_LOSS_H
#define NN_MIXTURE_LOSS_H

#include "train/graph/graph.h"

/*
 * params (rows, 10 K), K mixtures, against pixels (rows, 3) from -1 to 1, GR_FLOATS or another
 * tensor without gradient (struct dev_mixture_loss, device/kernels.h): `weight` times the nats of a
 * pixel.  Its gradient is multiplied by context->grad_scale.  Returns the node for gr_finish;
 * *row_stats (rows, 4) as for nn_class_loss.
 */
struct gr_node *nn_mixture_loss(struct gr_graph *g, struct gr_tensor *params,
                                struct gr_tensor *pixels, double weight,
                                struct gr_tensor **row_stats);

#endif
