/*
 * datagen/problems/line_stream.c - samples out of the lines of text files.
 */
#include "datagen/problems/line_stream.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tokenizer/tokens.h"

enum { MAX_SOURCES = 128 };

struct line_stream {
    struct dg_stream base;
    const struct dg_line_files *at; /* that is read, or comes next */
    const struct dg_line_rule *rule;
    const void *context;
    struct dg_options options;
    void *state;

    bool is_open, has_ended;
    struct dg_source_text text; /* of one member */
    struct dg_file_set *set;    /* of those that match */
    size_t file;
    bool in_file; /* of the set */
    struct t2_slice rest;
    char *path; /* of the file that is read, as samples borrow it */
    struct t2_strs paths;
    uint64_t line, offset;
    struct t2_buf clean;
};

void dg_join_words(struct t2_slice line, struct t2_buf *text)
{
    struct t2_slice word;
    size_t at = 0;
    bool first = true;

    while (tok_next_word(line.data, line.len_bytes, &at, &word)) {
        if (!first)
            t2_buf_push(text, ' ');
        t2_buf_append(text, word.data, word.len_bytes);
        first = false;
    }
}

size_t dg_count_chars(struct t2_slice text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len_bytes; i++)
        n += (text.data[i] & 0xc0) != 0x80;
    return n;
}

static bool is_pattern(const char *member)
{
    return member && strpbrk(member, "*?");
}

/* ---- files ---- */

static bool is_skipped(const struct line_stream *s, size_t i)
{
    return s->rule->skipped && strstr(dg_file_set_name(s->set, i), s->rule->skipped);
}

static enum t2_status check_number(const struct line_stream *s, struct t2_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < dg_file_set_count(s->set); i++)
        n += !is_skipped(s, i);
    if (s->rule->n_files == 0 || n == s->rule->n_files)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s': %zu files '%s', there should be %zu",
                   s->at->source->file->name ? s->at->source->file->name : s->at->source->sign, n,
                   s->at->member, s->rule->n_files);
}

/* Samples point to the path until the stream is freed. */
static void set_path(struct line_stream *s, char *path)
{
    s->path = path;
    s->line = s->offset = 0;
    t2_strs_take(&s->paths, path);
}

static enum t2_status open_set(struct line_stream *s, struct t2_err *err)
{
    T2_TRY(dg_file_set_open(s->at->source, &s->at->member, 1, &s->options, &s->set, err));
    s->file = 0;
    s->rest = (struct t2_slice){NULL, 0};
    set_path(s, t2_strdup(s->at->member));
    return check_number(s, err);
}

static enum t2_status open_next(struct line_stream *s, struct t2_err *err)
{
    s->is_open = true;
    if (is_pattern(s->at->member))
        return open_set(s, err);
    T2_TRY(
        dg_source_open(s->at->source, s->at->member, &s->options, s->base.hash_on, &s->text, err));
    set_path(s, t2_strdup(s->text.path));
    return T2_OK;
}

static void close_file(struct line_stream *s)
{
    if (!s->is_open)
        return;
    if (s->set) {
        dg_file_set_free(s->set);
        s->set = NULL;
    } else {
        dg_source_close(&s->text);
        memset(&s->text, 0, sizeof s->text);
    }
    s->is_open = false;
}

/* The next line of the files of a set; T2_EOF behind the last. */
static enum t2_status set_line(struct line_stream *s, struct t2_slice *line, bool *file_ended,
                               struct t2_err *err)
{
    const uint8_t *lf;

    while (s->rest.len_bytes == 0) {
        if (s->in_file && s->rule->each_file) {
            s->in_file = false;
            *file_ended = true;
            return T2_OK;
        }
        while (s->file < dg_file_set_count(s->set) && is_skipped(s, s->file))
            s->file++;
        if (s->file == dg_file_set_count(s->set))
            return T2_EOF;
        T2_TRY(dg_file_set_content(s->set, s->file, &s->rest, err));
        set_path(s, t2_strdup(dg_file_set_name(s->set, s->file)));
        s->file++;
        s->in_file = true;
    }
    lf = memchr(s->rest.data, '\n', s->rest.len_bytes);
    line->data = s->rest.data;
    line->len_bytes = lf ? (size_t) (lf - s->rest.data) : s->rest.len_bytes;
    s->rest.data += line->len_bytes + (lf != NULL);
    s->rest.len_bytes -= line->len_bytes + (lf != NULL);
    return T2_OK;
}

