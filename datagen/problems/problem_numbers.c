/*
 * datagen/problems/problem_numbers.c - translate_ende_numbers: English-German sentences out of a
 * grammar.
 *
 * Sentences come in the order of their index; one whose English or German text was there before is
 * passed over.  The first ones are the test set, the next ones the dev set, all others train, so
 * no sentence of one set is in another, on either side.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/numbers_grammar.h"
#include "datagen/stream.h"

enum { TEST_PAIRS = 1000, DEV_PAIRS = 1000, TRAIN_PAIRS = 100000 };
/* When so many sentences in a row are old ones, the grammar has no more to say. */
enum { MAX_REPEATS = 1000000 };

struct numbers_stream {
    struct dg_stream base;
    uint64_t seed, next_index;
    uint64_t n_skip, n_left;
    struct t2_map *seen; /* hashes of both sides */
    struct t2_buf en, de;
};

/* true when neither side was there before; notes both. */
static bool is_new(struct numbers_stream *s)
{
    bool new_en, new_de;
    uint64_t en = t2_hash64(s->en.data, s->en.len_bytes, 1);
    uint64_t de = t2_hash64(s->de.data, s->de.len_bytes, 2);

    (void) t2_map_at(s->seen, &en, sizeof en, &new_en);
    (void) t2_map_at(s->seen, &de, sizeof de, &new_de);
    return new_en && new_de;
}

static enum t2_status advance(struct numbers_stream *s, struct t2_err *err)
{
    for (int i = 0; i < MAX_REPEATS; i++) {
        dg_numbers_sentence(s->seed, s->next_index++, &s->en, &s->de);
        if (is_new(s))
            return T2_OK;
    }
    return t2_fail(err, T2_EUSAGE,
                   "translate_ende_numbers: the grammar has no more than %zu different sentences",
                   t2_map_count(s->seen) / 2);
}

static enum t2_status numbers_next(struct dg_stream *base, struct dg_sample *sample,
                                   struct t2_err *err)
{
    struct numbers_stream *s = (struct numbers_stream *) base;

    for (; s->n_skip > 0; s->n_skip--)
        T2_TRY(advance(s, err));
    if (s->n_left == 0)
        return T2_EOF;
    s->n_left--;
    T2_TRY(advance(s, err));
    sample->inputs = t2_buf_slice(&s->en);
    sample->targets = t2_buf_slice(&s->de);
    return T2_OK;
}

static void numbers_free(struct dg_stream *base)
{
    struct numbers_stream *s = (struct numbers_stream *) base;

    t2_map_free(s->seen);
    t2_buf_release(&s->en);
    t2_buf_release(&s->de);
    t2_free(s);
}

static enum t2_status numbers_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                       struct t2_err *err)
{
    const struct numbers_stream *s = (const struct numbers_stream *) base;

    (void) err;
    t2_buf_printf(&sizes->text, "    %" PRIu64 " sentences of a grammar, seed %" PRIu64 "\n",
                  s->n_left, s->seed);
    dg_sizes_add_cases(sizes, s->n_left, 55); /* that many of usual text make as many ids */
    return T2_OK;
}

static enum t2_status numbers_open(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_split split, struct dg_stream **stream,
                                   struct t2_err *err)
{
    struct numbers_stream *s = t2_alloc(1, sizeof *s);

    (void) p;
    (void) err;
    s->base.next = numbers_next;
    s->base.free = numbers_free;
    s->base.describe = numbers_describe;
    s->base.is_clean = true;
    s->seed = options->random_seed;
    s->seen = t2_map_new();
    switch (split) {
    case DG_TEST:
        s->n_left = TEST_PAIRS;
        break;
    case DG_DEV:
        s->n_skip = TEST_PAIRS;
        s->n_left = DEV_PAIRS;
        break;
    case DG_TRAIN:
        s->n_skip = TEST_PAIRS + DEV_PAIRS;
        s->n_left = options->max_cases ? options->max_cases : TRAIN_PAIRS;
        break;
    }
    *stream = &s->base;
    return T2_OK;
}

static const struct dg_problem translate_ende_numbers = {
    .name = "translate_ende_numbers",
    .summary = "English-German sentences about numbers, dates, times and prices, out of a grammar: "
               "no download; --max_cases sets the number of training pairs [100000]",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = 1024},
    .n_shards = {10, 1, 1},
    .input_space_id = DG_SPACE_EN_TOKENS,
    .target_space_id = DG_SPACE_DE_TOKENS,
    .revision = "grammar 1",
    .text_files = {"en", "de"},
    .open = numbers_open,
};

const struct dg_family dg_family_numbers = {"Made by this program", &translate_ende_numbers, 1};
