/*
 * datagen/problems/problem_cifar.c - CIFAR-10, CIFAR-100 and its 20 superclasses (spec
 * t2t-datagen.md §6.3; T2T's cifar.py).  The Python distribution is read, or the binary one when
 * that is what is there.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/images/cifar_batch.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/source_files.h"

enum { TUNE_TRAIN = 48000 };

/* ---- files ---- */

/* One distribution: the files of train and test. */
struct edition {
    struct dg_source source;
    const char *patterns[2];
    size_t n_labels; /* of a row of the binary edition; 0: pickles */
};
struct set {
    const struct edition *editions[2]; /* that of Python, the binary one */
    const char *key;                   /* of the labels in a pickle */
    size_t which;                      /* label of a row */
    int64_t n_classes;
    bool is_tune; /* both splits out of the training files */
};

/* clang-format off */
#define CIFAR_FILE(name_)                                                                          \
    {.name = name_, .licence = "none stated; for research, with citation (Krizhevsky 2009)",       \
     .urls = (const char *const[]){"https://www.cs.toronto.edu/~kriz/" name_, NULL}}
static const struct dg_source_file python10 = CIFAR_FILE("cifar-10-python.tar.gz"),
                                   python100 = CIFAR_FILE("cifar-100-python.tar.gz"),
                                   binary10 = CIFAR_FILE("cifar-10-binary.tar.gz"),
                                   binary100 = CIFAR_FILE("cifar-100-binary.tar.gz");
static const struct edition pickles10 = {
    {.file = &python10, .sign = "cifar-10-batches-py"},
    {"cifar-10-batches-py/data_batch_*", "cifar-10-batches-py/test_batch"}, 0};
static const struct edition pickles100 = {
    {.file = &python100, .sign = "cifar-100-python"},
    {"cifar-100-python/train", "cifar-100-python/test"}, 0};
static const struct edition rows10 = {
    {.file = &binary10, .sign = "cifar-10-batches-bin"},
    {"cifar-10-batches-bin/data_batch_*.bin", "cifar-10-batches-bin/test_batch.bin"}, 1};
static const struct edition rows100 = {
    {.file = &binary100, .sign = "cifar-100-binary"},
    {"cifar-100-binary/train.bin", "cifar-100-binary/test.bin"}, 2};

#define SET10(tune) {{&pickles10, &rows10}, "labels", 0, 10, tune}
#define SET100(tune) {{&pickles100, &rows100}, "fine_labels", 1, 100, tune}
#define SET20(tune) {{&pickles100, &rows100}, "coarse_labels", 0, 20, tune}
/* clang-format on */
static const struct set ten = SET10(false), ten_tune = SET10(true), hundred = SET100(false),
                        hundred_tune = SET100(true), twenty = SET20(false),
                        twenty_tune = SET20(true);
static const struct dg_source_file *const sources10[] = {&python10, NULL};
static const struct dg_source_file *const sources100[] = {&python100, NULL};

static const struct edition *edition_of(const struct set *set, const struct dg_options *options)
{
    bool only_binary = !dg_source_is_there(&set->editions[0]->source, options) &&
                       dg_source_is_there(&set->editions[1]->source, options);

    return set->editions[only_binary];
}

/* ---- stream ---- */

struct cifar_stream {
    struct dg_array_stream arrays;
    const struct set *set;
    const struct edition *edition;
    struct dg_file_set *files;
};

static const char *pattern_of(const struct cifar_stream *s)
{
    return s->edition->patterns[s->arrays.split == DG_TRAIN || s->set->is_tune ? 0 : 1];
}

static enum t2_status load(struct dg_array_stream *base, size_t part, struct t2_err *err)
{
    struct cifar_stream *s = (struct cifar_stream *) base;
    const char *pattern = pattern_of(s);
    struct t2_slice file;

    if (!s->files) {
        T2_TRY(dg_file_set_open(&s->edition->source, &pattern, 1, base->options, &s->files, err));
        base->n_parts = dg_file_set_count(s->files);
        if (base->base.hash_on)
            T2_TRY(dg_file_set_note(s->files, "", "batches", &base->base.files, err));
    }
    T2_TRY(dg_file_set_content(s->files, part, &file, err));
    base->origin = dg_file_set_name(s->files, part);
    if (s->edition->n_labels == 0)
        return dg_cifar_pickle(file, base->origin, s->set->key, s->set->n_classes, &base->arrays,
                               err);
    return dg_cifar_rows(file, base->origin, s->edition->n_labels, s->set->which, s->set->n_classes,
                         &base->arrays, err);
}

static void release(struct dg_stream *base)
{
    struct cifar_stream *s = (struct cifar_stream *) base;

    dg_file_set_free(s->files);
    dg_image_arrays_release(&s->arrays.arrays);
    t2_free(s);
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct cifar_stream *s = (const struct cifar_stream *) base;

    return dg_source_describe(&s->edition->source, s->edition->source.sign, "batches",
                              s->arrays.options, sizes, err);
}

