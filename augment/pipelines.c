/*
 * augment/pipelines.c - the table of pipelines, and what is chosen for an image.
 *
 * A pipeline is data: `view` decodes and cuts out, `instead` replaces it where the random window
 * is the whole image (as in the originals' fall-back), `rest` follows both. Sizes n <= 0 are
 * relative to the size that the caller asks for. Adding a pipeline is a row of the table; the
 * steps are implemented in pipeline_run.c.
 *
 * What is random is drawn first, into struct aug_choices, by a generator of (seed, epoch, index):
 * so the same image of the same epoch gets the same numbers on any thread and in any order, and
 * running the steps needs no random numbers. The order of draws is the order of steps; a change of
 * it changes every run.
 */
#include "augment/pipelines.h"

#include <math.h>
#include <string.h>

#define TF1_RESIZE(m)                                                                              \
    {                                                                                              \
        .convention = AUG_TF1, .method = (m)                                                       \
    }
#define TF2_RESIZE(m)                                                                              \
    {                                                                                              \
        .convention = AUG_TF2, .method = (m)                                                       \
    }
#define PIL_RESIZE(m)                                                                              \
    {                                                                                              \
        .convention = AUG_PIL, .method = (m)                                                       \
    }

/* ---- constants of the originals ---- */

/* struct aug_crop_rule: least overlap with a box, aspect ratios from and to, areas from and to, and
 * the number of attempts. */

static const struct aug_crop_rule imagenet_crop = {0.1f, 3.0f / 4, 4.0f / 3, 0.08f, 1, 10};
static const struct aug_crop_rule garden_crop = {0.08f, 3.0f / 4, 4.0f / 3, 0.08f, 1, 10};
static const struct aug_crop_rule official_crop = {0.1f, 0.75f, 1.33f, 0.05f, 1, 100};
static const struct aug_crop_rule t2t_crop = {0.1f, 3.0f / 4, 4.0f / 3, 0.08f, 1, 1};

static const float mean_255[] = {123.675f, 116.28f, 103.53f};
static const float std_255[] = {58.395f, 57.12f, 57.375f};
static const float per_std_255[] = {1 / 58.395f, 1 / 57.12f, 1 / 57.375f};
static const float mean_1[] = {0.485f, 0.456f, 0.406f};
static const float std_1[] = {0.229f, 0.224f, 0.225f};
static const float per_std_1[] = {1 / 0.229f, 1 / 0.224f, 1 / 0.225f};
static const float vgg_mean[] = {123.68f, 116.78f, 103.94f};
/* of CIFAR-10's training images, and by how much to multiply */
static const float cifar_mean[] = {125.31f, 122.95f, 113.87f};
static const float per_cifar_std[] = {1 / 62.99f, 1 / 62.09f, 1 / 66.7f};
static const float ones[] = {1, 1, 1}, halves[] = {0.5f, 0.5f, 0.5f}, twos[] = {2, 2, 2};

static const struct aug_augment_rule v0 = {.policy = AUG_AUTOAUGMENT_V0};
static const struct aug_augment_rule randaugment = {.policy = AUG_RANDAUGMENT,
                                                    .n_layers = 2,
                                                    .magnitude = 10};
/* Model Garden's configuration says another constant than its class */
static const struct aug_augment_rule garden_rand = {.policy = AUG_RANDAUGMENT,
                                                    .n_layers = 2,
                                                    .magnitude = 10,
                                                    .translate = 10};

/* ---- steps ---- */

#define STEPS(name, ...) static const struct aug_step name[] = {__VA_ARGS__, {.kind = AUG_END}}
/* clang-format off */
#define RESIZE(more, ...) {.kind = AUG_RESIZE, .n = -(more), .how = __VA_ARGS__}
#define NORMALIZE(s, m) {.kind = AUG_NORMALIZE, .sub = (s), .mul = (m)}
#define FLIP {.kind = AUG_FLIP}

