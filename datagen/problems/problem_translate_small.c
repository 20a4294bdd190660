/*
 * datagen/problems/problem_translate_small.c - English-German sets that train within an hour on a
 * desktop: Multi30k and Tatoeba.  Not among T2T's problems, where they are text of one's own.
 */
#include <string.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/source/row_stream.h"

/* ---- Multi30k
 * ----------------------------------------------------------------------------------- */

/* The commit whose files the digests are of, then whatever is there now. */
#define RAW "https://raw.githubusercontent.com/multi30k/dataset/"
#define COMMIT RAW "a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
#define NEWEST RAW "master/data/task1/raw/"
#define MULTI30K(variable, file_, bytes_, sha256_)                                                 \
    static const struct dg_source_file variable##_file = {                                         \
        .name = "multi30k." file_,                                                                 \
        .urls = (const char *const[]){COMMIT file_, NEWEST file_, NULL},                           \
        .size_bytes = (bytes_),                                                                    \
        .sha256 = (sha256_),                                                                       \
        .licence = "no formal licence: for research, not commercial (Multi30k, Elliott et al. "    \
                   "2016, of Flickr30k captions)"};                                                \
    static const struct dg_source variable = {.file = &variable##_file, .is_plain = true}

MULTI30K(train_en, "train.en.gz", 568929,
         "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f");
MULTI30K(train_de, "train.de.gz", 637044,
         "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6");
MULTI30K(val_en, "val.en.gz", 21650,
         "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28");
MULTI30K(val_de, "val.de.gz", 24681,
         "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a");
MULTI30K(test_en, "test_2016_flickr.en.gz", 21077,
         "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9");
MULTI30K(test_de, "test_2016_flickr.de.gz", 22890,
         "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8");

static const struct dg_source *const multi30k[DG_N_SPLITS][DG_N_SIDES] = {{&train_en, &train_de},
                                                                          {&val_en, &val_de},
                                                                          {&test_en, &test_de}};
static const struct dg_source_file *const multi30k_files[] = {
    &train_en_file, &train_de_file, &val_en_file, &val_de_file, &test_en_file, &test_de_file, NULL};

static enum t2_status multi30k_prepare(const struct dg_problem *p, const struct dg_options *options,
                                       struct t2_err *err)
{
    (void) p;
    return dg_sources_fetch(&multi30k[0][0], DG_N_SPLITS * DG_N_SIDES, options, err);
}

static enum t2_status multi30k_open(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_stream **stream,
                                    struct t2_err *err)
{
    struct dg_text_parts parts = {0};
    char *path[DG_N_SIDES] = {NULL, NULL};
    enum t2_status st = T2_OK;

    (void) p;
    for (int side = 0; side < DG_N_SIDES && st == T2_OK; side++)
        st = dg_source_path(multi30k[split][side], options, &path[side], err);
    if (st == T2_OK) {
        dg_text_parts_add(&parts, path[DG_INPUTS], path[DG_TARGETS]);
        st = dg_text_stream_new(&parts, false, stream, err);
    }
    dg_text_parts_release(&parts);
    t2_free(path[DG_INPUTS]);
    t2_free(path[DG_TARGETS]);
    return st;
}

static enum t2_status multi30k_describe(const struct dg_problem *p,
                                        const struct dg_options *options, enum dg_split split,
                                        struct dg_input_sizes *sizes, struct t2_err *err)
{
    struct t2_err second = T2_ERR_INIT;
    enum t2_status st;

    (void) p;
    st = dg_source_describe(multi30k[split][DG_INPUTS], NULL, "inputs", options, sizes, err);
    if (dg_source_describe(multi30k[split][DG_TARGETS], NULL, "targets", options, sizes, &second) !=
            T2_OK &&
        st == T2_OK) {
        *err = second;
        st = err->status;
    }
    return st;
}

static const struct dg_problem translate_multi30k_ende = {
    .name = "translate_multi30k_ende",
    .summary = "English-German, Multi30k: 29,000 captions of images; test is flickr 2016",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 8192},
    .n_shards = {10, 1, 1},
    .sources = multi30k_files,
    .prepare = multi30k_prepare,
    .open = multi30k_open,
    .describe = multi30k_describe,
};

