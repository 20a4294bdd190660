/*
 * train/input/image_recipe.c - recipes by name, and one image through one.
 */
#include "train/input/image_recipe.h"

#include <inttypes.h>
#include <string.h>

#include "augment/rand_pipeline.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"

/* ---- tables ---- */

struct row {
    const char *name, *train, *eval;
};

/* clang-format off */
static const struct row recipes[] = {
    {"cifar", "cifar_train", "cifar_eval"},
    {"cifar_plain", "cifar_eval", "cifar_eval"},
    {"cifar_plain8", "cifar_plain8", "cifar_plain8"},
    {"flowers", "flowers_train", "flowers_eval"},
    {"garden", "garden_train", "garden_eval"},
    {"garden_autoaugment", "garden_train_autoaugment", "garden_eval"},
    {"garden_randaugment", "garden_train_randaugment", "garden_eval"},
    {"image_modality", "image_modality", "image_modality"},
    {"inception", "inception_train", "inception_eval"},
    {"mnist", "mnist_grey", "mnist_grey"},
    {"mnist_shifted", "mnist_shifted", "mnist_grey"},
    {"mnist_raw", "mnist_grey_raw", "mnist_grey_raw"},
    {"mnist_unit", "mnist_grey_unit", "mnist_grey_unit"},
    {"official", "official_train", "official_eval"},
    {"photos", "photos_train", "photos_eval"},
    {"record", "record_train", "record_eval"},
    {"resnet", "resnet_train_normalized", "resnet_eval_normalized"},
    {"resnet_autoaugment", "resnet_train_autoaugment_normalized", "resnet_eval_normalized"},
    {"resnet_randaugment", "resnet_train_randaugment_normalized", "resnet_eval_normalized"},
    {"resnet_raw", "resnet_train", "resnet_eval"},
    {"t2t_area", "t2t_area", "t2t_area"},
    {"t2t_celeba", "t2t_celeba", "t2t_celeba"},
    {"t2t_imagenet", "t2t_imagenet_train", "t2t_imagenet_eval"},
    {"t2t_imagenet_raw", "t2t_imagenet_raw_train", "t2t_imagenet_raw_eval"},
    {"t2t_imagenet_small", "t2t_imagenet_small_train", "t2t_imagenet_small_eval"},
    {"torchvision", "torchvision_train", "torchvision_eval"},
};

/* T2T's problems; a name ending in * stands for all that begin so; the first that fits. */
static const struct {
    const char *problem, *recipe; /* NULL: not of classes */
    int32_t size;                 /* 0: that of the pipelines */
    bool is_small;                /* T2T's is_small */
} problems[] = {
    {"img2img_*", NULL, 0, false},
    {"image_cifar10_plain_gen*", NULL, 0, false},
    {"image_cifar10_plain_random_shift", NULL, 0, false},
    {"image_cifar100_plain_gen", NULL, 0, false},
    {"image_cifar20_plain_gen", NULL, 0, false},
    {"image_cifar10_plain8", "cifar_plain8", 0, true},
    {"image_cifar100_plain8", "cifar_plain8", 0, true},
    {"image_cifar20_plain8", "cifar_plain8", 0, true},
    {"image_cifar10_plain", "cifar_plain", 0, true},
    {"image_cifar100_plain", "cifar_plain", 0, true},
    {"image_cifar20_plain", "cifar_plain", 0, true},
    {"image_cifar*", "cifar", 0, true},
    {"image_mnist*", "mnist", 0, true},
    {"image_fashion_mnist", "mnist_raw", 0, true},
    {"image_imagenet224_no_normalization", "t2t_imagenet_raw", 224, false},
    {"image_imagenet224", "t2t_imagenet", 224, false},
    {"image_imagenet256", "t2t_imagenet", 256, false},
    {"image_imagenet32", "t2t_imagenet_small", 32, true},
    {"image_imagenet64", "t2t_imagenet_small", 64, true},
    {"image_imagenet", "t2t_imagenet", 299, false},
    {"image_imagenet*", NULL, 0, false},
    {"*", "resnet", 0, false},
};

