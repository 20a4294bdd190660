/*
 * datagen/problems/problem_wiki_lm.c - language models on the plain text of Wikipedia in four
 * languages (T2T's wiki_lm.py; spec t2t-datagen.md §5.8): lines joined up to a number of
 * characters.
 */
#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/fill_blanks.h"
#include "datagen/problems/line_stream.h"
#include "tokenizer/unicode.h"

enum { MAX_LANGUAGES = 4, SHORTEST = 10 };

struct wiki_lm {
    int n_languages;
    const struct dg_line_problem *languages[MAX_LANGUAGES]; /* one sample of each in turn */
    bool fill_blanks;
};

/* ---- one language ---- */

struct joined {
    struct t2_buf text, given;
    size_t n_chars;
};

/* concat_generator: what is left at the end is not given. */
static bool take_joined(const void *context, void *state, const struct t2_slice *line,
                        struct dg_sample *sample)
{
    const struct dg_line_problem *l = context;
    struct joined *j = state;
    struct t2_slice text;
    size_t n, most = (size_t) l->length;
    bool is_given = false;

    if (!line)
        return false;
    text = *line;
    if (text.len_bytes)
        tok_strip(&text.data, &text.len_bytes);
    n = dg_count_chars(text);
    if (j->n_chars + n + 1 >= most) {
        struct t2_buf swap = j->given;
        is_given = j->n_chars > SHORTEST && j->n_chars < most;
        j->given = j->text;
        j->text = swap;
        sample->targets = t2_buf_slice(&j->given);
        t2_buf_clear(&j->text);
        j->n_chars = 0;
    }
    if (j->n_chars) {
        t2_buf_push(&j->text, ' ');
        j->n_chars++;
    }
    t2_buf_append(&j->text, text.data, text.len_bytes);
    j->n_chars += n;
    return is_given;
}

static void release_joined(void *state)
{
    struct joined *j = state;

    t2_buf_release(&j->text);
    t2_buf_release(&j->given);
}

static const struct dg_line_rule joined_rule = {.state_bytes = sizeof(struct joined),
                                                .take = take_joined,
                                                .release = release_joined,
                                                .keep_blanks = true};

/* ---- several languages ---- */

struct mix_stream {
    struct dg_stream base;
    const struct wiki_lm *w;
    struct dg_stream *languages[MAX_LANGUAGES]; /* NULL: at its end */
    int next;
    struct t2_mt mt;
    struct t2_buf text[DG_N_SIDES];
};

static void note_files(struct mix_stream *s, int i)
{
    struct dg_input_files *f = &s->languages[i]->files;

    for (size_t k = 0; k < f->n; k++)
        dg_input_files_add(&s->base.files, f->items[k].path, f->items[k].role, f->items[k].bytes,
                           f->items[k].lines, f->items[k].sha256);
}

static enum t2_status next_of_turn(struct mix_stream *s, struct dg_sample *sample,
                                   struct t2_err *err)
{
    for (int tries = 0; tries < s->w->n_languages; tries++) {
        int i = s->next++ % s->w->n_languages;
        enum t2_status st;
        if (!s->languages[i])
            continue;
        s->languages[i]->hash_on = s->base.hash_on;
        st = s->languages[i]->next(s->languages[i], sample, err);
        if (st != T2_EOF)
            return st;
        note_files(s, i);
        dg_stream_free(s->languages[i]);
        s->languages[i] = NULL;
    }
    return T2_EOF;
}

static enum t2_status mix_next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct mix_stream *s = (struct mix_stream *) base;

    T2_TRY(next_of_turn(s, sample, err));
    if (s->w->fill_blanks) {
        dg_fill_blanks(&s->mt, sample->targets, &s->text[DG_INPUTS], &s->text[DG_TARGETS]);
        sample->inputs = t2_buf_slice(&s->text[DG_INPUTS]);
        sample->targets = t2_buf_slice(&s->text[DG_TARGETS]);
    }
    return T2_OK;
}

static void mix_free(struct dg_stream *base)
{
    struct mix_stream *s = (struct mix_stream *) base;

    for (int i = 0; i < MAX_LANGUAGES; i++)
        dg_stream_free(s->languages[i]);
    t2_buf_release(&s->text[DG_INPUTS]);
    t2_buf_release(&s->text[DG_TARGETS]);
    t2_free(s);
}

static enum t2_status new_mix(const struct wiki_lm *w, const struct dg_options *options,
                              enum dg_split split, struct mix_stream **stream, struct t2_err *err)
{
    struct mix_stream *s = t2_alloc(1, sizeof *s);
    enum t2_status st = T2_OK;

