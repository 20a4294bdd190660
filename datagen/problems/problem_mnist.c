/*
 * datagen/problems/problem_mnist.c - MNIST and Fashion-MNIST (spec t2t-datagen.md §6.2; T2T's
 * mnist.py).
 *
 * The original permutes the images with Python's generator when it opens a split, training first;
 * the same generator then shuffles the shards.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/mt19937.h"
#include "datagen/images/idx.h"
#include "datagen/images/image_arrays.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/row_stream.h"
#include "datagen/source/source_files.h"

enum { SIDE = 28, N_CLASSES = 10, TUNE_TRAIN = 55000, TUNE_END = 60000 };
static const uint64_t largest_file = UINT64_C(1) << 30;

/* ---- files ---- */

struct set {
    struct dg_source images[2], labels[2]; /* train, test */
    bool is_tune;                          /* both splits out of the training files */
};

/* clang-format off */
#define DIGITS_LICENCE "CC BY-SA 3.0 (Yann LeCun, Corinna Cortes)"
#define FASHION_LICENCE "MIT (Zalando SE)"
#define DIGITS(name_)                                                                              \
    {.name = name_, .licence = DIGITS_LICENCE,                                                     \
     .urls = (const char *const[]){"http://yann.lecun.com/exdb/mnist/" name_,                      \
                                   "https://storage.googleapis.com/cvdf-datasets/mnist/" name_,    \
                                   "https://ossci-datasets.s3.amazonaws.com/mnist/" name_, NULL}}
#define FASHION(name_)                                                                             \
    {.name = "fashion-" name_, .licence = FASHION_LICENCE,                                         \
     .urls = (const char *const[]){                                                                \
         "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/" name_, NULL}}
#define FOUR(of) of("train-images-idx3-ubyte.gz"), of("t10k-images-idx3-ubyte.gz"),                \
                 of("train-labels-idx1-ubyte.gz"), of("t10k-labels-idx1-ubyte.gz")
static const struct dg_source_file digit_files[] = {FOUR(DIGITS)};
static const struct dg_source_file fashion_files[] = {FOUR(FASHION)};

#define PLAIN(f) {.file = &(f), .is_plain = true}
#define SET(f, tune) {{PLAIN((f)[0]), PLAIN((f)[1])}, {PLAIN((f)[2]), PLAIN((f)[3])}, tune}
static const struct set digits = SET(digit_files, false), digits_tune = SET(digit_files, true),
                        fashion = SET(fashion_files, false);

#define SOURCES(f) {&(f)[0], &(f)[1], &(f)[2], &(f)[3], NULL}
static const struct dg_source_file *const digit_sources[] = SOURCES(digit_files);
static const struct dg_source_file *const fashion_sources[] = SOURCES(fashion_files);
/* clang-format on */

static int file_of(const struct set *set, enum dg_split split)
{
    return split == DG_TRAIN || set->is_tune ? 0 : 1;
}

static enum t2_status read_file(const struct dg_source *source, const struct dg_options *options,
                                const char *role, struct dg_input_files *files,
                                struct t2_buf *bytes, struct t2_err *err)
{
    struct dg_source_text text = {.in = NULL};
    enum t2_status st;

    t2_buf_clear(bytes);
    T2_TRY(dg_source_open(source, NULL, options, files != NULL, &text, err));
    st = dg_source_rest(&text, largest_file, bytes, err);
    if (st == T2_OK && files)
        dg_source_note(&text, role, files);
    dg_source_close(&text);
    return st;
}

/* How many images a file of labels is for. */
static enum t2_status count(const struct set *set, int which, const struct dg_options *options,
                            size_t *n, struct t2_err *err)
{
    const struct dg_source *source = &set->labels[which];
    struct t2_buf bytes = {NULL, 0, 0};
    struct dg_idx idx = {.n = 0};
    enum t2_status st = read_file(source, options, "labels", NULL, &bytes, err);

    if (st == T2_OK)
        st = dg_idx_parse(t2_buf_slice(&bytes), 1, source->file->name, &idx, err);
    *n = idx.n;
    t2_buf_release(&bytes);
    return st;
}

/* ---- order ---- */

static uint32_t *permutation(struct t2_mt *mt, size_t n)
{
    uint32_t *order = t2_alloc(n, sizeof *order);

    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t) i;
    t2_mt_shuffle_u32(mt, order, n);
    return order;
}

/* The numbers that opening the splits draws, in the original's order; *order is that of `split`,
 * NULL: not wanted. */
static enum t2_status draw(const struct set *set, const struct dg_options *options,
                           enum dg_split split, struct t2_mt *mt, uint32_t **order,
                           struct t2_err *err)
{
    for (int s = DG_TRAIN; s <= DG_DEV; s++) {
        uint32_t *one;
        size_t n;
        T2_TRY(count(set, file_of(set, (enum dg_split) s), options, &n, err));
        one = permutation(mt, n);
        if (order && s == (int) split) {
            *order = one;
            return T2_OK;
        }
        t2_free(one);
    }
    return T2_OK;
}

static enum t2_status before_shuffle(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_mt *mt, struct t2_err *err)
{
    return draw(p->context, options, DG_TRAIN, mt, NULL, err);
}

/* ---- stream ---- */