/* Likewise of images that are made. */
static const struct {
    const char *problem, *recipe;
    int32_t size;
    bool is_small;
    int32_t source_size;
} made[] = {
    {"img2img_cifar*", "t2t_area", 32, false, 8},
    {"img2img_imagenet", "t2t_area", 32, false, 8},
    {"img2img_celeba64", "t2t_celeba", 64, false, 8},
    {"img2img_celeba", "t2t_celeba", 32, false, 8},
    {"image_mnist*", "mnist_raw", 28, true, 0},
    {"image_fashion_mnist", "mnist_raw", 28, true, 0},
    {"image_celeba*", "t2t_celeba", 64, false, 0},
    {"image_imagenet64*", "t2t_area", 64, true, 0},
    {"image_imagenet32*", "t2t_area", 32, true, 0},
    {"image_cifar10_plain8", "t2t_area", 8, true, 0},
    {"image_cifar100_plain8", "t2t_area", 8, true, 0},
    {"image_cifar20_plain8", "t2t_area", 8, true, 0},
    {"image_cifar*", "t2t_area", 32, true, 0},
    {"*", "t2t_area", 32, false, 0},
};
/* clang-format on */
enum { N_RECIPES = sizeof recipes / sizeof *recipes, MOST_SIDE = 4096 };

static const struct row *find_recipe(const char *name)
{
    for (size_t i = 0; i < N_RECIPES; i++)
        if (strcmp(recipes[i].name, name) == 0)
            return &recipes[i];
    return NULL;
}

static bool fits(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);

    return pattern[n - 1] == '*' ? strncmp(pattern, name, n - 1) == 0 : strcmp(pattern, name) == 0;
}

static enum t2_status unknown_recipe(const char *name, struct t2_err *err)
{
    struct t2_buf all = {0};
    enum t2_status st;

    for (size_t i = 0; i < N_RECIPES; i++)
        t2_buf_printf(&all, "%s%s", i > 0 ? ", " : "", recipes[i].name);
    st = t2_fail(err, T2_EUSAGE, "hparam image_pipeline=%s is unknown; there are %s", name,
                 t2_buf_cstr(&all));
    t2_buf_release(&all);
    return st;
}

/* Does a step give the image the size that is wanted? */
static bool has_size_step(const struct aug_step *s)
{
    for (; s->kind != AUG_END; s++)
        if (s->kind >= AUG_RESIZE && s->kind <= AUG_RANDOM_CROP)
            return true;
    return false;
}

static enum t2_status set_by_hparams(const struct mdl_hparams *hp, struct in_image_recipe *r,
                                     struct t2_err *err)
{
    int64_t size = mdl_hp_int(hp, "image_size");

    if (size < 0 || size > MOST_SIDE)
        return t2_fail(err, T2_EUSAGE, "hparam image_size=%" PRId64 " is not between 1 and %d",
                       size, MOST_SIDE);
    if (size > 0)
        r->size = (int32_t) size;
    if (r->size == 0)
        return t2_fail(err, T2_EUSAGE, "hparam image_pipeline=%s needs image_size", r->name);
    return T2_OK;
}

/* Hparams randaugment_layers and randaugment_magnitude, where the recipe has a RandAugment. */
static enum t2_status set_randaugment(const struct mdl_hparams *hp, struct in_image_recipe *r,
                                      struct t2_err *err)
{
    enum { MOST_MAGNITUDE = 10 };
    int64_t layers = mdl_hp_int(hp, "randaugment_layers");
    double magnitude = mdl_hp_float(hp, "randaugment_magnitude");

    if (layers == 0 && magnitude == -1.0)
        return T2_OK;
    if (!aug_has_randaugment(r->train))
        return t2_fail(err, T2_EUSAGE,
                       "hparams randaugment_layers and randaugment_magnitude: image_pipeline=%s "
                       "has no RandAugment; resnet_randaugment and garden_randaugment have",
                       r->name);
    if (layers < 0 || layers > AUG_MAX_AUGMENTS)
        return t2_fail(err, T2_EUSAGE,
                       "hparam randaugment_layers=%" PRId64 " is not between 1 and %d", layers,
                       AUG_MAX_AUGMENTS);
    if (magnitude != -1.0 && !(magnitude >= 0.0 && magnitude <= MOST_MAGNITUDE))
        return t2_fail(err, T2_EUSAGE, "hparam randaugment_magnitude=%g is not between 0 and %d",
                       magnitude, MOST_MAGNITUDE);
    r->train = aug_pipeline_with_numbers(r->train, &(struct aug_rand_numbers){(int) layers,
                                                                              (float) magnitude});
    return T2_OK;
}