    s->base.next = mix_next;
    s->base.free = mix_free;
    s->base.keep_blanks = true;
    s->w = w;
    for (int i = 0; i < w->n_languages && st == T2_OK; i++)
        st = dg_line_stream_new(w->languages[i]->files[split], &joined_rule, w->languages[i],
                                options, &s->languages[i], err);
    if (st == T2_OK)
        *stream = s;
    else
        dg_stream_free(&s->base);
    return st;
}

/* The draws of all samples of a split. */
static enum t2_status draw_split(const struct wiki_lm *w, const struct dg_options *options,
                                 enum dg_split split, struct t2_mt *mt, struct t2_err *err)
{
    struct mix_stream *s = NULL;
    struct dg_sample sample = {0};
    enum t2_status st;

    T2_TRY(new_mix(w, options, split, &s, err));
    s->mt = *mt;
    while ((st = mix_next(&s->base, &sample, err)) == T2_OK)
        continue;
    *mt = s->mt;
    dg_stream_free(&s->base);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status wiki_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct wiki_lm *w = p->context;
    struct mix_stream *s = NULL;
    struct t2_mt mt;

    t2_mt_seed_python(&mt, options->random_seed);
    for (int before = 0; before < (int) split && w->fill_blanks; before++)
        T2_TRY(draw_split(w, options, (enum dg_split) before, &mt, err));
    T2_TRY(new_mix(w, options, split, &s, err));
    s->mt = mt;
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status wiki_before_shuffle(const struct dg_problem *p,
                                          const struct dg_options *options, struct t2_mt *mt,
                                          struct t2_err *err)
{
    const struct wiki_lm *w = p->context;