static const struct aug_step nothing[] = {{.kind = AUG_END}};
STEPS(whole, {.kind = AUG_WHOLE}, {.kind = AUG_FLOATS});
STEPS(whole_grey, {.kind = AUG_WHOLE_GREY}, {.kind = AUG_FLOATS});

/* tensorflow/tpu ResNet */
/* the newest revision decodes everything and crops then */
STEPS(tpu_window, {.kind = AUG_RANDOM_WINDOW, .rule = &imagenet_crop},
      RESIZE(0, TF1_RESIZE(AUG_BICUBIC)));
STEPS(tpu_centre, {.kind = AUG_CENTRE_WINDOW, .fused = true}, RESIZE(0, TF1_RESIZE(AUG_BICUBIC)));
STEPS(flip, FLIP);
STEPS(flip_v0, FLIP, {.kind = AUG_AUGMENT, .augment = &v0});
STEPS(flip_randaugment, FLIP, {.kind = AUG_AUGMENT, .augment = &randaugment});
STEPS(flip_v0_imagenet, FLIP, {.kind = AUG_AUGMENT, .augment = &v0},
      NORMALIZE(mean_255, per_std_255));
STEPS(flip_randaugment_imagenet, FLIP, {.kind = AUG_AUGMENT, .augment = &randaugment},
      NORMALIZE(mean_255, per_std_255));
STEPS(flip_imagenet, FLIP, NORMALIZE(mean_255, per_std_255));
STEPS(imagenet, NORMALIZE(mean_255, per_std_255));

/* Inception */
STEPS(inception_window, {.kind = AUG_RANDOM_WINDOW, .rule = &official_crop}, {.kind = AUG_UNIT},
      RESIZE(0, TF1_RESIZE(AUG_BILINEAR)));
STEPS(inception_centre, {.kind = AUG_CENTRE_PART, .a = 0.875f}, {.kind = AUG_UNIT},
      RESIZE(0, TF1_RESIZE(AUG_BILINEAR)));
STEPS(inception_rest, FLIP, {.kind = AUG_SHIFT_COLOURS, .a = 32 / 255.0f}, NORMALIZE(halves, twos));
STEPS(plus_minus_1, NORMALIZE(halves, twos));

/* flowers: training and evaluation alike */
STEPS(flowers_view, {.kind = AUG_WHOLE}, {.kind = AUG_UNIT}, RESIZE(10, TF1_RESIZE(AUG_BILINEAR)),
      {.kind = AUG_RANDOM_CROP});
STEPS(flowers_rest, FLIP, {.kind = AUG_BRIGHTEN, .a = 63 / 255.0f},
      {.kind = AUG_CONTRAST_BY, .a = 0.2f, .b = 1.8f}, NORMALIZE(halves, twos));

/* our own: the same view, milder colours; evaluation looks at the middle */
STEPS(photos_rest, FLIP, {.kind = AUG_BRIGHTEN, .a = 32 / 255.0f},
      {.kind = AUG_CONTRAST_BY, .a = 0.6f, .b = 1.4f}, NORMALIZE(halves, twos));
STEPS(photos_centre, {.kind = AUG_WHOLE}, {.kind = AUG_UNIT}, RESIZE(10, TF1_RESIZE(AUG_BILINEAR)),
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_T2T});

/* CIFAR: 32 and four zeros on each side */
STEPS(padded_crop, {.kind = AUG_WHOLE}, {.kind = AUG_FLOATS}, {.kind = AUG_PAD, .n = -8},
      {.kind = AUG_RANDOM_CROP});
STEPS(flip_standardize, FLIP, {.kind = AUG_STANDARDIZE});
/* the short trainings on CIFAR-10: normalised, two zeros on each side */
STEPS(record_view, {.kind = AUG_WHOLE}, {.kind = AUG_FLOATS}, NORMALIZE(cifar_mean, per_cifar_std),
      {.kind = AUG_PAD, .n = -4}, {.kind = AUG_RANDOM_CROP});