/* By hparam image_pipeline, else by `recipe`, at `size` then, if that is not 0. */
static enum t2_status fill_recipe(const char *recipe, int32_t size, bool is_small,
                                  const struct mdl_hparams *hp, struct in_image_recipe *r,
                                  struct t2_err *err)
{
    const char *name = mdl_hp_string(hp, "image_pipeline");
    const struct row *row = find_recipe(name && name[0] != '\0' ? name : recipe);

    if (!row)
        return unknown_recipe(name, err);
    *r = (struct in_image_recipe){.name = row->name,
                                  .train = aug_pipeline_find(row->train),
                                  .eval = aug_pipeline_find(row->eval),
                                  .loss_multiplier = is_small ? 3.0 : 1.0};
    T2_ASSERT(r->train && r->eval);
    r->size = r->eval->size;
    if (size > 0 && strcmp(row->name, recipe) == 0)
        r->size = size;
    r->channels = aug_pipeline_channels(r->eval);
    r->alternates = strcmp(row->name, "record") == 0;
    r->as_stored = !has_size_step(r->eval->view) && !has_size_step(r->eval->rest);
    T2_TRY(set_randaugment(hp, r, err));
    T2_TRY(in_mix_of(hp, &r->mix, err));
    return set_by_hparams(hp, r, err);
}

enum t2_status in_image_recipe_of(const char *problem, const struct mdl_hparams *hp,
                                  struct in_image_recipe *r, struct t2_err *err)
{
    size_t i = 0;

    while (!fits(problems[i].problem, problem)) /* the last fits all */
        i++;
    if (!problems[i].recipe)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "problem '%s' is about making images, not about their classes", problem);
    return fill_recipe(problems[i].recipe, problems[i].size, problems[i].is_small, hp, r, err);
}

/* Of problems with image and text: T2T's images of 299 x 299; a recipe of NULL: others. */
static const struct {
    const char *problem, *recipe, *feature, *why;
} described[] = {
    {"image_ms_coco_*", "t2t_imagenet", "image/class/label", NULL},
    {"image_text_*", NULL, NULL, "images are made from texts, which no model here does"},
    {"image_vqa*", NULL, NULL, "images are asked about, which no model here is"},
    {"image_fsns", NULL, "image/unpadded_label", "the original's images are 600 x 150"},
    {"*", NULL, "image/class/label", "the original's images are not square"},
};

enum t2_status in_image_recipe_described(const char *problem, const struct mdl_hparams *hp,
                                         struct in_image_recipe *r, const char **feature,
                                         struct t2_err *err)
{
    enum { SIDE = 299 };
    const char *given = mdl_hp_string(hp, "image_pipeline");
    size_t i = 0;

    while (!fits(described[i].problem, problem)) /* the last fits all */
        i++;
    *feature = described[i].feature;
    if (!*feature)
        return t2_fail(err, T2_EUNSUPPORTED, "problem '%s': %s", problem, described[i].why);
    if (!described[i].recipe && !(given && given[0] != '\0'))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "problem '%s': %s; hparams image_pipeline and image_size say how to make "
                       "them so",
                       problem, described[i].why);
    T2_TRY(fill_recipe(described[i].recipe ? described[i].recipe : given, SIDE, false, hp, r, err));
    if (in_mix_wanted(&r->mix))
        return t2_fail(err, T2_EUSAGE,
                       "problem '%s': images that are described are not mixed (hparams "
                       "mixup_alpha, cutmix_alpha)",
                       problem);
    return T2_OK;
}

bool in_image_has_source(const char *problem)
{
    return fits("img2img_*", problem);
}

enum t2_status in_image_recipe_made(const char *problem, const struct mdl_hparams *hp,
                                    struct in_image_recipe *r, struct t2_err *err)
{
    size_t i = 0;

    while (!fits(made[i].problem, problem)) /* the last fits all */
        i++;
    if (in_image_has_source(problem) && made[i].source_size == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "problem '%s': pairs of its images are made, but not trained on; "
                       "img2img_cifar10, img2img_imagenet and img2img_celeba are",
                       problem);
    T2_TRY(fill_recipe(made[i].recipe, made[i].size, made[i].is_small, hp, r, err));
    r->source_size = made[i].source_size;
    if (in_mix_wanted(&r->mix))
        return t2_fail(
            err, T2_EUSAGE,
            "problem '%s_rev': images that are made are not mixed (hparams mixup, cutmix)",
            problem);
    return T2_OK;
}