/* ---- Tatoeba
 * ------------------------------------------------------------------------------------ */

/* It is made anew every few weeks: no digest. */
static const struct dg_source_file deu_eng_file = {
    .name = "deu-eng.zip",
    .urls = (const char *const[]){"https://www.manythings.org/anki/deu-eng.zip",
                                  "http://www.manythings.org/anki/deu-eng.zip", NULL},
    .about_bytes = 3995651,
    .text_factor = 3.1,
    .licence = "CC BY 2.0 FR (tatoeba.org, by www.manythings.org/anki)",
};
static const struct dg_source deu_eng = {.file = &deu_eng_file, .sign = "deu.txt"};
static const struct dg_source_file *const tatoeba_files[] = {&deu_eng_file, NULL};

enum { ONE_OF = 100 };

/* All translations of an English sentence go to the same split: FNV-1a of its bytes. */
static enum dg_split split_of(struct t2_slice english)
{
    uint32_t h = 2166136261U;

    for (size_t i = 0; i < english.len_bytes; i++)
        h = (h ^ english.data[i]) * 16777619U;
    h ^= h >> 16; /* its low bits alone are weak */
    return h % ONE_OF == 0 ? DG_DEV : h % ONE_OF == 1 ? DG_TEST : DG_TRAIN;
}

/* English, tab, German, and since 2019 a tab and who wrote them. */
static enum t2_status tatoeba_line(struct dg_row_stream *s, struct t2_slice line,
                                   struct dg_sample *sample, struct t2_err *err)
{
    const enum dg_split *split = s->context;
    const uint8_t *tab = memchr(line.data, '\t', line.len_bytes), *end;

    (void) err;
    sample->inputs = line;
    if (!tab) {
        sample->drop = "only one column";
        return *split == DG_TRAIN ? T2_OK : T2_EOF;
    }
    sample->inputs.len_bytes = (size_t) (tab - line.data);
    if (split_of(sample->inputs) != *split)
        return T2_EOF;
    sample->targets.data = tab + 1;
    sample->targets.len_bytes = line.len_bytes - sample->inputs.len_bytes - 1;
    end = memchr(tab + 1, '\t', sample->targets.len_bytes);
    if (end)
        sample->targets.len_bytes = (size_t) (end - tab - 1);
    return T2_OK;
}

static enum t2_status tatoeba_prepare(const struct dg_problem *p, const struct dg_options *options,
                                      struct t2_err *err)
{
    static const struct dg_source *const list[] = {&deu_eng};

    (void) p;
    return dg_sources_fetch(list, 1, options, err);
}

static enum t2_status tatoeba_open(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_split split, struct dg_stream **stream,
                                   struct t2_err *err)
{
    static const enum dg_split splits[DG_N_SPLITS] = {DG_TRAIN, DG_DEV, DG_TEST};
    static const char *const member[] = {"deu.txt"};
    struct dg_row_stream *s = t2_alloc(1, sizeof *s);

    (void) p, (void) err;
    s->source = &deu_eng;
    s->members = member;
    s->n_members = 1;
    s->role = "pairs";
    s->options = options;
    s->context = &splits[split];
    s->line = tatoeba_line;
    s->base.drop_blank = true;
    dg_row_stream_init(s);
    *stream = &s->base;
    return T2_OK;
}

static const struct dg_problem translate_tatoeba_ende = {
    .name = "translate_tatoeba_ende",
    .summary = "English-German, Tatoeba: short sentences; of the English ones 1 % each is dev and "
               "test",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 8192},
    .n_shards = {10, 1, 1},
    .sources = tatoeba_files,
    .prepare = tatoeba_prepare,
    .open = tatoeba_open,
};

static const struct dg_problem *const problems[] = {&translate_multi30k_ende,
                                                    &translate_tatoeba_ende};
const struct dg_family dg_family_translate_small = {"Translation, small sets", problems,
                                                    sizeof problems / sizeof *problems};
