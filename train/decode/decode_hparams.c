/*
 * train/decode/decode_hparams.c - the keys of --decode_hparams and their grammar (§1.3).
 */
#include "train/decode/decode_hparams.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"

enum type { INT, FLOAT, BOOL, TEXT };

enum { MAX_BEAM = 1000 };

/* The meaning here of a key of the original. */
enum role {
    USED,  /* sets a field */
    INERT, /* changes no result, there or here: any value of its type is taken, and named */
    LATER  /* would change the result: only its default is taken */
};

struct key {
    const char *name;
    enum type type;
    enum role role;
    size_t offset;      /* of the field, when USED */
    const char *normal; /* the default, as text */
    double lowest;      /* of numbers, when USED; of text: its room, the 0 at its end too */
    const char *about;  /* what it does, or why it does nothing */
};

#define AT(field) USED, offsetof(struct dec_hparams, field)

/* clang-format off */
static const struct key keys[] = {
    {"beam_size", INT, AT(beam_size), "4", 1,
     "hypotheses; 1 is greedy, which has no alpha"},
    {"alpha", FLOAT, AT(alpha), "0.6", 0,
     "length penalty"},
    {"extra_length", INT, AT(extra_length), "-1", 0,
     "steps beyond the longest source; -1: 100, of the official Transformer 50"},
    {"no_repeat_ngram_size", INT, AT(no_repeat_ngram_size), "0", 0,
     "no output has the same so many ids twice, its prompt aside; 0: it may"},
    {"batch_size", INT, AT(batch_size), "0", 0,
     "of files and images; 0: 32"},
    {"max_input_size", INT, AT(max_input_size), "-1", -1,
     "N keeps N - 1 ids and EOS"},
    {"return_beams", BOOL, AT(return_beams), "false", 0,
     "all hypotheses, joined by tabs"},
    {"write_beam_scores", BOOL, AT(write_beam_scores), "false", 0,
     "each followed by a tab and its score (%.2f)"},
    {"identity_output", BOOL, AT(identity_output), "false", 0,
     "ids up to EOS in place of text"},
    {"shards", INT, AT(shards), "1", 1,
     "the file is one of so many; --decode_shards goes before it"},
    {"shard_id", INT, AT(shard_id), "0", 0,
     "which of them; --worker_id goes before it"},
    {"shards_start_offset", INT, AT(shards_start_offset), "0", 0,
     "added to the number in the name, with shards above 1"},
    {"shard_google_format", BOOL, AT(shard_google_format), "false", 0,
     "how the number is written, with shards above 1"},
    {"delimiter", TEXT, AT(delimiter), "\n", DEC_MAX_DELIMITER,
     "up to 63 bytes between records, and behind each of the output"},
    {"num_decodes", INT, AT(num_decodes), "1", 1,
     "language models: the whole list so many times; with inputs passed over, as Tensor2Tensor repeats only data sets"},
    {"force_decode_length", BOOL, AT(force_decode_length), "false", 0,
     "greedy search with skip_eos_postprocess: all steps; else it changes no output"},
    {"skip_eos_postprocess", BOOL, AT(skip_eos_postprocess), "false", 0,
     "what stands behind EOS stays; of beams \\<pad>"},
    {"multiproblem_task_id", INT, AT(multiproblem_task_id), "-1", -1,
     "the id in place of EOS behind a source"},
    {"block_size", INT, LATER, 0, "0", 0,
     "of models for parallel decoding, which are not here"},
    {"guess_and_check_top_k", INT, LATER, 0, "0", 0,
     "of models for parallel decoding, which are not here"},
    {"guess_and_check_epsilon", INT, LATER, 0, "-1", 0,
     "of models for parallel decoding, which are not here"},
    {"insertion_parallel", BOOL, LATER, 0, "false", 0,
     "of models for parallel decoding, which are not here"},
    {"export_extra_infer_outputs", TEXT, LATER, 0, "", 0,
     "of the exporter"},
    {"decode_reference", TEXT, AT(decode_reference), "", DEC_MAX_PATH,
     "where the flag is not given"},
    {"decode_to_file", TEXT, AT(decode_to_file), "", DEC_MAX_PATH,
     "where the flag is not given"},
    {"save_images", BOOL, AT(save_images), "false", 0,
     "images that are classified become DIR/decode_00000/PROBLEM_prediction_N.jpg, DIR that of the run"},
    {"n_best_size", INT, AT(n_best_size), "20", 1,
     "questions: so many answers of each, and begins and ends of a row"},
    {"max_answer_length", INT, AT(max_answer_length), "30", 1,
     "questions: the most pieces of an answer"},
    {"doc_stride", INT, AT(doc_stride), "128", 1,
     "questions: a window of a longer text begins every so many pieces"},
    {"query_length", INT, AT(query_length), "64", 0,
     "questions: the most pieces of one"},
    {"do_lower_case", BOOL, AT(do_lower_case), "true", 0,
     "questions: text loses case and accents"},
    {"vocab_file", TEXT, AT(vocab_file), "", DEC_MAX_PATH,
     "questions: BERT's vocab.txt, needed"},
    {"version_2_with_negative", BOOL, AT(version_2_with_negative), "false", 0,
     "questions: of SQuAD 2.0, some of which have no answer"},
    {"null_score_diff_threshold", FLOAT, AT(null_score_diff_threshold), "0.0", -HUGE_VAL,
     "such questions: no answer is given where that is by more than so much likelier"},
    {"num_samples", INT, AT(num_samples), "-1", -1,
     "of data sets, also of t2t-trainer --schedule=train_eval_and_decode: so many samples; -1: all"},
    {"log_results", BOOL, INERT, 0, "true", 0,
     "results go to the output"},
    {"decode_in_memory", BOOL, AT(decode_in_memory), "false", 0,
     "likewise: no file but decode_to_file"},
    {"decode_timeout_mins", INT, INERT, 0, "240", 0,
     "nothing is waited for"},
    {"summaries_log_dir", TEXT, INERT, 0, "decode", 0,
     "no summary is written"},
    {"eos_penalty", FLOAT, INERT, 0, "0.0", 0,
     "the original declares it and reads it nowhere"},
    {"min_length_ratio", FLOAT, INERT, 0, "0.0", 0,
     "the original declares it and reads it nowhere"},
    {"display_decoded_images", BOOL, INERT, 0, "false", 0,
     "in summaries; images that a model draws are files: --draw_images"},
    {"frames_per_second", INT, INERT, 0, "10", 0,
     "of video"},
    {"border_percent", INT, INERT, 0, "2", 0,
     "of video"},
    {"max_display_outputs", INT, INERT, 0, "10", 0,
     "of video"},
    {"max_display_decodes", INT, INERT, 0, "5", 0,
     "of video"},
    {"vgg_ckpt_path", TEXT, INERT, 0, "", 0,
     "of video"},
    {"mlperf_decode_step", FLOAT, INERT, 0, "0.0", 0,
     "of a log for MLPerf"},
    {"mlperf_threshold", FLOAT, INERT, 0, "25.0", 0,
     "of a log for MLPerf"},
    {"mlperf_success", BOOL, INERT, 0, "false", 0,
     "of a log for MLPerf"},
};
/* clang-format on */
enum { N_KEYS = sizeof keys / sizeof *keys };
_Static_assert(N_KEYS <= 64, "dec_hparams.set has a bit for each key");

