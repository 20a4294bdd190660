/*
 * datagen/problems/problem_fsns.c - French street name signs (spec t2t-datagen.md §6.5; T2T's
 * fsns.py): shards that exist already are taken as they are, record by record.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/feature_list.h"
#include "datagen/fetch/fetch_defaults.h"
#include "datagen/fetch/source_lookup.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/files_hash.h"
#include "datagen/source/row_stream.h"
#include "tfrecord/reader.h"

#define LICENCE "CC BY 4.0 (FSNS, Google)"
#define LIST_NAME "fsns_urls.txt"
static const char folder_name[] = "fsns", charset_name[] = "charset_size134.txt";

static const char *const list_urls[] = {
    "https://raw.githubusercontent.com/tensorflow/models/master/research/street/python/" LIST_NAME,
    "https://raw.githubusercontent.com/tensorflow/models/master/street/python/" LIST_NAME, NULL};
static const struct dg_source_file list_file = {.name = LIST_NAME,
                                                .urls = list_urls,
                                                .licence = LICENCE};
static const struct dg_source list = {.file = &list_file, .is_plain = true};

/* ---- the addresses ---- */

/* index of a list: a split or, behind the splits, the characters */
enum { CHARSET = DG_N_SPLITS, N_LISTS };

struct addresses {
    struct t2_strs of[N_LISTS];
};

static void addresses_release(struct addresses *a)
{
    for (int i = 0; i < N_LISTS; i++)
        t2_strs_release(&a->of[i]);
}

/* As the original tells them apart; -1: it passes over the line. */
static int list_of(const char *url)
{
    return !t2_starts_with(url, "http://")         ? -1
           : strstr(url, "/train/train")           ? DG_TRAIN
           : strstr(url, "/validation/validation") ? DG_DEV
           : strstr(url, "charset")                ? (int) CHARSET
                                                   : -1;
}

static enum t2_status read_list(const struct dg_options *options, struct addresses *a,
                                struct t2_err *err)
{
    struct dg_source_text text;
    struct t2_slice line;
    enum t2_status st;

    T2_TRY(dg_source_open(&list, NULL, options, false, &text, err));
    while ((st = dg_source_line(&text, &line, err)) == T2_OK) {
        char *url;
        int which;
        while (line.len_bytes && strchr(" \t\r", line.data[line.len_bytes - 1]))
            line.len_bytes--;
        url = t2_strndup((const char *) line.data, line.len_bytes);
        which = list_of(url);
        if (which >= 0)
            t2_strs_take(&a->of[which], url);
        else
            t2_free(url);
    }
    dg_source_close(&text);
    return st == T2_EOF ? T2_OK : st;
}

/* "train-00000-of-00512" at the end of address i of n. */
static enum t2_status check_list(const struct dg_problem *p, const struct t2_strs *urls,
                                 enum dg_split split, struct t2_err *err)
{
    size_t n = (size_t) p->n_shards[split];

    if (urls->n != n)
        return t2_fail(err, T2_EFORMAT, "'%s' has %zu addresses of %s files, not %zu", LIST_NAME,
                       urls->n, dg_split_name(split), n);
    for (size_t i = 0; i < n; i++) {
        char *end = t2_asprintf("-%05zu-of-%05zu", i, n);
        bool fits = t2_ends_with(urls->items[i], end);
        t2_free(end);
        if (!fits)
            return t2_fail(err, T2_EFORMAT, "'%s': '%s' is not file %zu of %zu", LIST_NAME,
                           urls->items[i], i, n);
    }
    return T2_OK;
}

/* One file, as the downloader wants it. */
struct wanted {
    const char *urls[2];
    struct dg_source_file file;
};

static struct wanted wanted_of(const char *url, int which)
{
    return (struct wanted){{url, NULL},
                           {.name = which == CHARSET ? charset_name : t2_path_base(url),
                            .licence = LICENCE}};
}

