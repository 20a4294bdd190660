/*
 * datagen/images/image_rows.c - samples that are an image file each.
 *
 * A row is an image of the source and the texts or numbers of one sample; several rows may have
 * one image (captions, questions). Rows are found before the first sample and kept in a spool, as
 * they are more than memory holds; each image is read, hashed and admitted once, since its rows
 * follow each other.
 *
 *   spool, one record per row, host byte order:
 *   struct row_head   file, text_bytes[side], number_bytes[side]
 *   text of inputs, numbers of inputs (int64 each), text of targets, numbers of targets
 */
#include "datagen/images/image_rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "datagen/images/image_record.h"
#include "datagen/images/refused_image.h"
#include "datagen/source/row_stream.h"

/* ---- rows ---- */

/* The header of a row in the spool. */
struct row_head {
    size_t file, text_bytes[DG_N_SIDES], number_bytes[DG_N_SIDES];
};

/* The row that was added goes to disk. */
static void put_row(struct dg_image_rows *s)
{
    struct row_head head = {.file = s->row.file};

    if (s->n_rows == 0)
        return;
    for (int side = 0; side < DG_N_SIDES; side++) {
        head.text_bytes[side] = s->row.text[side].len_bytes;
        head.number_bytes[side] = s->row.numbers[side].len_bytes;
    }
    t2_spool_write(s->rows, &head, sizeof head);
    for (int side = 0; side < DG_N_SIDES; side++) {
        t2_spool_write(s->rows, s->row.text[side].data, head.text_bytes[side]);
        t2_spool_write(s->rows, s->row.numbers[side].data, head.number_bytes[side]);
    }
}

static enum t2_status read_part(struct dg_image_rows *s, struct t2_buf *part, size_t len_bytes,
                                struct t2_err *err)
{
    t2_buf_clear(part);
    if (len_bytes == 0)
        return T2_OK;
    T2_TRY(t2_spool_read(s->rows, t2_buf_reserve(part, len_bytes), len_bytes, err));
    part->len_bytes = len_bytes;
    return T2_OK;
}

static enum t2_status read_row(struct dg_image_rows *s, struct t2_err *err)
{
    struct row_head head;

    T2_TRY(t2_spool_read(s->rows, &head, sizeof head, err));
    s->row.file = head.file;
    for (int side = 0; side < DG_N_SIDES; side++) {
        T2_TRY(read_part(s, &s->row.text[side], head.text_bytes[side], err));
        T2_TRY(read_part(s, &s->row.numbers[side], head.number_bytes[side], err));
    }
    return T2_OK;
}

static void clear_row(struct dg_image_rows *s)
{
    for (int side = 0; side < DG_N_SIDES; side++) {
        t2_buf_clear(&s->row.text[side]);
        t2_buf_clear(&s->row.numbers[side]);
    }
}

void dg_image_rows_add(struct dg_image_rows *s, size_t file)
{
    put_row(s);
    clear_row(s);
    s->row.file = file;
    s->n_rows++;
}

void dg_image_rows_text(struct dg_image_rows *s, enum dg_side_index side, struct t2_slice text)
{
    t2_buf_clear(&s->row.text[side]);
    t2_buf_append(&s->row.text[side], text.data, text.len_bytes);
}

void dg_image_rows_push(struct dg_image_rows *s, enum dg_side_index side, int64_t number)
{
    t2_buf_append(&s->row.numbers[side], &number, sizeof number);
}

const char *dg_image_rows_name(const struct dg_image_rows *s, size_t file)
{
    if (s->paths.n)
        return s->paths.items[file];
    if (s->spec->read)
        return s->spec->source[s->split]->sign;
    return dg_file_set_name(s->files, file);
}

enum t2_status dg_image_rows_find(const struct dg_image_rows *s, const char *name, size_t *file,
                                  struct t2_err *err)
{
    *file = dg_file_set_find(s->files, name);
    if (*file < dg_file_set_count(s->files))
        return T2_OK;
    return t2_fail(err, T2_ENOTFOUND, "there is no image '%s'", name);
}

static enum t2_status list_all(struct dg_image_rows *s)
{
    size_t n = dg_file_set_count(s->files);

    for (size_t i = 0; i < n; i++) {
        dg_image_rows_add(s, i);
        dg_image_rows_push(s, DG_TARGETS, 0);
    }
    return T2_OK;
}