static const struct key *find_key(const char *name, struct t2_err *err)
{
    const char *names[N_KEYS], *nearest;

    for (size_t i = 0; i < N_KEYS; i++) {
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
        names[i] = keys[i].name;
    }
    if (t2_starts_with(name, "sampling_")) {
        t2_fail(err, T2_EUSAGE,
                "--decode_hparams: '%s' is an hparam of the model: --hparams=%s=...", name, name);
        return NULL;
    }
    nearest = t2_nearest(name, names, N_KEYS);
    if (nearest)
        t2_fail(err, T2_EUSAGE, "--decode_hparams: unknown key '%s'; did you mean '%s'?", name,
                nearest);
    else
        t2_fail(err, T2_EUSAGE, "--decode_hparams: unknown key '%s'", name);
    return NULL;
}

struct value {
    int64_t i;
    double f;
    bool b;
};

/* hparam.py takes true, True, false, False or an integer for a boolean. */
static bool parse_bool(const char *text, bool *b)
{
    int64_t i;

    if (t2_parse_i64(text, &i)) {
        *b = i != 0;
        return true;
    }
    *b = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    return *b || strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
}

static bool parse_value(enum type type, const char *text, struct value *v)
{
    switch (type) {
    case INT:
        return t2_parse_i64(text, &v->i);
    case FLOAT:
        return t2_parse_double(text, &v->f);
    case BOOL:
        return parse_bool(text, &v->b);
    case TEXT:
        break;
    }
    return true;
}

/* The value of a key that is not given; a table that does not parse is a programmer's mistake. */
static struct value normal_value(const struct key *k)
{
    struct value v = {0, 0, false};
    bool parsed = parse_value(k->type, k->normal, &v);

    T2_ASSERT(parsed);
    return v;
}

