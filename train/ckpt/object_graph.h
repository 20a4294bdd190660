/*
 * train/ckpt/object_graph.h - names of variables in a checkpoint that was saved as a graph of
 * objects (tf.train.Checkpoint, Keras).
 *
 * TrackableObjectGraph; spec formats-and-experiments.md E3.6.
 */
#ifndef CKPT_OBJECT_GRAPH_H
#define CKPT_OBJECT_GRAPH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Keys of a bundle and, at the same places, the names that bundle.h gives their tensors. */
struct ckpt_graph_names {
    struct t2_strs keys, names;
};

/* T2_EFORMAT (the message without the file's name): no such message.  Keys that nothing is known
 * of are left out.  names is released with ckpt_graph_names_release, also on failure. */
T2_MUST_CHECK enum t2_status ckpt_object_graph_names(struct t2_slice graph,
                                                     struct ckpt_graph_names *names,
                                                     struct t2_err *err);
void ckpt_graph_names_release(struct ckpt_graph_names *names);

#endif
