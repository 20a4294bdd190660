/*
 * tests/support/cnn_oracle.h - a recorded case of an image model: JSON, tensors, our model beside
 * it.
 */
#ifndef T2_TESTS_SUPPORT_CNN_ORACLE_H
#define T2_TESTS_SUPPORT_CNN_ORACLE_H

#include "base/json.h"
#include "train/ckpt/safetensors.h"
#include "train/models/model.h"
#include "train/models/model_parts.h"

struct cnn_case {
    const char *folder, *name;
    struct t2_json_doc *doc;
    const struct t2_json_value *root;
    struct ckpt_file *file, *shared; /* shared: more tensors, of another case; may be NULL */
    struct dev *dev;
    struct mdl_hparams *hp;
    struct mdl_problem problem;
    struct mdl *m;
    struct mdl_batch batch;
    double *trial; /* NULL: what differs fails the test.  Else: see cnn_case_search */
};

/* How far from the original, and how often farther. */
struct cnn_tolerance {
    double each;     /* of an element */
    double outlier;  /* of the fraction below */
    double fraction; /* that may be farther than `each` */
    bool of_largest; /* times the largest value of the variable, where that is above 1 */
};

/* Opens <folder>/<name>.json and .safetensors of T2_DATA; shared is another name or NULL. */
void cnn_open(struct cnn_case *c, struct dev *dev, const char *folder, const char *name,
              const char *shared);
void cnn_close(struct cnn_case *c);
/* Skips the test where T2_DATA has no such case. */
void cnn_need(const char *folder, const char *name);
/* A text of the case; "" without it. */
const char *cnn_text(const struct cnn_case *c, const char *key);
/* hp, from "hparams_set" and "hparams". */
void cnn_read_hparams(struct cnn_case *c);
/* Problem and batch, of "in/images" and "in/labels". */
void cnn_read_images(struct cnn_case *c);
/* Makes the model; the problem and hp must be set. */
void cnn_model(struct cnn_case *c, const char *model);

/* NULL when there is none; must_find fails the test. */
const struct ckpt_tensor *cnn_find(const struct cnn_case *c, const char *prefix, const char *name);
const struct ckpt_tensor *cnn_must_find(const struct cnn_case *c, const char *prefix,
                                        const char *name);
double cnn_number(const struct cnn_case *c, const char *key);
/* recorded_room of this case */
double cnn_room(const struct cnn_case *c, const char *key, double ours, double otherwise);

/* All variables and states from "var/". */
void cnn_set_variables(const struct cnn_case *c);
/* Every variable of the lists "trainable" and "not_trainable" is ours, of the same kind and shape,
 * and no other one. */
void cnn_compare_names(const struct cnn_case *c);

/* |ours - theirs| <= tolerance * |theirs| */
void cnn_near(const struct cnn_case *c, const char *what, double ours, double theirs,
              double tolerance);
void cnn_compare(const struct cnn_case *c, const char *what, const float *ours, const float *theirs,
                 size_t n, const struct cnn_tolerance *t);
/* `values` lie as in the parameters' arenas; returns the number of variables that were recorded. */
size_t cnn_compare_variables(const struct cnn_case *c, const float *values, const char *prefix,
                             const struct cnn_tolerance *t);
/* Likewise of values, or gradients, in device memory. */
size_t cnn_compare_on_device(const struct cnn_case *c, const float *values, const char *prefix,
                             const struct cnn_tolerance *t);

/*
 * Where a ReLU's input is 0 but for rounding, the recording may have one side of it and we the
 * other, and gradients and all that follows differ by a fixed amount that no tolerance foresees.
 * Which initial value brings ours to the recording's side depends on the seed; so it is searched
 * for.
 *
 * check(arg, which, trial) runs the case; with `trial` it sets *trial to the largest difference, in
 * tolerances, and fails nothing.  It calls cnn_nudge(c, which) once the initial values are set: 0
 * moves nothing, odd numbers one value by some 1e-6 of itself, even ones all by their last bit.
 * Returns true when a run was within the tolerances.  *spread is how far apart the runs were, in
 * tolerances: above 1 there is such a ReLU, else ours is wrong.
 */
typedef void (*cnn_check_fn)(const void *arg, int which, double *trial);
bool cnn_case_search(cnn_check_fn check, const void *arg, double *spread);
void cnn_nudge(const struct cnn_case *c, int which);
/* Whether c is on trial; if so, the difference counts. */
bool cnn_is_trial(const struct cnn_case *c, double difference, double tolerance);

/* A training step for each of "losses", against these and "grad/" of the first, as far apart as
 * `tolerance`, and "after/" of the last.  Where "exact/" has gradients of the original in double
 * precision, ours are held against those, and against "grad/" with its own distance from them. */
void cnn_compare_steps(struct cnn_case *c, double tolerance, double of_variables);
/* mdl_class_logits against the tensor "out/<name>". */
void cnn_compare_eval(const struct cnn_case *c, const char *name, double tolerance);
/* cnn_training_logits against "out/logits". */
void cnn_compare_training(struct cnn_case *c, double tolerance);
/* Logits of a training step (batch statistics), owned by the caller; states move. */
float *cnn_training_logits(struct cnn_case *c);

#endif
