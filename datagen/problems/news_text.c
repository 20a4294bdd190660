/*
 * datagen/problems/news_text.c - CNN and Daily Mail stories with their highlights, as text files.
 */
#include "datagen/problems/news_text.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "datagen/source/source_files.h"
#include "datagen/source/tab_fields.h"

static const char licence[] =
    "for research; the articles are those of CNN and the Daily Mail (Hermann et al. 2015)";

static const char *const cnn_urls[] = {
    "https://drive.google.com/uc?export=download&id=0BwmD_VLjROrfTHk4NFg2SndKcjQ", NULL};
static const struct dg_source_file cnn_file = {.name = "cnn_stories.tgz",
                                               .urls = cnn_urls,
                                               .about_bytes = 158577824,
                                               .licence = licence};
static const struct dg_source cnn = {.file = &cnn_file, .sign = "cnn/stories"};
static const char *const dailymail_urls[] = {
    "https://drive.google.com/uc?export=download&id=0BwmD_VLjROrfM1BxdkxVaTY2bWs", NULL};
static const struct dg_source_file dailymail_file = {.name = "dailymail_stories.tgz",
                                                     .urls = dailymail_urls,
                                                     .about_bytes = 375893739,
                                                     .licence = licence};
static const struct dg_source dailymail = {.file = &dailymail_file, .sign = "dailymail/stories"};

#define LIST(var, file_name)                                                                       \
    static const char *const var##_urls[] = {                                                      \
        "https://raw.githubusercontent.com/abisee/cnn-dailymail/master/url_lists/" file_name,      \
        NULL};                                                                                     \
    static const struct dg_source_file var##_file = {.urls = var##_urls};                          \
    static const struct dg_source var##_list = {.file = &var##_file, .is_plain = true}
LIST(train, "all_train.txt");
LIST(dev, "all_val.txt");
LIST(test, "all_test.txt");

const struct dg_source_file *const dg_news_files[] = {&cnn_file, &dailymail_file, &train_file,
                                                      &dev_file, &test_file,      NULL};
static const struct dg_source *const sources[] = {&cnn, &dailymail, &train_list, &dev_list,
                                                  &test_list};
static const struct dg_source *const lists[DG_N_SPLITS] = {&train_list, &dev_list, &test_list};

char *dg_news_path(const struct dg_options *options, enum dg_split split, bool is_target)
{
    char *name = t2_asprintf("cnndm.%s.%s", dg_split_name(split), is_target ? "target" : "source");
    char *path = t2_path_join(options->tmp_dir, name);

    t2_free(name);
    return path;
}

/* ---- one story ---- */

static bool ends_sentence(struct t2_slice line)
{
    static const char *const ends[] = {".", "!", "?", "'", "`", "\"", "\u2019", "\u201d", ")"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (line.len_bytes >= n && memcmp(line.data + line.len_bytes - n, ends[i], n) == 0)
            return true;
    }
    return false;
}

static void add_line(struct t2_buf *text, struct t2_slice line, bool needs_stop)
{
    if (text->len_bytes)
        t2_buf_push(text, ' ');
    t2_buf_append(text, line.data, line.len_bytes);
    if (needs_stop)
        t2_buf_push(text, '.');
}

bool dg_news_story(struct t2_slice file, struct t2_buf *story, struct t2_buf *summary)
{
    static const char mark[] = "@highlight";
    const size_t mark_bytes = sizeof mark - 1;
    struct t2_buf plain = {0};
    bool in_summary = false;

    t2_buf_clear(story);
    t2_buf_clear(summary);
    while (file.len_bytes) {
        const uint8_t *end = memchr(file.data, '\n', file.len_bytes);
        size_t n = end ? (size_t) (end - file.data) : file.len_bytes;
        struct t2_slice line;
        dg_without_cr((struct t2_slice){file.data, n}, &plain);
        line = dg_strip_ascii(t2_buf_slice(&plain));
        n += end != NULL;
        file.data += n;
        file.len_bytes -= n;
        if (line.len_bytes == 0)
            continue;
        if (line.len_bytes >= mark_bytes && memcmp(line.data, mark, mark_bytes) == 0) {
            if (story->len_bytes == 0)
                break;
            in_summary = true;
            continue;
        }
        add_line(in_summary ? summary : story, line,
                 !memmem(line.data, line.len_bytes, mark, mark_bytes) && !ends_sentence(line));
    }
    t2_buf_release(&plain);
    return story->len_bytes && summary->len_bytes;
}

/* ---- all of them ---- */

struct stories {
    struct dg_file_set *sets[2];
    struct t2_buf story, summary;
    uint64_t n_missing, n_empty;
};

static const char *const folders[2] = {"cnn/stories/", "dailymail/stories/"};

static enum t2_status open_stories(const struct dg_options *options, struct stories *s,
                                   struct t2_err *err)
{
    static const char *const patterns[2] = {"cnn/stories/*", "dailymail/stories/*"};

    T2_TRY(dg_file_set_open(&cnn, &patterns[0], 1, options, &s->sets[0], err));
    return dg_file_set_open(&dailymail, &patterns[1], 1, options, &s->sets[1], err);
}

/* The story of an address; data NULL when there is none.  Of both newspapers' the second one
 * counts. */
static enum t2_status find_story(struct stories *s, struct t2_slice url, struct t2_slice *file,
                                 struct t2_err *err)
{
    char sha1[T2_SHA1_HEX];

