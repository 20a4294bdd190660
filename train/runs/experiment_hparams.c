/*
 * train/runs/experiment_hparams.c - fields of an experiment into clauses of --hparams: tables of
 * (field, hparam), and a function where one field decides over several hparams.
 */
#include "train/runs/experiment_hparams.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* The configuration that is read and the clauses written so far, "name=value,name=value". */
struct writer {
    const struct exp_config *c;
    struct t2_buf *out;
    struct t2_err *err;
};

/* ---- clauses ---- */

static void put_name(struct writer *w, const char *hparam)
{
    t2_buf_printf(w->out, "%s%s=", w->out->len_bytes > 0 ? "," : "", hparam);
}

static void put_text(struct writer *w, const char *hparam, const char *text)
{
    put_name(w, hparam);
    t2_buf_puts(w->out, text);
}

static void put_number(struct writer *w, const char *hparam, double x)
{
    put_name(w, hparam);
    exp_put_float(w->out, x);
}

static void put_int(struct writer *w, const char *hparam, int64_t i)
{
    put_name(w, hparam);
    t2_buf_printf(w->out, "%" PRId64, i);
}

/* The field's value; null is an error that names it. */
static enum t2_status put_field(struct writer *w, const char *hparam, const char *path)
{
    const struct exp_value *v = exp_config_get(w->c, path);

    if (v->kind == EXP_NULL)
        return t2_fail(w->err, T2_EUSAGE, "%s is missing", path);
    put_name(w, hparam);
    if (v->kind == EXP_STRING)
        t2_buf_puts(w->out, v->s);
    else
        exp_value_put(w->out, v);
    return T2_OK;
}

/* A row of a table: the field `name` of a group, and the hparam that has its value. */
struct pair {
    const char *name, *hparam;
};

