/*
 * datagen/own/problem_own_images.c - a problem out of a user's own images.
 *
 * A sample is the number of an image in the list and a label; the record is made of it on any
 * thread (own_finish).  Before, all files are read once (own_prepare), so that nothing is written
 * when one of them is refused, and so that the content can decide the split.  Those that memory has
 * room for are not read again.
 */
#include "datagen/own/problem_own_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "datagen/images/image_arrays.h"
#include "datagen/images/image_file.h"
#include "datagen/images/image_survey.h"
#include "datagen/input_sizes.h"
#include "datagen/problem_registry.h"
#include "datagen/source/held_out_stream.h"

static const uint64_t most_kept = UINT64_C(256) << 20;

/* As the original's small image problems. */
enum { TRAIN_SHARDS = 10, OTHER_SHARDS = 1, FILES_A_BATCH = 16 };

struct own_images {
    struct dg_problem problem;
    struct dg_own_images flags;
    struct dg_image_policy policy;
    struct dg_refusals refusals;
    struct dg_images list;
    const char **class_list;
    struct dg_surveyed *surveyed; /* of list.items; zeros before own_prepare */
    struct t2_buf revision;
};

static bool is_surveyed(const struct own_images *own)
{
    return own->surveyed[0].drop || own->surveyed[0].sha256[0];
}

static const char *source_of(const struct own_images *own)
{
    const struct dg_own_images *f = &own->flags;

    return f->lists[DG_TRAIN][0] ? f->lists[DG_TRAIN] : f->image_dir;
}

/* ---- samples ---- */

struct path_stream {
    struct dg_stream base;
    const struct own_images *own;
    enum dg_image_split split;
    size_t next, next_drop;
    int64_t label;
    char number[24]; /* of the image, as text */
    bool is_noted;
};

/* Notes the images of the split as one entry: names below the folder, labels and contents. */
static void note_files(struct path_stream *s)
{
    const struct own_images *own = s->own;
    const char *dir = own->flags.image_dir;
    struct t2_sha256 *h = t2_sha256_new();
    uint64_t bytes = 0, n = 0;
    char sha256[65];

    for (size_t i = 0; i < own->list.n; i++) {
        const struct dg_image *p = &own->list.items[i];
        const char *path = dir[0] && t2_starts_with(p->path, dir) ? p->path + strlen(dir) : p->path;
        char label[24];
        if (p->split != s->split)
            continue;
        snprintf(label, sizeof label, "%" PRIu32, p->label);
        t2_sha256_update(h, path, strlen(path) + 1);
        t2_sha256_update(h, label, strlen(label) + 1);
        t2_sha256_update(h, own->surveyed[i].sha256, sizeof own->surveyed[i].sha256);
        bytes += own->surveyed[i].bytes;
        n++;
    }
    t2_sha256_peek(h, sha256);
    t2_sha256_free(h);
    dg_input_files_add(&s->base.files, source_of(own), "images", bytes, n, sha256);
}

static enum t2_status path_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct path_stream *s = (struct path_stream *) base;
    const struct own_images *own = s->own;
    const struct dg_images *l = &own->list;

    (void) err;
    while (s->next < l->n) {
        size_t i = s->next++;
        if (l->items[i].split != s->split)
            continue;
        s->label = l->items[i].label;
        snprintf(s->number, sizeof s->number, "%zu", i);
        sample->inputs = t2_slice_of(s->number);
        sample->numbers[DG_TARGETS] = &s->label;
        sample->n_numbers[DG_TARGETS] = 1;
        sample->drop = own->surveyed[i].drop;
        sample->inputs_origin.path = l->items[i].path;
        if (sample->drop)
            sample->inputs = t2_slice_of(l->items[i].path);
        return T2_OK;
    }
    if (s->split == DG_IMAGES_TRAIN && s->next_drop < l->n_drops) {
        const struct dg_image_drop *drop = &l->drops[s->next_drop++];
        sample->drop = drop->why;
        sample->inputs_origin.path = drop->path;
        return T2_OK;
    }
    if (base->hash_on && !s->is_noted)
        note_files(s);
    s->is_noted = true;
    return T2_EOF;
}

static void path_free(struct dg_stream *base)
{
    t2_free(base);
}

static enum t2_status own_open(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct path_stream *s = t2_alloc(1, sizeof *s);

    (void) options;
    (void) err;
    s->base.next = path_next;
    s->base.free = path_free;
    s->base.is_clean = true;
    s->base.batch_samples = FILES_A_BATCH;
    s->own = p->context;
    s->split = (enum dg_image_split) split;
    *stream = &s->base;
    return T2_OK;
}

/* ---- before ---- */

/* TRAIN gives some to the others, by content: copies of an image stay together. */
static void hold_out(const struct own_images *own)
{
    const double dev = own->flags.dev_percent / 100, test = own->flags.test_percent / 100;

    for (size_t i = 0; i < own->list.n; i++) {
        struct dg_image *p = &own->list.items[i];
        double u = own->surveyed[i].drop ? 1 : dg_surveyed_share(&own->surveyed[i]);
        if (p->split == DG_IMAGES_TRAIN && u < dev)
            p->split = DG_IMAGES_VALIDATION;
        else if (p->split == DG_IMAGES_TRAIN && u < dev + test)
            p->split = DG_IMAGES_TEST;
    }
}

