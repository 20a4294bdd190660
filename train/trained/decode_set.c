/*
 * train/trained/decode_set.c - see the header.
 */
#include "train/trained/decode_set.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "tfrecord/shards.h"
#include "train/decode/source_list.h"
#include "train/input/record.h"
#include "train/input/shard_reader.h"

enum { DECODES, TARGETS, INPUTS, N_FILES };
static const char *const endings[N_FILES] = {"decodes", "targets", "inputs"};

/* A sample's ids of both sides, each a piece of `ids`. */
struct sample {
    size_t inputs_at, n_inputs, n_targets; /* the targets stand behind the inputs */
};

struct job {
    const struct tr_trained *t;
    struct dec_translator *d;
    const struct dec_hparams *hp;
    struct tok_ids ids;
    struct sample *samples;
    size_t n, capacity;
    struct dec_source_list list; /* hp->num_decodes times the samples */
    struct dec_file_report *report;
};

/* ---- reading ---- */

static enum t2_status check(const struct job *j, const struct tr_set_options *o, struct t2_err *err)
{
    const struct dg_view *v = j->t->data.view;
    const struct mdl_problem *p = &j->t->data.problem;

    if (!p->has_inputs || v->is_images || v->is_speech || v->is_sentences || p->image.height > 0 ||
        p->target != MDL_TARGET_IDS || p->pixels.height > 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s' does not turn texts into texts or classes, so its samples are not "
                       "decoded: say by --decode_from_file what is",
                       j->t->state.problem);
    if (j->hp->num_decodes > 1 && o->to[0])
        return t2_fail(err, T2_EUSAGE,
                       "--decode_hparams: num_decodes=%" PRId64 " makes so many folders in that of "
                       "the run: leave decode_to_file out",
                       j->hp->num_decodes);
    return T2_OK;
}

/* Without its padding. */
static size_t length_of(const int32_t *ids, int32_t width)
{
    size_t n = (size_t) width;

    while (n > 0 && ids[n - 1] == TOK_PAD)
        n--;
    return n;
}

static void add_sample(struct job *j, const struct in_sample *s)
{
    size_t n = length_of(s->inputs, s->inputs_length);

    if (n == 0)
        return;
    if (j->n == j->capacity) {
        j->capacity = j->capacity ? 2 * j->capacity : 1024;
        j->samples = t2_realloc(j->samples, j->capacity, sizeof *j->samples);
    }
    j->samples[j->n] = (struct sample){.inputs_at = j->ids.n,
                                       .n_inputs = n,
                                       .n_targets = length_of(s->targets, s->targets_length)};
    tok_ids_append(&j->ids, s->inputs, n);
    tok_ids_append(&j->ids, s->targets, j->samples[j->n].n_targets);
    j->n++;
}

static bool wants_more(const struct job *j)
{
    return j->hp->num_samples < 0 || (int64_t) j->n < j->hp->num_samples;
}

static enum t2_status read_shard(struct job *j, const struct in_recipe *recipe, const char *path,
                                 struct in_sample *sample, struct t2_err *err)
{
    struct in_shard_reader *reader;
    struct in_shard_record record;
    enum t2_status st;

    T2_TRY(in_shard_reader_new(path, 0, NULL, &reader, err));
    while (wants_more(j) && (st = in_shard_reader_next(reader, &record, err)) != T2_EOF) {
        T2_GOTO(st, out, st);
        T2_GOTO(st, out, t2_check_interrupt(err));
        if (in_record_is_packed(recipe->targets_feature, record.data)) {
            st = t2_fail(err, T2_EUNSUPPORTED,
                         "'%s': records hold several sentences each: decode the data set that was "
                         "not packed",
                         path);
            goto out;
        }
        st = in_sample_parse(sample, recipe, record.data, err);
        if (st == T2_EFORMAT)
            st = in_shard_reader_refuse(reader, &record, err);
        T2_GOTO(st, out, st);
        add_sample(j, sample);
    }
    st = T2_OK;
out:
    in_shard_reader_free(reader);
    return st;
}