static enum t2_status put_pairs(struct writer *w, const char *group, const struct pair *pairs)
{
    for (; pairs->name != NULL; pairs++) {
        char *path = t2_asprintf("%s.%s", group, pairs->name);
        enum t2_status st = put_field(w, pairs->hparam, path);

        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

/* ---- trainer.optimizer_config ---- */

#define OPTIMIZER "trainer.optimizer_config."

/* An alternative of a choice: its name in the configuration, the hparam's value that it becomes,
 * and its fields. */
struct alternative {
    const char *name, *value;
    struct pair pairs[8];
};

static const struct pair adam_pairs[] = {{"beta_1", "optimizer_adam_beta1"},
                                         {"beta_2", "optimizer_adam_beta2"},
                                         {"epsilon", "optimizer_adam_epsilon"},
                                         {NULL, NULL}};

/* clang-format off */
#define SGD {{"momentum", "optimizer_momentum_momentum"}, {"nesterov", "optimizer_momentum_nesterov"}}
#define I {"initial_learning_rate", "learning_rate_initial"}
#define OFFSET {"offset", "learning_rate_offset"}
#define POWER {"power", "learning_rate_power"}
#define STEPS {"decay_steps", "learning_rate_decay_steps"}

static const struct alternative optimizers[] = {
    {"sgd", "keras_sgd", SGD}, {"sgd_experimental", "keras_sgd", SGD},
    {"adam", "keras_adam", {{NULL, NULL}}}, {"adam_experimental", "keras_adam", {{NULL, NULL}}},
    {"adamw", "keras_adam_w", {{NULL, NULL}}}, {"adamw_experimental", "keras_adam", {{NULL, NULL}}},
    {"rmsprop", "keras_rms_prop",
        {{"rho", "optimizer_rms_prop_rho"}, {"momentum", "optimizer_rms_prop_momentum"}, {"epsilon", "optimizer_rms_prop_epsilon"}}},
    {"lars", "lars",
        {{"momentum", "optimizer_momentum_momentum"}, {"nesterov", "optimizer_momentum_nesterov"}, {"eeta", "optimizer_lars_eeta"},
         {"weight_decay_rate", "weight_decay"}}},
    {"adagrad", "keras_adagrad",
        {{"initial_accumulator_value", "optimizer_adagrad_initial_accumulator_value"}, {"epsilon", "optimizer_adagrad_epsilon"}}},
    {NULL, NULL, {{NULL, NULL}}},
};

static const struct alternative rates[] = {
    {"constant", "constant", {{"learning_rate", "learning_rate_initial"}}},
    {"stepwise", "stepwise", {{"boundaries", "learning_rate_step_boundaries"}, {"values", "learning_rate_step_values"}, OFFSET}},
    {"exponential", "exponential", {I, STEPS, {"decay_rate", "learning_rate_decay_rate"}, OFFSET}},
    {"polynomial", "polynomial",
        {I, STEPS, {"end_learning_rate", "learning_rate_end"}, POWER, {"cycle", "learning_rate_cycle"}, OFFSET}},
    {"cosine", "cosine", {I, STEPS, {"alpha", "learning_rate_alpha"}, OFFSET}},
    {"power", "power", {I, POWER}},
    {"power_linear", "power_linear",
        {I, {"total_decay_steps", "learning_rate_decay_steps"}, POWER, {"linear_decay_fraction", "learning_rate_linear_fraction"}, OFFSET}},
    {"power_with_offset", "power_with_offset", {I, POWER, {"pre_offset_learning_rate", "learning_rate_ceiling"}, OFFSET}},
    {NULL, NULL, {{NULL, NULL}}},
};

static const struct alternative warmups[] = {
    {"linear", "linear", {{"warmup_learning_rate", "learning_rate_warmup_initial"}, {"warmup_steps", "learning_rate_warmup_steps"}}},
    {"polynomial", "polynomial", {{"power", "learning_rate_warmup_power"}, {"warmup_steps", "learning_rate_warmup_steps"}}},
    {NULL, NULL, {{NULL, NULL}}},
};
/* clang-format on */

/* The chosen alternative of trainer.optimizer_config.<group>; NULL when there is none. */
static const struct alternative *chosen(const struct writer *w, const char *group,
                                        const struct alternative *list)
{
    char *path = t2_asprintf(OPTIMIZER "%s.type", group);
    const char *type = exp_config_string(w->c, path);

    t2_free(path);
    if (!type)
        return NULL;
    while (list->name && strcmp(list->name, type) != 0)
        list++;
    T2_ASSERT(list->name); /* config.c knows no other alternatives */
    return list;
}

static enum t2_status put_alternative(struct writer *w, const char *group, const char *hparam,
                                      const struct alternative *a)
{
    char *path = t2_asprintf(OPTIMIZER "%s.%s", group, a->name);
    enum t2_status st;

    put_text(w, hparam, a->value);
    st = put_pairs(w, path, a->pairs);
    t2_free(path);
    return st;
}

/* A list of parts of names, and not of regular expressions, joined by '+'. */
static enum t2_status put_parts(struct writer *w, const char *hparam, const char *path,
                                const struct exp_value *list)
{
    put_name(w, hparam);
    for (size_t i = 0; i < list->n; i++) {
        if (strpbrk(list->items[i].s, "^$.*+?[](){}|\\,="))
            return t2_fail(w->err, T2_EUSAGE,
                           "%s: '%s' is a regular expression; parts of names only", path,
                           list->items[i].s);
        t2_buf_printf(w->out, "%s%s", i > 0 ? "+" : "", list->items[i].s);
    }
    return T2_OK;
}

/* One hparam serves both of LARS' lists, so they must be equal; and it holds parts of names, not
 * regular expressions. */
static enum t2_status put_lars_skip(struct writer *w)
{
    static const char decay[] = OPTIMIZER "optimizer.lars.exclude_from_weight_decay";
    static const char adaptation[] = OPTIMIZER "optimizer.lars.exclude_from_layer_adaptation";
    const struct exp_value *a = exp_config_get(w->c, decay), *b = exp_config_get(w->c, adaptation);

    if (!exp_value_equal(a, b))
        return t2_fail(w->err, T2_EUSAGE, "%s and %s must be the same list here", decay,
                       adaptation);
    return put_parts(w, "optimizer_lars_skip", decay, a);
}

/* AdamWeightDecay: the variables that decay are told by parts of names, not regular expressions. */
static enum t2_status put_decay(struct writer *w)
{
    static const char skip[] = OPTIMIZER "optimizer.adamw.exclude_from_weight_decay";
    const struct exp_value *parts = exp_config_get(w->c, skip);

    if (exp_config_bool(w->c, OPTIMIZER "optimizer.adamw.amsgrad"))
        return t2_fail(w->err, T2_EUNSUPPORTED,
                       OPTIMIZER "optimizer.adamw.amsgrad=true is not built with weight decay");
    T2_TRY(
        put_field(w, "optimizer_adam_weight_decay", OPTIMIZER "optimizer.adamw.weight_decay_rate"));
    if (!exp_config_is_null(w->c, OPTIMIZER "optimizer.adamw.include_in_weight_decay"))
        return T2_OK; /* whatever it matches goes before the other list, and it matches all */
    return put_parts(w, "optimizer_adam_decay_skip", skip, parts);
}

/* The optimizer's fields and its clipping: the smaller of global_clipnorm and AdamWeightDecay's
 * own. */
static enum t2_status put_chosen_optimizer(struct writer *w, const struct alternative *a)
{
    char *group = t2_asprintf(OPTIMIZER "optimizer.%s", a->name);
    char *norm = t2_asprintf("%s.global_clipnorm", group);
    char *amsgrad = t2_asprintf("%s.amsgrad", group);
    double clip = exp_config_number(w->c, norm);
    enum t2_status st = T2_OK;

    if (strcmp(a->value, "keras_adam_w") == 0) {
        put_text(w, "optimizer", a->value);
        st = put_pairs(w, group, adam_pairs);
        if (st == T2_OK)
            st = put_decay(w);
    } else if (strcmp(a->value, "keras_adam") == 0) {
        put_text(w, "optimizer", exp_config_bool(w->c, amsgrad) ? "amsgrad" : a->value);
        st = put_pairs(w, group, adam_pairs);
    } else {
        st = put_alternative(w, "optimizer", "optimizer", a);
    }
    if (st == T2_OK && strcmp(a->name, "lars") == 0)
        st = put_lars_skip(w);
    /* AdamWeightDecay clips itself, before everything else */
    if (strcmp(a->name, "adamw") == 0) {
        double own = exp_config_number(w->c, OPTIMIZER "optimizer.adamw.gradient_clip_norm");

        clip = isnan(clip) || (own > 0 && own < clip) ? own : clip;
    }
    put_number(w, "clip_grad_norm", isnan(clip) ? 0.0 : clip);
    t2_free(group);
    t2_free(norm);
    t2_free(amsgrad);
    return st;
}

/* optimizer_config.ema: hparams of optim/moving_average.c. */
static enum t2_status put_ema(struct writer *w)
{
    if (exp_config_is_null(w->c, OPTIMIZER "ema"))
        return T2_OK;
    T2_TRY(put_field(w, "moving_average_decay", OPTIMIZER "ema.average_decay"));
    return put_field(w, "moving_average_trainable_only", OPTIMIZER "ema.trainable_weights_only");
}

static enum t2_status put_optimizer(struct writer *w)
{
    const struct alternative *optimizer = chosen(w, "optimizer", optimizers);
    const struct alternative *rate = chosen(w, "learning_rate", rates);
    const struct alternative *warmup = chosen(w, "warmup", warmups);

    if (!optimizer)
        return t2_fail(w->err, T2_EUSAGE,
                       "optimizer type must be specified: " OPTIMIZER "optimizer.type");
    if (!rate)
        return t2_fail(w->err, T2_EUSAGE,
                       "learning rate type must be specified: " OPTIMIZER "learning_rate.type");
    T2_TRY(put_chosen_optimizer(w, optimizer));
    put_text(w, "learning_rate_schedule", "model_garden");
    T2_TRY(put_alternative(w, "learning_rate", "learning_rate_main", rate));
    if (strcmp(rate->name, "exponential") == 0)
        put_text(w, "learning_rate_decay_staircase",
                 exp_config_bool(w->c, OPTIMIZER "learning_rate.exponential.staircase") ? "true"
                                                                                        : "false");
    if (!warmup)
        put_text(w, "learning_rate_warmup", "none");
    else
        T2_TRY(put_alternative(w, "warmup", "learning_rate_warmup", warmup));
    return put_ema(w);
}

/* ---- translation ---- */

/* Fields that must have one value. */
static enum t2_status same(struct writer *w, const char *a, const char *b)
{
    if (exp_value_equal(exp_config_get(w->c, a), exp_config_get(w->c, b)))
        return T2_OK;
    return t2_fail(w->err, T2_EUSAGE, "%s and %s must be the same here", a, b);
}

static enum t2_status put_stack(struct writer *w)
{
    static const struct pair pairs[] = {{"num_layers", "num_hidden_layers"},
                                        {"num_attention_heads", "num_heads"},
                                        {"intermediate_size", "filter_size"},
                                        {"dropout_rate", "layer_prepostprocess_dropout"},
                                        {"attention_dropout_rate", "attention_dropout"},
                                        {"intermediate_dropout", "relu_dropout"},
                                        {NULL, NULL}};

    for (const struct pair *p = pairs; p->name != NULL; p++) {
        char *encoder = t2_asprintf("task.model.encoder.%s", p->name);
        char *decoder = t2_asprintf("task.model.decoder.%s", p->name);
        enum t2_status st = same(w, encoder, decoder);

        t2_free(encoder);
        t2_free(decoder);
        T2_TRY(st);
    }
    T2_TRY(same(w, "task.model.dropout_rate", "task.model.encoder.dropout_rate"));
    return put_pairs(w, "task.model.encoder", pairs);
}

static enum t2_status put_translation(struct writer *w)
{
    static const struct pair rest[] = {{"model.embedding_width", "hidden_size"},
                                       {"model.label_smoothing", "label_smoothing"},
                                       {"train_data.global_batch_size", "batch_size"},
                                       {"train_data.max_seq_length", "max_length"},
                                       {"train_data.static_batch", "static_batch"},
                                       {NULL, NULL}};

    put_text(w, "vocab_size", "0"); /* of the vocabulary */
    put_text(w, "use_ctl", "true"); /* steps are counted from 0 */
    T2_TRY(put_stack(w));
    return put_pairs(w, "task", rest);
}

/* ---- images ---- */

static enum t2_status put_input_size(struct writer *w)
{
    const struct exp_value *v = exp_config_get(w->c, "task.model.input_size");

    if (v->n != 3 || v->items[0].i != v->items[1].i || v->items[2].i != 3)
        return t2_fail(w->err, T2_EUSAGE,
                       "task.model.input_size must be [N, N, 3], for example [224, 224, 3]");
    put_int(w, "image_size", v->items[0].i);
    return T2_OK;
}

/* LARS has its own, and one hparam is for both. */
static enum t2_status put_l2(struct writer *w)
{
    static const char l2[] = "task.losses.l2_weight_decay";
    const struct alternative *optimizer = chosen(w, "optimizer", optimizers);

    if (!optimizer || strcmp(optimizer->name, "lars") != 0)
        return put_field(w, "weight_decay", l2);
    if (exp_config_number(w->c, l2) == 0)
        return T2_OK;
    return t2_fail(w->err, T2_EUSAGE, "%s must be 0 with lars, which has weight_decay_rate", l2);
}

static const char *pipeline_of(const struct exp_config *c)
{
    const char *type = exp_config_is_null(c, "task.train_data.aug_type")
                           ? NULL
                           : exp_config_string(c, "task.train_data.aug_type.type");

    return !type                          ? "garden"
           : strcmp(type, "autoaug") == 0 ? "garden_autoaugment"
                                          : "garden_randaugment";
}

static enum t2_status put_garden_pipeline(struct writer *w)
{
    static const char layers[] = "task.train_data.aug_type.randaug.num_layers";
    static const char magnitude[] = "task.train_data.aug_type.randaug.magnitude";
    const char *name = pipeline_of(w->c);

    put_text(w, "image_pipeline", name);
    if (strcmp(name, "garden_randaugment") != 0)
        return T2_OK;
    /* what the recipe has is left out, as in runs from before there was a choice */
    if (exp_config_int(w->c, layers) != 2)
        T2_TRY(put_field(w, "randaugment_layers", layers));
    return exp_config_number(w->c, magnitude) == 10.0
               ? T2_OK
               : put_field(w, "randaugment_magnitude", magnitude);
}

/* Images mixed of two come with labels as vectors, which the original takes as soft labels only. */
static enum t2_status put_mix(struct writer *w)
{
    static const char mix[] = "task.train_data.mixup_and_cutmix";
    static const struct pair pairs[] = {{"mixup_alpha", "mixup_alpha"},
                                        {"cutmix_alpha", "cutmix_alpha"},
                                        {"prob", "mixup_prob"},
                                        {"label_smoothing", "label_smoothing"},
                                        {NULL, NULL}};
    bool soft = exp_config_bool(w->c, "task.losses.soft_labels");

    if (!exp_config_is_null(w->c, "task.validation_data.mixup_and_cutmix"))
        return t2_fail(w->err, T2_EUSAGE,
                       "task.validation_data.mixup_and_cutmix: images are mixed in training only");
    if (exp_config_is_null(w->c, mix)) {
        if (soft)
            return t2_fail(w->err, T2_EUSAGE, "task.losses.soft_labels: only with %s", mix);
        return put_field(w, "label_smoothing", "task.losses.label_smoothing");
    }
    if (!soft || exp_config_bool(w->c, "task.losses.one_hot"))
        return t2_fail(w->err, T2_EUSAGE,
                       "%s needs task.losses.one_hot=false and task.losses.soft_labels=true", mix);
    return put_pairs(w, mix, pairs);
}

/* Width of the stem and of the groups; nothing where the set has it. */
static enum t2_status put_filters(struct writer *w)
{
    static const char path[] = "task.model.backbone.resnet.depth_multiplier";
    double by = exp_config_number(w->c, path);
    bool scaled = exp_config_bool(w->c, "task.model.backbone.resnet.scale_stem");

    if (!(by * 64 >= 2 && by <= 64))
        return t2_fail(w->err, T2_EUSAGE, "%s=%g is not between 1/32 and 64", path, by);
    if (by == 1.0)
        return T2_OK;
    put_name(w, "filter_sizes");
    t2_buf_printf(w->out, "[%d", (int) (64 * (scaled ? by : 1.0)));
    for (int i = 64; i <= 512; i *= 2)
        t2_buf_printf(w->out, ", %d", (int) (i * by));
    t2_buf_puts(w->out, "]");
    return T2_OK;
}

#define MODEL "task.model."

static enum t2_status put_data(struct writer *w)
{
    T2_TRY(put_field(w, "batch_size", "task.train_data.global_batch_size"));
    return put_garden_pipeline(w);
}

/* Only ResNets have it; of other backbones its default is what they do. */
static enum t2_status no_head_norm(struct writer *w)
{
    if (!exp_config_bool(w->c, MODEL "add_head_batch_norm"))
        return T2_OK;
    return t2_fail(w->err, T2_EUSAGE, MODEL "add_head_batch_norm: ResNets alone have it here");
}

static enum t2_status put_resnet(struct writer *w, const char **model, const char **hparams_set)
{
    static const struct pair pairs[] = {{"backbone.resnet.model_id", "resnet_depth"},
                                        {"backbone.resnet.stem_type", "stem_type"},
                                        {"backbone.resnet.se_ratio", "se_ratio"},
                                        {"backbone.resnet.resnetd_shortcut", "resnetd_shortcut"},
                                        {"backbone.resnet.replace_stem_max_pool",
                                         "replace_stem_max_pool"},
                                        {"norm_activation.norm_momentum", "norm_momentum"},
                                        {"norm_activation.norm_epsilon", "norm_epsilon"},
                                        {"num_classes", "num_label_classes"},
                                        {"dropout_rate", "dropout"},
                                        {"backbone.resnet.stochastic_depth_drop_rate",
                                         "stochastic_depth_drop_rate"},
                                        {NULL, NULL}};
    const char *activation = exp_config_string(w->c, MODEL "norm_activation.activation");
    bool swish = strcmp(activation, "swish") == 0;

    *model = "mg_resnet";
    *hparams_set = swish ? "mg_resnet_rs_imagenet" : "mg_resnet_imagenet";
    if (!swish && strcmp(activation, "relu") != 0)
        return t2_fail(w->err, T2_EUNSUPPORTED,
                       MODEL "norm_activation.activation=%s is neither relu nor swish", activation);
    T2_TRY(put_pairs(w, "task.model", pairs));
    T2_TRY(put_data(w));
    if (exp_config_bool(w->c, MODEL "add_head_batch_norm"))
        put_text(w, "add_head_batch_norm", "true");
    return put_filters(w);
}

static enum t2_status put_mobilenet(struct writer *w, const char **model, const char **hparams_set)
{
    static const struct pair pairs[] = {
        {"backbone.mobilenet.model_id", "model_id"},
        {"backbone.mobilenet.filter_size_scale", "filter_size_scale"},
        {"backbone.mobilenet.stochastic_depth_drop_rate", "stochastic_depth_drop_rate"},
        {"backbone.mobilenet.flat_stochastic_depth_drop_rate", "flat_stochastic_depth_drop_rate"},
        {"norm_activation.norm_momentum", "norm_momentum"},
        {"norm_activation.norm_epsilon", "norm_epsilon"},
        {"num_classes", "num_label_classes"},
        {"dropout_rate", "dropout"},
        {NULL, NULL}};

    *model = "mg_mobilenet";
    *hparams_set = "mg_mobilenet_imagenet";
    T2_TRY(no_head_norm(w));
    T2_TRY(put_pairs(w, "task.model", pairs));
    return put_data(w);
}

static enum t2_status put_vit(struct writer *w, const char **model, const char **hparams_set)
{
    static const struct pair pairs[] = {
        {"backbone.vit.pooler", "pooler"},
        {"backbone.vit.representation_size", "representation_size"},
        {"backbone.vit.transformer.attention_dropout_rate", "attention_dropout"},
        {"backbone.vit.transformer.dropout_rate", "layer_prepostprocess_dropout"},
        {"backbone.vit.init_stochastic_depth_rate", "stochastic_depth_drop_rate"},
        {"backbone.vit.original_init", "original_init"},
        {"num_classes", "num_label_classes"},
        {"dropout_rate", "dropout"},
        {NULL, NULL}};
    static const char *const sets[][2] = {{"vit-ti16", "mg_vit_ti16"}, {"vit-s16", "mg_vit_s16"},
                                          {"vit-b16", "mg_vit_b16"},   {"vit-b32", "mg_vit_b32"},
                                          {"vit-l16", "mg_vit_l16"},   {"vit-l32", "mg_vit_l32"},
                                          {"vit-h14", "mg_vit_h14"}};
    const char *name = exp_config_string(w->c, MODEL "backbone.vit.model_name");

    *model = "mg_vit";
    *hparams_set = NULL;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i][0], name) == 0)
            *hparams_set = sets[i][1];
    if (!*hparams_set)
        return t2_fail(w->err, T2_EUNSUPPORTED,
                       MODEL "backbone.vit.model_name=%s: there are vit-ti16, vit-s16, vit-b16, "
                             "vit-b32, vit-l16, vit-l32, vit-h14",
                       name);
    T2_TRY(no_head_norm(w));
    T2_TRY(put_pairs(w, "task.model", pairs));
    if (strcmp(exp_config_string(w->c, MODEL "kernel_initializer"), "zeros") == 0)
        put_text(w, "zero_top", "true");
    return put_data(w);
}