static enum t2_status own_prepare(const struct dg_problem *p, const struct dg_options *options,
                                  struct t2_err *err)
{
    const struct own_images *own = p->context;
    struct dg_image_policy policy = own->policy;

    if (is_surveyed(own))
        return T2_OK;
    policy.admit.max_memory = options->max_memory / 2;
    T2_TRY(dg_survey_images(&own->list, &policy, &own->refusals, options->pool,
                            options->max_memory ? options->max_memory / 8 : most_kept,
                            own->surveyed, err));
    hold_out(own);
    return T2_OK;
}

static enum t2_status own_describe(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_split split, struct dg_input_sizes *sizes,
                                   struct t2_err *err)
{
    const struct own_images *own = p->context;
    bool some_go = !is_surveyed(own) && split == DG_TRAIN &&
                   own->flags.dev_percent + own->flags.test_percent > 0;
    uint64_t n = 0, bytes = 0;

    (void) options;
    for (size_t i = 0; i < own->list.n; i++) {
        struct t2_file_info seen;
        if ((int) own->list.items[i].split != (int) split)
            continue;
        n++;
        T2_TRY(dg_image_look(&own->list.items[i], &seen, err));
        bytes += seen.bytes;
    }
    t2_buf_printf(&sizes->text, "    images: '%s' (%" PRIu64 " files%s)\n", source_of(own), n,
                  some_go ? ", of which some are held out" : "");
    if (n)
        dg_sizes_add_cases(sizes, n, bytes / n);
    return T2_OK;
}

/* ---- records ---- */

static const char *format_of(const struct aug_admission *a)
{
    static const char *const names[] = {[AUG_JPEG] = "jpeg",
                                        [AUG_PNG] = "png",
                                        [AUG_GIF] = "gif",
                                        [AUG_BMP] = "bmp",
                                        [AUG_WEBP] = "webp"};

    return names[a->verdict == AUG_REENCODE ? AUG_JPEG : a->kind];
}

/* Contents that were kept have been admitted already, and are given up here. */
static enum t2_status make_record(const struct own_images *own, size_t i, struct t2_buf *file,
                                  struct dg_image_scratch *scratch, struct dg_record *r,
                                  struct t2_err *err)
{
    const struct dg_image *p = &own->list.items[i];
    struct dg_image_policy policy = own->policy;
    struct aug_admission a;
    struct t2_slice format;
    bool lies;

    *file = own->surveyed[i].kept;
    own->surveyed[i].kept = (struct t2_buf){NULL, 0, 0};
    if (file->data)
        policy.decode_all = false;
    else
        T2_TRY(dg_image_load(p, file, err));
    T2_TRY(dg_image_admit(p->path, t2_buf_slice(file), &policy, &scratch->pixels, &a, err));
    if (a.verdict == AUG_REFUSE || a.verdict == AUG_IGNORE)
        return t2_fail(err, T2_EFORMAT, "'%s': has changed while it was read: %s", p->path, a.why);
    t2_buf_clear(&r->made);
    if (a.verdict == AUG_REENCODE)
        T2_TRY(aug_reencode(file->data, file->len_bytes, &own->policy.admit, &scratch->pixels,
                            &r->made, err));
    else
        t2_buf_append(&r->made, file->data, file->len_bytes);
    lies = a.turned && a.info.orientation >= 5;
    format = t2_slice_of(format_of(&a));
    dg_record_image(r, t2_buf_slice(&r->made), &format, lies ? a.info.width : a.info.height,
                    lies ? a.info.height : a.info.width);
    return T2_OK;
}

static enum t2_status own_finish(const struct dg_problem *p, const struct dg_texts *texts,
                                 struct dg_record *r, struct t2_err *err)
{
    const struct own_images *own = p->context;
    char *number =
        t2_strndup((const char *) texts->text[DG_INPUTS].data, texts->text[DG_INPUTS].len_bytes);
    struct dg_image_scratch scratch = {.jpeg = {NULL, 0, 0}};
    struct t2_buf file = {NULL, 0, 0};
    uint64_t i = 0;
    bool known = t2_parse_u64(number, &i) && i < own->list.n;
    enum t2_status st;

    T2_ASSERT(known);
    st = make_record(own, i, &file, &scratch, r, err);
    t2_buf_release(&file);
    dg_image_scratch_release(&scratch);
    t2_free(number);
    return st;
}

/* ---- what the flags say ---- */

static enum t2_status check(const struct dg_own_images *f, struct t2_err *err)
{
    bool lists = f->lists[DG_TRAIN][0] || f->lists[DG_DEV][0] || f->lists[DG_TEST][0];

