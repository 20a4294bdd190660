/*
 * tests/fuzz/fuzz_sentences.c - any bytes as one of Model Garden's records of BERT: the first byte
 * chooses what the targets are and whether lists have a length.  What is taken fits a model.
 */
#include <stdint.h>

#include "base/alloc.h"
#include "train/input/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VOCAB = 64, TYPES = 2, CLASSES = 4, LENGTH = 8, TARGETS = 3 };

static void check_below(const int32_t *values, int32_t n, int32_t limit)
{
    for (int32_t i = 0; i < n; i++)
        T2_ASSERT(values[i] >= 0 && values[i] < limit);
}

static void check(const struct in_sample *s, const struct in_recipe *r)
{
    T2_ASSERT(s->n_pieces == 1 && s->inputs_length > 0);
    T2_ASSERT(r->max_inputs == 0 || s->inputs_length <= r->max_inputs);
    check_below(s->inputs, s->inputs_length, VOCAB);
    check_below(s->inputs_segmentation, s->inputs_length, TYPES);
    for (int32_t i = 0; i < s->inputs_length; i++)
        T2_ASSERT(s->inputs[i] != 0);
    switch (r->sentences) {
    case MDL_SENTENCES_LABELLED:
        T2_ASSERT(s->targets_length == 1);
        check_below(s->targets, 1, CLASSES);
        break;
    case MDL_SENTENCES_MASKED:
        T2_ASSERT(r->max_targets == 0 || s->targets_length <= r->max_targets);
        check_below(s->targets, s->targets_length, VOCAB);
        check_below(s->targets_position, s->targets_length, s->inputs_length);
        check_below(&s->sentence_label, 1, 2);
        break;
    default:
        T2_ASSERT(s->targets_length == 2);
        check_below(s->targets, 2, s->inputs_length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const targets[] = {[MDL_SENTENCES_LABELLED] = "label_ids",
                                          [MDL_SENTENCES_MASKED] = "masked_lm_ids",
                                          [MDL_SENTENCES_ANSWERED] = "start_positions"};
    static struct in_sample s;
    struct t2_err err = T2_ERR_INIT;
    struct in_recipe r = {.inputs_feature = "input_ids",
                          .inputs_vocab = VOCAB,
                          .types_vocab = TYPES};
    bool bounded;

    if (size == 0)
        return 0;
    bounded = data[0] & 4;
    r.sentences = (enum mdl_sentences)(1 + (data[0] & 3) % 3);
    r.sentence_label = (data[0] & 8) != 0;
    r.targets_feature = targets[r.sentences];
    r.targets_vocab = r.sentences == MDL_SENTENCES_LABELLED ? CLASSES : VOCAB;
    r.max_inputs = bounded ? LENGTH : 0;
    r.max_targets = bounded ? TARGETS : 0;
    s.sentence_label = 0;
    if (in_sample_parse(&s, &r, (struct t2_slice){data + 1, size - 1}, &err) == T2_OK)
        check(&s, &r);
    else
        T2_ASSERT(err.message[0] != '\0');
    return 0;
}