STEPS(record_normalize, NORMALIZE(cifar_mean, per_cifar_std));
STEPS(shift_grey, {.kind = AUG_WHOLE_GREY}, {.kind = AUG_FLOATS}, {.kind = AUG_PAD, .n = -4},
      {.kind = AUG_RANDOM_CROP});
STEPS(standardize, {.kind = AUG_STANDARDIZE});
STEPS(area, {.kind = AUG_WHOLE}, RESIZE(0, TF1_RESIZE(AUG_AREA)), {.kind = AUG_TRUNCATE});

/* Tensor2Tensor's image_imagenet */
#define T2T_SCALE(more) \
    {.kind = AUG_RESIZE_SHORT, .n = -(more), .rounding = AUG_ROUND_T2T, .how = TF1_RESIZE(AUG_BICUBIC)}
#define T2T_SCALE_299 \
    {.kind = AUG_RESIZE_SHORT, .n = 331, .rounding = AUG_ROUND_T2T, .how = TF1_RESIZE(AUG_BICUBIC)}
STEPS(t2t_window, {.kind = AUG_RANDOM_WINDOW, .rule = &t2t_crop}, {.kind = AUG_UNIT},
      RESIZE(0, TF1_RESIZE(AUG_BICUBIC)));
/* when the window fails: the short side to the size itself, not to 32 more */
STEPS(t2t_whole, {.kind = AUG_WHOLE}, {.kind = AUG_UNIT}, T2T_SCALE(0),
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_T2T});
STEPS(t2t_centre, {.kind = AUG_WHOLE}, {.kind = AUG_UNIT}, T2T_SCALE(32),
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_T2T});
STEPS(t2t_centre_raw, {.kind = AUG_WHOLE}, {.kind = AUG_FLOATS}, T2T_SCALE(32),
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_T2T});
STEPS(t2t_window_raw, {.kind = AUG_RANDOM_WINDOW, .rule = &t2t_crop},
      RESIZE(0, TF1_RESIZE(AUG_BICUBIC)));
STEPS(t2t_whole_raw, {.kind = AUG_WHOLE}, {.kind = AUG_FLOATS}, T2T_SCALE(0),
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_T2T});
STEPS(t2t_normalize, NORMALIZE(mean_1, per_std_1));
STEPS(t2t_normalize_flip, NORMALIZE(mean_1, per_std_1), FLIP);
STEPS(t2t_centre_299, {.kind = AUG_WHOLE}, {.kind = AUG_UNIT}, T2T_SCALE_299,
      {.kind = AUG_CENTRE_CROP, .n = 299, .rounding = AUG_ROUND_T2T});
STEPS(t2t_window_299, {.kind = AUG_RANDOM_WINDOW, .rule = &t2t_crop}, {.kind = AUG_UNIT},
      {.kind = AUG_RESIZE, .n = 299, .how = TF1_RESIZE(AUG_BICUBIC)});
STEPS(t2t_whole_299, {.kind = AUG_WHOLE}, {.kind = AUG_UNIT},
      {.kind = AUG_RESIZE_SHORT, .n = 299, .rounding = AUG_ROUND_T2T, .how = TF1_RESIZE(AUG_BICUBIC)},
      {.kind = AUG_CENTRE_CROP, .n = 299, .rounding = AUG_ROUND_T2T});
STEPS(t2t_small_flip, NORMALIZE(mean_1, per_std_1), FLIP, RESIZE(0, TF1_RESIZE(AUG_BILINEAR)),
      {.kind = AUG_TRUNCATE});
STEPS(celeba, {.kind = AUG_FIXED_WINDOW, .n = 138, .a = 40, .b = 20}, RESIZE(0, TF1_RESIZE(AUG_AREA)),
      {.kind = AUG_TRUNCATE});