    *file = (struct t2_slice){0};
    t2_sha1_of(url.data, url.len_bytes, sha1);
    for (int i = 1; i >= 0; i--) {
        char *name = t2_asprintf("%s%s.story", folders[i], sha1);
        size_t at = dg_file_set_find(s->sets[i], name);
        enum t2_status st = T2_OK;
        t2_free(name);
        if (at < dg_file_set_count(s->sets[i]))
            st = dg_file_set_content(s->sets[i], at, file, err);
        if (st != T2_OK || file->data)
            return st;
    }
    return T2_OK;
}

static enum t2_status add_story(struct stories *s, struct t2_slice url, struct t2_out *const out[2],
                                struct t2_err *err)
{
    struct t2_slice file;
    size_t bad;

    T2_TRY(find_story(s, url, &file, err));
    if (!file.data) {
        t2_debug("Missing file: %.*s", (int) url.len_bytes, (const char *) url.data);
        s->n_missing++;
        return T2_OK;
    }
    bad = t2_utf8_invalid_at(file.data, file.len_bytes);
    if (bad < file.len_bytes)
        return t2_fail(err, T2_EFORMAT,
                       "the story of '%.*s': the byte at offset %zu is not valid UTF-8",
                       (int) url.len_bytes, (const char *) url.data, bad);
    if (!dg_news_story(file, &s->story, &s->summary)) {
        s->n_empty++;
        return T2_OK;
    }
    t2_out_write(out[0], s->story.data, s->story.len_bytes);
    t2_out_write(out[0], "\n", 1);
    t2_out_write(out[1], s->summary.data, s->summary.len_bytes);
    t2_out_write(out[1], "\n", 1);
    return T2_OK;
}

static enum t2_status add_stories(const struct dg_options *options, enum dg_split split,
                                  struct stories *s, struct t2_out *const out[2],
                                  struct t2_err *err)
{
    struct dg_source_text list;
    struct t2_buf plain = {0};
    struct t2_slice line;
    enum t2_status st;

    s->n_missing = s->n_empty = 0;
    T2_TRY(dg_source_open(lists[split], NULL, options, false, &list, err));
    while ((st = dg_source_line(&list, &line, err)) == T2_OK) {
        dg_without_cr(line, &plain);
        st = add_story(s, dg_strip(t2_buf_slice(&plain)), out, err);
        if (st != T2_OK)
            break;
    }
    dg_source_close(&list);
    t2_buf_release(&plain);
    if (s->n_missing || s->n_empty)
        t2_warn("%s: %llu stories of the list are not in the archives, %llu have no text or no "
                "highlight",
                dg_split_name(split), (unsigned long long) s->n_missing,
                (unsigned long long) s->n_empty);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status make_split(const struct dg_options *options, enum dg_split split,
                                 struct stories *s, struct t2_err *err)
{
    char *paths[2] = {dg_news_path(options, split, false), dg_news_path(options, split, true)};
    struct t2_out *out[2] = {NULL, NULL};
    enum t2_status st;

    if (t2_exists(paths[0]) && t2_exists(paths[1])) {
        t2_info("Skipping '%s', found it.", paths[0]);
        st = T2_OK;
        goto out;
    }
    t2_info("Writing cnndm.%s", dg_split_name(split));
    if (!s->sets[0])
        T2_GOTO(st, out, open_stories(options, s, err));
    T2_GOTO(st, out, t2_out_new(paths[0], &out[0], err));
    T2_GOTO(st, out, t2_out_new(paths[1], &out[1], err));
    T2_GOTO(st, out, add_stories(options, split, s, out, err));
    st = t2_out_commit(out[0], err);
    out[0] = NULL;
    if (st == T2_OK) {
        st = t2_out_commit(out[1], err);
        out[1] = NULL;
    }
out:
    t2_out_abort(out[0]);
    t2_out_abort(out[1]);
    t2_free(paths[0]);
    t2_free(paths[1]);
    return st;
}

bool dg_news_is_made(const struct dg_options *options, enum dg_split split)
{
    char *source = dg_news_path(options, split, false),
         *target = dg_news_path(options, split, true);
    bool both = t2_exists(source) && t2_exists(target);

    t2_free(source);
    t2_free(target);
    return both;
}

/* Put aside, then written as text. */
void dg_news_sizes(const struct dg_options *options, struct dg_input_sizes *sizes)
{
    dg_source_add_sizes(&cnn, cnn.sign, options, 2, sizes);
    dg_source_add_sizes(&dailymail, dailymail.sign, options, 2, sizes);
}

enum t2_status dg_news_make(const struct dg_options *options, struct t2_err *err)
{
    struct stories s = {0};
    enum t2_status st;

    if (dg_news_is_made(options, DG_TRAIN) && dg_news_is_made(options, DG_DEV) &&
        dg_news_is_made(options, DG_TEST))
        return T2_OK;
    st = dg_sources_fetch(sources, sizeof sources / sizeof *sources, options, err);
    for (int split = 0; split < DG_N_SPLITS && st == T2_OK; split++)
        st = make_split(options, (enum dg_split) split, &s, err);
    dg_file_set_free(s.sets[0]);
    dg_file_set_free(s.sets[1]);
    t2_buf_release(&s.story);
    t2_buf_release(&s.summary);
    return st;
}
