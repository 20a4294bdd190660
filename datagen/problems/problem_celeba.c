/*
 * datagen/problems/problem_celeba.c - faces with attributes and landmarks (spec t2t-datagen.md
 * §6.5; T2T's celeba.py, celebahq.py).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "datagen/images/image_rows.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/scratch_sort.h"

enum { N_TRAIN = 162770, N_DEV = 19867, N_TEST = 19962, N_ATTRIBUTES = 40, N_LANDMARKS = 10 };

/* clang-format off */
#define DRIVE(id) "https://drive.google.com/uc?export=download&id=" id
#define CELEBA_FILE(name_, id, bytes)                                                              \
    {.name = name_, .about_bytes = bytes, .text_factor = 1, .urls = (const char *const[]){DRIVE(id), NULL},                                \
     .licence = "CelebA agreement: non-commercial research (MMLAB, The Chinese University of Hong Kong)"}
static const struct dg_source_file files[] = {
    CELEBA_FILE("img_align_celeba.zip", "0B7EVK8r0v71pZjFTYXZWM3FlRnM", 1443490838),
    CELEBA_FILE("celeba_landmarks_align", "0B7EVK8r0v71pd0FJY3Blby1HUTQ", 12156055),
    CELEBA_FILE("celeba_attr", "0B7EVK8r0v71pblRyaVFSWGxPY0U", 26721026)};
/* clang-format on */
static const struct dg_source images = {.file = &files[0], .sign = "img_align_celeba"},
                              landmarks = {.file = &files[1], .is_plain = true},
                              attributes = {.file = &files[2], .is_plain = true};

/* Lines of two tables, sorted by the name of the image, which comes first in each; images are,
 * too. */
struct table {
    struct tfr_sorter *lines;
    struct t2_slice name, line; /* that come next */
    bool has_ended;
    struct t2_buf last; /* of those of the image's name the one that counts */
    const char *title;
    size_t n_values;
};
enum { ATTRIBUTES, LANDMARKS, N_TABLES };

struct tables {
    struct table of[N_TABLES];
};

static void release_tables(void *state)
{
    struct tables *t = state;

    for (int i = 0; i < N_TABLES; i++) {
        tfr_sorter_free(t->of[i].lines);
        t2_buf_release(&t->of[i].last);
    }
    t2_free(t);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool next_word(struct t2_slice *line, struct t2_slice *word)
{
    size_t n = 0, from = 0;

    while (from < line->len_bytes && is_blank(line->data[from]))
        from++;
    while (from + n < line->len_bytes && !is_blank(line->data[from + n]))
        n++;
    *word = (struct t2_slice){n ? line->data + from : NULL, n};
    if (n)
        *line = (struct t2_slice){line->data + from + n, line->len_bytes - from - n};
    return n > 0;
}

static enum t2_status advance(struct table *t, struct t2_err *err)
{
    enum t2_status st = tfr_sorter_next(t->lines, &t->name, &t->line, err);

    t->has_ended = st == T2_EOF;
    return t->has_ended ? T2_OK : st;
}

/* The count and the headings come first. */
static enum t2_status read_table(const struct dg_source *source, size_t n_values,
                                 struct dg_image_rows *s, struct table *t, struct t2_err *err)
{
    struct dg_source_text text;
    struct t2_slice line, name;
    enum t2_status st;

    t->title = source->file->name;
    t->n_values = n_values;
    T2_TRY(dg_sorter_new(s->options, &t->lines, err));
    T2_TRY(dg_source_open(source, NULL, s->options, s->base.hash_on, &text, err));
    while ((st = dg_source_line(&text, &line, err)) == T2_OK) {
        if (text.lines > 2 && next_word(&line, &name))
            T2_GOTO(st, out, tfr_sorter_add(t->lines, name, line, err));
    }
    if (st != T2_EOF)
        goto out;
    if (s->base.hash_on)
        dg_source_note(&text, t->title, &s->base.files);
    T2_GOTO(st, out, tfr_sorter_finish(t->lines, err));
    st = advance(t, err);
out:
    dg_source_close(&text);
    return st;
}

/* The last line of the name; names are asked for in their order. */
static enum t2_status find_line(struct table *t, struct t2_slice name, struct t2_slice *line,
                                struct t2_err *err)
{
    bool is_found = false;

    while (!t->has_ended && t2_slice_cmp(t->name, name) <= 0) {
        if (t2_slice_eq(t->name, name)) {
            is_found = true;
            t2_buf_clear(&t->last);
            t2_buf_append(&t->last, t->line.data, t->line.len_bytes);
        }
        T2_TRY(advance(t, err));
    }
    if (!is_found)
        return t2_fail(err, T2_EFORMAT, "'%s' has no line for '%.*s'", t->title,
                       (int) name.len_bytes, (const char *) name.data);
    *line = t2_buf_slice(&t->last);
    return T2_OK;
}

/* The numbers of an image. */
static enum t2_status push_values(struct dg_image_rows *s, struct table *t, const char *name,
                                  struct t2_err *err)
{
    struct t2_slice line, word;
    size_t n = 0;

    T2_TRY(find_line(t, t2_slice_of(name), &line, err));
    for (; next_word(&line, &word); n++) {
        char *digits = t2_strndup((const char *) word.data, word.len_bytes);
        int64_t value = 0;
        bool good = n < t->n_values && t2_parse_i64(digits, &value);
        t2_free(digits);
        if (!good)
            break;
        dg_image_rows_push(s, DG_TARGETS, value);
    }
    if (n == t->n_values && word.len_bytes == 0)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s': the line of '%s' is not its name and %zu integers",
                   t->title, name, t->n_values);
}