STEPS(t2t_small, NORMALIZE(mean_1, per_std_1), RESIZE(0, TF1_RESIZE(AUG_BILINEAR)),
      {.kind = AUG_TRUNCATE});

/* tf-models-official: ResNet (VGG's way) and the classifier */
STEPS(official_window, {.kind = AUG_RANDOM_WINDOW, .rule = &official_crop, .fused = true}, FLIP,
      RESIZE(0, TF1_RESIZE(AUG_BILINEAR)));
STEPS(official_short, {.kind = AUG_WHOLE},
      {.kind = AUG_RESIZE_SHORT, .n = 256, .rounding = AUG_ROUND_OFFICIAL, .how = TF1_RESIZE(AUG_BILINEAR)},
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_OFFICIAL});
STEPS(vgg, NORMALIZE(vgg_mean, ones));
STEPS(classifier_centre, {.kind = AUG_CENTRE_WINDOW, .fused = true},
      RESIZE(0, TF1_RESIZE(AUG_BILINEAR)));
STEPS(classifier_rest, {.kind = AUG_NORMALIZE_DIV, .sub = mean_255, .mul = std_255});

/* Model Garden: flipped before it is resized */
STEPS(garden_window, {.kind = AUG_RANDOM_WINDOW, .rule = &garden_crop, .fused = true}, FLIP,
      RESIZE(0, TF2_RESIZE(AUG_BILINEAR)));
STEPS(garden_instead, {.kind = AUG_CENTRE_FLOOR, .a = 0.875f, .fused = true}, FLIP,
      RESIZE(0, TF2_RESIZE(AUG_BILINEAR)));
STEPS(garden_centre, {.kind = AUG_CENTRE_FLOOR, .a = 0.875f, .fused = true},
      RESIZE(0, TF2_RESIZE(AUG_BILINEAR)));
STEPS(garden_rest, {.kind = AUG_NORMALIZE_DIV, .sub = mean_255, .mul = std_255});
STEPS(garden_v0, {.kind = AUG_AUGMENT, .augment = &v0},
      {.kind = AUG_NORMALIZE_DIV, .sub = mean_255, .mul = std_255});
STEPS(garden_randaugment, {.kind = AUG_AUGMENT, .augment = &garden_rand},
      {.kind = AUG_NORMALIZE_DIV, .sub = mean_255, .mul = std_255});

/* torchvision */
STEPS(torch_window, {.kind = AUG_RANDOM_WINDOW, .rule = &imagenet_crop},
      RESIZE(0, PIL_RESIZE(AUG_BILINEAR)), FLIP, {.kind = AUG_UNIT_DIV});
STEPS(torch_short, {.kind = AUG_WHOLE},
      {.kind = AUG_RESIZE_SHORT, .n = -32, .rounding = AUG_ROUND_TORCH, .how = PIL_RESIZE(AUG_BILINEAR)},
      {.kind = AUG_CENTRE_CROP, .rounding = AUG_ROUND_TORCH}, {.kind = AUG_UNIT_DIV});
STEPS(torch_rest, {.kind = AUG_NORMALIZE_DIV, .sub = mean_1, .mul = std_1});

/* mnist_tpu.py: what the model does to the values first */
STEPS(by_255, {.kind = AUG_UNIT_DIV});