/* ---- records ---- */

static enum t2_status find(const struct tfr_example *e, const char *name, enum tfr_kind kind,
                           const struct tfr_view **view, struct t2_err *err)
{
    *view = tfr_example_find(e, name);
    if (!*view)
        return t2_fail(err, T2_EFORMAT, "it has no feature '%s': is it a record of an image?",
                       name);
    if ((*view)->kind != kind || (*view)->n != 1)
        return t2_fail(err, T2_EFORMAT, "feature '%s' is not one %s", name,
                       kind == TFR_BYTES ? "value of bytes" : "int64");
    return T2_OK;
}

enum t2_status in_image_find(const struct tfr_example *e, const struct in_image_recipe *r,
                             struct in_image *p, struct t2_err *err)
{
    const struct tfr_view *view;

    T2_TRY(find(e, "image/encoded", TFR_BYTES, &view, err));
    tfr_view_bytes(view, &p->encoded);
    T2_TRY(aug_probe(p->encoded.data, p->encoded.len_bytes, &p->info, err));
    if (r->as_stored && (p->info.width != r->size || p->info.height != r->size))
        return t2_fail(err, T2_EFORMAT,
                       "an image of %" PRId32 " x %" PRId32 ", but the model's are %" PRId32
                       " x %" PRId32
                       " and pipeline '%s' resizes none (hparams image_size, image_pipeline)",
                       p->info.width, p->info.height, r->size, r->size, r->name);
    return T2_OK;
}

enum t2_status in_image_parse(const struct tfr_example *e, const struct in_image_recipe *r,
                              int32_t n_classes, int32_t first_label, struct in_image *p,
                              struct t2_err *err)
{
    const struct tfr_view *view;
    int64_t label;

    T2_TRY(find(e, "image/class/label", TFR_INT64, &view, err));
    tfr_view_ints(view, &label);
    if (label < first_label || label - first_label >= n_classes)
        return t2_fail(err, T2_EFORMAT,
                       "image/class/label is %" PRId64 ", but the %" PRId32
                       " classes are numbered %" PRId32 " to %" PRId32,
                       label, n_classes, first_label, first_label + n_classes - 1);
    p->label = (int32_t) (label - first_label);
    return in_image_find(e, r, p, err);
}

static const struct aug_pipeline *pipeline_of(const struct in_image_recipe *r, bool training)
{
    return training ? r->train : r->eval;
}

static void choose(const struct in_image_recipe *r, const struct in_image_name *name,
                   const struct in_image *p, struct aug_choices *choices)
{
    struct t2_rng rng;

    aug_image_stream(&rng, name->seed, name->epoch, name->index);
    aug_choose(pipeline_of(r, name->training), r->size, &p->info, &rng, choices);
    if (name->training && r->alternates)
        choices->flip =
            ((t2_hash64(&name->index, sizeof name->index, name->seed) + name->epoch) & 1) != 0;
}

enum t2_status in_image_pixels(const struct in_image_recipe *r, const struct in_image_name *name,
                               const struct in_image *p, struct aug_worker *worker, float *pixels,
                               struct t2_err *err)
{
    struct aug_choices choices;

    choose(r, name, p, &choices);
    return aug_pipeline_store(worker, pipeline_of(r, name->training), r->size, p->encoded.data,
                              p->encoded.len_bytes, &choices, AUG_NHWC, pixels, err);
}

bool in_image_has_bytes(const struct in_image_recipe *r, bool training)
{
    return aug_pipeline_has_bytes(pipeline_of(r, training));
}

void in_image_byte_values(const struct in_image_recipe *r, bool training, float *values)
{
    aug_pipeline_byte_values(pipeline_of(r, training), values);
}

enum t2_status in_image_bytes(const struct in_image_recipe *r, const struct in_image_name *name,
                              const struct in_image *p, struct aug_worker *worker, uint8_t *pixels,
                              uint8_t *mirrored, struct t2_err *err)
{
    struct aug_choices choices;

    choose(r, name, p, &choices);
    return aug_pipeline_store_bytes(worker, pipeline_of(r, name->training), r->size,
                                    p->encoded.data, p->encoded.len_bytes, &choices, pixels,
                                    mirrored, err);
}
