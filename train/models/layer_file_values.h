/*
 * train/models/layer_file_values.h - scalars of a layer file: numbers, words, and what "$name"
 * stands for.
 *
 *   value = word | operand { ("*" | "/" | "+" | "-") operand }     from left to right, with blanks
 *   operand = number | "$" name | "$" name "[" (number | "$" name) "]"
 *
 * A name is a variable of a loop around it, else an hparam, else one of `classes` and
 * `inputs_vocab` of the problem.
 */
#ifndef MDL_LAYER_FILE_VALUES_H
#define MDL_LAYER_FILE_VALUES_H

#include "base/err.h"
#include "base/yaml_tree.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

enum { MDL_SCOPE_MOST = 32, MDL_SCALAR_BYTES = 128 };

/* Variables of loops, the innermost last. */
struct mdl_scope {
    const struct mdl_hparams *hp;
    const struct mdl_problem *problem;
    struct {
        const char *name; /* borrowed */
        char text[MDL_SCALAR_BYTES];
    } variables[MDL_SCOPE_MOST];
    int n;
};

/* True of names that a parameter must not have. */
bool mdl_scope_is_reserved(const char *name);

/* The scalar's text, with what names stand for in place of them.  Integers have no fraction:
 * "64". */
T2_MUST_CHECK enum t2_status mdl_scope_text(const struct mdl_scope *s,
                                            const struct t2_yaml_node *node,
                                            char out[MDL_SCALAR_BYTES], struct t2_err *err);
/* A text in which "{name}" is replaced, for names of layers. */
T2_MUST_CHECK enum t2_status mdl_scope_name(const struct mdl_scope *s,
                                            const struct t2_yaml_node *node,
                                            char out[MDL_SCALAR_BYTES], struct t2_err *err);
/* Numbers between two; `what` names them in messages. */
T2_MUST_CHECK enum t2_status mdl_scope_int(const struct mdl_scope *s,
                                           const struct t2_yaml_node *node, const char *what,
                                           int64_t least, int64_t most, int64_t *value,
                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status mdl_scope_float(const struct mdl_scope *s,
                                             const struct t2_yaml_node *node, const char *what,
                                             double least, double most, double *value,
                                             struct t2_err *err);
T2_MUST_CHECK enum t2_status mdl_scope_bool(const struct mdl_scope *s,
                                            const struct t2_yaml_node *node, const char *what,
                                            bool *value, struct t2_err *err);

#endif