static enum t2_status cifar_open(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct cifar_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    dg_array_stream_init(&s->arrays);
    s->arrays.base.describe = describe;
    s->arrays.base.free = release;
    s->arrays.problem = p;
    s->arrays.options = options;
    s->arrays.split = split;
    s->arrays.n_parts = 1; /* or more, once they are open */
    s->arrays.load = load;
    s->set = p->context;
    s->edition = edition_of(s->set, options);
    if (s->set->is_tune) {
        s->arrays.first = split == DG_TRAIN ? 0 : TUNE_TRAIN;
        s->arrays.end = split == DG_TRAIN ? TUNE_TRAIN : 0;
    }
    *stream = &s->arrays.base;
    return T2_OK;
}

static enum t2_status cifar_prepare(const struct dg_problem *p, const struct dg_options *options,
                                    struct t2_err *err)
{
    const struct dg_source *source = &edition_of(p->context, options)->source;

    return dg_sources_fetch(&source, 1, options, err);
}

static enum t2_status cifar_finish(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    (void) p;
    return dg_finish_png(DG_CIFAR_SIDE, DG_CIFAR_SIDE, 3, texts, r, err);
}

/* ---- the problems ---- */

static const char *const names10[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                      "dog",      "frog",       "horse", "ship", "truck"};
static const char *const names20[] = {"aquatic mammals",
                                      "fish",
                                      "flowers",
                                      "food containers",
                                      "fruit and vegetables",
                                      "household electrical devices",
                                      "household furniture",
                                      "insects",
                                      "large carnivores",
                                      "large man-made outdoor things",
                                      "large natural outdoor scenes",
                                      "large omnivores and herbivores",
                                      "medium-sized mammals",
                                      "non-insect invertebrates",
                                      "people",
                                      "reptiles",
                                      "small mammals",
                                      "trees",
                                      "vehicles 1",
                                      "vehicles 2"};

/* clang-format off */
/* their names are in the archive */
#define CLASSES_100 {.kind = DG_VOCAB_CLASSES, .approx_size = 100}
#define CIFAR(name_, stem, summary_, set_, labels, sources_)                                       \
    {.name = name_, .dataset_filename = stem, .summary = summary_, .has_inputs = true,             \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .targets_vocab = labels,      \
     .n_shards = {10, 1}, .sources = sources_, .record.more_fields = dg_image_fields, .record.replaces_sides = true,                   \
     .record.finish = cifar_finish, .prepare = cifar_prepare, .open = cifar_open, .context = &(set_)}
#define TEN(name, stem, summary) CIFAR(name, stem, summary, ten, DG_LABELS(names10), sources10)
#define HUNDRED(name, stem, summary) CIFAR(name, stem, summary, hundred, CLASSES_100, sources100)
#define TWENTY(name, stem, summary)                                                                \
    CIFAR(name, stem, summary, twenty, DG_LABELS(names20), sources100)

static const struct dg_problem problems[] = {
    TEN("image_cifar10", NULL, "images of 10 classes, 32 x 32"),
    CIFAR("image_cifar10_tune", NULL, "the training images only, the last 2,000 for dev", ten_tune,
          DG_LABELS(names10), sources10),
    TEN("image_cifar10_plain", NULL, "CIFAR-10, to be read without augmentation"),
    TEN("image_cifar10_plain_gen", "image_cifar10_plain", "CIFAR-10, images to be made"),
    TEN("image_cifar10_plain_gen_flat", "image_cifar10_plain", "the same, as rows of pixels"),
    TEN("image_cifar10_plain_gen_dmol", "image_cifar10_plain", "the same, discretised mixture"),
    TEN("image_cifar10_plain_random_shift", "image_cifar10_plain", "CIFAR-10, to be shifted"),
    TEN("image_cifar10_plain8", "image_cifar10_plain", "CIFAR-10, to be made 8 x 8"),
    TEN("img2img_cifar10", "image_cifar10_plain", "CIFAR-10, 8 x 8 to 32 x 32"),
    HUNDRED("image_cifar100", NULL, "images of 100 classes, 32 x 32"),
    CIFAR("image_cifar100_tune", NULL, "the training images only, the last 2,000 for dev",
          hundred_tune, CLASSES_100, sources100),
    HUNDRED("image_cifar100_plain", NULL, "CIFAR-100, to be read without augmentation"),
    HUNDRED("image_cifar100_plain_gen", "image_cifar100_plain", "CIFAR-100, images to be made"),
    HUNDRED("image_cifar100_plain8", "image_cifar100_plain", "CIFAR-100, to be made 8 x 8"),
    HUNDRED("img2img_cifar100", "image_cifar100_plain", "CIFAR-100, 8 x 8 to 32 x 32"),
    TWENTY("image_cifar20", NULL, "CIFAR-100 by its 20 superclasses"),
    CIFAR("image_cifar20_tune", NULL, "the training images only, the last 2,000 for dev",
          twenty_tune, DG_LABELS(names20), sources100),
    TWENTY("image_cifar20_plain", NULL, "CIFAR-20, to be read without augmentation"),
    TWENTY("image_cifar20_plain_gen", "image_cifar20_plain", "CIFAR-20, images to be made"),
    TWENTY("image_cifar20_plain8", "image_cifar20_plain", "CIFAR-20, to be made 8 x 8"),
};
/* clang-format on */
const struct dg_family dg_family_cifar = {"CIFAR", problems, DG_COUNT(problems)};
