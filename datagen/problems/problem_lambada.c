/*
 * datagen/problems/problem_lambada.c - LAMBADA: the last word of a passage, as language model or as
 * class (spec t2t-datagen.md §5.8, §8.2, §8.4; T2T's lambada.py).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/line_stream.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/archive.h"
#include "datagen/source/tab_fields.h"

static const char *const urls[] = {"http://clic.cimec.unitn.it/lambada/lambada-dataset.tar.gz",
                                   "https://zenodo.org/record/2630551/files/lambada-dataset.tar.gz",
                                   NULL};
static const struct dg_source_file file = {.name = "lambada-dataset.tar.gz",
                                           .urls = urls,
                                           .licence = "CC BY 4.0 (Paperno et al. 2016)"};
static const struct dg_source lambada = {.file = &file, .sign = "lambada-vocab-2.txt"};
static const struct dg_source_file *const sources[] = {&file, NULL};
/* An archive in the archive: it is unpacked into tmp_dir once. */
static const struct dg_source_file novels_file = {.name = "train-novels.tar", .is_made = true};
static const struct dg_source novels = {.file = &novels_file, .sign = "train-novels"};

static const struct dg_line_files train[] = {{&novels, "train-novels/*/*.txt"}, {0}};
static const struct dg_line_files dev[] = {{&lambada, "lambada_development_plain_text.txt"}, {0}};
static const struct dg_line_files test[] = {{&lambada, "lambada_test_plain_text.txt"}, {0}};
static const struct dg_line_files control[] = {{&lambada,
                                                "lambada_control_test_data_plain_text.txt"},
                                               {0}};

static enum t2_status lambada_prepare(const struct dg_problem *p, const struct dg_options *options,
                                      struct t2_err *err)
{
    static const struct dg_source *const list[] = {&lambada};
    char *name = NULL, *path = NULL;
    struct t2_strs wanted = {0};
    enum t2_status st;

    (void) p;
    T2_TRY(dg_sources_fetch(list, 1, options, err));
    if (dg_source_is_there(&novels, options))
        return T2_OK;
    st = dg_source_path(&lambada, options, &path, err);
    name = t2_strdup(novels_file.name);
    t2_strs_push(&wanted, name);
    if (st == T2_OK)
        st = dg_archive_extract(path, NULL, &wanted, options->tmp_dir, NULL, err);
    t2_strs_release(&wanted);
    t2_free(name);
    t2_free(path);
    return st;
}

/* <UNK>, then the first words of the list; no <pad>, no <EOS>, no line feed at the end, as in the
 * original. */
static enum t2_status lambada_vocab(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_side_index side, const char *path, struct t2_err *err)
{
    enum { MOST_WORDS = 60000 };
    struct dg_source_text text = {0};
    struct dg_fields fields = {0};
    struct t2_out *out = NULL;
    struct t2_slice line;
    enum t2_status st;

    (void) p;
    (void) side;
    t2_info("Generating vocab file: %s", path);
    T2_TRY(dg_source_open(&lambada, "lambada-vocab-2.txt", options, false, &text, err));
    T2_GOTO(st, out, t2_out_new(path, &out, err));
    t2_out_puts(out, "<UNK>");
    for (int n = 0; n < MOST_WORDS && (st = dg_source_line(&text, &line, err)) == T2_OK; n++) {
        dg_fields_cut(&fields, line);
        t2_out_puts(out, "\n");
        t2_out_write(out, fields.items[0].data, fields.items[0].len_bytes);
    }
    if (st == T2_OK || st == T2_EOF) {
        st = t2_out_commit(out, err);
        out = NULL;
    }
out:
    t2_out_abort(out);
    dg_fields_release(&fields);
    dg_source_close(&text);
    return st;
}

/* The last word is what is asked for. */
static bool take_question(const void *context, void *state, const struct t2_slice *line,
                          struct dg_sample *sample)
{
    struct t2_buf *text = state;
    size_t n;

    (void) context;
    if (!line)
        return false;
    t2_buf_clear(text);
    dg_join_words(*line, text);
    for (n = text->len_bytes; n > 0 && text->data[n - 1] != ' ';)
        n--;
    if (text->len_bytes == 0)
        sample->drop = "blank line";
    sample->inputs = (struct t2_slice){text->data, n ? n - 1 : 0};
    sample->targets = (struct t2_slice){text->data + n, text->len_bytes - n};
    return true;
}

static void release_text(void *state)
{
    t2_buf_release(state);
}

static const struct dg_line_rule question_rule = {.state_bytes = sizeof(struct t2_buf),
                                                  .take = take_question,
                                                  .release = release_text};

/* ---- the problems ---- */

/* In the original the control problems are misspelt and take the same data; here they take the
 * control set in place of the development set. */
static const struct dg_line_problem lm = {{train, dev, test}, &dg_rule_words_or_empty, 0};
static const struct dg_line_problem lm_control = {{train, control, test},
                                                  &dg_rule_words_or_empty,
                                                  0};
static const struct dg_line_problem rc = {{train, dev, test}, &question_rule, 0};
static const struct dg_line_problem rc_control = {{train, control, test}, &question_rule, 0};

/* clang-format off */
#define LAMBADA(problem, text, about, ...)                                                         \
    {.name = problem, .summary = "LAMBADA: " text, .shared_vocab = true,                           \
     .targets_vocab = {.kind = DG_VOCAB_TOKENS, .approx_size = 60001, .oov_token = "<UNK>"},       \
     .n_shards = {10, 1, 1}, .sources = sources, .prepare = lambada_prepare,                       \
     .open = dg_line_problem_open, .describe = dg_line_problem_describe,                           \
     .vocab.make = lambada_vocab, .context = &(about), __VA_ARGS__}

static const struct dg_problem problems[] = {
    LAMBADA("lambada_lm", "passages of novels", lm, .has_inputs = false),
    LAMBADA("lambada_lm_control", "passages of novels, control set", lm_control,
            .has_inputs = false),
    LAMBADA("lambada_rc", "the last word of a passage", rc, .has_inputs = true,
            .text.targets_are_labels = true),
    LAMBADA("lambada_rc_control", "the last word of a passage, control set", rc_control,
            .has_inputs = true, .text.targets_are_labels = true),
};
/* clang-format on */
const struct dg_family dg_family_lambada = {"Last words", problems, DG_COUNT(problems)};
