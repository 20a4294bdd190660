/*
 * datagen/problems/problem_dialog.c - dialogs: an utterance and what is answered
 * (spec t2t-datagen.md §5.8, §8.5; T2T's dialog_*.py).
 *
 * Raw data are looked for where the original puts them, in raw_data beside data_dir, then in
 * tmp_dir. The cleaned lines are kept in data_dir, as there; a note tells whose they are, since all
 * of these problems use the same names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/dialog_text.h"
#include "datagen/problems/vocab_specs.h"
#include "datagen/source/row_stream.h"

struct dialog {
    const struct dg_source_file *file;
    const char *folder, *into, *sign; /* as in struct dg_source; folder beside data_dir */
    dg_dialog_reader read;
};

/* ---- where things are ---- */

static char *text_path(const struct dg_options *options, int split, bool is_target)
{
    char *name = t2_asprintf("%s%s.txt", dg_split_name((enum dg_split) split),
                             is_target ? "Target" : "Source");
    char *path = t2_path_join(options->data_dir, name);

    t2_free(name);
    return path;
}

static struct dg_source source_of(const struct dialog *dialog, const char *folder)
{
    struct dg_source s = {.file = dialog->file,
                          .folder = folder,
                          .into = dialog->into,
                          .sign = dialog->sign};

    return s;
}

/* The first of: folder beside data_dir, folder in tmp_dir, tmp_dir; NULL when the data are in none.
 * *root is what to take for tmp_dir (owned by the caller). */
static bool find_raw(const struct dialog *dialog, const struct dg_options *options,
                     struct dg_source *source, char **root)
{
    char *parent = t2_path_dir(options->data_dir);
    const char *const roots[] = {parent, options->tmp_dir, options->tmp_dir};
    const char *const folders[] = {dialog->folder, dialog->folder, NULL};
    bool found = false;

    *root = NULL;
    for (int i = 0; i < 3 && !found; i++) {
        struct dg_options there = *options;
        there.tmp_dir = roots[i];
        *source = source_of(dialog, folders[i]);
        found = dg_source_is_there(source, &there);
        if (found)
            *root = t2_strdup(roots[i]);
    }
    t2_free(parent);
    return found;
}

/* ---- reading ---- */

static enum t2_status read_raw(const struct dg_problem *p, const struct dg_options *options,
                               struct dg_dialogs *d, struct t2_err *err)
{
    const struct dialog *dialog = p->context;
    struct dg_options there = *options;
    struct dg_source source;
    const struct dg_source *list = &source;
    char *root = NULL;
    enum t2_status st = T2_OK;

    if (!find_raw(dialog, options, &source, &root)) {
        source = source_of(dialog, dialog->folder);
        st = dg_sources_fetch(&list, 1, options, err);
        root = t2_strdup(options->tmp_dir);
    }
    there.tmp_dir = root;
    if (st == T2_OK)
        st = dialog->read(&source, &there, d, err);
    t2_free(root);
    return st;
}

/* ---- the six text files ---- */

static char *note_path(const struct dg_options *options)
{
    return t2_path_join(options->data_dir, "dialog_text.problem");
}

/* Are they there?  Those of another problem are refused. */
static enum t2_status find_text(const struct dg_problem *p, const struct dg_options *options,
                                bool *there, struct t2_err *err)
{
    char *note = note_path(options);
    struct t2_buf owner = {0};
    enum t2_status st = T2_OK;

    *there = true;
    for (int split = 0; split < DG_N_SPLITS; split++) {
        for (int side = 0; side < 2; side++) {
            char *path = text_path(options, split, side == 1);
            *there = *there && t2_exists(path);
            t2_free(path);
        }
    }
    if (*there && t2_exists(note))
        st = t2_read_file(note, 1024, &owner, err);
    while (owner.len_bytes && owner.data[owner.len_bytes - 1] == '\n')
        owner.len_bytes--;
    if (st == T2_OK && owner.len_bytes && !t2_slice_eq(t2_buf_slice(&owner), t2_slice_of(p->name)))
        st = t2_fail(err, T2_EUSAGE,
                     "'%s' holds trainSource.txt and others of '%.*s', which are called the same: "
                     "give '%s' another --data_dir, or remove them and '%s'",
                     options->data_dir, (int) owner.len_bytes, (const char *) owner.data, p->name,
                     note);
    t2_buf_release(&owner);
    t2_free(note);
    return st;
}