static enum t2_status take(struct dg_array_stream *s, const struct set *set, int which,
                           struct t2_buf *images, struct t2_buf *labels, struct t2_err *err)
{
    struct dg_image_arrays *a = &s->arrays;
    struct dg_idx pixels, numbers;

    T2_TRY(dg_idx_parse(t2_buf_slice(images), 3, set->images[which].file->name, &pixels, err));
    T2_TRY(dg_idx_parse(t2_buf_slice(labels), 1, set->labels[which].file->name, &numbers, err));
    if (pixels.dims[1] != SIDE || pixels.dims[2] != SIDE)
        return t2_fail(err, T2_EFORMAT, "'%s': images of %" PRIu32 " x %" PRIu32 ", not 28 x 28",
                       s->origin, pixels.dims[1], pixels.dims[2]);
    if (pixels.n != numbers.n)
        return t2_fail(err, T2_EFORMAT, "'%s': %zu images, and %zu labels in '%s'", s->origin,
                       pixels.n, numbers.n, set->labels[which].file->name);
    t2_buf_clear(&a->pixels);
    t2_buf_append(&a->pixels, pixels.data, pixels.n * pixels.item_bytes);
    a->n = a->n_labels = numbers.n;
    a->labels = t2_realloc(a->labels, a->n, sizeof *a->labels);
    for (size_t i = 0; i < a->n; i++) {
        a->labels[i] = numbers.data[i];
        if (numbers.data[i] >= N_CLASSES)
            return t2_fail(err, T2_EFORMAT, "'%s': label %zu is %u, not below 10",
                           set->labels[which].file->name, i + 1, numbers.data[i]);
    }
    return T2_OK;
}

static enum t2_status load(struct dg_array_stream *s, size_t part, struct t2_err *err)
{
    const struct set *set = s->problem->context;
    int which = file_of(set, s->split);
    struct dg_input_files *files = s->base.hash_on ? &s->base.files : NULL;
    struct t2_buf images = {NULL, 0, 0}, labels = {NULL, 0, 0};
    struct t2_mt mt;
    enum t2_status st;

    (void) part;
    s->origin = set->images[which].file->name;
    st = read_file(&set->images[which], s->options, "images", files, &images, err);
    if (st == T2_OK)
        st = read_file(&set->labels[which], s->options, "labels", files, &labels, err);
    if (st == T2_OK)
        st = take(s, set, which, &images, &labels, err);
    t2_buf_release(&images);
    t2_buf_release(&labels);
    if (st != T2_OK)
        return st;
    t2_mt_seed_python(&mt, s->options->random_seed);
    return draw(set, s->options, s->split, &mt, &s->order, err);
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct dg_array_stream *s = (const struct dg_array_stream *) base;
    const struct set *set = s->problem->context;
    int which = file_of(set, s->split);
    struct t2_err second = T2_ERR_INIT;
    enum t2_status st =
        dg_source_describe(&set->images[which], NULL, "images", s->options, sizes, err);
    enum t2_status other = dg_source_describe(&set->labels[which], NULL, "labels", s->options,
                                              sizes, st == T2_OK ? err : &second);

    return st == T2_OK ? other : st;
}

static enum t2_status mnist_open(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct set *set = p->context;
    struct dg_array_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    dg_array_stream_init(s);
    s->base.describe = describe;
    s->problem = p;
    s->options = options;
    s->split = split;
    s->n_parts = 1;
    s->load = load;
    if (set->is_tune) {
        s->first = split == DG_TRAIN ? 0 : TUNE_TRAIN;
        s->end = split == DG_TRAIN ? TUNE_TRAIN : TUNE_END;
    }
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status mnist_prepare(const struct dg_problem *p, const struct dg_options *options,
                                    struct t2_err *err)
{
    const struct set *set = p->context;
    const struct dg_source *const sources[] = {&set->images[0], &set->images[1], &set->labels[0],
                                               &set->labels[1]};

    return dg_sources_fetch(sources, 4, options, err);
}

static enum t2_status mnist_finish(const struct dg_problem *p, const struct dg_texts *texts,
                                   struct dg_record *r, struct t2_err *err)
{
    (void) p;
    return dg_finish_png(SIDE, SIDE, 1, texts, r, err);
}

/* ---- the problems ---- */

static const char *const digit_names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

/* clang-format off */
#define MNIST(name_, summary_, set_, sources_)                                                     \
    {.name = name_, .summary = summary_, .has_inputs = true,                                       \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},                               \
     .targets_vocab = DG_LABELS(digit_names), .n_shards = {10, 1}, .sources = sources_,            \
     .record.more_fields = dg_image_fields, .record.replaces_sides = true, .sharding.before_shuffle = before_shuffle, .record.finish = mnist_finish,   \
     .prepare = mnist_prepare, .open = mnist_open, .context = &(set_)}

static const struct dg_problem problems[] = {
    MNIST("image_mnist", "handwritten digits, 28 x 28", digits, digit_sources),
    MNIST("image_mnist_tune", "the training digits only, the last 5,000 of another order for dev (some are in "
          "both, as in the original)", digits_tune, digit_sources),
    MNIST("image_fashion_mnist", "pieces of clothing, 28 x 28", fashion, fashion_sources),
};
/* clang-format on */
const struct dg_family dg_family_mnist = {"MNIST", problems, DG_COUNT(problems)};