    for (int split = 0; split < DG_N_SPLITS && w->fill_blanks; split++)
        T2_TRY(draw_split(w, options, (enum dg_split) split, mt, err));
    return T2_OK;
}

static enum t2_status wiki_prepare(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    const struct wiki_lm *w = p->context;
    struct dg_problem language = *p;

    for (int i = 0; i < w->n_languages; i++) {
        language.context = w->languages[i];
        T2_TRY(dg_line_problem_prepare(&language, options, err));
    }
    return T2_OK;
}

static enum t2_status wiki_describe(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    const struct wiki_lm *w = p->context;
    struct dg_problem language = *p;
    enum t2_status st = T2_OK;

    for (int i = 0; i < w->n_languages; i++) {
        language.context = w->languages[i];
        st = dg_line_problem_describe(&language, options, split, sizes, err);
    }
    return st;
}

/* ---- tables ---- */

/* clang-format off */
#define DRIVE(id) (const char *const[]){"https://drive.google.com/uc?export=download&id=" id, NULL}
/* A split of a language: <name>.txt.gz, or unpacked <name>.txt, as the original leaves it. */
#define SPLIT(name_, id)                                                                            \
    static const struct dg_source_file name_##_file = {                                             \
        .name = #name_ ".txt.gz", .urls = DRIVE(id), .kind = DG_KIND_GZIP,                          \
        .licence = "CC BY-SA 3.0 (Wikipedia)"};                                                     \
    static const struct dg_source name_##_source = {.file = &name_##_file, .sign = #name_ ".txt"};  \
    static const struct dg_line_files name_[] = {{&name_##_source, #name_ ".txt"}, {NULL, NULL}}

SPLIT(enwiki_train, "1-l02fI15ieMIZk8EnXhzhsvuEYRoznZ8");
SPLIT(enwiki_eval, "1odhDxWKtAPKXwxRw1KCrmlrVewxdXYq7");
SPLIT(enwiki_test, "1i1Bg6XqvdRl1LuOiIWbg7ww8Y02Ip5VK");
SPLIT(dewiki_train, "1FzEwoPonw9xlwX34vLPFInUF8F4X5yJy");
SPLIT(dewiki_eval, "1EKwRRPHyWny0RJ-aqSGMcNfjAlzFl51B");
SPLIT(dewiki_test, "1Kr13Y7y_OD3JtUM9riXpFQP9UiHDkcFY");
SPLIT(frwiki_train, "1etUIEZxMQKORwLGkssE5wlfCxxkeo8WV");
SPLIT(frwiki_eval, "13qrR5ZnHRgIMdcURVpixKL9gTO23GcPc");
SPLIT(frwiki_test, "1mQpHRkAV9KXt68de69RwR8dkDi8EEusV");
SPLIT(rowiki_train, "1wUJTEAlQeDcAwFnBxa8PzE-DCiXSU_W7");
SPLIT(rowiki_eval, "1uIPy2ZgkyArPy_gnsILENjgv4QQmSKtx");
SPLIT(rowiki_test, "1kphjN4jXTbw8HyRYKaRE2zY4D7Fr-p7-");

#define LANGUAGE(name, lang, chars)                                                                 \
    static const struct dg_line_problem name = {                                                    \
        {lang##wiki_train, lang##wiki_eval, lang##wiki_test}, &joined_rule, chars}
enum { LONG = 4096, SHORTER = 3072 };
LANGUAGE(english, en, LONG);
LANGUAGE(english_shorter, en, SHORTER);
LANGUAGE(german, de, LONG);
LANGUAGE(french, fr, LONG);
LANGUAGE(romanian, ro, LONG);

static const struct wiki_lm of_english = {1, {&english}, false};
static const struct wiki_lm of_english_shorter = {1, {&english_shorter}, false};
static const struct wiki_lm of_german = {1, {&german}, false};
static const struct wiki_lm of_french = {1, {&french}, false};
static const struct wiki_lm of_romanian = {1, {&romanian}, false};
static const struct wiki_lm of_all = {4, {&german, &french, &english, &romanian}, false};
static const struct wiki_lm of_all_blanks = {4, {&german, &french, &english, &romanian}, true};

#define FILES(lang) &lang##wiki_train_file, &lang##wiki_eval_file, &lang##wiki_test_file
#define LIST(name, ...) static const struct dg_source_file *const name[] = {__VA_ARGS__, NULL}
LIST(en_files, FILES(en));
LIST(de_files, FILES(de));
LIST(fr_files, FILES(fr));
LIST(ro_files, FILES(ro));
LIST(all_files, FILES(de), FILES(fr), FILES(en), FILES(ro));

#define SUBWORDS(n, samples) .kind = DG_VOCAB_SUBWORDS, .approx_size = (n), .max_samples = (samples)
#define PROBLEM(name_, summary_, context_, files, ...)                                              \
    &(const struct dg_problem){                                                                     \
        .name = name_, .summary = summary_, .n_shards = {100, 1, 1}, .sources = files,              \
        .prepare = wiki_prepare, .open = wiki_open, .describe = wiki_describe,                      \
        .context = &(context_), __VA_ARGS__}
#define V32 .targets_vocab = {SUBWORDS(32000, 128000)}
#define V64 .targets_vocab = {SUBWORDS(64000, 128000)}

static const struct dg_problem *const problems[] = {
    PROBLEM("languagemodel_de_en_fr_ro_wiki64k", "Wikipedia in four languages in turn", of_all,
            all_files, .targets_vocab = {SUBWORDS(64000, 256000)}),
    PROBLEM("languagemodel_de_en_fr_ro_wiki64k_fitb_packed1k",
            "the same as texts with gaps to be filled in, packed to 1024", of_all_blanks, all_files,
            .has_inputs = true, .shared_vocab = true, .packed_length = 1024,
            .prefix = {"wiki fill ", "wiki fill "}, .before_shuffle = wiki_before_shuffle,
            .targets_vocab = {SUBWORDS(64000, 256000),
                              .of_problem = "languagemodel_de_en_fr_ro_wiki64k"}),
    PROBLEM("languagemodel_de_wiki32k", "German Wikipedia", of_german, de_files, V32),
    PROBLEM("languagemodel_de_wiki64k", "German Wikipedia, 64000 subwords", of_german, de_files, V64),
    PROBLEM("languagemodel_en_wiki32k", "English Wikipedia", of_english, en_files, V32),
    PROBLEM("languagemodel_en_wiki64k", "English Wikipedia, 64000 subwords", of_english, en_files, V64),
    PROBLEM("languagemodel_en_wiki64k_shorter", "the same in texts of 3072 characters",
            of_english_shorter, en_files,
            .targets_vocab = {SUBWORDS(64000, 128000), .of_problem = "languagemodel_en_wiki64k"}),
    PROBLEM("languagemodel_fr_wiki32k", "French Wikipedia", of_french, fr_files, V32),
    PROBLEM("languagemodel_fr_wiki64k", "French Wikipedia, 64000 subwords", of_french, fr_files, V64),
    PROBLEM("languagemodel_ro_wiki32k", "Romanian Wikipedia", of_romanian, ro_files, V32),
    PROBLEM("languagemodel_ro_wiki64k", "Romanian Wikipedia, 64000 subwords", of_romanian, ro_files, V64),
};
/* clang-format on */

const struct dg_family dg_family_wiki_lm = {"Language models: Wikipedia text", problems,
                                            sizeof problems / sizeof *problems};
