/*
 * datagen/problems/problem_translate_bpe.c - translate_ende_wmt_bpe32k: text that was tokenized and
 * cut into BPE before, whose pieces are the words of the vocabulary (spec t2t-datagen.md §5.9; T2T
 * until 2019-02).
 */
#include <stddef.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/problems/translate_sources.h"

static const char vocab_list[] = "vocab.bpe.32000";

static const struct dg_source_file wmt16 = {
    .name = "wmt16_en_de.tar.gz",
    .urls = (const char *const[]){"https://drive.google.com/uc?export=download&id="
                                  "0B_bZck-ksdkpM25jRUN2X2UxMm8",
                                  NULL},
};
static const struct dg_parallel_source train[] = {DG_STEM(wmt16, "train.tok.clean.bpe.32000", "en",
                                                          "de"),
                                                  DG_PAIR(wmt16, vocab_list,
                                                          vocab_list), /* comes with it */
                                                  {.file = NULL}};
static const struct dg_parallel_source dev[] = {DG_STEM(wmt16, "newstest2013.tok.bpe.32000", "en",
                                                        "de"),
                                                {.file = NULL}};
static const struct dg_source_file *const files[] = {&wmt16, NULL};
static const struct dg_translate of_wmt16 = {.train = train, .dev = dev, .is_ready = true};

static char *list_path(const struct dg_problem *p, const struct dg_options *options)
{
    (void) p;
    return dg_member_path(vocab_list, options);
}

/* <pad>, <EOS>, the list as it is cut at every LF (so behind the last one comes an empty entry),
 * UNK. */
static enum t2_status make_vocab(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_side_index side, const char *path, struct t2_err *err)
{
    char *from = list_path(p, options);
    struct t2_buf list = {0}, vocab = {0};
    enum t2_status st;

    (void) side;
    T2_GOTO(st, out, t2_read_file(from, 0, &list, err));
    t2_buf_puts(&vocab, "<pad>\n<EOS>\n");
    t2_buf_append(&vocab, list.data, list.len_bytes);
    t2_buf_printf(&vocab, "\n%s\n", p->targets_vocab.oov_token);
    st = t2_write_file(path, vocab.data, vocab.len_bytes, err);
out:
    t2_buf_release(&vocab);
    t2_buf_release(&list);
    t2_free(from);
    return st;
}

static const struct dg_problem translate_ende_wmt_bpe32k = {
    .name = "translate_ende_wmt_bpe32k",
    .summary = "English-German, WMT 2016 in ready-made BPE, as in Tensor2Tensor until 2019",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_TOKENS, .approx_size = 32768, .oov_token = "UNK"},
    .n_shards = {100, 1, 0},
    .sources = files,
    .prepare = dg_translate_prepare,
    .open = dg_translate_open,
    .vocab.make = make_vocab,
    .vocab.source = list_path,
    .context = &of_wmt16,
};

const struct dg_family dg_family_translate_bpe = {"Translation, ready-made BPE",
                                                  &translate_ende_wmt_bpe32k, 1};