static const struct aug_pipeline pipelines[] = {
    {"resnet_train", "tensorflow/tpu ResNet, training; values 0 ... 255", 224, true, false, tpu_window, tpu_centre, true, flip},
    {"resnet_eval", "tensorflow/tpu ResNet, evaluation; values 0 ... 255", 224, false, false, tpu_centre, NULL, false, nothing},
    {"resnet_train_autoaugment", "the same with AutoAugment v0", 224, true, false, tpu_window, tpu_centre, true, flip_v0},
    {"resnet_train_randaugment", "the same with RandAugment, 2 operations of magnitude 10", 224, true, false, tpu_window, tpu_centre, true, flip_randaugment},
    {"resnet_train_normalized", "resnet_train and what its model does to the values first", 224, true, false, tpu_window, tpu_centre, true, flip_imagenet},
    {"resnet_train_autoaugment_normalized", "the same with AutoAugment v0", 224, true, false, tpu_window, tpu_centre, true, flip_v0_imagenet},
    {"resnet_train_randaugment_normalized", "the same with RandAugment", 224, true, false, tpu_window, tpu_centre, true, flip_randaugment_imagenet},
    {"resnet_eval_normalized", "resnet_eval and what its model does to the values first", 224, false, false, tpu_centre, NULL, false, imagenet},
    {"inception_train", "Inception, training with the fast colour distortion; -1 ... 1", 299, true, false, inception_window, NULL, false, inception_rest},
    {"inception_eval", "Inception, evaluation; -1 ... 1", 299, false, false, inception_centre, NULL, false, plus_minus_1},
    {"flowers_train", "the flowers TPU example, training", 299, true, false, flowers_view, NULL, false, flowers_rest},
    {"flowers_eval", "the flowers TPU example, evaluation (as random as training)", 299, true, false, flowers_view, NULL, false, flowers_rest},
    {"photos_train", "flowers_train for other sizes, with flips and half of its colours", 64, true, false, flowers_view, NULL, false, photos_rest},
    {"photos_eval", "what photos_train does without anything random: the centre", 64, false, false, photos_centre, NULL, false, plus_minus_1},
    {"cifar_train", "CIFAR of Tensor2Tensor and tf-models-official, training", 32, true, false, padded_crop, NULL, false, flip_standardize},
    {"cifar_eval", "CIFAR, evaluation: standardized", 32, false, false, whole, NULL, false, standardize},
    {"record_train", "short trainings on CIFAR-10: less the mean, by the deviation, shifted by 2 at most, flipped", 32, true, false, record_view, NULL, false, flip},
    {"record_eval", "the same, evaluation: only normalised", 32, false, false, whole, NULL, false, record_normalize},
    {"mnist_shifted", "mnist_grey, training: shifted by 2 at most", 28, true, false, shift_grey, NULL, false, standardize},
    {"cifar_plain8", "image_cifar10_plain8: area to 8 x 8, standardized", 8, false, false, area, NULL, false, standardize},
    {"mnist", "image_mnist: standardized", 28, false, false, whole, NULL, false, standardize},
    {"mnist_raw", "mnist_tpu.py and image_fashion_mnist: values 0 ... 255", 28, false, false, whole, NULL, false, nothing},
    {"mnist_grey", "image_mnist in one channel", 28, false, false, whole_grey, NULL, false, standardize},
    {"mnist_grey_raw", "image_fashion_mnist in one channel: values 0 ... 255", 28, false, false, whole_grey, NULL, false, nothing},
    {"mnist_grey_unit", "mnist_tpu.py and its model in one channel: 0 ... 1", 28, false, false, whole_grey, NULL, false, by_255},
    {"image_modality", "Tensor2Tensor's default of image problems: standardized", 0, false, false, whole, NULL, false, standardize},
    {"t2t_imagenet_train", "image_imagenet, training", 299, true, false, t2t_window, t2t_whole, false, t2t_normalize_flip},
    {"t2t_imagenet_eval", "image_imagenet, evaluation", 299, false, false, t2t_centre, NULL, false, t2t_normalize},
    {"t2t_imagenet_raw_train", "image_imagenet224_no_normalization, training", 224, true, false, t2t_window_raw, t2t_whole_raw, false, flip},
    {"t2t_imagenet_raw_eval", "image_imagenet224_no_normalization, evaluation", 224, false, false, t2t_centre_raw, NULL, false, nothing},
    {"t2t_imagenet_small_eval", "image_imagenet32 and 64: integers of the normalised values", 32, false, false, t2t_centre_299, NULL, false, t2t_small},
    {"t2t_imagenet_small_train", "image_imagenet32 and 64, training", 32, true, false, t2t_window_299, t2t_whole_299, false, t2t_small_flip},
    {"t2t_celeba", "image_celeba: rows 40 ... 177, columns 20 ... 157, area, integers", 32, false, false, celeba, NULL, false, nothing},
    {"t2t_area", "img2img and reversed problems: area, integers", 32, false, false, area, NULL, false, nothing},
    {"official_train", "tf-models-official ResNet, training", 224, true, false, official_window, NULL, false, vgg},
    {"official_eval", "tf-models-official ResNet, evaluation", 224, false, false, official_short, NULL, false, vgg},
    {"classifier_eval", "tf-models-official image classification, evaluation", 224, false, false, classifier_centre, NULL, false, classifier_rest},
    {"classifier_eval_raw", "the same, values 0 ... 255", 224, false, false, classifier_centre, NULL, false, nothing},
    {"garden_train", "Model Garden classification, training", 224, true, false, garden_window, garden_instead, false, garden_rest},
    {"garden_train_autoaugment", "the same with AutoAugment v0", 224, true, false, garden_window, garden_instead, false, garden_v0},
    {"garden_train_randaugment", "the same with RandAugment", 224, true, false, garden_window, garden_instead, false, garden_randaugment},
    {"garden_eval", "Model Garden classification, evaluation", 224, false, false, garden_centre, NULL, false, garden_rest},
    {"torchvision_train", "torchvision's reference, training (Pillow's bilinear)", 224, true, true, torch_window, NULL, false, torch_rest},
    {"torchvision_eval", "torchvision's reference, evaluation: short side 256, centre 224", 224, false, true, torch_short, NULL, false, torch_rest},
};
/* clang-format on */