static enum t2_status put_image(struct writer *w, const char **model, const char **hparams_set)
{
    const char *type = exp_config_string(w->c, MODEL "backbone.type");
    const char *top = exp_config_string(w->c, MODEL "kernel_initializer");
    bool vit = type && strcmp(type, "vit") == 0;

    if (exp_config_int(w->c, MODEL "num_classes") < 1)
        return t2_fail(w->err, T2_EUSAGE, MODEL "num_classes is missing");
    if (strcmp(top, "random_uniform") != 0 && !(vit && strcmp(top, "zeros") == 0))
        return t2_fail(w->err, T2_EUNSUPPORTED,
                       MODEL "kernel_initializer=%s is not random_uniform, nor a Vision "
                             "Transformer's zeros",
                       top);
    T2_TRY(vit                                      ? put_vit(w, model, hparams_set)
           : type && strcmp(type, "mobilenet") == 0 ? put_mobilenet(w, model, hparams_set)
                                                    : put_resnet(w, model, hparams_set));
    T2_TRY(put_mix(w));
    T2_TRY(put_input_size(w));
    return put_l2(w);
}

/* ---- BERT ---- */

static enum t2_status put_encoder(struct writer *w)
{
    static const struct pair pairs[] = {{"vocab_size", "vocab_size"},
                                        {"hidden_size", "hidden_size"},
                                        {"num_layers", "num_hidden_layers"},
                                        {"num_attention_heads", "num_heads"},
                                        {"intermediate_size", "filter_size"},
                                        {"dropout_rate", "layer_prepostprocess_dropout"},
                                        {"attention_dropout_rate", "attention_dropout"},
                                        {"max_position_embeddings", "max_position_embeddings"},
                                        {"type_vocab_size", "type_vocab_size"},
                                        {"initializer_range", "initializer_range"},
                                        {NULL, NULL}};

