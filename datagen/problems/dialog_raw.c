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
#include "datagen/source/scratch_sort.h"
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

void dg_dialog_count(struct dg_dialogs *d, enum dg_split split, struct t2_slice line)
{
    if (d->words && split == DG_TRAIN)
        dg_ranked_words_add_text(d->words, line);
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
            raw.len_bytes--;
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

/*
 * Lines are found by their ids with a sort: an id, its cleaned line, what asks for it; then a sort
 * by what comes first in the conversations.
 */
struct movies {
    struct tfr_sorter *by_id, *sorted;
    uint64_t n_pairs;
    char *path; /* of the conversations */
    struct t2_buf data;
};

/* Header of the data of by_id: a line of text, or a question for it. */
struct movie_item {
    uint8_t kind, split, side;
    uint64_t pair, line; /* line: of the conversations */
};
enum { MOVIE_LINE, MOVIE_QUESTION };

static enum t2_status read_movie_lines(const struct dg_source *source,
                                       const struct dg_options *options, struct movies *m,
                                       struct t2_err *err)
{
    static const struct movie_item head = {.kind = MOVIE_LINE};
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
        t2_buf_clear(&m->data);
        t2_buf_append(&m->data, &head, sizeof head);
        t2_buf_append(&m->data, clean.data, clean.len_bytes);
        st = tfr_sorter_add(m->by_id, id, t2_buf_slice(&m->data), err);
        if (st != T2_OK)
            break;
    }
    lines_close(&l);
    t2_buf_release(&clean);
    return st == T2_EOF ? T2_OK : st;
}

/* "['L194', 'L195']": only capitals and digits count. */
static void cut_ids(struct t2_slice list, struct t2_strs *ids)
{
    struct t2_slice item;

    for (int i = 0; field(list, ",", i, &item); i++) {
        struct t2_buf id = {0};

        for (size_t k = 0; k < item.len_bytes; k++) {
            uint8_t c = item.data[k];
            if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
                t2_buf_push(&id, c);
        }
        t2_strs_push(ids, t2_buf_cstr(&id));
        t2_buf_release(&id);
    }
}

static enum t2_status ask_movie_dialog(struct movies *m, const struct t2_strs *ids,
                                       enum dg_split split, uint64_t line, struct t2_err *err)
{
    for (size_t i = 0; i + 1 < ids->n; i++) {
        const char *answer = ids->items[i + 1];
        if (strcmp(ids->items[i], ids->items[ids->n - 1]) == 0 || strcmp(answer, "L211194") == 0 ||
            strcmp(answer, "L1045") == 0)
            continue;
        for (int side = 0; side < 2; side++) {
            struct movie_item item;
            memset(&item, 0, sizeof item); /* the gaps, too: they go to disk */
            item.kind = MOVIE_QUESTION;
            item.split = (uint8_t) split;
            item.side = (uint8_t) side;
            item.pair = m->n_pairs;
            item.line = line;
            T2_TRY(tfr_sorter_add(m->by_id, t2_slice_of(ids->items[i + (size_t) side]),
                                  (struct t2_slice){(const uint8_t *) &item, sizeof item}, err));
        }
        m->n_pairs++;
    }
    return T2_OK;
}

static enum t2_status read_conversations(const struct dg_source *source,
                                         const struct dg_options *options, struct movies *m,
                                         struct t2_err *err)
{
    struct lines l = {0};
    struct t2_slice line, list;
    enum t2_status st;
    int counter = 0;

    T2_TRY(dg_source_open(source, "cornell movie-dialogs corpus/movie_conversations.txt", options,
                          false, &l.text, err));
    m->path = t2_strdup(l.text.path);
    while ((st = next_line(&l, &line, err)) == T2_OK) {
        struct t2_strs ids = {0};
        if (field(line, between, 3, &list)) {
            cut_ids(list, &ids);
            counter++;
            st = ask_movie_dialog(m, &ids, dg_dialog_split(counter), l.text.lines, err);
            counter %= 100;
        } else {
            st = fail_line(&l, "fewer than four fields", err);
        }
        t2_strs_release(&ids);
        if (st != T2_OK)
            break;
    }
    lines_close(&l);
    return st == T2_EOF ? T2_OK : st;
}

/* If lines have the same id the last one counts. */
static enum t2_status answer_questions(struct movies *m, struct t2_err *err)
{
    struct t2_buf id = {0}, text = {0};
    struct t2_slice key, data;
    uint64_t first_missing = UINT64_MAX; /* line of the conversations */
    bool has_line = false;
    enum t2_status st;