static enum t2_status commit_all(const struct dg_problem *p, const struct dg_options *options,
                                 struct dg_dialogs *d, struct t2_err *err)
{
    char *note = note_path(options), *name = t2_asprintf("%s\n", p->name);
    enum t2_status st = t2_write_file(note, name, strlen(name), err);

    for (int split = 0; split < DG_N_SPLITS; split++) {
        for (int side = 0; side < 2 && st == T2_OK; side++) {
            st = t2_out_commit(d->out[split][side], err);
            d->out[split][side] = NULL;
        }
    }
    t2_free(name);
    t2_free(note);
    return st;
}

static enum t2_status make_text(const struct dg_problem *p, const struct dg_options *options,
                                struct t2_err *err)
{
    struct dg_dialogs d = {0};
    enum t2_status st = T2_OK;

    t2_info("Cleaning the dialogs of %s.", p->name);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        for (int side = 0; side < 2 && st == T2_OK; side++) {
            char *path = text_path(options, split, side == 1);
            st = t2_out_new(path, &d.out[split][side], err);
            t2_free(path);
        }
    }
    if (st == T2_OK)
        st = read_raw(p, options, &d, err);
    if (st == T2_OK)
        st = commit_all(p, options, &d, err);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        for (int side = 0; side < 2; side++)
            t2_out_abort(d.out[split][side]);
    }
    return st;
}

static enum t2_status dialog_prepare(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_err *err)
{
    bool there;

    T2_TRY(find_text(p, options, &there, err));
    return there ? T2_OK : make_text(p, options, err);
}

static enum t2_status dialog_open(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_stream **stream,
                                  struct t2_err *err)
{
    char *source = text_path(options, (int) split, false);
    char *target = text_path(options, (int) split, true);
    struct dg_text_parts parts = {0};
    enum t2_status st;

    (void) p;
    dg_text_parts_add(&parts, source, target);
    parts.max_memory = options->max_memory;
    st = dg_text_stream_new(&parts, true, stream, err);
    dg_text_parts_release(&parts);
    t2_free(source);
    t2_free(target);
    return st;
}

static enum t2_status dialog_describe(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_split split, struct dg_input_sizes *sizes,
                                      struct t2_err *err)
{
    const struct dialog *dialog = p->context;
    struct dg_options there = *options;
    struct dg_source source;
    char *root;
    enum t2_status st;

    (void) split;
    if (!find_raw(dialog, options, &source, &root))
        source = source_of(dialog, dialog->folder);
    there.tmp_dir = root ? root : options->tmp_dir;
    st = dg_source_describe(&source, dialog->sign, "dialogs", &there, sizes, err);
    t2_free(root);
    return st;
}

/* ---- the vocabulary ---- */

/* <pad>, <EOS>, the most frequent words of the training dialogs, <unk> without line feed:
 * save_vocab. */
static enum t2_status write_words(struct dg_ranked_words *words, size_t most, const char *path,
                                  struct t2_err *err)
{
    struct t2_out *out = NULL;
    struct t2_slice word;
    enum t2_status st = T2_OK;
    uint64_t count;

    T2_TRY(dg_ranked_words_rank(words, err));
    T2_TRY(t2_out_new(path, &out, err));
    t2_out_puts(out, "<pad>\n<EOS>\n");
    for (; most > 0 && (st = dg_ranked_words_next(words, &word, &count, err)) == T2_OK; most--) {
        t2_out_write(out, word.data, word.len_bytes);
        t2_out_puts(out, "\n");
    }
    t2_out_puts(out, "<unk>");
    if (st == T2_OK || st == T2_EOF)
        return t2_out_commit(out, err);
    t2_out_abort(out);
    return st;
}

static enum t2_status dialog_vocab(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_side_index side, const char *path, struct t2_err *err)
{
    enum { OTHERS = 3 }; /* <pad>, <EOS>, <unk> */
    struct dg_dialogs d = {.words = dg_ranked_words_new(options, DG_EQUALS_BY_FIRST)};
    enum t2_status st = read_raw(p, options, &d, err);

    (void) side;
    t2_info("Generating vocab file: %s", path);
    if (st == T2_OK)
        st = write_words(d.words, (size_t) p->targets_vocab.approx_size - OTHERS, path, err);
    dg_ranked_words_free(d.words);
    return st;
}