static enum t2_status list(struct dg_image_rows *s, struct t2_err *err)
{
    char *beside = t2_path_join(s->options->data_dir, "rows");
    enum t2_status st = t2_spool_new(beside, &s->rows, err);

    t2_free(beside);
    T2_TRY(st);
    if (s->spec->pattern[s->split])
        T2_TRY(dg_file_set_open(s->spec->source[s->split], &s->spec->pattern[s->split], 1,
                                s->options, &s->files, err));
    T2_TRY(s->spec->list ? s->spec->list(s, err) : list_all(s));
    put_row(s);
    T2_TRY(t2_spool_rewind(s->rows, err));
    s->is_listed = true;
    if (s->base.hash_on)
        s->hash = t2_sha256_new();
    return T2_OK;
}

/* ---- files ---- */

/* Where a copy of it goes: the name within its archive, label and name, or the source and its
 * number. */
static char *quarantine_place(const struct dg_image_rows *s, const char *name)
{
    if (s->paths.n)
        return dg_quarantine_place(t2_buf_cstr(&s->row.text[DG_TARGETS]), name);
    return s->spec->read ? t2_asprintf("%s-%zu", name, s->row.file + 1) : t2_strdup(name);
}

static enum t2_status refuse(struct dg_image_rows *s, const struct aug_admission *a,
                             struct t2_err *err)
{
    static const struct dg_refusals none = {DG_ON_ERROR_FAIL, NULL};
    const char *name = dg_image_rows_name(s, s->row.file);
    char *place = s->hash ? quarantine_place(s, name) : NULL; /* the first reading copies */
    char *full = t2_asprintf("%s: image %zu", name, s->row.file + 1);
    enum t2_status st = dg_image_refused(s->options->refusals ? s->options->refusals : &none,
                                         s->spec->read && !s->paths.n ? full : name,
                                         a->verdict == AUG_IGNORE ? dg_refusal_reason(a) : a->why,
                                         place, s->image, err);

    s->bad = dg_refusal_reason(a);
    t2_free(full);
    t2_free(place);
    return st;
}

static enum t2_status look(struct dg_image_rows *s, struct t2_err *err)
{
    static const struct dg_image_policy as_it_is = {.admit = {.reencode = AUG_REENCODE_NEVER}};
    struct dg_image_policy policy = s->spec->policy ? *s->spec->policy : as_it_is;
    struct aug_admission a;

    policy.admit.max_memory = s->options->max_memory / 2;
    T2_TRY(
        dg_image_admit(dg_image_rows_name(s, s->row.file), s->image, &policy, &s->pixels, &a, err));
    s->bad = NULL;
    return a.verdict == AUG_REFUSE || a.verdict == AUG_IGNORE ? refuse(s, &a, err) : T2_OK;
}

static enum t2_status read_file(struct dg_image_rows *s, size_t file, struct t2_err *err)
{
    const uint64_t max_bytes = UINT64_C(1) << 30;
    const char *name = dg_image_rows_name(s, file);

    if (s->spec->read) {
        T2_TRY(s->spec->read(s, file, &s->image, err));
    } else if (s->files) {
        T2_TRY(dg_file_set_content(s->files, file, &s->image, err));
    } else {
        t2_buf_clear(&s->content);
        T2_TRY(t2_read_file(name, max_bytes, &s->content, err));
        s->image = t2_buf_slice(&s->content);
    }
    if (s->hash) {
        const char *base = t2_path_base(name);
        t2_sha256_update(s->hash, base, strlen(base) + 1);
        t2_sha256_update(s->hash, s->image.data, s->image.len_bytes);
        s->bytes_hashed += s->image.len_bytes;
        s->n_hashed++;
    }
    return look(s, err);
}

static void note(struct dg_image_rows *s)
{
    const struct dg_source *source = s->spec->source[s->split];
    char sha256[T2_SHA256_HEX], *path;

    if (!s->hash)
        return;
    path = dg_source_unpacked(source, source->sign, s->options);
    t2_sha256_peek(s->hash, sha256);
    dg_input_files_add(&s->base.files, path, "images", s->bytes_hashed, s->n_hashed, sha256);
    t2_free(path);
    t2_sha256_free(s->hash);
    s->hash = NULL;
}