static enum t2_status fetch_list(const struct t2_strs *urls, int which,
                                 const struct dg_options *options, struct t2_err *err)
{
    struct wanted *wanted = t2_alloc(urls->n + 1, sizeof *wanted);
    const struct dg_source_file **files = t2_alloc(urls->n + 1, sizeof *files);
    struct dg_fetch_result *results = t2_alloc(urls->n + 1, sizeof *results);
    char *folder = t2_path_join(options->tmp_dir, folder_name);
    enum t2_status st;

    for (size_t i = 0; i < urls->n; i++) {
        wanted[i] = wanted_of(urls->items[i], which);
        wanted[i].file.urls = wanted[i].urls;
        files[i] = &wanted[i].file;
    }
    st = dg_fetch(files, urls->n, folder, options->fetch, results, err);
    dg_fetch_release(results, urls->n);
    t2_free(folder);
    t2_free(results);
    t2_free(files);
    t2_free(wanted);
    return st;
}

/* Where a file is that was fetched; owned by the caller. */
static enum t2_status find_file(const char *url, int which, const struct dg_options *options,
                                char **path, struct t2_err *err)
{
    struct wanted w = wanted_of(url, which);
    struct dg_source source = {.file = &w.file, .folder = folder_name};

    w.file.urls = w.urls;
    return dg_source_path(&source, options, path, err);
}

/* Readers want the characters beside the records. */
static enum t2_status copy_charset(const struct t2_strs *urls, const struct dg_options *options,
                                   struct t2_err *err)
{
    const uint64_t max_bytes = 1 << 20;
    struct t2_buf text = {NULL, 0, 0};
    char *path = NULL, *to = t2_path_join(options->data_dir, charset_name);
    enum t2_status st = T2_OK;

    if (urls->n && !t2_exists(to)) {
        st = find_file(urls->items[0], CHARSET, options, &path, err);
        if (st == T2_OK)
            st = t2_read_file(path, max_bytes, &text, err);
        if (st == T2_OK)
            st = t2_write_file(to, text.data, text.len_bytes, err);
    }
    t2_buf_release(&text);
    t2_free(path);
    t2_free(to);
    return st;
}

static enum t2_status prepare(const struct dg_problem *p, const struct dg_options *options,
                              struct t2_err *err)
{
    static const struct dg_source *const sources[] = {&list};
    struct addresses a = {.of = {{NULL, 0, 0}}};
    enum t2_status st = dg_sources_fetch(sources, 1, options, err);

    if (st == T2_OK)
        st = read_list(options, &a, err);
    for (int split = DG_TRAIN; split <= DG_DEV && st == T2_OK; split++)
        st = check_list(p, &a.of[split], (enum dg_split) split, err);
    for (int which = 0; which < N_LISTS && st == T2_OK; which++)
        st = fetch_list(&a.of[which], which, options, err);
    if (st == T2_OK)
        st = copy_charset(&a.of[CHARSET], options, err);
    addresses_release(&a);
    return st;
}

/* ---- records ---- */

struct shard_stream {
    struct dg_stream base;
    const struct dg_options *options;
    enum dg_split split;
    struct addresses addresses;
    bool is_listed;
    struct t2_strs paths; /* of files so far: origins point to them */
    struct tfr_reader *reader;
    struct dg_files_hash hash;
    uint64_t n_records;
};

static enum t2_status open_next(struct shard_stream *s, struct t2_err *err)
{
    const struct t2_strs *urls = &s->addresses.of[s->split];
    char *path = NULL;

    if (s->paths.n == urls->n)
        return T2_EOF;
    T2_TRY(find_file(urls->items[s->paths.n], (int) s->split, s->options, &path, err));
    t2_strs_take(&s->paths, path);
    return tfr_reader_new(path, &s->reader, err);
}