enum { N_PIPELINES = sizeof pipelines / sizeof *pipelines };

const struct aug_pipeline *aug_pipeline_at(size_t i)
{
    return i < N_PIPELINES ? &pipelines[i] : NULL;
}

const struct aug_pipeline *aug_pipeline_find(const char *name)
{
    for (size_t i = 0; i < N_PIPELINES; i++)
        if (strcmp(pipelines[i].name, name) == 0)
            return &pipelines[i];
    return NULL;
}

/* ---- choices ---- */

void aug_image_stream(struct t2_rng *r, uint64_t seed, uint64_t epoch, uint64_t index)
{
    t2_rng_init(r, seed, T2_RNG_AUGMENT, epoch, index);
}

/* The centre square of a side; more: 1 rounds the offset up, as the TPU ResNet does, 0 down. */
static struct aug_window square(int32_t height, int32_t width, int32_t side, int more)
{
    side = side > 0 ? side : 1;
    return (struct aug_window){.y = (height - side + more) / 2,
                               .x = (width - side + more) / 2,
                               .height = side,
                               .width = side};
}

/* The window of a step that is not random. */
static struct aug_window fixed_window(const struct aug_step *s, int32_t size, int32_t height,
                                      int32_t width)
{
    int32_t least = height < width ? height : width;
    double part = (double) s->a, wide = size + nearbyint(size * (1 / 0.875 - 1));
    struct aug_window w = {.width = width, .height = height};

    switch (s->kind) {
    case AUG_CENTRE_WINDOW:
        return square(height, width, (int32_t) ((float) (size / wide) * (float) least), 1);
    case AUG_CENTRE_FLOOR: {
        float side = s->a * (float) least;
        w = square(height, width, (int32_t) side, 0);
        w.y = (int32_t) (((float) height - side) / 2);
        w.x = (int32_t) (((float) width - side) / 2);
        return w;
    }
    case AUG_CENTRE_PART:
        w.y = (int32_t) ((height - height * part) / 2);
        w.x = (int32_t) ((width - width * part) / 2);
        w.height -= 2 * w.y;
        w.width -= 2 * w.x;
        return w;
    case AUG_FIXED_WINDOW:
        w.y = (int32_t) s->a < height ? (int32_t) s->a : height - 1;
        w.x = (int32_t) s->b < width ? (int32_t) s->b : width - 1;
        w.height = s->n < height - w.y ? s->n : height - w.y;
        w.width = s->n < width - w.x ? s->n : width - w.x;
        return w;
    default:
        return w;
    }
}