    if (!exp_config_string(w->c, "task.model.encoder.type"))
        return t2_fail(w->err, T2_EUSAGE, "task.model.encoder.type is missing");
    T2_TRY(put_pairs(w, "task.model.encoder.bert", pairs));
    T2_TRY(put_field(w, "batch_size", "task.train_data.global_batch_size"));
    return put_field(w, "max_input_seq_length", "task.train_data.seq_length");
}

static enum t2_status put_sentences(struct writer *w)
{
    if (exp_config_int(w->c, "task.model.num_classes") < 2)
        return t2_fail(w->err, T2_EUSAGE,
                       "task.model.num_classes must be at least 2: the classes of the labels");
    T2_TRY(put_field(w, "num_label_classes", "task.model.num_classes"));
    T2_TRY(put_field(w, "use_encoder_pooler", "task.model.use_encoder_pooler"));
    return put_encoder(w);
}

static enum t2_status put_masked(struct writer *w)
{
    static const char range[] = "task.model.mlm_initializer_range";
    static const char use_label[] = "task.train_data.use_next_sentence_label";
    bool has_head = !exp_config_is_null(w->c, "task.model.cls_heads");

    T2_TRY(put_encoder(w));
    T2_TRY(same(w, range, "task.model.encoder.bert.initializer_range"));
    T2_TRY(put_field(w, "max_target_seq_length", "task.train_data.max_predictions_per_seq"));
    if (exp_config_bool(w->c, use_label) && !has_head)
        return t2_fail(w->err, T2_EUSAGE, "%s needs a head in task.model.cls_heads", use_label);
    T2_TRY(put_field(w, "use_sentence_label", use_label));
    if (!has_head)
        return T2_OK;
    if (exp_config_int(w->c, "task.model.cls_heads.inner_dim") < 1)
        return t2_fail(w->err, T2_EUNSUPPORTED,
                       "task.model.cls_heads: inner_dim must be at least 1 here");
    T2_TRY(put_field(w, "sentence_head_size", "task.model.cls_heads.inner_dim"));
    return put_field(w, "dropout", "task.model.cls_heads.dropout_rate");
}