/* ---- the problems ---- */

/* clang-format off */
#define FILE_OF(var, ...)                                                                          \
    static const char *const var##_urls[] = {__VA_ARGS__, NULL};                                   \
    static const struct dg_source_file var##_file
FILE_OF(cornell, "http://www.cs.cornell.edu/~cristian/data/cornell_movie_dialogs_corpus.zip")
    = {.name = "cornell_movie_dialogs_corpus.zip", .urls = cornell_urls,
       .licence = "for research, citing Danescu-Niculescu-Mizil and Lee 2011"};
FILE_OF(daily, "http://yanran.li/files/ijcnlp_dailydialog.zip")
    = {.name = "ijcnlp_dailydialog.zip", .urls = daily_urls, .licence = "CC BY-NC-SA 4.0"};
FILE_OF(persona, "http://parl.ai/downloads/convai2/convai2_fix_723.tgz")
    = {.name = "convai2.tar.gz", .urls = persona_urls};
#define SUBTITLES(year, url_year)                                                                  \
    FILE_OF(subtitles##year, "http://opus.nlpl.eu/download.php?f=OpenSubtitles" url_year "/en.tar.gz") \
        = {.name = "en.tar.gz", .urls = subtitles##year##_urls,                                    \
           .licence = "OPUS; the subtitles are their authors' (www.opensubtitles.org)"};           \
    static const struct dialog subtitles##year = {                                                 \
        &subtitles##year##_file, "raw_data_" #year, NULL, "OpenSubtitles" url_year,                \
        dg_read_opensubtitles};                                                                    \
    static const struct dg_source_file *const subtitles##year##_files[] = {                        \
        &subtitles##year##_file, NULL}
SUBTITLES(2009, "");
SUBTITLES(2011, "2011");
SUBTITLES(2012, "2012");
SUBTITLES(2013, "2013");
SUBTITLES(2016, "2016");
SUBTITLES(2018, "2018");

static const struct dialog cornell = {&cornell_file, "raw_data", NULL,
                                      "cornell movie-dialogs corpus", dg_read_cornell};
static const struct dialog daily = {&daily_file, "raw_data", NULL, "ijcnlp_dailydialog",
                                    dg_read_dailydialog};
static const struct dialog persona = {&persona_file, "raw_data", "ConvAI2",
                                      "train_none_original_no_cands.txt", dg_read_personachat};
static const struct dg_source_file *const cornell_files[] = {&cornell_file, NULL};
static const struct dg_source_file *const daily_files[] = {&daily_file, NULL};
static const struct dg_source_file *const persona_files[] = {&persona_file, NULL};

#define DIALOG(problem, text, var, size, vocab_file)                                               \
    {.name = problem, .summary = text, .has_inputs = true, .shared_vocab = true,                   \
     .targets_vocab = {.kind = DG_VOCAB_TOKENS, .approx_size = size, .file = vocab_file,           \
                       .oov_token = "<unk>"},                                                      \
     .n_shards = {1, 1, 1}, .input_space_id = DG_SPACE_EN_TOKENS,                                  \
     .target_space_id = DG_SPACE_EN_TOKENS, .sources = var##_files, .prepare = dialog_prepare,     \
     .open = dialog_open, .describe = dialog_describe, .vocab.make = dialog_vocab, .context = &(var)}
#define FILMS(year) DIALOG("dialog_opensubtitles64k" #year, "OpenSubtitles " #year ", English",    \
                           subtitles##year, 65536, "vocab.chatbot.65536")

static const struct dg_problem problems[] = {
    DIALOG("dialog_cornell32k", "Dialogs of films (Cornell)", cornell, 32768, "vocab.chatbot.32768"),
    DIALOG("dialog_dailydialog16k", "Dialogs of daily life (DailyDialog)", daily, 16384,
           "vocab.chatbot.16384"),
    DIALOG("dialog_personachat16k", "Chats of made-up persons (ConvAI2)", persona, 16384,
           "vocab.chatbot.16384"),
    FILMS(2009), FILMS(2011), FILMS(2012), FILMS(2013), FILMS(2016), FILMS(2018),
};
/* clang-format on */
const struct dg_family dg_family_dialog = {"Dialogs", problems, DG_COUNT(problems)};
