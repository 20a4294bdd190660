/*
 * vocab/cmd_show.c - t2t-vocab show: what a vocabulary file is, and its entries.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/flags.h"
#include "base/json_writer.h"
#include "base/shown.h"
#include "tokenizer/convert.h"
#include "tokenizer/encoder.h"
#include "vocab/entry_text.h"
#include "vocab/vocab_commands.h"

static bool as_json, entries;
static int64_t first, n_shown = -1;

/* clang-format off */
static const struct t2_flag table[] = {
    {"entries", T2_FLAG_BOOL, &entries, NULL, "The entries too: id, TAB, entry.", NULL},
    {"first", T2_FLAG_INT, &first, "ID", "The first entry shown.", NULL},
    {"n", T2_FLAG_INT, &n_shown, "N", "How many entries are shown; -1 = all.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "One JSON object.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab show",
    .usage = "[flags] VOCABULARY",
    .summary = "Says what a vocabulary file is: kind, size, special ids, longest entry, hash.",
    .examples = "  t2t-vocab show x.subwords\n"
                "  t2t-vocab show --entries -n 20 spm.model\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static int32_t longest_entry(const struct tok_encoder *e)
{
    int32_t best = 0;

    for (int32_t i = 1; i < tok_size(e); i++)
        if (tok_entry(e, i).len_bytes > tok_entry(e, best).len_bytes)
            best = i;
    return best;
}

static int32_t end_of(const struct tok_encoder *e)
{
    int64_t end = n_shown < 0 ? tok_size(e) : first + n_shown;

    return (int32_t) (end < tok_size(e) ? end : tok_size(e));
}

static void put_text(const char *path, const struct tok_encoder *e, struct t2_buf *out)
{
    struct tok_special s = tok_special(e);
    int32_t longest = longest_entry(e);
    char hex[65];

    tok_sha256(e, hex);
    t2_buf_printf(out, "file      %s\nkind      %s (convert: %s)\nsize      %" PRId32 "\n", path,
                  tok_kind(e), tok_vocab_kind_name(tok_vocab_kind_of(e)), tok_size(e));
    t2_buf_printf(out,
                  "special   pad %" PRId32 ", eos %" PRId32 ", unknown %" PRId32 ", bos %" PRId32
                  " (-1: none)\n",
                  s.pad, s.eos, s.unknown, s.bos);
    t2_buf_printf(out, "longest   %zu bytes, id %" PRId32 "\nsha256    %s\n",
                  tok_entry(e, longest).len_bytes, longest, hex);
    for (int32_t i = (int32_t) first; entries && i < end_of(e); i++) {
        t2_buf_printf(out, "%" PRId32 "\t", i);
        voc_put_entry(out, tok_entry(e, i), true);
        t2_buf_push(out, '\n');
    }
}

static void put_json(const char *path, const struct tok_encoder *e, struct t2_buf *out)
{
    struct tok_special s = tok_special(e);
    struct t2_json j;
    char hex[65];

    tok_sha256(e, hex);
    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "path", path);
    t2_json_kv_string(&j, "kind", tok_kind(e));
    t2_json_kv_string(&j, "convert_kind", tok_vocab_kind_name(tok_vocab_kind_of(e)));
    t2_json_kv_i64(&j, "size", tok_size(e));
    t2_json_kv_i64(&j, "pad", s.pad);
    t2_json_kv_i64(&j, "eos", s.eos);
    t2_json_kv_i64(&j, "unknown", s.unknown);
    t2_json_kv_i64(&j, "bos", s.bos);
    t2_json_kv_u64(&j, "longest_bytes", tok_entry(e, longest_entry(e)).len_bytes);
    t2_json_kv_string(&j, "sha256", hex);
    if (entries) {
        t2_json_key(&j, "entries");
        t2_json_array(&j);
        for (int32_t i = (int32_t) first; i < end_of(e); i++)
            t2_json_bytes(&j, tok_entry(e, i).data, tok_entry(e, i).len_bytes);
        t2_json_end_array(&j);
    }
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

static enum t2_status show(const struct t2_strs *args, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct tok_encoder *e = NULL;
    struct t2_out *out = NULL;
    enum t2_status st;

    if (args->n != 1)
        return t2_fail(err, T2_EUSAGE, "give one vocabulary file");
    T2_TRY(tok_load(args->items[0], &e, err));
    if (first < 0 || first >= tok_size(e))
        st = t2_fail(err, T2_EUSAGE, "--first=%" PRId64 ": ids are 0 to %" PRId32, first,
                     tok_size(e) - 1);
    else
        st = t2_out_new("-", &out, err);
    if (st == T2_OK) {
        if (as_json)
            put_json(args->items[0], e, &text);
        else
            put_text(args->items[0], e, &text);
        t2_show_out(t2_buf_slice(&text), as_json, out);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    tok_free(e);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = show(&args, err);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_show = {"show", "Says what a vocabulary is, shows entries.", run};
