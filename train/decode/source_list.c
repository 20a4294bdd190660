/*
 * train/decode/source_list.c - see the header.
 *
 * Sorted by falling length, a batch pads little and the largest comes first, which finds out at
 * once if memory is short.
 */
#include "train/decode/source_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "train/decode/translate_list.h"

enum { DEFAULT_BATCH = 32 };

void dec_source_list_add(struct dec_source_list *list, uint64_t repetition)
{
    const struct dec_source *last = list->n > 0 ? &list->items[list->n - 1] : NULL;
    size_t at = last ? last->ids_at + last->n_ids : 0;

    if (list->n == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->items = t2_realloc(list->items, list->capacity, sizeof *list->items);
    }
    list->items[list->n] = (struct dec_source){.ids_at = at,
                                               .n_ids = list->ids.n - at,
                                               .number = list->n,
                                               .repetition = repetition};
    list->n++;
}

void dec_source_list_release(struct dec_source_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        t2_buf_release(&list->items[i].result);
    t2_free(list->items);
    tok_ids_release(&list->ids);
}

/* Batches that are translated as one: who has ended leaves its place to the next source. */
struct run {
    struct tok_ids *ids; /* borrowed */
    struct dec_source **sources;
    int32_t n, places, most; /* places: the sources of its first batch */
    size_t from;             /* job.done when it began */
};

struct job {
    struct dec_source_list *list;
    struct dec_translator *t;
    struct dist *dist; /* NULL: this process alone */
    const struct dec_hparams *hp;
    struct dec_source *items; /* (n), of the list */
    size_t n, done;           /* done: sources: they are translated, or in the run */
    int32_t n_batch;
    /* Of the last batch that memory did not make smaller: none that is smaller needs a plan. */
    int32_t n_fit;
    size_t ids_fit;
    struct run run;
    uint64_t *load; /* (ranks): ids that each has got, with padding */
    struct t2_progress progress;
};

/* Each repetition for itself, and there decreasing length; of equals the earlier one first.
 * Those without ids stand at the end. */
static int by_ids(const void *a, const void *b)
{
    const struct dec_source *x = a, *y = b;

    if ((x->n_ids == 0) != (y->n_ids == 0))
        return x->n_ids == 0 ? 1 : -1;
    if (x->repetition != y->repetition)
        return x->repetition < y->repetition ? -1 : 1;
    if (x->n_ids != y->n_ids)
        return x->n_ids > y->n_ids ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    const struct dec_source *x = a, *y = b;

    return x->number < y->number ? -1 : 1;
}

/* The hypotheses of a source as one line: beams side by side, each with its score when wanted. */
static void join(const struct job *j, const struct dec_hypothesis *h, struct t2_buf *line)
{
    for (int32_t k = 0; k < dec_n_best(j->hp); k++) {
        if (k)
            t2_buf_puts(line, j->list->between);
        t2_buf_append(line, h[k].text.data, h[k].text.len_bytes);
        if (j->hp->write_beam_scores)
            t2_buf_printf(line, "\t%.2f", h[k].score);
    }
}

/* The sources of the next batch, from j->done on: as many as are wanted and fit, but none that is
 * much shorter than the first. */
static enum t2_status fill_batch(struct job *j, int32_t size, struct t2_err *err)
{
    const struct dec_source *first = &j->items[j->done];
    int32_t n = 0;

    while (n < size && j->done + (size_t) n < j->n) {
        const struct dec_source *l = first + n;

        if (l->n_ids == 0 || l->repetition != first->repetition ||
            !dec_shares_batch(first->n_ids, l->n_ids))
            break;
        n++;
    }
    j->n_batch = n;
    if (n <= j->n_fit && first->n_ids <= j->ids_fit)
        return T2_OK;
    T2_TRY(dec_fit(j->t, first->n_ids, n, &j->n_batch, err));
    j->n_fit = j->n_batch == n ? n : 0;
    j->ids_fit = first->n_ids;
    return T2_OK;
}

/* What the run has is translated. */
static enum t2_status translate_run(struct job *j, struct t2_err *err)
{
    struct run *r = &j->run;
    int32_t n_best = dec_n_best(j->hp), n = r->n;
    struct dec_hypothesis *h;
    enum t2_status st;