/* ---- tensorflow/tpu ---- */

static void put_hparam_field(void *context, int depth, const char *name, const char *path,
                             const struct exp_field *field, const struct exp_value *value,
                             bool changed)
{
    struct writer *w = context;

    (void) depth;
    (void) name;
    (void) value;
    (void) changed;
    if (!field || field->use != EXP_HPARAM)
        return;
    put_name(w, field->note);
    exp_value_put(w->out, exp_config_get(w->c, path)); /* so it counts as read */
}

/* augment_name; the numbers of RandAugment mean nothing without it, there as here. */
static enum t2_status put_tpu_pipeline(struct writer *w)
{
    static const struct pair numbers[] = {{"randaug_num_layers", "randaugment_layers"},
                                          {"randaug_magnitude", "randaugment_magnitude"},
                                          {NULL, NULL}};
    const char *name =
        exp_config_is_null(w->c, "augment_name") ? "" : exp_config_string(w->c, "augment_name");

    if (name[0] == '\0' || strcmp(name, "autoaugment") == 0) {
        put_text(w, "image_pipeline", name[0] == '\0' ? "resnet" : "resnet_autoaugment");
        return T2_OK;
    }
    if (strcmp(name, "randaugment") != 0)
        return t2_fail(w->err, T2_EUSAGE, "augment_name=%s is neither autoaugment nor randaugment",
                       name);
    put_text(w, "image_pipeline", "resnet_randaugment");
    for (const struct pair *p = numbers; p->name != NULL; p++)
        if (!exp_config_is_null(w->c, p->name))
            T2_TRY(put_field(w, p->hparam, p->name));
    return T2_OK;
}