static bool same_value(const struct key *k, const char *text, const struct value *v)
{
    struct value normal;

    if (k->type == TEXT)
        return strcmp(text, k->normal) == 0;
    normal = normal_value(k);
    return k->type == INT     ? v->i == normal.i
           : k->type == FLOAT ? v->f == normal.f
                              : v->b == normal.b;
}

static void store(const struct key *k, const char *text, const struct value *v,
                  struct dec_hparams *hp)
{
    char *field = (char *) hp + k->offset;

    if (k->type == TEXT)
        memcpy(field, text, strlen(text) + 1);
    else if (k->type == INT)
        memcpy(field, &v->i, sizeof v->i);
    else if (k->type == FLOAT)
        memcpy(field, &v->f, sizeof v->f);
    else if (k->type == BOOL)
        memcpy(field, &v->b, sizeof v->b);
}

static enum t2_status set(const char *name, const char *text, bool *given, struct dec_hparams *hp,
                          struct t2_err *err)
{
    static const char *const wanted[] = {"an integer", "a number", "true or false", "text"};
    const struct key *k = find_key(name, err);
    struct value v = {0, 0, false};

    if (!k)
        return err->status;
    if (given[k - keys])
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: '%s' is given twice", name);
    given[k - keys] = true;
    if (!parse_value(k->type, text, &v))
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: %s='%s' is not %s", name, text,
                       wanted[k->type]);
    if (k->role == LATER && !same_value(k, text, &v))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--decode_hparams: %s is not supported here (other than its default)", name);
    if (k->role == USED &&
        ((k->type == INT && (double) v.i < k->lowest) || (k->type == FLOAT && v.f < k->lowest)))
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: %s=%s is below %g", name, text,
                       k->lowest);
    if (k->role == USED && k->type == TEXT && strlen(text) >= (size_t) k->lowest)
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: %s is longer than %d bytes", name,
                       (int) k->lowest - 1);
    if (k->role == USED && k->type == INT &&
        v.i > (strcmp(name, "beam_size") == 0 ? MAX_BEAM : INT32_MAX / 4))
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: %s=%s is too large", name, text);
    if (k->role == USED)
        store(k, text, &v, hp);
    if (k->role == USED && !same_value(k, text, &v))
        hp->set |= UINT64_C(1) << (k - keys);
    if (k->role == INERT && !same_value(k, text, &v))
        t2_warn("--decode_hparams: %s has no meaning here", name);
    return T2_OK;
}

/* One "name = value", in place. */
static enum t2_status parse_clause(char *clause, bool *given, struct dec_hparams *hp,
                                   struct t2_err *err)
{
    char *equals;

    clause += strspn(clause, " \t");
    equals = strchr(clause, '=');
    if (!equals || equals == clause)
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: '%s' is not NAME=VALUE", clause);
    for (char *end = equals; end > clause && (end[-1] == ' ' || end[-1] == '\t'); end--)
        end[-1] = '\0';
    *equals++ = '\0';
    return set(clause, equals + strspn(equals, " \t"), given, hp, err);
}

static enum t2_status check_together(const struct dec_hparams *hp, struct t2_err *err)
{
    if (hp->max_input_size == 0)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_hparams: max_input_size=0 leaves nothing (-1 means no limit)");
    if (hp->delimiter[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: delimiter is empty");
    if (hp->shard_id >= hp->shards)
        return t2_fail(err, T2_EUSAGE, "--decode_hparams: shard_id=%lld, but there are %lld shards",
                       (long long) hp->shard_id, (long long) hp->shards);
    return T2_OK;
}

enum t2_status dec_hparams_parse(const char *clauses, struct dec_hparams *hp, struct t2_err *err)
{
    bool given[N_KEYS] = {false};
    struct t2_strs list = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    *hp = (struct dec_hparams){.beam_size = 4};
    for (size_t i = 0; i < N_KEYS; i++) {
        struct value v = normal_value(&keys[i]);

        if (keys[i].role == USED)
            store(&keys[i], keys[i].normal, &v, hp);
    }
    t2_strs_split(&list, clauses ? clauses : "", ',');
    for (size_t i = 0; i < list.n && st == T2_OK; i++)
        st = parse_clause(list.items[i], given, hp, err);
    t2_strs_release(&list);
    return st == T2_OK ? check_together(hp, err) : st;
}

enum t2_status dec_hparams_join(const char *kept, const char *given, struct dec_hparams *hp,
                                struct t2_err *err)
{
    struct t2_strs old = {0}, new = {0};
    struct t2_buf all = {0};
    enum t2_status st;

    t2_strs_split(&old, kept, ',');
    t2_strs_split(&new, given, ',');
    t2_buf_puts(&all, given);
    for (size_t i = 0; i < old.n; i++) {
        size_t n = strcspn(old.items[i], "=");
        bool again = false;

        for (size_t k = 0; k < new.n; k++)
            again = again || (strcspn(new.items[k], "=") == n &&
                              strncmp(new.items[k], old.items[i], n) == 0);
        if (!again)
            t2_buf_printf(&all, "%s%s", all.len_bytes > 0 ? "," : "", old.items[i]);
    }
    st = dec_hparams_parse(t2_buf_cstr(&all), hp, err);
    t2_buf_release(&all);
    t2_strs_release(&new);
    t2_strs_release(&old);
    return st;
}

static bool is_read_of_set(const struct key *k, const struct dec_hparams *hp)
{
    static const char *const names[] = {"beam_size",   "extra_length",     "no_repeat_ngram_size",
                                        "delimiter",   "decode_to_file",   "skip_eos_postprocess",
                                        "num_samples", "decode_in_memory", "force_decode_length"};

    if (k->offset == offsetof(struct dec_hparams, alpha))
        return hp->beam_size > 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(k->name, names[i]) == 0)
            return true;
    return false;
}

struct dec_hparams dec_hparams_of_set(const struct dec_hparams *hp)
{
    struct dec_hparams of_set = *hp;

