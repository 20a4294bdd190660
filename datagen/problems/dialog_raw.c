/*
 * datagen/problems/dialog_raw.c - the raw data of the dialog problems.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/str.h"
#include "datagen/problems/dialog_text.h"
#include "datagen/problems/word_list.h"
#include "tokenizer/tokens.h"

enum dg_split dg_dialog_split(int counter)
{
    return counter <= 80 ? DG_TRAIN : counter <= 90 ? DG_DEV : DG_TEST;
}

void dg_dialog_put(struct dg_dialogs *d, enum dg_split split, bool is_target, struct t2_slice line)
{
    struct t2_out *out = d->out[split][is_target];

    d->n_pairs[split] += is_target;
    if (!out)
        return;
    t2_out_write(out, line.data, line.len_bytes);
    t2_out_write(out, "\n", 1);
}

void dg_dialog_pair(struct dg_dialogs *d, enum dg_split split, struct t2_slice source,
                    struct t2_slice target)
{
    dg_dialog_put(d, split, false, source);
    dg_dialog_put(d, split, true, target);
}

static bool too_many_words(const struct dg_dialogs *d)
{
    return d->words && d->words_limit && t2_map_memory(d->words) > d->words_limit;
}

void dg_dialog_count(struct dg_dialogs *d, enum dg_split split, struct t2_slice line)
{
    if (d->words && split == DG_TRAIN && !too_many_words(d))
        dg_count_words(d->words, line);
}

/* Of equals the word that came first stands first, so all are held until the end. */
enum t2_status dg_dialog_check_words(const struct dg_dialogs *d, struct t2_err *err)
{
    char human[32];

    if (!too_many_words(d))
        return T2_OK;
    return t2_fail(err, T2_ENOMEM,
                   "the words of the dialogs take more than the %s that they may of --max_memory; "
                   "raise it",
                   t2_human_bytes(d->words_limit, human, sizeof human));
}

/* ---- lines as Python's open() gives them: CR and CR LF end one too ---- */

struct lines {
    struct dg_source_text text;
    struct t2_buf waiting; /* what follows a CR in the line that was read */
    size_t at;
    bool has_waiting;
};

static enum t2_status next_line(struct lines *l, struct t2_slice *line, struct t2_err *err)
{
    const uint8_t *start, *end;
    size_t left;

    if (!l->has_waiting) {
        struct t2_slice raw;
        T2_TRY(dg_source_line(&l->text, &raw, err));
        if (raw.len_bytes && raw.data[raw.len_bytes - 1] == '\r')
            --raw.len_bytes;
        t2_buf_clear(&l->waiting);
        t2_buf_append(&l->waiting, raw.data, raw.len_bytes);
        l->at = 0;
    }
    start = (const uint8_t *) t2_buf_cstr(&l->waiting) + l->at;
    left = l->waiting.len_bytes - l->at;
    end = left ? memchr(start, '\r', left) : NULL;
    l->has_waiting = end != NULL;
    *line = (struct t2_slice){start, end ? (size_t) (end - start) : left};
    l->at += line->len_bytes + 1;
    return T2_OK;
}

static void lines_close(struct lines *l)
{
    dg_source_close(&l->text);
    t2_buf_release(&l->waiting);
}

/* Field i of a line cut at `separator`; false when there are fewer. */
static bool field(struct t2_slice line, const char *separator, int i, struct t2_slice *found)
{
    size_t n = strlen(separator);

    for (;;) {
        const uint8_t *end =
            line.len_bytes ? memmem(line.data, line.len_bytes, separator, n) : NULL;
        found->data = line.data;
        found->len_bytes = end ? (size_t) (end - line.data) : line.len_bytes;
        if (i-- == 0)
            return true;
        if (!end)
            return false;
        line.len_bytes -= found->len_bytes + n;
        line.data = end + n;
    }
}

static enum t2_status fail_line(const struct lines *l, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", l->text.path, l->text.lines,
                   what);
}

/* ---- Cornell movie dialogs ---- */

static const char between[] = " +++$+++ ";

/* Cleaned lines, one behind the other, found by their ids. */
struct movie_lines {
    struct t2_buf text;
    struct t2_map *ids; /* to the number of the line, from 0 */
    uint64_t *starts;
    size_t n, capacity;
};