static enum t2_status put_tpu_resnet(struct writer *w, const char **hparams_set)
{
    static const struct pair or_null[] = {{"se_ratio", "se_ratio"},
                                          {"drop_connect_rate", "drop_connect_rate"},
                                          {"dropout_rate", "dropout"},
                                          {NULL, NULL}};

    *hparams_set = exp_config_bool(w->c, "enable_lars") ? "tpu_resnet_50_lars" : "tpu_resnet_50";
    exp_config_visit(w->c, put_hparam_field, w);
    for (const struct pair *p = or_null; p->name != NULL; p++) {
        double rate = exp_config_number(w->c, p->name);

        put_number(w, p->hparam, isnan(rate) ? 0.0 : rate);
    }
    T2_TRY(put_tpu_pipeline(w));
    if (exp_config_number(w->c, "moving_average_decay") > 0)
        return put_field(w, "moving_average_decay", "moving_average_decay");
    return T2_OK;
}

enum t2_status tr_experiment_hparams(const struct exp_config *c, enum exp_task task,
                                     const char **model, const char **hparams_set,
                                     struct t2_buf *clauses, struct t2_err *err)
{
    struct writer w = {c, clauses, err};
    if (task == EXP_TPU_RESNET) {
        *model = "tpu_resnet";
        return put_tpu_resnet(&w, hparams_set);
    }
    *model = "official_transformer";
    *hparams_set = "official_transformer_big";
    if (exp_config_int(c, "task.train_data.global_batch_size") < 1)
        return t2_fail(err, T2_EUSAGE, "task.train_data.global_batch_size is missing");
    switch (task) {
    case EXP_IMAGE_CLASSIFICATION:
        T2_TRY(put_image(&w, model, hparams_set));
        break;
    case EXP_ANSWERS:
        *model = "mg_bert_span_labeler";
        *hparams_set = "mg_bert_base";
        T2_TRY(put_encoder(&w));
        break;
    case EXP_SENTENCES:
    case EXP_MASKED:
        *model = task == EXP_MASKED ? "mg_bert_pretrainer" : "mg_bert_classifier";
        *hparams_set = "mg_bert_base";
        T2_TRY(task == EXP_MASKED ? put_masked(&w) : put_sentences(&w));
        break;
    default:
        T2_TRY(put_translation(&w));
    }
    return put_optimizer(&w);
}
