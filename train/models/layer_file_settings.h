/*
 * train/models/layer_file_settings.h - layer types and activations by their names, and the settings
 * of a layer.
 */
#ifndef MDL_LAYER_FILE_SETTINGS_H
#define MDL_LAYER_FILE_SETTINGS_H

#include "train/models/layer_file.h"
#include "train/models/layer_file_values.h"

/* By the name of a file, Keras's class name too ("conv2d", "Conv2D").  An activation by its own
 * name ("relu") is a layer: its type and *activation.  False: no such layer. */
bool mdl_layer_find_type(const char *name, enum mdl_layer_type *type,
                         enum mdl_activation *activation);
/* "conv2d, dense, …" */
void mdl_layer_put_types(struct t2_buf *out);

/* Keras's defaults of a type. */
void mdl_layer_set_defaults(struct mdl_layer *l, enum mdl_layer_type type);
/* One member of the mapping of a layer, but for `name`.  T2_EFORMAT names a key that the type has
 * not, and those it has. */
T2_MUST_CHECK enum t2_status mdl_layer_set(struct mdl_layer *l, const struct mdl_scope *scope,
                                           const struct t2_yaml_node *member, struct t2_err *err);
/* The value of a layer that is written "dropout: 0.5": its first setting. */
T2_MUST_CHECK enum t2_status mdl_layer_set_first(struct mdl_layer *l, const struct mdl_scope *scope,
                                                 const struct t2_yaml_node *value,
                                                 struct t2_err *err);
/* Names what a layer lacks. */
T2_MUST_CHECK enum t2_status mdl_layer_check_settings(const struct mdl_layer *l,
                                                      struct t2_err *err);

#endif
