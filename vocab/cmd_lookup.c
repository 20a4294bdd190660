/*
 * vocab/cmd_lookup.c - t2t-vocab lookup: ids of entries, entries of ids.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/flags.h"
#include "base/map.h"
#include "tokenizer/encoder.h"
#include "vocab/entry_text.h"
#include "vocab/vocab_commands.h"

static const char *vocab = "";

/* clang-format off */
static const struct t2_flag table[] = {
    {"vocab", T2_FLAG_STRING, &vocab, "FILE", "The vocabulary.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab lookup",
    .usage = "--vocab=FILE WHAT...",
    .summary =
        "Looks up entries and ids: a number is an id, anything else an entry; =NUMBER is an entry "
        "made of digits. Prints id, TAB, entry; exit code 1 when something is not there.",
    .examples = "  t2t-vocab lookup --vocab=x.subwords the_ 17\n"
                "  t2t-vocab lookup --vocab=x.subwords =1989_\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .takes_words = true,
};

static void put_row(struct t2_buf *out, int64_t id, struct t2_slice entry)
{
    t2_buf_printf(out, "%" PRId64 "\t", id);
    voc_put_entry(out, entry, false);
    t2_buf_push(out, '\n');
}

/* As entries are shown, so that what was typed cannot command a terminal. */
static void put_missing(struct t2_buf *out, const char *what)
{
    t2_buf_puts(out, "-\t");
    voc_put_entry(out, t2_slice_of(what), false);
    t2_buf_push(out, '\n');
}

/* The later of equal entries is the one that encoding uses. */
static struct t2_map *index_entries(const struct tok_encoder *e)
{
    struct t2_map *map = t2_map_new();

    for (int32_t i = 0; i < tok_size(e); i++) {
        struct t2_slice entry = tok_entry(e, i);
        if (entry.len_bytes > 0)
            *t2_map_at(map, entry.data, entry.len_bytes, NULL) = (uint64_t) i;
    }
    return map;
}

static bool look_up(const struct tok_encoder *e, const struct t2_map *map, const char *what,
                    struct t2_buf *out)
{
    const uint64_t *found;
    int64_t id;

    if (t2_parse_i64(what, &id)) {
        if (id < 0 || id >= tok_size(e))
            t2_buf_printf(out, "%s\tno such id: they are 0 to %" PRId32 "\n", what,
                          tok_size(e) - 1);
        else
            put_row(out, id, tok_entry(e, (int32_t) id));
        return id >= 0 && id < tok_size(e);
    }
    if (what[0] == '=' && what[1] != 0)
        what++;
    found = t2_map_find(map, what, strlen(what));
    if (found)
        put_row(out, (int64_t) *found, t2_slice_of(what));
    else
        put_missing(out, what);
    return found != NULL;
}

static enum t2_status lookup(const struct t2_strs *args, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct tok_encoder *e = NULL;
    struct t2_out *out = NULL;
    struct t2_map *map;
    bool all = true;
    enum t2_status st;

    if (vocab[0] == 0 || args->n == 0)
        return t2_fail(err, T2_EUSAGE, "--vocab and something to look up are needed");
    T2_TRY(tok_load(vocab, &e, err));
    map = index_entries(e);
    for (size_t i = 0; i < args->n; i++)
        all = look_up(e, map, args->items[i], &text) && all;
    st = t2_out_new("-", &out, err);
    if (st == T2_OK) {
        t2_out_write(out, text.data, text.len_bytes);
        st = t2_out_commit(out, err);
    }
    t2_map_free(map);
    t2_buf_release(&text);
    tok_free(e);
    return st == T2_OK && !all ? T2_EOF : st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = lookup(&args, err);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_lookup = {"lookup", "Looks up entries and ids.", run};