static void note(struct shard_stream *s)
{
    char *folder = t2_path_join(s->options->tmp_dir, folder_name);

    dg_files_hash_note(&s->hash, folder, "records", s->n_records, &s->base.files);
    t2_free(folder);
}

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct shard_stream *s = (struct shard_stream *) base;
    enum t2_status st = T2_EOF;

    if (!s->is_listed) {
        T2_TRY(read_list(s->options, &s->addresses, err));
        s->is_listed = true;
        if (s->base.hash_on)
            dg_files_hash_start(&s->hash);
    }
    while (!s->reader || (st = tfr_reader_next(s->reader, &sample->context, err)) == T2_EOF) {
        tfr_reader_free(s->reader);
        s->reader = NULL;
        st = open_next(s, err);
        if (st == T2_EOF)
            note(s);
        T2_TRY(st);
    }
    T2_TRY(st);
    dg_files_hash_add(&s->hash, sample->context);
    s->n_records++;
    sample->shard = (int32_t) s->paths.n;
    sample->inputs_origin =
        (struct dg_origin){s->paths.items[s->paths.n - 1], tfr_reader_count(s->reader), 0};
    sample->targets_origin = sample->inputs_origin;
    return T2_OK;
}

static enum t2_status describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    const struct shard_stream *s = (const struct shard_stream *) base;

    return dg_source_describe(&list, NULL, "addresses of the records", s->options, sizes, err);
}

static void release(struct dg_stream *base)
{
    struct shard_stream *s = (struct shard_stream *) base;

    tfr_reader_free(s->reader);
    addresses_release(&s->addresses);
    t2_strs_release(&s->paths);
    dg_files_hash_release(&s->hash);
    t2_free(s);
}

static enum t2_status open_shards(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    struct shard_stream *s = t2_alloc(1, sizeof *s);

    (void) p;
    (void) err;
    s->base.next = next;
    s->base.free = release;
    s->base.describe = describe;
    s->base.is_clean = true;
    s->options = options;
    s->split = split;
    *stream = &s->base;
    return T2_OK;
}

/* clang-format off */
static const char *const fields[] = {
    "image/class int64", "image/encoded bytes", "image/format bytes", "image/height int64",
    "image/orig_width int64", "image/text bytes", "image/unpadded_class int64", "image/width int64", NULL};
/* clang-format on */
static const char *const names[] = {"image/class",          "image/encoded",    "image/format",
                                    "image/height",         "image/orig_width", "image/text",
                                    "image/unpadded_class", "image/width"};

/* Says what is in the record; it is written as it is. */
static enum t2_status finish(const struct dg_problem *p, const struct dg_texts *texts,
                             struct dg_record *r, struct t2_err *err)
{
    struct tfr_example ex = {.views = NULL};
    enum t2_status st = tfr_example_parse(&ex, texts->text[DG_CONTEXT], err);

    (void) p;
    for (size_t i = 0; i < DG_COUNT(names) && st == T2_OK; i++) {
        const struct tfr_view *v = tfr_example_find(&ex, names[i]);
        if (v && v->kind == TFR_BYTES && v->n == 1) {
            struct t2_slice bytes;
            tfr_view_bytes(v, &bytes);
            dg_record_bytes(r, names[i], bytes);
        } else if (v && v->kind == TFR_INT64 && v->n) {
            tfr_view_ints(v, dg_feature_extend(dg_record_add(r, names[i], TFR_INT64), v->n));
        }
    }
    tfr_example_release(&ex);
    if (st != T2_OK)
        return st;
    if (!dg_record_find(r, "image/encoded"))
        return t2_fail(err, T2_EFORMAT, "the record has no 'image/encoded'");
    r->ready = texts->text[DG_CONTEXT];
    return T2_OK;
}

static const struct dg_source_file *const sources[] = {&list_file, NULL};
/* clang-format off */
static const struct dg_problem signs = {
    .name = "image_fsns", .summary = "French street name signs, four views each", .has_inputs = true,
    .inputs_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 256},
    .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = 134, .raw_ids = true},
    .n_shards = {512, 64}, .sources = sources, .licence = LICENCE, .record.replaces_sides = true,
    .sharding.already_shuffled = true, .prepare = prepare, .open = open_shards, .record.finish = finish,
    .record.more_fields = fields};
/* clang-format on */
const struct dg_family dg_family_fsns = {"FSNS", &signs, 1};