/* Lengths are cut as in evaluations. */
static int32_t limit(const struct mdl_hparams *hp, const char *name)
{
    return (int32_t) (mdl_hp_has(hp, name) ? mdl_hp_int(hp, name) : 0);
}

static enum t2_status read_samples(struct job *j, const struct tr_set_options *o,
                                   struct t2_err *err)
{
    const struct dg_view *v = j->t->data.view;
    const struct mdl_hparams *hp = mdl_hparams_of(j->t->m);
    const char *stem, *part = dg_view_shards(v, o->split, &stem);
    const struct in_recipe recipe = {.inputs_feature = v->inputs.feature,
                                     .targets_feature = v->targets.feature,
                                     .inputs_vocab = j->t->data.problem.inputs_vocab,
                                     .targets_vocab = j->t->data.problem.targets_vocab,
                                     .max_inputs = limit(hp, "max_input_seq_length"),
                                     .max_targets = limit(hp, "max_target_seq_length"),
                                     .context_separator = v->context_separator,
                                     .task_id = j->t->task_id};
    struct in_sample sample = {0};
    struct t2_strs paths = {0};
    size_t first = 0, end;
    enum t2_status st;

    T2_GOTO(st, out, tfr_find_shards(o->data_dir, stem, part, &paths, err));
    end = paths.n;
    if (j->hp->shards > 1) {
        first = (size_t) j->hp->shard_id;
        if (first >= paths.n) {
            st = t2_fail(err, T2_EUSAGE,
                         "--worker_id=%zu: there are %zu %s shards, of which each worker decodes "
                         "one",
                         first, paths.n, dg_split_name(o->split));
            goto out;
        }
        end = first + 1;
    }
    for (size_t i = first; i < end; i++)
        T2_GOTO(st, out, read_shard(j, &recipe, paths.items[i], &sample, err));
    if (j->n == 0 && wants_more(j))
        st = t2_fail(err, T2_EFORMAT, "there is no sample in the %s shards of '%s/%s'",
                     dg_split_name(o->split), o->data_dir, stem);
out:
    in_sample_release(&sample);
    t2_strs_release(&paths);
    return st;
}

static enum t2_status make_list(struct job *j, struct t2_err *err)
{
    for (int64_t r = 0; r < j->hp->num_decodes; r++)
        for (size_t i = 0; i < j->n; i++) {
            const struct sample *s = &j->samples[i];
            size_t n_cut;

            T2_TRY(dec_take_ids(j->d, j->ids.items + s->inputs_at, s->n_inputs, &j->list.ids,
                                &n_cut, err));
            dec_source_list_add(&j->list, (uint64_t) r);
            j->report->n_cut += n_cut > 0 && r == 0;
        }
    return T2_OK;
}

/* ---- writing ---- */

/* Of the files of a repetition, up to the last dot; NULL: there are none. */
static char *stem_of(const struct job *j, const struct tr_set_options *o, int64_t repetition)
{
    const struct ckpt_state *state = &j->t->state;
    char *given, *named, *stem;

    if (!o->to[0])
        return j->hp->decode_in_memory
                   ? NULL
                   : t2_asprintf("%s/decode_%05" PRId64 "/%s-%" PRId64, j->t->dir, repetition,
                                 state->problem, state->step);
    given = t2_path_expand(o->to);
    named = dec_shard_name(given, j->hp);
    stem = dec_output_name(named, state->model, state->hparams_set, state->problem, j->hp);
    if (strrchr(t2_path_base(stem), '.'))
        *strrchr(stem, '.') = '\0';
    t2_free(named);
    t2_free(given);
    return stem;
}

/* Up to the first EOS, as the original's. */
static void put_ids(const struct job *j, bool of_inputs, const int32_t *ids, size_t n,
                    struct t2_buf *line)
{
    size_t until = 0;

