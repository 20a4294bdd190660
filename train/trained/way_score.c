/*
 * train/trained/way_score.c - t2t-decoder --score_file: given translations.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "train/decode/score_file.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/ways.h"

enum t2_status tr_way_score(const struct tr_trained *t, const struct dec_parts *parts,
                            struct t2_err *err)
{
    struct dec_scored scored = {t->m, t->inputs, t->targets, parts->dist};
    char *from = t2_path_expand(tr_decoder_flags.score_file),
         *to = t2_path_expand(tr_decoder_flags.decode_to_file);
    struct dec_score_report r;
    enum t2_status st = T2_OK;

    if (t->data.view->is_images || t->data.problem.describes || t->data.view->is_speech ||
        t->data.view->context_separator != 0)
        st = t2_fail(err, T2_EUNSUPPORTED, "--score_file: '%s' is not of lines of text alone",
                     t->state.problem);
    else
        st = dec_score_file(&scored, from, to, tr_decoder_flags.max_memory, &r, err);
    if (st == T2_OK && dist_rank(parts->dist) == 0)
        t2_info("%" PRIu64 " lines: a loss of %.6f an id, of %" PRIu64 "; written to '%s'",
                r.n_lines, r.loss, r.n_target_ids, to);
    t2_free(to);
    t2_free(from);
    return st;
}