    while ((st = tfr_sorter_next(m->by_id, &key, &data, err)) == T2_OK) {
        struct movie_item item;
        memcpy(&item, data.data, sizeof item);
        if (!t2_slice_eq(key, t2_buf_slice(&id))) {
            t2_buf_clear(&id);
            t2_buf_append(&id, key.data, key.len_bytes);
            has_line = false;
        }
        if (item.kind == MOVIE_LINE) {
            has_line = true;
            t2_buf_clear(&text);
            t2_buf_append(&text, data.data + sizeof item, data.len_bytes - sizeof item);
        } else if (!has_line) {
            first_missing = item.line < first_missing ? item.line : first_missing;
        } else {
            t2_buf_clear(&m->data);
            t2_buf_push(&m->data, item.split);
            t2_buf_append(&m->data, text.data, text.len_bytes);
            T2_GOTO(st, out,
                    dg_sorter_add(m->sorted, (struct dg_place){item.pair, item.side},
                                  t2_buf_slice(&m->data), err));
        }
    }
    if (st == T2_EOF && first_missing != UINT64_MAX)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s': line %" PRIu64 ": names a line that is not in 'movie_lines.txt'",
                     m->path, first_missing);
out:
    t2_buf_release(&id);
    t2_buf_release(&text);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status put_movie_dialogs(struct movies *m, struct dg_dialogs *d, struct t2_err *err)
{
    struct dg_place place;
    struct t2_slice data, text;
    enum t2_status st;

    T2_TRY(tfr_sorter_finish(m->sorted, err));
    while ((st = dg_sorter_next(m->sorted, &place, &data, err)) == T2_OK) {
        enum dg_split split = (enum dg_split) data.data[0];
        text = (struct t2_slice){data.data + 1, data.len_bytes - 1};
        if (place.minor == 0)
            dg_dialog_count(d, split, text);
        dg_dialog_put(d, split, place.minor != 0, text);
    }
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_read_cornell(const struct dg_source *source, const struct dg_options *options,
                               struct dg_dialogs *d, struct t2_err *err)
{
    struct movies m = {.n_pairs = 0};
    enum t2_status st;

    T2_GOTO(st, out, dg_sorter_new(options, &m.by_id, err));
    T2_GOTO(st, out, dg_sorter_new(options, &m.sorted, err));
    T2_GOTO(st, out, read_movie_lines(source, options, &m, err));
    T2_GOTO(st, out, read_conversations(source, options, &m, err));
    T2_GOTO(st, out, tfr_sorter_finish(m.by_id, err));
    T2_GOTO(st, out, answer_questions(&m, err));
    st = put_movie_dialogs(&m, d, err);
out:
    tfr_sorter_free(m.by_id);
    tfr_sorter_free(m.sorted);
    t2_free(m.path);
    t2_buf_release(&m.data);
    return st;
}

/* ---- DailyDialog: a dialog a line ---- */

/* Takes what is in front of the next mark; what follows the last mark is no utterance. */
static bool next_utterance(struct t2_slice *rest, struct t2_slice *utterance)
{
    static const char mark[] = "__eou__";
    const uint8_t *end =
        rest->len_bytes ? memmem(rest->data, rest->len_bytes, mark, sizeof mark - 1) : NULL;

    if (!end)
        return false;
    *utterance = (struct t2_slice){rest->data, (size_t) (end - rest->data)};
    rest->len_bytes -= utterance->len_bytes + sizeof mark - 1;
    rest->data = end + sizeof mark - 1;
    return true;
}

static void put_daily_dialog(struct dg_dialogs *d, struct t2_slice line, enum dg_split split)
{
    struct t2_buf clean = {0};
    struct t2_slice rest = line, utterance;
    bool is_first = true, more = next_utterance(&rest, &utterance);

    while (more) {
        dg_clean_utterance(utterance, &clean);
        dg_dialog_count(d, split, t2_buf_slice(&clean));
        more = next_utterance(&rest, &utterance);
        if (!is_first)
            dg_dialog_put(d, split, true, t2_buf_slice(&clean));
        if (more)
            dg_dialog_put(d, split, false, t2_buf_slice(&clean));
        is_first = false;
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
        counter++;
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

    for (int i = 0; i < 2 && st == T2_OK; i++) {
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
    for (; start < end; start++)
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

/* A sentence that no other one follows is left out, as in the original.  Where the original writes
 * a blank line for a film of one sentence, and so shifts all answers after it, nothing is written.
 */
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
    for (i = 0, st = T2_OK; i < dg_file_set_count(set) && st == T2_OK; i++) {
        T2_GOTO(st, out, t2_check_interrupt(err));
        T2_GOTO(st, out, dg_file_set_content(set, i, &content, err));
        counter++;
        st = read_film(dg_file_set_name(set, i), content, dg_dialog_split(counter), d, err);
        counter %= 100;
    }
out:
    dg_file_set_free(set);
    return st;
}
