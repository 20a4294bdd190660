/*
 * tests/fuzz/fuzz_class_sources.c - the files of classification, question answering, dialog and
 * caption problems: the first byte chooses the problem, the rest is its file.  No crash; labels are
 * in their range; texts that are called clean are UTF-8.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/text.h"
#include "datagen/problem.h"
#include "datagen/problems/dialog_text.h"
#include "datagen/problems/news_text.h"
#include "datagen/source/sample_batch.h"
#include "datagen/vocabs/ranked_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    const char *problem, *folder, *file;
} inputs[] = {
    {"cola", "CoLA", "CoLA/train.tsv"},
    {"quora_question_pairs", "QQP", "QQP/train.tsv"},
    {"multi_nli_text2text", "MNLI", "MNLI/train.tsv"},
    {"sentiment_yelp_full", "yelp_review_full_csv", "yelp_review_full_csv/train.csv"},
    {"squad", NULL, "train-v1.1.json"},
    {"babi_qa_concat_all_tasks_1k", "tasks_1-20_v1-2/en",
     "tasks_1-20_v1-2/en/qa0_all-tasks_train.txt"},
    {"paraphrase_generation_ms_coco_problem2d", "captions_train-val2014/annotations",
     "captions_train-val2014/annotations/captions_train2014.json"},
    {"dialog_dailydialog16k", "ijcnlp_dailydialog", "ijcnlp_dailydialog/dialogues_text.txt"},
    {"dialog_personachat16k", NULL, "train_none_original_no_cands.txt"},
    {"dialog_opensubtitles64k2009", "OpenSubtitles", "OpenSubtitles/a.xml"},
};
enum { N_INPUTS = sizeof inputs / sizeof *inputs };

static char root[64];

static void remove_root(void)
{
    for (int i = 0; i < N_INPUTS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", root, inputs[i].file);
        (void) unlink(path);
    }
    for (int i = 0; i < N_INPUTS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", root, inputs[i].folder ? inputs[i].folder : "");
        for (char *slash = path + strlen(path); slash && slash > path + strlen(root);
             slash = strrchr(path, '/')) {
            *slash = '\0';
            (void) rmdir(path);
        }
    }
    (void) rmdir(root);
}

static void make_root(void)
{
    snprintf(root, sizeof root, "%s/fuzz_class.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(root))
        abort();
    for (int i = 0; i < N_INPUTS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s/", root, inputs[i].folder ? inputs[i].folder : "");
        for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
             slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            (void) mkdir(path, 0777);
            *slash = '/';
        }
    }
    (void) atexit(remove_root);
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", root, name);
    f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

static void read_samples(const char *problem)
{
    const struct dg_problem *p = dg_find(problem);
    struct dg_options o = {.tmp_dir = root, .data_dir = root};
    struct dg_batch batch = {0};
    struct dg_batcher batcher = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *stream;

    if (p->open(p, &o, DG_TRAIN, &stream, &err) != T2_OK)
        abort();
    batcher.stream = stream;
    while (dg_batcher_fill(&batcher, &batch, &err) == T2_OK &&
           dg_batch_clean(&batch, &err) == T2_OK) {
        for (size_t i = 0; i < batch.n; i++) {
            struct t2_slice s = dg_batch_text(&batch, &batch.items[i], DG_INPUTS);
            if (!batch.items[i].drop && t2_utf8_invalid_at(s.data, s.len_bytes) < s.len_bytes)
                abort();
        }
    }
    dg_batch_release(&batch);
    dg_stream_free(stream);
}

static void read_dialogs(int which)
{
    static const dg_dialog_reader readers[] = {dg_read_dailydialog, dg_read_personachat,
                                               dg_read_opensubtitles};
    static const struct dg_source_file file = {.name = "none.zip"};
    static const struct dg_source source = {.file = &file, .sign = "CoLA"};
    struct dg_options o = {.tmp_dir = root, .data_dir = root};
    struct dg_dialogs d = {.words = dg_ranked_words_new(&o, DG_EQUALS_BY_FIRST)};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice word;
    uint64_t count;

    (void) readers[which](&source, &o, &d, &err);
    if (dg_ranked_words_rank(d.words, &err) == T2_OK)
        while (dg_ranked_words_next(d.words, &word, &count, &err) == T2_OK)
            if (word.len_bytes == 0 || count == 0)
                abort();
    dg_ranked_words_free(d.words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_buf story = {0}, summary = {0};
    int which;

    if (size == 0 || size > 1 << 16)
        return 0;
    if (!root[0]) {
        t2_log_set_level(T2_LOG_ERROR);
        make_root();
    }
    which = data[0] % (N_INPUTS + 1);
    if (which == N_INPUTS) {
        (void) dg_news_story((struct t2_slice){data + 1, size - 1}, &story, &summary);
        t2_buf_release(&story);
        t2_buf_release(&summary);
        return 0;
    }
    write_file(inputs[which].file, data + 1, size - 1);
    if (strncmp(inputs[which].problem, "dialog_", 7) == 0)
        read_dialogs(which - (N_INPUTS - 3));
    else
        read_samples(inputs[which].problem);
    return 0;
}