static void add_movie_line(struct movie_lines *m, struct t2_slice id, struct t2_slice text)
{
    if (m->n + 1 >= m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 1024;
        m->starts = t2_realloc(m->starts, m->capacity, sizeof *m->starts);
    }
    *t2_map_at(m->ids, id.data, id.len_bytes, NULL) = m->n;
    m->starts[m->n++] = m->text.len_bytes;
    t2_buf_append(&m->text, text.data, text.len_bytes);
    m->starts[m->n] = m->text.len_bytes;
}

static enum t2_status read_movie_lines(const struct dg_source *source,
                                       const struct dg_options *options, struct movie_lines *m,
                                       struct t2_err *err)
{
    struct lines l = {0};
    struct t2_slice line, id, text;
    struct t2_buf clean = {0};
    enum t2_status st;

    T2_TRY(dg_source_open(source, "cornell movie-dialogs corpus/movie_lines.txt", options, false,
                          &l.text, err));
    while ((st = next_line(&l, &line, err)) == T2_OK) {
        if (!field(line, between, 0, &id) || !field(line, between, 4, &text)) {
            st = fail_line(&l, "fewer than five fields", err);
            break;
        }
        dg_clean_utterance(text, &clean);
        add_movie_line(m, id, t2_buf_slice(&clean));
    }
    lines_close(&l);
    t2_buf_release(&clean);
    return st == T2_EOF ? T2_OK : st;
}

static struct t2_slice find_movie_line(const struct movie_lines *m, const char *id)
{
    const uint64_t *i = t2_map_find(m->ids, id, strlen(id));

    if (!i)
        return (struct t2_slice){0};
    return (struct t2_slice){(const uint8_t *) t2_buf_cstr(&m->text) + m->starts[*i],
                             (size_t) (m->starts[*i + 1] - m->starts[*i])};
}

/* "['L194', 'L195']": only capitals and digits count. */
static void cut_ids(struct t2_slice list, struct t2_strs *ids)
{
    struct t2_slice item;
    int i;

    for (i = 0; field(list, ",", i, &item); ++i) {
        struct t2_buf id = {0};
        size_t k;
        for (k = 0; k < item.len_bytes; ++k) {
            uint8_t c = item.data[k];
            if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
                t2_buf_push(&id, c);
        }
        t2_strs_push(ids, t2_buf_cstr(&id));
        t2_buf_release(&id);
    }
}

static enum t2_status put_movie_dialog(const struct lines *l, const struct movie_lines *m,
                                       const struct t2_strs *ids, enum dg_split split,
                                       struct dg_dialogs *d, struct t2_err *err)
{
    size_t i;

    for (i = 0; i + 1 < ids->n; ++i) {
        const char *answer = ids->items[i + 1];
        struct t2_slice source, target;
        if (strcmp(ids->items[i], ids->items[ids->n - 1]) == 0 || strcmp(answer, "L211194") == 0 ||
            strcmp(answer, "L1045") == 0)
            continue;
        source = find_movie_line(m, ids->items[i]);
        target = find_movie_line(m, answer);
        if (!source.data || !target.data)
            return fail_line(l, "names a line that is not in 'movie_lines.txt'", err);
        dg_dialog_count(d, split, source);
        dg_dialog_pair(d, split, source, target);
    }
    return T2_OK;
}

enum t2_status dg_read_cornell(const struct dg_source *source, const struct dg_options *options,
                               struct dg_dialogs *d, struct t2_err *err)
{
    struct movie_lines m = {.ids = t2_map_new()};
    struct lines l = {0};
    struct t2_slice line, list;
    enum t2_status st = read_movie_lines(source, options, &m, err);
    int counter = 0;

    if (st == T2_OK)
        st = dg_source_open(source, "cornell movie-dialogs corpus/movie_conversations.txt", options,
                            false, &l.text, err);
    while (st == T2_OK && (st = next_line(&l, &line, err)) == T2_OK) {
        struct t2_strs ids = {0};
        if (field(line, between, 3, &list)) {
            cut_ids(list, &ids);
            ++counter;
            st = put_movie_dialog(&l, &m, &ids, dg_dialog_split(counter), d, err);
            counter %= 100;
        } else {
            st = fail_line(&l, "fewer than four fields", err);
        }
        t2_strs_release(&ids);
    }
    lines_close(&l);
    t2_map_free(m.ids);
    t2_free(m.starts);
    t2_buf_release(&m.text);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- DailyDialog: a dialog a line ---- */

static void put_daily_dialog(struct dg_dialogs *d, struct t2_slice line, enum dg_split split)
{
    static const char end[] = "__eou__";
    struct t2_buf clean = {0};
    struct t2_slice utterance, next;
    int i;

    /* What follows the last mark is no utterance. */
    for (i = 0; field(line, end, i, &utterance) && field(line, end, i + 1, &next); ++i) {
        dg_clean_utterance(utterance, &clean);
        dg_dialog_count(d, split, t2_buf_slice(&clean));
        if (i > 0)
            dg_dialog_put(d, split, true, t2_buf_slice(&clean));
        if (field(line, end, i + 2, &next))
            dg_dialog_put(d, split, false, t2_buf_slice(&clean));
    }
    t2_buf_release(&clean);
}

enum t2_status dg_read_dailydialog(const struct dg_source *source, const struct dg_options *options,
                                   struct dg_dialogs *d, struct t2_err *err)
{
    struct lines l = {0};
    struct t2_slice line;
    enum t2_status st;
    int counter = 0;