    if (n == 0)
        return T2_OK;
    h = t2_alloc((size_t) n * (size_t) n_best, sizeof *h);
    dec_translator_repeat(j->t, r->sources[0]->repetition);
    st = dec_translate_run(j->t, r->ids, n, r->places, h, err);
    if (st != T2_OK && st != T2_EINTERRUPTED)
        st = t2_wrap(err, "'%s': a batch of %d %ss, the longest %s %" PRIu64 " of %zu ids",
                     j->list->from, r->places, j->list->item, j->list->item,
                     r->sources[0]->number + 1, r->ids[0].n);
    for (int32_t i = 0; i < n && st == T2_OK; i++) {
        join(j, h + i * n_best, &r->sources[i]->result);
        j->list->n_target_ids += (uint64_t) h[i * n_best].n_ids;
    }
    for (int32_t i = 0; i < n * n_best; i++)
        t2_buf_release(&h[i].text);
    t2_free(h);
    r->n = 0;
    return st;
}

/* Does the batch go on in the places of the run?  Sources much shorter than its first would be
 * padded to that for nothing. */
static bool goes_on(const struct job *j)
{
    const struct run *r = &j->run;
    const struct dec_source *first = &j->items[j->done], *last = first + j->n_batch - 1;

    return r->n > 0 && j->n_batch <= r->most - r->n && 10 * last->n_ids >= 9 * r->ids[0].n &&
           first->repetition == r->sources[0]->repetition;
}

/* The batch is this rank's: into the run, or, behind that, into the next. */
static enum t2_status take_batch(struct job *j, struct t2_err *err)
{
    struct run *r = &j->run;

    if (!goes_on(j)) {
        T2_TRY(translate_run(j, err));
        r->places = j->n_batch;
        r->most = dec_run_sources(j->t, r->places);
        r->from = j->done;
    }
    for (int32_t i = 0; i < j->n_batch; i++) {
        struct dec_source *l = &j->items[j->done + (size_t) i];

        r->ids[r->n] = (struct tok_ids){j->list->ids.items + l->ids_at, l->n_ids, l->n_ids};
        r->sources[r->n++] = l;
    }
    return T2_OK;
}

/* Whose batch it is: that of the rank with the least to do so far.  The longest come first. */
static int give_batch(struct job *j, struct dec_source *sources, int32_t n)
{
    int rank = 0;

    for (int r = 1; j->dist && r < dist_size(j->dist); r++)
        if (j->load[r] < j->load[rank])
            rank = r;
    j->load[rank] += (uint64_t) n * sources[0].n_ids;
    for (int32_t i = 0; i < n; i++)
        sources[i].rank = rank;
    return rank;
}

static void show_step(void *context, int32_t step, int32_t max_steps)
{
    struct job *j = context;

    t2_progress_update(&j->progress,
                       j->run.from + (uint64_t) ((double) j->run.n * step / max_steps));
}

static enum t2_status translate_sources(struct job *j, struct t2_err *err)
{
    int32_t size = j->hp->batch_size > 0 ? (int32_t) j->hp->batch_size : DEFAULT_BATCH;
    int me = j->dist ? dist_rank(j->dist) : 0;
    struct run *r = &j->run;
    enum t2_status st = T2_OK;

    j->load = t2_alloc(j->dist ? (size_t) dist_size(j->dist) : 1, sizeof *j->load);
    if ((size_t) size > j->n)
        size = (int32_t) j->n;
    r->ids = t2_alloc(DEC_RUN_BATCHES * (size_t) size, sizeof *r->ids);
    r->sources = t2_alloc(DEC_RUN_BATCHES * (size_t) size, sizeof(struct dec_source *));
    dec_translator_on_step(j->t, show_step, j);
    dec_translator_refill(j->t, (size_t) size < j->n);
    while (j->done < j->n && j->items[j->done].n_ids > 0 && st == T2_OK) {
        st = fill_batch(j, size, err);
        if (st == T2_OK && j->dist && j->done == 0)
            st = dec_reserve(j->t, j->items[0].n_ids, err);
        if (st != T2_OK)
            break;
        if (give_batch(j, &j->items[j->done], j->n_batch) == me)
            st = take_batch(j, err);
        j->done += (size_t) j->n_batch;
        j->list->n_batches++;
        t2_progress_update(&j->progress, r->n > 0 ? r->from : j->done);
    }
    if (st == T2_OK)
        st = translate_run(j, err);
    dec_translator_on_step(j->t, NULL, NULL);
    t2_free(r->ids);
    t2_free(r->sources);
    return st;
}