    for (size_t i = 0; i < N_KEYS; i++) {
        struct value v = normal_value(&keys[i]);

        if (keys[i].role == USED && !is_read_of_set(&keys[i], hp))
            store(&keys[i], keys[i].normal, &v, &of_set);
    }
    return of_set;
}

/* Some keys are read only with certain values of others. */
static bool is_read(const struct key *k, const struct dec_hparams *hp, enum dec_use use)
{
    bool of_shards = k->offset > offsetof(struct dec_hparams, shards);
    bool of_files = k->offset == offsetof(struct dec_hparams, batch_size) ||
                    k->offset == offsetof(struct dec_hparams, write_beam_scores) ||
                    k->offset >= offsetof(struct dec_hparams, num_decodes);

    bool of_questions = k->offset >= offsetof(struct dec_hparams, n_best_size);

    if (use == DEC_USE_SET)
        return is_read_of_set(k, hp);
    if (k->offset == offsetof(struct dec_hparams, num_samples) ||
        k->offset == offsetof(struct dec_hparams, decode_in_memory))
        return use == DEC_USE_SAMPLES;
    if (k->offset == offsetof(struct dec_hparams, decode_reference) && use == DEC_USE_SAMPLES)
        return false;
    if (k->offset == offsetof(struct dec_hparams, null_score_diff_threshold) &&
        !hp->version_2_with_negative)
        return false;
    if (k->offset == offsetof(struct dec_hparams, save_images))
        return use == DEC_USE_IMAGES;
    if (use == DEC_USE_IMAGES || use == DEC_USE_QUESTIONS)
        return k->offset == offsetof(struct dec_hparams, batch_size) ||
               (of_questions && use == DEC_USE_QUESTIONS);
    if (of_questions)
        return false;
    if (k->offset == offsetof(struct dec_hparams, alpha))
        return hp->beam_size > 1;
    if (k->offset == offsetof(struct dec_hparams, force_decode_length))
        return hp->beam_size == 1; /* as in the original */
    if (use == DEC_USE_TYPED)
        return !of_files;
    return !of_shards || hp->shards > 1;
}

void dec_hparams_name_unread(const struct dec_hparams *hp, enum dec_use use)
{
    static const char *const where[] = {"",
                                        " for what is typed",
                                        " for images",
                                        " for questions",
                                        " for data sets",
                                        " for samples"};

    for (size_t i = 0; i < N_KEYS; i++)
        if ((hp->set >> i & 1) != 0 && !is_read(&keys[i], hp, use))
            t2_warn("--decode_hparams: %s has no meaning here%s", keys[i].name, where[use]);
}

void dec_hparams_markdown(struct t2_buf *out)
{
    static const char *const roles[] = {"taken", "passed over", "refused"};

    t2_buf_puts(out, "\n| key of --decode_hparams | default | is | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < N_KEYS; i++)
        t2_buf_printf(out, "| %s | %s | %s | %s |\n", keys[i].name,
                      keys[i].normal[0] == '\n' ? "line end" : keys[i].normal, roles[keys[i].role],
                      keys[i].about);
}

int64_t dec_image_batch(const struct dec_hparams *hp)
{
    return hp->batch_size > 0 ? hp->batch_size : 32;
}

int32_t dec_n_best(const struct dec_hparams *hp)
{
    return hp->return_beams ? (int32_t) hp->beam_size : 1;
}