static enum t2_status end_file(struct line_stream *s, struct t2_err *err)
{
    if (s->base.hash_on && s->set)
        T2_TRY(dg_file_set_note(s->set, "", "text", &s->base.files, err));
    else if (s->base.hash_on)
        dg_source_note(&s->text, "text", &s->base.files);
    close_file(s);
    s->at++;
    return T2_OK;
}

/* ---- lines ---- */

static void delete_cr(struct line_stream *s, struct t2_slice *line)
{
    if (!line->len_bytes || !memchr(line->data, '\r', line->len_bytes))
        return;
    t2_buf_clear(&s->clean);
    for (size_t i = 0; i < line->len_bytes; i++) {
        if (line->data[i] != '\r')
            t2_buf_push(&s->clean, line->data[i]);
    }
    *line = t2_buf_slice(&s->clean);
}

static enum t2_status next_line(struct line_stream *s, struct t2_slice *line, bool *file_ended,
                                struct t2_err *err)
{
    uint64_t raw_bytes;
    enum t2_status st;

    for (;;) {
        bool is_single;
        if (!s->at->source)
            return T2_EOF;
        if (!s->is_open)
            T2_TRY(open_next(s, err));
        is_single = !s->set;
        st = is_single ? dg_source_line(&s->text, line, err) : set_line(s, line, file_ended, err);
        if (st == T2_OK && !*file_ended)
            break;
        if (st != T2_EOF)
            return st;
        T2_TRY(end_file(s, err));
        if (is_single && s->rule->each_file) {
            *file_ended = true;
            return T2_OK;
        }
    }
    raw_bytes = line->len_bytes + 1;
    s->line++;
    delete_cr(s, line);
    s->offset += raw_bytes;
    return T2_OK;
}

static enum t2_status line_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct line_stream *s = (struct line_stream *) base;
    struct t2_slice line;

    while (!s->has_ended) {
        uint64_t offset = s->at->source && s->is_open ? s->offset : 0;
        bool file_ended = false;
        enum t2_status st = next_line(s, &line, &file_ended, err);
        if (st != T2_OK && st != T2_EOF)
            return st;
        sample->inputs_origin = (struct dg_origin){s->path ? s->path : "", s->line, offset};
        sample->targets_origin = sample->inputs_origin;
        if (s->rule->take(s->context, s->state, st == T2_OK && !file_ended ? &line : NULL, sample))
            return T2_OK;
        s->has_ended = st == T2_EOF;
    }
    return T2_EOF;
}

static void line_free(struct dg_stream *base)
{
    struct line_stream *s = (struct line_stream *) base;

    close_file(s);
    if (s->rule->release)
        s->rule->release(s->state);
    t2_strs_release(&s->paths);
    t2_buf_release(&s->clean);
    t2_free(s->state);
    t2_free(s);
}

/* ---- telling ---- */

static void describe_files(const struct dg_line_files *f, const struct dg_options *options,
                           struct dg_input_sizes *sizes, struct t2_err *first)
{
    struct t2_err err = T2_ERR_INIT;
    char *unpacked = f->member ? dg_source_unpacked(f->source, f->member, options) : NULL;
    char *archive = NULL, *name = NULL;
    struct t2_err ignored = T2_ERR_INIT;