    T2_TRY(dg_source_open(source, "ijcnlp_dailydialog/dialogues_text.txt", options, false, &l.text,
                          err));
    while ((st = next_line(&l, &line, err)) == T2_OK) {
        ++counter;
        put_daily_dialog(d, line, dg_dialog_split(counter));
        counter %= 100;
    }
    lines_close(&l);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- Persona-Chat: an exchange a line, numbered within its dialog ---- */

struct persona {
    struct dg_dialogs *d;
    struct t2_buf text; /* the utterances of the current dialog, each ended by LF */
    bool has_dialog, is_silenced;
    int counter;
};

/* The original forgets the dialog that the data end with. */
static void end_persona_dialog(struct persona *p)
{
    enum dg_split split = dg_dialog_split(p->counter);
    struct t2_slice rest = t2_buf_slice(&p->text);
    bool is_first = true;

    while (rest.len_bytes) {
        const uint8_t *end = memchr(rest.data, '\n', rest.len_bytes);
        struct t2_slice utterance = {rest.data, (size_t) (end - rest.data)};
        rest.len_bytes -= utterance.len_bytes + 1;
        rest.data = end + 1;
        dg_dialog_count(p->d, split, utterance);
        if (!is_first)
            dg_dialog_put(p->d, split, true, utterance);
        if (rest.len_bytes)
            dg_dialog_put(p->d, split, false, utterance);
        is_first = false;
    }
    t2_buf_clear(&p->text);
    p->counter = (p->counter + 1) % 100;
}

static void add_utterance(struct persona *p, struct t2_slice text)
{
    struct t2_buf clean = {0};

    dg_clean_utterance(text, &clean);
    t2_buf_append(&p->text, clean.data, clean.len_bytes);
    t2_buf_push(&p->text, '\n');
    t2_buf_release(&clean);
}

static enum t2_status persona_line(struct persona *p, const struct lines *l, struct t2_slice line,
                                   struct t2_err *err)
{
    static const char silence[] = "__SILENCE__";
    struct t2_slice number, source, target;
    size_t at = 0;
    bool is_start;

    if (!tok_next_word(line.data, line.len_bytes, &at, &number))
        return fail_line(l, "blank", err);
    is_start = t2_slice_eq(number, t2_slice_of("1"));
    if (memmem(line.data, line.len_bytes, silence, sizeof silence - 1) ||
        (p->is_silenced && !is_start)) {
        p->is_silenced = true;
        return T2_OK;
    }
    p->is_silenced = false;
    if (!field(line, "\t", 0, &source) || !field(line, "\t", 1, &target))
        return fail_line(l, "no tab between utterance and answer", err);
    if (is_start && p->has_dialog)
        end_persona_dialog(p);
    p->has_dialog = true;
    at = 0;
    (void) tok_next_word(source.data, source.len_bytes, &at, &number);
    source.data += at;
    source.len_bytes -= at;
    {
        struct t2_buf joined = {0};
        struct t2_slice word;
        at = 0;
        while (tok_next_word(source.data, source.len_bytes, &at, &word)) {
            if (joined.len_bytes)
                t2_buf_push(&joined, ' ');
            t2_buf_append(&joined, word.data, word.len_bytes);
        }
        add_utterance(p, t2_buf_slice(&joined));
        t2_buf_release(&joined);
    }
    add_utterance(p, target);
    return T2_OK;
}

enum t2_status dg_read_personachat(const struct dg_source *source, const struct dg_options *options,
                                   struct dg_dialogs *d, struct t2_err *err)
{
    static const char *const members[] = {"train_none_original_no_cands.txt",
                                          "valid_none_original_no_cands.txt"};
    struct persona p = {.d = d};
    enum t2_status st = T2_OK;
    int i;