    if (f->name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--name: what is the data set called?");
    T2_TRY(dg_check_name(f->name, err));
    if (dg_find(f->name))
        return t2_fail(err, T2_EUSAGE, "--name='%s' is a problem of its own; choose another name",
                       f->name);
    if (!lists && !f->image_dir[0])
        return t2_fail(err, T2_EUSAGE, "images of your own: give --image_dir or --csv");
    if (lists && !f->lists[DG_TRAIN][0])
        return t2_fail(err, T2_EUSAGE, "--dev and --test need --train");
    T2_TRY(dg_held_out_check(&(struct dg_held_out){f->dev_percent, f->test_percent}, err));
    if ((f->dev_percent > 0 && f->lists[DG_DEV][0]) ||
        (f->test_percent > 0 && f->lists[DG_TEST][0]))
        return t2_fail(err, T2_EUSAGE,
                       "a list of its own, or a part of the training images: not both");
    return T2_OK;
}

static enum t2_status read_list(struct own_images *o, struct t2_err *err)
{
    const struct dg_own_images *f = &o->flags;

    if (f->classes[0])
        t2_strs_split(&o->list.labels, f->classes, ',');
    if (f->lists[DG_TRAIN][0])
        T2_TRY(dg_images_read_csv(f->lists, f->image_dir, &o->list, err));
    else
        T2_TRY(dg_images_read_folders(f->image_dir, DG_FOLDERS_AUTO, 0, &o->list, err));
    if (dg_images_count(&o->list, DG_IMAGES_TRAIN) == 0)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no images to train on%s%s", source_of(o),
                       o->list.n_drops ? ": " : "", o->list.n_drops ? o->list.drops[0].why : "");
    return T2_OK;
}

static void note_revision(struct own_images *o)
{
    const struct dg_own_images *f = &o->flags;
    struct t2_buf *text = &o->revision;

    t2_buf_puts(text, "images");
    if (f->dev_percent > 0)
        t2_buf_printf(text, " --dev_percent=%.17g", f->dev_percent);
    if (f->test_percent > 0)
        t2_buf_printf(text, " --test_percent=%.17g", f->test_percent);
    if (o->policy.admit.reencode != AUG_REENCODE_NEVER)
        t2_buf_printf(text, " --reencode=%s --exif=%s", f->images.reencode, f->images.exif);
    if (o->policy.decode_all)
        t2_buf_puts(text, " --decode_all");
    t2_buf_puts(text, "; classes");
    for (size_t i = 0; i < o->list.labels.n && i < 8; i++)
        t2_buf_printf(text, " %s", o->list.labels.items[i]);
    o->problem.revision = t2_buf_cstr(text);
}

static void choose_shards(struct own_images *o)
{
    const double held_out[] = {0, o->flags.dev_percent, o->flags.test_percent};

    for (int split = 0; split < DG_N_SPLITS; split++)
        if (held_out[split] > 0 || dg_images_count(&o->list, (enum dg_image_split) split) > 0)
            o->problem.n_shards[split] = split == DG_TRAIN ? TRAIN_SHARDS : OTHER_SHARDS;
}

static enum t2_status fill(struct own_images *o, struct t2_err *err)
{
    struct dg_problem *p = &o->problem;
    size_t n;

    T2_TRY(check(&o->flags, err));
    T2_TRY(
        dg_image_flags_read(&o->flags.images, AUG_REENCODE_NEVER, &o->policy, &o->refusals, err));
    T2_TRY(read_list(o, err));
    n = o->list.labels.n;
    o->surveyed = t2_alloc(o->list.n, sizeof *o->surveyed);
    o->class_list = t2_alloc(n + 1, sizeof *o->class_list);
    for (size_t i = 0; i < n; i++)
        o->class_list[i] = o->list.labels.items[i];
    *p = (struct dg_problem){.name = o->flags.name,
                             .summary = "images of your own",
                             .has_inputs = true,
                             .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},
                             .targets_vocab = {.kind = DG_VOCAB_CLASSES,
                                               .approx_size = (int64_t) n,
                                               .classes = o->class_list},
                             .record.more_fields = dg_image_fields,
                             .record.replaces_sides = true,
                             .can_be_edited = true,
                             .prepare = own_prepare,
                             .describe = own_describe,
                             .open = own_open,
                             .record.finish = own_finish,
                             .context = o};
    choose_shards(o);
    note_revision(o);
    return T2_OK;
}

enum t2_status dg_own_images_new(const struct dg_own_images *own, struct dg_problem **p,
                                 struct t2_err *err)
{
    struct own_images *o = t2_alloc(1, sizeof *o);
    enum t2_status st;

    o->flags = *own;
    st = fill(o, err);
    *p = &o->problem;
    if (st != T2_OK) {
        dg_own_images_free(*p);
        *p = NULL;
    }
    return st;
}

void dg_own_images_free(struct dg_problem *p)
{
    struct own_images *o = (struct own_images *) p;

    if (!o)
        return;
    for (size_t i = 0; o->surveyed && i < o->list.n; i++)
        t2_buf_release(&o->surveyed[i].kept);
    dg_images_release(&o->list);
    t2_free(o->class_list);
    t2_free(o->surveyed);
    t2_buf_release(&o->revision);
    t2_free(o);
}