    dg_source_add_sizes(f->source, f->member, options, is_pattern(f->member), sizes);
    if (unpacked && !is_pattern(f->member) && t2_exists(unpacked)) {
        dg_describe_file(unpacked, "text", sizes, first);
    } else if (dg_source_path(f->source, options, &archive, &err) == T2_OK) {
        t2_buf_printf(&sizes->text, "    %s%s%s\n", archive, f->member ? ": " : "",
                      f->member ? f->member : "");
    } else {
        if (dg_source_name(f->source->file, &name, &ignored) != T2_OK)
            name = NULL;
        t2_buf_printf(&sizes->text, "    %s%s%s (missing)\n", name ? name : "",
                      f->member ? ": " : "", f->member ? f->member : "");
    }
    t2_free(name);
    t2_free(archive);
    t2_free(unpacked);
}

static enum t2_status line_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    const struct line_stream *s = (const struct line_stream *) base;

    for (const struct dg_line_files *f = s->at; f->source; f++)
        describe_files(f, &s->options, sizes, err);
    return err->status;
}

enum t2_status dg_line_stream_new(const struct dg_line_files *files,
                                  const struct dg_line_rule *rule, const void *context,
                                  const struct dg_options *options, struct dg_stream **stream,
                                  struct t2_err *err)
{
    struct line_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = line_next;
    s->base.free = line_free;
    s->base.describe = line_describe;
    s->base.keep_blanks = rule->keep_blanks;
    s->at = files;
    s->rule = rule;
    s->context = context;
    s->options = *options;
    s->state = t2_alloc(1, rule->state_bytes ? rule->state_bytes : 1);
    *stream = &s->base;
    return T2_OK;
}

/* ---- problems ---- */

enum t2_status dg_line_problem_open(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_stream **stream,
                                    struct t2_err *err)
{
    const struct dg_line_problem *l = p->context;

    return dg_line_stream_new(l->files[split], l->rule, l, options, stream, err);
}

enum t2_status dg_line_problem_describe(const struct dg_problem *p,
                                        const struct dg_options *options, enum dg_split split,
                                        struct dg_input_sizes *sizes, struct t2_err *err)
{
    const struct dg_line_problem *l = p->context;

    /* one stream for all splits */
    for (const struct dg_line_files *f = l->files[split] ? l->files[split] : l->files[DG_TRAIN];
         f->source; f++)
        describe_files(f, options, sizes, err);
    return err->status;
}

enum t2_status dg_line_problem_prepare(const struct dg_problem *p, const struct dg_options *options,
                                       struct t2_err *err)
{
    const struct dg_line_problem *l = p->context;
    const struct dg_source *sources[MAX_SOURCES];
    size_t n = 0, i;

    for (int split = 0; split < DG_N_SPLITS; split++) {
        for (const struct dg_line_files *f = l->files[split]; f && f->source; f++) {
            for (i = 0; i < n && sources[i] != f->source; i++)
                continue;
            T2_ASSERT(i < MAX_SOURCES);
            if (i == n)
                sources[n++] = f->source;
        }
    }
    return dg_sources_fetch(sources, n, options, err);
}

/* ---- rules ---- */

bool dg_take_line(const void *context, void *state, const struct t2_slice *line,
                  struct dg_sample *sample)
{
    (void) context;
    (void) state;
    if (line)
        sample->targets = *line;
    return line != NULL;
}

static bool take_words_or_empty(const void *context, void *state, const struct t2_slice *line,
                                struct dg_sample *sample)
{
    struct t2_buf *text = state;

    (void) context;
    if (!line)
        return false;
    t2_buf_clear(text);
    dg_join_words(*line, text);
    sample->targets = t2_buf_slice(text);
    return true;
}

static bool take_words(const void *context, void *state, const struct t2_slice *line,
                       struct dg_sample *sample)
{
    return take_words_or_empty(context, state, line, sample) && sample->targets.len_bytes > 0;
}

static void release_text(void *state)
{
    t2_buf_release(state);
}

const struct dg_line_rule dg_rule_lines = {.take = dg_take_line};
const struct dg_line_rule dg_rule_words = {.state_bytes = sizeof(struct t2_buf),
                                           .take = take_words,
                                           .release = release_text};
const struct dg_line_rule dg_rule_words_or_empty = {.state_bytes = sizeof(struct t2_buf),
                                                    .take = take_words_or_empty,
                                                    .release = release_text};