/* ---- results of other ranks ---- */

/* Target ids, then the results of this rank's sources, each behind its length. */
static void pack_results(const struct job *j, int me, struct t2_buf *b)
{
    t2_buf_append(b, &j->list->n_target_ids, sizeof j->list->n_target_ids);
    for (size_t i = 0; i < j->n && j->items[i].n_ids > 0; i++) {
        const struct t2_buf *result = &j->items[i].result;
        uint64_t n = result->len_bytes;

        if (j->items[i].rank != me)
            continue;
        t2_buf_append(b, &n, sizeof n);
        t2_buf_append(b, result->data, result->len_bytes);
    }
}

static void unpack_results(struct job *j, int rank, const uint8_t *from)
{
    uint64_t n;

    memcpy(&n, from, sizeof n);
    from += sizeof n;
    j->list->n_target_ids += n;
    for (size_t i = 0; i < j->n && j->items[i].n_ids > 0; i++) {
        if (j->items[i].rank != rank)
            continue;
        memcpy(&n, from, sizeof n);
        t2_buf_append(&j->items[i].result, from + sizeof n, (size_t) n);
        from += sizeof n + n;
    }
}

/* Rank 0 gets the results of all. */
static enum t2_status collect_results(struct job *j, struct t2_err *err)
{
    int me = dist_rank(j->dist), n_ranks = dist_size(j->dist);
    size_t *bytes = t2_alloc((size_t) n_ranks, sizeof *bytes);
    size_t *at = t2_alloc((size_t) n_ranks, sizeof *at), sum = 0;
    struct t2_buf mine = {NULL, 0, 0};
    uint8_t *all = NULL;
    enum t2_status st;

    if (me > 0)
        pack_results(j, me, &mine);
    T2_GOTO(st, out, dist_all_gather(j->dist, &mine.len_bytes, sizeof mine.len_bytes, bytes, err));
    for (int r = 0; r < n_ranks; r++) {
        at[r] = sum;
        sum += bytes[r];
    }
    if (me == 0)
        all = t2_alloc(sum, 1);
    T2_GOTO(st, out, dist_gather_parts(j->dist, mine.data, mine.len_bytes, 0, all, at, bytes, err));
    for (int r = 1; r < n_ranks && me == 0; r++)
        unpack_results(j, r, all + at[r]);
out:
    t2_free(all);
    t2_buf_release(&mine);
    t2_free(at);
    t2_free(bytes);
    return st;
}

/* What is empty has as many hypotheses, without a word. */
static void join_nothing(const struct job *j)
{
    struct dec_hypothesis *nothing = t2_alloc((size_t) dec_n_best(j->hp), sizeof *nothing);

    for (size_t i = 0; i < j->n; i++)
        if (j->items[i].n_ids == 0)
            join(j, nothing, &j->items[i].result);
    t2_free(nothing);
}

enum t2_status dec_source_list_translate(struct dec_source_list *list, struct dec_translator *t,
                                         const struct dec_hparams *hp, struct t2_err *err)
{
    struct job j = {
        .list = list, .t = t, .dist = dec_dist(t), .hp = hp, .items = list->items, .n = list->n};
    enum t2_status st;

    if (list->n == 0)
        return T2_OK;
    join_nothing(&j);
    qsort(list->items, list->n, sizeof *list->items, by_ids);
    t2_progress_start(&j.progress, "translating", "lines", list->n);
    st = translate_sources(&j, err);
    t2_progress_end(&j.progress);
    if (st == T2_OK && j.dist)
        st = collect_results(&j, err);
    qsort(list->items, list->n, sizeof *list->items, by_number);
    t2_free(j.load);
    return st;
}
