/*
 * datagen/problems/problem_wiki_dump.c - language models on Wikipedia's XML dump: all of it, or its
 * articles, cut into records of a fixed number of ids (T2T's wiki.py, ChoppedTextProblem; spec
 * t2t-datagen.md §5.4).
 *
 * Training part i goes to shard i mod 100: what T2T's task i mod 100 writes.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/mt19937.h"
#include "base/text.h"
#include "datagen/feature_list.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/dump_parts.h"
#include "datagen/problems/line_stream.h"
#include "datagen/problems/wiki_pages.h"

enum { PART_BYTES = 4 << 20, DEV_EVERY = 5000, MOST_DEV_CHARS = 10000000, TRAIN_SHARDS = 100 };

struct wiki_dump {
    bool articles;
    uint64_t vocab_chars;
};

struct dump_stream {
    struct dg_stream base;
    const struct wiki_dump *w;
    struct dg_dump_reader *reader;
    struct t2_buf part, valid, text;
    uint64_t n_parts;
    int n_shards;
    uint64_t most_of_part, most_of_all; /* characters; 0: no limit */
    uint64_t n_chars;
    struct t2_strs paths;
};

/* ---- text ---- */

/* Bytes that are not UTF-8 are left out: decode("utf-8", "ignore"). */
static void keep_valid(const struct t2_buf *part, struct t2_buf *valid)
{
    size_t at = 0;

    t2_buf_clear(valid);
    while (at < part->len_bytes) {
        size_t n = t2_utf8_invalid_at(part->data + at, part->len_bytes - at);
        t2_buf_append(valid, part->data + at, n);
        at += n + 1;
    }
}

/* Cuts behind n characters; returns how many there are now. */
static uint64_t cut_chars(struct t2_slice *text, uint64_t n)
{
    uint64_t chars = 0;
    size_t at;

    for (at = 0; at < text->len_bytes; at++) {
        if ((text->data[at] & 0xc0) == 0x80)
            continue;
        if (n && chars == n)
            break;
        chars++;
    }
    text->len_bytes = at;
    return chars;
}

static enum t2_status take_part(struct dump_stream *s, struct t2_slice *text, struct t2_err *err)
{
    T2_TRY(dg_dump_next(s->reader, &s->part, err));
    keep_valid(&s->part, &s->valid);
    *text = t2_buf_slice(&s->valid);
    if (s->w->articles) {
        t2_buf_clear(&s->text);
        if (dg_wiki_articles(t2_buf_slice(&s->valid), &s->text, err) != T2_OK)
            return t2_wrap(err, "'%s'", dg_dump_path(s->reader));
        *text = t2_buf_slice(&s->text);
    }
    return T2_OK;
}

static enum t2_status dump_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct dump_stream *s = (struct dump_stream *) base;
    struct t2_slice text = {NULL, 0};
    uint64_t left;
    enum t2_status st;

    do {
        left = s->most_of_all - s->n_chars;
        if (s->most_of_all && left == 0)
            return T2_EOF;
        st = take_part(s, &text, err);
        if (st == T2_EOF && base->hash_on)
            dg_dump_note(s->reader, &base->files);
        if (st != T2_OK)
            return st;
        if (!s->most_of_all || (s->most_of_part && s->most_of_part < left))
            left = s->most_of_part;
        s->n_chars += cut_chars(&text, left);
        sample->shard = 1 + (int32_t) (s->n_parts++ % (uint64_t) s->n_shards);
    } while (text.len_bytes == 0);
    sample->targets = text;
    t2_strs_push(&s->paths, dg_dump_path(s->reader));
    sample->inputs_origin.path = sample->targets_origin.path = s->paths.items[s->paths.n - 1];
    return T2_OK;
}

static void dump_free(struct dg_stream *base)
{
    struct dump_stream *s = (struct dump_stream *) base;

    dg_dump_free(s->reader);
    t2_buf_release(&s->part);
    t2_buf_release(&s->valid);
    t2_buf_release(&s->text);
    t2_strs_release(&s->paths);
    t2_free(s);
}

/* ---- problems ---- */

#define TEXT "enwiki-20171201-pages-articles.xml"

/* clang-format off */
static const struct dg_source_file dump_file = {
    .urls = (const char *const[]){"https://archive.org/download/enwiki-20171201/" TEXT ".bz2", NULL},
    .licence = "CC BY-SA 3.0 (Wikipedia)",
};
/* clang-format on */
static const struct dg_source dump_source = {.file = &dump_file, .sign = TEXT};
static const struct dg_dump dump = {&dump_source, TEXT, PART_BYTES, DEV_EVERY};
static const struct dg_line_files as_files[] = {{&dump_source, TEXT}, {NULL, NULL}};
static const struct dg_line_problem as_lines = {{as_files, as_files, NULL}, &dg_rule_lines, 0};

static enum t2_status dump_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    (void) p;
    return dg_dump_prepare(&dump, options, err);
}

static enum t2_status new_stream(const struct dg_problem *p, const struct dg_options *options,
                                 bool dev, struct dump_stream **stream, struct t2_err *err)
{
    struct dg_dump_reader *reader = NULL;
    struct dump_stream *s;

    T2_TRY(dg_dump_open(&dump, dev, options, &reader, err));
    s = t2_alloc(1, sizeof *s);
    s->base.next = dump_next;
    s->base.free = dump_free;
    s->base.is_clean = true;
    s->w = p->context;
    s->reader = reader;
    s->n_shards = dev ? 1 : TRAIN_SHARDS;
    *stream = s;
    return T2_OK;
}

