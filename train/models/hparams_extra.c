/*
 * train/models/hparams_extra.c - hparams that the original does not have.
 *
 * A set that holds them from the start declares them in its table, as the original's sets would.
 */
#include <string.h>

#include "train/models/hparams_store.h"

/* Strings are constant here: never released. */
#define F(name, value)                                                                             \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            .type = MDL_HP_FLOAT, .f = (value)                                                     \
        }                                                                                          \
    }

#define LIST(name, kind)                                                                           \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            .type = (kind)                                                                         \
        }                                                                                          \
    }

static char lars_skip[] = "batch_normalization+bias", shuffled[] = "shuffled", by_problem[] = "";
static char no_layers[] = "", constant[] = "constant", none[] = "none";

/* clang-format off */
static const struct {
    const char *name;
    struct mdl_value value;
} extras[] = {
    /* train/input/order.h, train/input/reference.h: shuffled, reference */
    {"sample_order", {.type = MDL_HP_STRING, .s = shuffled}},
    /* train/input/image_recipe.h: the problem's when empty and 0 */
    {"image_pipeline", {.type = MDL_HP_STRING, .s = by_problem}},
    {"image_size", {.type = MDL_HP_INT, .i = 0}},
    /* of a recipe with RandAugment; 0 and -1: as the recipe has it */
    {"randaugment_layers", {.type = MDL_HP_INT}},
    F("randaugment_magnitude", -1.0),
    /* train/input/image_mix.h: alpha 0 is none */
    F("mixup_alpha", 0.0),
    F("cutmix_alpha", 0.0),
    F("mixup_prob", 1.0),
    /* train/input/speech_recipe.h: SpecAugment, 0 masks are none */
    {"specaugment_frequency_masks", {.type = MDL_HP_INT}},
    {"specaugment_frequency_width", {.type = MDL_HP_INT, .i = 27}},
    {"specaugment_time_masks", {.type = MDL_HP_INT}},
    {"specaugment_time_width", {.type = MDL_HP_INT, .i = 100}},
    F("specaugment_time_share", 1.0),
    /* train/models/resnet_v1.c: mg_resnet, a normalisation before the mean */
    {"add_head_batch_norm", {.type = MDL_HP_BOOL, .b = false}},
    /* train/runs/data_set.h: the data's classes when 0 */
    {"num_label_classes", {.type = MDL_HP_INT}},
    /* train/models/layer_file.h: the text of a model that a file describes */
    {"layer_file", {.type = MDL_HP_STRING, .s = no_layers}},
    /* train/optim/schedule.c: piecewise; in the original each set that wants it adds them */
    LIST("learning_rate_boundaries", MDL_HP_INT_LIST),
    LIST("learning_rate_multiples", MDL_HP_FLOAT_LIST),
    /* train/optim/garden_schedule.h */
    {"learning_rate_main", {.type = MDL_HP_STRING, .s = constant}},
    F("learning_rate_initial", 0.1),
    {"learning_rate_offset", {.type = MDL_HP_INT}},
    LIST("learning_rate_step_boundaries", MDL_HP_INT_LIST),
    LIST("learning_rate_step_values", MDL_HP_FLOAT_LIST),
    F("learning_rate_end", 1e-4),
    F("learning_rate_power", 1.0),
    {"learning_rate_cycle", {.type = MDL_HP_BOOL}},
    F("learning_rate_alpha", 0.0),
    F("learning_rate_linear_fraction", 0.1),
    F("learning_rate_ceiling", 1e6),
    {"learning_rate_warmup", {.type = MDL_HP_STRING, .s = none}},
    F("learning_rate_warmup_initial", 0.0),
    F("learning_rate_warmup_power", 1.0),
    /* train/optim/moving_average.c: 0 is none */
    F("moving_average_decay", 0.0),
    {"moving_average_trainable_only", {.type = MDL_HP_BOOL, .b = false}},
    /* train/graph/frozen_variables.h: patterns joined by '+' */
    {"frozen_variables", {.type = MDL_HP_STRING, .s = by_problem}},
    /* train/optim/lookahead.c: 0 is none */
    {"lookahead_steps", {.type = MDL_HP_INT}},
    F("lookahead_decay", 0.95),
    /* train/decode/draw_id.h: 1 is all */
    F("sampling_keep_top_p", 1.0),
    /* Keras's defaults */
    F("optimizer_adagrad_epsilon", 1e-7),
    F("optimizer_adagrad_initial_accumulator_value", 0.1),
    F("optimizer_nadam_schedule_decay", 0.004),
    F("optimizer_rms_prop_epsilon", 1e-7),
    F("optimizer_rms_prop_momentum", 0.0),
    F("optimizer_rms_prop_rho", 0.9),
    /* AdamWeightDecay's default; parts of names joined by '+' */
    F("optimizer_adam_weight_decay", 0.0),
    {"optimizer_adam_decay_skip", {.type = MDL_HP_STRING, .s = by_problem}},
    /* LARSOptimizer's defaults; names that tensorflow/tpu leaves out */
    F("optimizer_lars_eeta", 0.001),
    F("optimizer_lars_epsilon", 0.0),
    {"optimizer_lars_skip", {.type = MDL_HP_STRING, .s = lars_skip}},
};
/* clang-format on */
enum { N_EXTRAS = sizeof extras / sizeof *extras };

const struct mdl_value *mdl_hparams_extra(const char *name)
{
    for (size_t i = 0; i < N_EXTRAS; i++)
        if (strcmp(extras[i].name, name) == 0)
            return &extras[i].value;
    return NULL;
}

size_t mdl_hparams_extra_count(void)
{
    return N_EXTRAS;
}

const char *mdl_hparams_extra_name(size_t i)
{
    return extras[i].name;
}