static bool is_whole(const struct aug_window *w, const struct aug_info *info)
{
    return w->width == info->width && w->height == info->height;
}

static int32_t wanted(const struct aug_step *s, int32_t size)
{
    return s->n > 0 ? s->n : size - s->n;
}

/* Numbers for one step; *height and *width are of the image before it, then after it. */
static void choose_step(const struct aug_step *s, int32_t size, struct t2_rng *r, int32_t *height,
                        int32_t *width, struct aug_choices *c)
{
    int32_t n = wanted(s, size);

    switch (s->kind) {
    case AUG_RANDOM_CROP:
        c->crop_y = aug_draw_index(r, *height > n ? *height - n + 1 : 1);
        c->crop_x = aug_draw_index(r, *width > n ? *width - n + 1 : 1);
        *height = *width = n;
        break;
    case AUG_RESIZE:
    case AUG_PAD:
    case AUG_CENTRE_CROP:
        *height = *width = n;
        break;
    case AUG_FLIP:
        c->flip = aug_draw_unit(r) < 0.5f;
        break;
    case AUG_BRIGHTEN:
        c->brightness = aug_draw_between(r, -s->a, s->a);
        break;
    case AUG_CONTRAST_BY:
        c->contrast = aug_draw_between(r, s->a, s->b);
        break;
    case AUG_SATURATE:
        c->saturation = aug_draw_between(r, s->a, s->b);
        break;
    case AUG_HUE_BY:
        c->hue = aug_draw_between(r, -s->a, s->a);
        break;
    case AUG_SHIFT_COLOURS:
        for (int i = 0; i < 3; i++)
            c->shift[i] = aug_draw_between(r, -s->a, s->a);
        break;
    case AUG_AUGMENT:
        c->n_augments = aug_draw_augments(r, s->augment, *height, *width, c->augments);
        break;
    case AUG_CUT_OUT:
        c->cut_y = aug_draw_index(r, *height);
        c->cut_x = aug_draw_index(r, *width);
        break;
    default:
        break;
    }
}

static void choose_instead(const struct aug_pipeline *p, int32_t size, const struct aug_info *info,
                           struct aug_choices *c)
{
    c->instead =
        p->instead && is_whole(&c->window, info) && (!p->instead_rgb_only || info->components == 3);
    if (c->instead)
        c->window = fixed_window(p->instead, size, info->height, info->width);
}

void aug_choose(const struct aug_pipeline *p, int32_t size, const struct aug_info *info,
                struct t2_rng *r, struct aug_choices *c)
{
    int32_t height, width;

    T2_ASSERT(!p->training || r);
    size = size > 0 ? size : p->size;
    *c = (struct aug_choices){.file_width = info->width,
                              .file_height = info->height,
                              .contrast = 1,
                              .saturation = 1};
    if (p->view->kind == AUG_RANDOM_WINDOW) {
        (void) aug_sample_crop(r, p->view->rule, info->height, info->width, NULL, 0, &c->window);
        choose_instead(p, size, info, c);
    } else {
        c->window = fixed_window(p->view, size, info->height, info->width);
    }
    height = c->window.height;
    width = c->window.width;
    for (const struct aug_step *s = c->instead ? p->instead : p->view; s->kind != AUG_END; s++)
        choose_step(s, size, r, &height, &width, c);
    for (const struct aug_step *s = p->rest; s->kind != AUG_END; s++)
        choose_step(s, size, r, &height, &width, c);
}