static enum t2_status dump_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct dump_stream *s = NULL;

    T2_TRY(new_stream(p, options, split == DG_DEV, &s, err));
    if (split == DG_DEV)
        s->most_of_part = MOST_DEV_CHARS / dg_dump_n_dev(s->reader);
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status dump_open_vocab(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_side_index side, struct dg_stream **stream,
                                      struct t2_err *err)
{
    struct dump_stream *s = NULL;

    (void) side;
    T2_TRY(new_stream(p, options, false, &s, err));
    s->most_of_all = s->w->vocab_chars;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status dump_describe(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    struct dg_problem lines = *p;
    size_t n = dg_dump_split_files(&dump, options);

    if (n > 0) {
        t2_buf_printf(&sizes->text, "    %zu files '%s/%s-part-NNNNN'\n", n, options->tmp_dir,
                      dump.text);
        dg_dump_sizes(&dump, options, sizes);
        return T2_OK;
    }
    lines.context = &as_lines;
    return dg_line_problem_describe(&lines, options, split, sizes, err);
}

/* inputs: targets with the ids of a random half of the places permuted.  The draws follow from the
 * ids. */
static enum t2_status scramble(const struct dg_problem *p, const struct dg_texts *texts,
                               struct dg_record *r, struct t2_err *err)
{
    const struct dg_feature *targets = dg_record_find(r, "targets");
    size_t n = targets->n, half = n / 2;
    uint32_t *places = t2_alloc(n, sizeof *places), *order = t2_alloc(half, sizeof *order);
    struct dg_feature *inputs = dg_record_add(r, "inputs", TFR_INT64);
    struct t2_mt mt;

    (void) p;
    (void) texts;
    (void) err;
    t2_mt_seed_numpy(&mt, (uint32_t) t2_hash64(targets->ints, n * sizeof *targets->ints, 0));
    for (size_t i = 0; i < n; i++) {
        places[i] = (uint32_t) i;
        dg_feature_push(inputs, targets->ints[i]);
    }
    for (size_t i = 0; i < half; i++)
        order[i] = (uint32_t) i;
    t2_mt_shuffle_u32(&mt, places, n);
    t2_mt_shuffle_u32(&mt, order, half);
    for (size_t i = 0; i < half; i++)
        inputs->ints[places[i]] = targets->ints[places[order[i]]];
    t2_free(places);
    t2_free(order);
    return T2_OK;
}

/* clang-format off */
#define PROBLEM(name_, summary_, length_, size_, articles_, chars_, ...)                            \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .n_shards = {TRAIN_SHARDS, 1, 0},                       \
        .chop_length = length_,                                                                     \
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = (size_)},                       \
        .sources = (const struct dg_source_file *const[]){&dump_file, NULL},                        \
        .prepare = dump_prepare, .open = dump_open, .open_vocab_text = dump_open_vocab,             \
        .describe = dump_describe, __VA_ARGS__                                                      \
        .context = &(const struct wiki_dump){articles_, chars_}}
#define XML(name, summary, length, size, chars) PROBLEM(name, summary, length, size, false, chars, )
#define ARTICLES(name, summary, length, size, chars) PROBLEM(name, summary, length, size, true, chars, )
#define SCRAMBLE(name, summary, length)                                                             \
    PROBLEM(name, summary, length, 8192, false, 41800829, .has_inputs = true, .shared_vocab = true, \
            .chop_drops_rest = true, .finish = scramble,)

static const struct dg_problem *const problems[] = {
    ARTICLES("languagemodel_wiki_noref_v128k_l1k", "articles, 131072 subwords, 1024 ids", 1024, 131072, 100000000),
    ARTICLES("languagemodel_wiki_noref_v32k_l16k", "articles, 32768 subwords, 16384 ids", 16384, 32768, 100000000),
    ARTICLES("languagemodel_wiki_noref_v32k_l1k", "articles, 32768 subwords, 1024 ids", 1024, 32768, 100000000),
    ARTICLES("languagemodel_wiki_noref_v8k_l16k", "articles, 8192 subwords, 16384 ids", 16384, 8192, 21240483),
    ARTICLES("languagemodel_wiki_noref_v8k_l1k", "articles, 8192 subwords, 1024 ids", 1024, 8192, 21240483),
    SCRAMBLE("languagemodel_wiki_scramble_l128", "XML, 128 ids, half of them out of order", 128),
    SCRAMBLE("languagemodel_wiki_scramble_l1k", "XML, 1024 ids, half of them out of order", 1024),
    XML("languagemodel_wiki_xml_v8k_l1k", "XML, 8192 subwords, 1024 ids", 1024, 8192, 41800829),
    XML("languagemodel_wiki_xml_v8k_l4k", "XML, 8192 subwords, 4096 ids", 4096, 8192, 41800829),
};
/* clang-format on */

const struct dg_family dg_family_wiki_dump = {"Language models: Wikipedia's dump", problems,
                                              sizeof problems / sizeof *problems};
