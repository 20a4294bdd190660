/*
 * train/experiment/fields_optimizer.c - trainer.optimizer_config: optimizer, learning rate,
 * warm-up, EMA.
 */
#include "train/experiment/fields.h"

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))

enum {
    NUMBER_OR_NULL = EXP_T_NUMBER | EXP_T_OR_NULL,
    LIST_OR_NULL = EXP_T_STRINGS | EXP_T_OR_NULL
};

static const char its_name[] = "a name only";

/* clang-format off */
/* Fields of every optimizer. */
#define BASE(where, name, global_clipnorm) \
    {where ".clipnorm", NUMBER_OR_NULL, "null", EXP_FIXED, "gradients are clipped by their global norm only"}, \
    {where ".clipvalue", NUMBER_OR_NULL, "null", EXP_FIXED, "gradients are clipped by their global norm only"}, \
    {where ".global_clipnorm", NUMBER_OR_NULL, global_clipnorm, EXP_READ, "hparam clip_grad_norm"}, \
    {where ".name", EXP_T_STRING, name, EXP_PASSED, its_name}
#define JIT(where) {where ".jit_compile", EXP_T_BOOL, "false", EXP_PASSED, "of TensorFlow's run time"}
#define ADAM(where) \
    {where ".beta_1", EXP_T_NUMBER, "0.9", EXP_READ, "hparam optimizer_adam_beta1"}, \
    {where ".beta_2", EXP_T_NUMBER, "0.999", EXP_READ, "hparam optimizer_adam_beta2"}, \
    {where ".epsilon", EXP_T_NUMBER, "1.0e-07", EXP_READ, "hparam optimizer_adam_epsilon"}, \
    {where ".amsgrad", EXP_T_BOOL, "false", EXP_READ, "hparam optimizer: amsgrad instead of keras_adam"}
#define SGD(where) \
    {where ".nesterov", EXP_T_BOOL, "false", EXP_READ, "hparam optimizer_momentum_nesterov"}, \
    {where ".momentum", EXP_T_NUMBER, "0.0", EXP_READ, "hparam optimizer_momentum_momentum"}
#define ABSENT(name) {"optimizer." name, EXP_T_NULL, "null", EXP_FIXED, "this optimizer is not built"}
#define OFFSET(where) {where ".offset", EXP_T_INT, "0", EXP_READ, "hparam learning_rate_offset"}
#define INITIAL(where) {where ".initial_learning_rate", NUMBER_OR_NULL, "null", EXP_READ, "hparam learning_rate_initial"}
#define STEPS(where, name) {where "." name, EXP_T_INT | EXP_T_OR_NULL, "null", EXP_READ, "hparam learning_rate_decay_steps"}
#define POWER(where, power) {where ".power", EXP_T_NUMBER, power, EXP_READ, "hparam learning_rate_power"}
#define LR "learning_rate."
#define NAME(where, name) {where ".name", EXP_T_STRING, name, EXP_PASSED, its_name}

static const char its_clipping[] = "gradients are clipped by the optimizer's global norm only";
static const char no_decay[] = "Keras's weight decay is not built; 0 only";
static const char all_decay[] =
    "a text in place of a list, as in the Vision Transformers' experiments, is read character by "
    "character there: all variables decay";