/* ---- stream ---- */

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct dg_image_rows *s = (struct dg_image_rows *) base;

    if (!s->is_listed)
        T2_TRY(list(s, err));
    if (s->at == s->n_rows) {
        note(s);
        return T2_EOF;
    }
    T2_TRY(read_row(s, err));
    if (!s->has_image || s->row.file != s->last_file)
        T2_TRY(read_file(s, s->row.file, err));
    s->has_image = true;
    s->last_file = s->row.file;
    s->at++;
    sample->inputs = t2_buf_slice(&s->row.text[DG_INPUTS]);
    sample->targets = t2_buf_slice(&s->row.text[DG_TARGETS]);
    sample->context = s->image;
    sample->inputs_origin = (struct dg_origin){dg_image_rows_name(s, s->row.file), s->at, 0};
    sample->targets_origin = sample->inputs_origin;
    for (int side = 0; side < DG_N_SIDES; side++) {
        size_t n = s->row.numbers[side].len_bytes / sizeof(int64_t);
        /* aligned: from the allocator, from its start */
        sample->numbers[side] =
            n ? (const int64_t *) (const void *) s->row.numbers[side].data : NULL;
        sample->n_numbers[side] = n;
    }
    sample->drop = s->bad;
    return T2_OK;
}

/* Whether a source holds images; the others hold facts about them, which are sorted by image. */
static bool is_of_images(const struct dg_image_spec *spec, const struct dg_source *source)
{
    for (int split = 0; split < DG_N_SPLITS; split++)
        if (spec->source[split] == source)
            return true;
    return false;
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct dg_image_rows *s = (const struct dg_image_rows *) base;
    const struct dg_source *source = s->spec->source[s->split];
    const struct dg_source *const *other = s->spec->sources;

    sizes->for_sort = true;
    for (; other && *other; other++)
        if (!is_of_images(s->spec, *other))
            dg_source_add_sizes(*other, (*other)->sign, s->options, 0, sizes);
    sizes->for_sort = false;
    return dg_source_describe(source, source->sign, "images", s->options, sizes, err);
}

static void release(struct dg_stream *base)
{
    struct dg_image_rows *s = (struct dg_image_rows *) base;

    dg_file_set_free(s->files);
    if (s->release)
        s->release(s->state);
    t2_sha256_free(s->hash);
    t2_strs_release(&s->paths);
    t2_buf_release(&s->content);
    aug_image_release(&s->pixels);
    for (int side = 0; side < DG_N_SIDES; side++) {
        t2_buf_release(&s->row.text[side]);
        t2_buf_release(&s->row.numbers[side]);
    }
    t2_spool_free(s->rows);
    t2_free(s);
}

enum t2_status dg_image_rows_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    struct dg_image_rows *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true;
    s->spec = p->context;
    s->problem = p;
    s->options = options;
    s->split = split;
    *stream = &s->base;
    return T2_OK;
}

enum t2_status dg_image_rows_prepare(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_err *err)
{
    const struct dg_image_spec *spec = p->context;
    size_t n = 0;

    while (spec->sources && spec->sources[n])
        n++;
    return n ? dg_sources_fetch(spec->sources, n, options, err) : T2_OK;
}

/* ---- records ---- */

struct t2_slice dg_image_format(struct t2_slice file)
{
    static const char *const names[] = {
        [AUG_JPEG] = "jpeg", [AUG_PNG] = "png", [AUG_GIF] = "gif", [AUG_BMP] = "bmp"};
    enum aug_kind kind = aug_sniff(file.data, file.len_bytes);
    bool known = (size_t) kind < sizeof names / sizeof *names && names[kind];

    return t2_slice_of(known ? names[kind] : "webp");
}

enum t2_status dg_finish_image(const struct dg_problem *p, const struct dg_texts *texts,
                               struct dg_record *r, struct t2_err *err)
{
    const struct dg_image_spec *spec = p->context;
    struct t2_slice file = texts->text[DG_CONTEXT], format = dg_image_format(file);
    struct aug_info info;

    T2_TRY(aug_probe(file.data, file.len_bytes, &info, err));
    if (spec->side && (info.height != spec->side || info.width != spec->side))
        return t2_fail(err, T2_EFORMAT, "the image is %d x %d, not %d x %d", info.height,
                       info.width, spec->side, spec->side);
    dg_record_image(r, file, &format, info.height, info.width);
    return T2_OK;
}