static enum t2_status list(struct dg_image_rows *s, struct t2_err *err)
{
    struct tables *t = t2_alloc(1, sizeof *t);
    size_t n = dg_file_set_count(s->files);

    s->state = t;
    s->release = release_tables;
    if (n <= s->spec->first[s->split])
        return t2_fail(err, T2_EFORMAT,
                       "'%s' has %zu images; those of %s begin behind number %zu, as in the "
                       "original's split",
                       files[0].name, n, dg_split_name(s->split), s->spec->first[s->split]);
    T2_TRY(read_table(&attributes, N_ATTRIBUTES, s, &t->of[ATTRIBUTES], err));
    T2_TRY(read_table(&landmarks, N_LANDMARKS, s, &t->of[LANDMARKS], err));
    for (size_t i = s->spec->first[s->split]; i < n && i < s->spec->end[s->split]; i++) {
        const char *name = t2_path_base(dg_file_set_name(s->files, i));
        dg_image_rows_add(s, i);
        for (int k = 0; k < N_TABLES; k++)
            T2_TRY(push_values(s, &t->of[k], name, err));
    }
    return T2_OK;
}

static enum t2_status finish(const struct dg_problem *p, const struct dg_texts *texts,
                             struct dg_record *r, struct t2_err *err)
{
    const struct dg_feature *numbers = dg_record_find(r, "targets");
    struct dg_feature *points = dg_record_add(r, "landmarks", TFR_INT64);

    (void) p;
    (void) err;
    for (size_t i = N_ATTRIBUTES; i < numbers->n; i++)
        dg_feature_push(points, numbers->ints[i]);
    dg_record_rename(r, "targets", "attributes");
    dg_record_find(r, "attributes")->n = N_ATTRIBUTES;
    dg_record_bytes(r, "image/encoded", texts->text[DG_CONTEXT]);
    dg_record_bytes(r, "image/format", t2_slice_of("jpeg"));
    return T2_OK;
}

/* ---- the problems ---- */

/* clang-format off */
#define EACH(x) {x, x, x}
static const struct dg_image_spec faces = {
    .source = EACH(&images), .pattern = EACH("img_align_celeba/*.jpg"), .list = list,
    .first = {0, N_TRAIN, N_TRAIN + N_DEV}, .end = {N_TRAIN, N_TRAIN + N_DEV, N_TRAIN + N_DEV + N_TEST},
    .sources = (const struct dg_source *const[]){&images, &landmarks, &attributes, NULL}};
static const struct dg_source_file *const sources[] = {&files[0], &files[1], &files[2], NULL};
static const char *const fields[] = {"attributes int64", "landmarks int64", "image/encoded bytes",
                                     "image/format bytes", NULL};

#define CELEBA(name_, summary_)                                                                    \
    {.name = name_, .dataset_filename = "image_celeba", .summary = summary_, .has_inputs = true,   \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},                               \
     .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256, .raw_ids = true},             \
     .record.replaces_sides = true, .n_shards = {100, 10, 10}, .sources = sources,                   \
     .prepare = dg_image_rows_prepare, .open = dg_image_rows_open, .record.finish = finish,           \
     .record.more_fields = fields, .context = &faces}
/* Their shards are told apart by number, not by name: no writer makes them. */
#define HQ(size, suffix, text)                                                                     \
    {.name = "image_celebahq" size suffix, .dataset_filename = "image_celebahq-" size,             \
     .summary = "CelebA-HQ, faces of " size " x " size text, .has_inputs = true,                   \
     .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},                               \
     .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256}, .n_shards = {90, 10},        \
     .refusal = "Tensor2Tensor reads what the program of github.com/tkarras/progressive_growing_of_gans " \
                "made: put its 100 shards 'image_celebahq-" size "-00000-of-00100' ... (the last ten are " \
                "for evaluation; features image/encoded and image/format) into --data_dir"}

static const struct dg_problem problems[] = {
    CELEBA("image_celeba", "faces, 218 x 178, with attributes and landmarks"),
    CELEBA("image_celeba32", "CelebA, to be read as 32 x 32"),
    CELEBA("image_celeba64", "CelebA, to be read as 64 x 64"),
    CELEBA("image_celeba_multi_resolution", "CelebA, to be read in several sizes"),
    CELEBA("img2img_celeba", "CelebA, 8 x 8 to 32 x 32"),
    CELEBA("img2img_celeba64", "CelebA, 8 x 8 to 64 x 64"),
    HQ("128", "", ""),
    HQ("128", "_dmol", ", discretised mixture"),
    HQ("256", "", ""),
    HQ("256", "_dmol", ", discretised mixture"),
};
/* clang-format on */
const struct dg_family dg_family_celeba = {"CelebA", problems, DG_COUNT(problems)};
