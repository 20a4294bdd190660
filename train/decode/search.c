/*
 * train/decode/search.c - the entrance of the search: which kind, and room for its result.
 */
#include "train/decode/decode.h"

#include "base/alloc.h"
#include "train/decode/repeated_ngrams.h"
#include "train/decode/search_steps.h"

static bool is_greedy(const struct dec_options *o)
{
    return o->beam_size == 1 && o->rules == DEC_RULES_T2T;
}

void dec_result_release(struct dec_result *r)
{
    t2_free(r->ids);
    t2_free(r->lengths);
    t2_free(r->scores);
    *r = (struct dec_result){0};
}

/* Candidates of a row. */
static int32_t candidates_of(const struct dec_options *o)
{
    return (is_greedy(o) ? 1 : 2 * o->beam_size) +
           (o->no_repeat_ngram > 0 ? DEC_SPARE_CANDIDATES : 0);
}

struct mdl_choice dec_choice(const struct dec_options *o)
{
    struct mdl_choice c = {.n = candidates_of(o)};

    if (o->sampling) {
        c.draws = true;
        c.temperature = o->sampling->temperature;
        c.keep_top_k = o->sampling->keep_top_k;
        c.keep_top_p = o->sampling->keep_top_p;
    }
    return c;
}

uint64_t dec_search_bytes(int32_t batch, const struct dec_options *options)
{
    /* ids of alive and finished hypotheses, of this step and the next; those of the result */
    enum { ARRAYS = 4, PER_ROW = 128 };
    uint64_t K = (uint64_t) options->beam_size, n = (uint64_t) batch;
    uint64_t rows = (options->places ? (uint64_t) options->places : n) * K;
    uint64_t ids = (uint64_t) options->max_length * sizeof(int32_t);

    return rows * (ARRAYS * ids + PER_ROW +
                   (uint64_t) candidates_of(options) * sizeof(struct dev_candidate)) +
           n * K * ids;
}

enum t2_status dec_search(const struct dec_model *model, int32_t batch,
                          const struct dec_options *options, const int32_t *prefix,
                          int32_t prefix_length, struct dec_result *result, struct t2_err *err)
{
    struct dec_task t = {model,  options,
                         batch,  options->places ? options->places : batch,
                         prefix, prefix ? prefix_length : 0};
    size_t n = (size_t) batch * (size_t) options->n_best, n_ids;

    T2_ASSERT(batch >= 1 && model->vocab >= 2 && options->beam_size >= 1);
    T2_ASSERT(!options->sampling ||
              (options->beam_size == 1 && options->rules == DEC_RULES_T2T && options->sentences));
    T2_ASSERT(!options->sampling || options->no_repeat_ngram == 0);
    T2_ASSERT(options->n_best >= 1 && options->n_best <= options->beam_size);
    T2_ASSERT(options->max_length >= 0 && prefix_length >= 0);
    T2_ASSERT(t.places == batch ||
              (t.places > 0 && t.places < batch && !dec_streams(&t) && options->refill > 0));
    T2_ASSERT((t.places == batch && !dec_streams(&t)) ||
              (options->refill > 0 && options->lengths && !options->beyond_eos &&
               !options->settle_together));
    *result = (struct dec_result){0};
    if (!t2_mul_size(n, (size_t) options->max_length, &n_ids) ||
        !(result->ids = t2_try_alloc(n_ids ? n_ids : 1, sizeof *result->ids)))
        return t2_fail(err, T2_ENOMEM, "no memory for %zu hypotheses of up to %d ids", n,
                       options->max_length);
    result->lengths = t2_alloc(n, sizeof *result->lengths);
    result->scores = t2_alloc(n, sizeof *result->scores);
    return is_greedy(options) ? dec_greedy(&t, result, err) : dec_beam(&t, result, err);
}