    for (i = 0; i < 2 && st == T2_OK; ++i) {
        struct lines l = {0};
        struct t2_slice line;
        st = dg_source_open(source, members[i], options, false, &l.text, err);
        while (st == T2_OK && (st = next_line(&l, &line, err)) == T2_OK)
            st = persona_line(&p, &l, line, err);
        lines_close(&l);
        st = st == T2_EOF ? T2_OK : st;
    }
    t2_buf_release(&p.text);
    return st;
}

/* ---- OpenSubtitles: a film a file, a word an XML line ---- */

struct from_memory {
    struct t2_slice left;
};

static enum t2_status read_memory(void *context, void *data, size_t len_bytes, size_t *n_read,
                                  struct t2_err *err)
{
    struct from_memory *m = context;

    (void) err;
    *n_read = len_bytes < m->left.len_bytes ? len_bytes : m->left.len_bytes;
    if (*n_read)
        memcpy(data, m->left.data, *n_read);
    m->left.data += *n_read;
    m->left.len_bytes -= *n_read;
    return T2_OK;
}

static const uint8_t *find(struct t2_slice s, const char *what)
{
    return s.len_bytes ? memmem(s.data, s.len_bytes, what, strlen(what)) : NULL;
}

/* The word of '<w id="1">Hello</w>', as the original slices it out. */
static void add_word(struct t2_slice line, struct t2_buf *words)
{
    const uint8_t *start = find(line, "<w id=\""), *close, *end;

    if (!start)
        return;
    line.len_bytes -= (size_t) (start - line.data);
    line.data = start;
    close = memchr(line.data, '>', line.len_bytes);
    start = close ? close + 1 : line.data;
    end = find(line, "</w");
    if (!end)
        end = line.data + line.len_bytes; /* Python's -1 is the LF, which is not here */
    t2_buf_push(words, ' ');
    for (; start < end; ++start)
        t2_buf_push(words, *start == '\t' ? ' ' : *start);
}

struct film {
    struct dg_dialogs *d;
    enum dg_split split;
    struct t2_buf words, clean, last;
    bool has_last;
};

static void end_sentence(struct film *f)
{
    if (f->words.len_bytes) {
        dg_clean_subtitle(t2_buf_slice(&f->words), &f->clean);
        dg_dialog_count(f->d, f->split, t2_buf_slice(&f->clean));
        if (f->has_last)
            dg_dialog_pair(f->d, f->split, t2_buf_slice(&f->last), t2_buf_slice(&f->clean));
        t2_buf_clear(&f->last);
        t2_buf_append(&f->last, f->clean.data, f->clean.len_bytes);
        f->has_last = true;
    }
    t2_buf_clear(&f->words);
}

/* A sentence that no other one follows is left out, as in the original.  Where the original writes a blank
 * line for a film of one sentence, and so shifts all answers after it, nothing is written. */
static enum t2_status read_film(const char *name, struct t2_slice content, enum dg_split split,
                                struct dg_dialogs *d, struct t2_err *err)
{
    struct film f = {.d = d, .split = split};
    struct from_memory memory = {content};
    struct t2_in *in;
    struct t2_slice line;
    enum t2_status st;

    t2_in_new_from(name, read_memory, &memory, &in);
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        if (find(line, "<s id=\""))
            end_sentence(&f);
        else
            add_word(line, &f.words);
    }
    t2_in_free(in);
    t2_buf_release(&f.words);
    t2_buf_release(&f.clean);
    t2_buf_release(&f.last);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_read_opensubtitles(const struct dg_source *source,
                                     const struct dg_options *options, struct dg_dialogs *d,
                                     struct t2_err *err)
{
    static const char *const patterns[] = {"**.xml", "**.xml.gz"};
    struct dg_file_set *set = NULL;
    struct t2_slice content;
    enum t2_status st;
    int counter = 0;
    size_t i;

    T2_TRY(dg_file_set_open(source, patterns, 2, options, &set, err));
    for (i = 0, st = T2_OK; i < dg_file_set_count(set) && st == T2_OK; ++i) {
        T2_GOTO(st, out, t2_check_interrupt(err));
        T2_GOTO(st, out, dg_file_set_content(set, i, &content, err));
        ++counter;
        st = read_film(dg_file_set_name(set, i), content, dg_dialog_split(counter), d, err);
        counter %= 100;
    }
out:
    dg_file_set_free(set);
    return st;
}