    while (until < n && ids[until] != TOK_EOS && !j->hp->identity_output)
        until++;
    dec_put_text(j->d, of_inputs, ids, j->hp->identity_output ? n : until, line);
    t2_buf_puts(line, j->hp->delimiter);
}

static void put_sample(const struct job *j, const struct dec_source *source, const struct sample *s,
                       struct t2_out *const files[N_FILES])
{
    const int32_t *ids = j->ids.items + s->inputs_at;
    struct t2_buf inputs = {0}, targets = {0};

    put_ids(j, true, ids, s->n_inputs, &inputs);
    put_ids(j, false, ids + s->n_inputs, s->n_targets, &targets);
    t2_out_write(files[DECODES], source->result.data, source->result.len_bytes);
    t2_out_puts(files[DECODES], j->hp->delimiter);
    for (int32_t k = 0; k < dec_n_best(j->hp); k++) { /* as many lines in all files */
        t2_out_write(files[INPUTS], inputs.data, inputs.len_bytes);
        t2_out_write(files[TARGETS], targets.data, targets.len_bytes);
    }
    t2_buf_release(&inputs);
    t2_buf_release(&targets);
}

static enum t2_status write_files(const struct job *j, const char *stem, int64_t repetition,
                                  struct t2_err *err)
{
    const struct dec_source *sources = j->list.items + (size_t) repetition * j->n;
    struct t2_out *files[N_FILES] = {NULL};
    enum t2_status st = T2_OK;

    for (int k = 0; k < N_FILES && st == T2_OK; k++) {
        char *path = t2_asprintf("%s.%s", stem, endings[k]);

        st = t2_out_new(path, &files[k], err);
        t2_free(path);
    }
    for (size_t i = 0; i < j->n && st == T2_OK; i++)
        put_sample(j, &sources[i], &j->samples[i], files);
    for (int k = N_FILES - 1; k >= 0; k--) { /* who sees the decodes sees all */
        if (st == T2_OK)
            st = t2_out_commit(files[k], err);
        else
            t2_out_abort(files[k]);
    }
    return st;
}

static enum t2_status write_all(const struct job *j, const struct tr_set_options *o, char **stem,
                                struct t2_err *err)
{
    *stem = stem_of(j, o, 0);
    for (int64_t r = 0; r < j->hp->num_decodes && *stem; r++) {
        char *here = stem_of(j, o, r);
        enum t2_status st = write_files(j, here, r, err);

        t2_free(here);
        T2_TRY(st);
    }
    return T2_OK;
}

static enum t2_status begin(struct job *j, const struct tr_set_options *o, struct t2_err *err)
{
    T2_TRY(check(j, o, err));
    T2_TRY(read_samples(j, o, err));
    return make_list(j, err);
}

enum t2_status tr_decode_set(const struct tr_trained *t, struct dec_translator *d,
                             const struct dec_hparams *hp, const struct tr_set_options *o,
                             struct dec_file_report *report, char **stem, struct t2_err *err)
{
    struct job j = {.t = t,
                    .d = d,
                    .hp = hp,
                    .list = {.from = o->data_dir, .item = "sample", .between = hp->delimiter},
                    .report = report};
    struct dist *dist = dec_dist(d);
    double started = t2_now_s();
    enum t2_status st;

    *stem = NULL;
    *report = (struct dec_file_report){0};
    st = begin(&j, o, err);
    if (dist)
        st = dist_agree(dist, st, err);
    if (st == T2_OK)
        st = dec_source_list_translate(&j.list, d, hp, err);
    if (st == T2_OK && (!dist || dist_rank(dist) == 0))
        st = write_all(&j, o, stem, err);
    report->n_lines = j.list.n;
    report->n_target_ids = j.list.n_target_ids;
    report->n_batches = j.list.n_batches;
    report->seconds = t2_now_s() - started;
    dec_source_list_release(&j.list);
    t2_free(j.samples);
    tok_ids_release(&j.ids);
    return st;
}