static const struct exp_field rows[] = {
    {"optimizer.type", EXP_T_CHOICE, "null", EXP_READ, "hparam optimizer"},
    BASE("optimizer.sgd", "SGD", "null"), SGD("optimizer.sgd"),
    {"optimizer.sgd.decay", EXP_T_NUMBER, "0.0", EXP_FIXED, "the learning rate's schedule says how it decays"},
    BASE("optimizer.sgd_experimental", "SGD", "null"), SGD("optimizer.sgd_experimental"), JIT("optimizer.sgd_experimental"),
    BASE("optimizer.adam", "Adam", "null"), ADAM("optimizer.adam"),
    BASE("optimizer.adam_experimental", "Adam", "null"), ADAM("optimizer.adam_experimental"), JIT("optimizer.adam_experimental"),
    BASE("optimizer.adamw", "AdamWeightDecay", "null"), ADAM("optimizer.adamw"),
    {"optimizer.adamw.weight_decay_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam optimizer_adam_weight_decay"},
    {"optimizer.adamw.include_in_weight_decay", EXP_T_PATHS | EXP_T_OR_NULL, "null", EXP_FIXED, all_decay},
    {"optimizer.adamw.exclude_from_weight_decay", LIST_OR_NULL, "null", EXP_READ, "hparam optimizer_adam_decay_skip: parts of names"},
    {"optimizer.adamw.gradient_clip_norm", EXP_T_NUMBER, "1.0", EXP_READ, "hparam clip_grad_norm"},
    BASE("optimizer.adamw_experimental", "AdamWeightDecayExperimental", "1.0"), ADAM("optimizer.adamw_experimental"),
    {"optimizer.adamw_experimental.weight_decay", EXP_T_NUMBER, "0.0", EXP_FIXED, no_decay}, JIT("optimizer.adamw_experimental"),
    BASE("optimizer.rmsprop", "RMSprop", "null"),
    {"optimizer.rmsprop.rho", EXP_T_NUMBER, "0.9", EXP_READ, "hparam optimizer_rms_prop_rho"},
    {"optimizer.rmsprop.momentum", EXP_T_NUMBER, "0.0", EXP_READ, "hparam optimizer_rms_prop_momentum"},
    {"optimizer.rmsprop.epsilon", EXP_T_NUMBER, "1.0e-07", EXP_READ, "hparam optimizer_rms_prop_epsilon"},
    {"optimizer.rmsprop.centered", EXP_T_BOOL, "false", EXP_FIXED, "the centered form is not built"},
    BASE("optimizer.lars", "LARS", "null"),
    {"optimizer.lars.momentum", EXP_T_NUMBER, "0.9", EXP_READ, "hparam optimizer_momentum_momentum"},
    {"optimizer.lars.eeta", EXP_T_NUMBER, "0.001", EXP_READ, "hparam optimizer_lars_eeta"},
    {"optimizer.lars.weight_decay_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam weight_decay"},
    {"optimizer.lars.nesterov", EXP_T_BOOL, "false", EXP_READ, "hparam optimizer_momentum_nesterov"},
    {"optimizer.lars.classic_momentum", EXP_T_BOOL, "true", EXP_FIXED, "the other form is not built"},
    {"optimizer.lars.exclude_from_weight_decay", LIST_OR_NULL, "null", EXP_READ, "hparam optimizer_lars_skip, with the list below it"},
    {"optimizer.lars.exclude_from_layer_adaptation", LIST_OR_NULL, "null", EXP_READ, "the same list: one hparam for both"},
    BASE("optimizer.adagrad", "Adagrad", "null"),
    {"optimizer.adagrad.initial_accumulator_value", EXP_T_NUMBER, "0.1", EXP_READ, "hparam optimizer_adagrad_initial_accumulator_value"},
    {"optimizer.adagrad.epsilon", EXP_T_NUMBER, "1.0e-07", EXP_READ, "hparam optimizer_adagrad_epsilon"},
    ABSENT("lamb"), ABSENT("slide"), ABSENT("adafactor"), ABSENT("adafactor_keras"),

    {"ema", EXP_T_GROUP, "null", EXP_READ, "hparam moving_average_decay: none"},
    {"ema.clipnorm", NUMBER_OR_NULL, "null", EXP_FIXED, its_clipping},
    {"ema.clipvalue", NUMBER_OR_NULL, "null", EXP_FIXED, its_clipping},
    {"ema.global_clipnorm", NUMBER_OR_NULL, "null", EXP_FIXED, its_clipping},
    NAME("ema", "ExponentialMovingAverage"),
    {"ema.average_decay", EXP_T_NUMBER, "0.99", EXP_READ, "hparam moving_average_decay"},
    {"ema.trainable_weights_only", EXP_T_BOOL, "true", EXP_READ, "hparam moving_average_trainable_only"},
    {"ema.start_step", EXP_T_INT, "0", EXP_FIXED, "the average begins with the run"},
    {"ema.dynamic_decay", EXP_T_BOOL, "true", EXP_FIXED, "min(average_decay, (1 + step)/(10 + step)) always"},

    {"learning_rate.type", EXP_T_CHOICE, "null", EXP_READ, "hparam learning_rate_main"},
    {LR "constant.learning_rate", EXP_T_NUMBER, "0.1", EXP_READ, "hparam learning_rate_initial"}, NAME(LR "constant", "Constant"),
    {LR "stepwise.boundaries", EXP_T_INTS | EXP_T_OR_NULL, "null", EXP_READ, "hparam learning_rate_step_boundaries"},
    {LR "stepwise.values", EXP_T_NUMBERS | EXP_T_OR_NULL, "null", EXP_READ, "hparam learning_rate_step_values"},
    OFFSET(LR "stepwise"), NAME(LR "stepwise", "PiecewiseConstantDecay"),
    INITIAL(LR "exponential"), STEPS(LR "exponential", "decay_steps"),
    {LR "exponential.decay_rate", NUMBER_OR_NULL, "null", EXP_READ, "hparam learning_rate_decay_rate"},
    {LR "exponential.staircase", EXP_T_BOOL | EXP_T_OR_NULL, "null", EXP_READ, "hparam learning_rate_decay_staircase"},
    OFFSET(LR "exponential"), NAME(LR "exponential", "ExponentialDecay"),
    INITIAL(LR "polynomial"), STEPS(LR "polynomial", "decay_steps"), POWER(LR "polynomial", "1.0"),
    {LR "polynomial.end_learning_rate", EXP_T_NUMBER, "0.0001", EXP_READ, "hparam learning_rate_end"},
    {LR "polynomial.cycle", EXP_T_BOOL, "false", EXP_READ, "hparam learning_rate_cycle"},
    OFFSET(LR "polynomial"), NAME(LR "polynomial", "PolynomialDecay"),
    INITIAL(LR "cosine"), STEPS(LR "cosine", "decay_steps"),
    {LR "cosine.alpha", EXP_T_NUMBER, "0.0", EXP_READ, "hparam learning_rate_alpha"},
    OFFSET(LR "cosine"), NAME(LR "cosine", "CosineDecay"),
    INITIAL(LR "power"), POWER(LR "power", "-0.5"), NAME(LR "power", "DirectPowerDecay"),
    INITIAL(LR "power_linear"), STEPS(LR "power_linear", "total_decay_steps"), POWER(LR "power_linear", "-0.5"),
    {LR "power_linear.linear_decay_fraction", EXP_T_NUMBER, "0.1", EXP_READ, "hparam learning_rate_linear_fraction"},
    OFFSET(LR "power_linear"), NAME(LR "power_linear", "PowerAndLinearDecay"),
    INITIAL(LR "power_with_offset"), POWER(LR "power_with_offset", "-0.5"),
    {LR "power_with_offset.pre_offset_learning_rate", EXP_T_NUMBER, "1000000.0", EXP_READ, "hparam learning_rate_ceiling"},
    OFFSET(LR "power_with_offset"), NAME(LR "power_with_offset", "PowerDecayWithOffset"),
    {LR "step_cosine_with_offset", EXP_T_NULL, "null", EXP_FIXED, "not built: behind its last boundary the original's rate is not a number"},

    {"warmup.type", EXP_T_CHOICE, "null", EXP_READ, "hparam learning_rate_warmup"},
    {"warmup.linear.warmup_learning_rate", EXP_T_NUMBER, "0", EXP_READ, "hparam learning_rate_warmup_initial"},
    {"warmup.linear.warmup_steps", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_READ, "hparam learning_rate_warmup_steps"},
    NAME("warmup.linear", "linear"),
    {"warmup.polynomial.power", EXP_T_NUMBER, "1", EXP_READ, "hparam learning_rate_warmup_power"},
    {"warmup.polynomial.warmup_steps", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_READ, "hparam learning_rate_warmup_steps"},
    NAME("warmup.polynomial", "polynomial"),
};
/* clang-format on */

const struct exp_fields exp_optimizer_fields = {rows, N(rows)};
