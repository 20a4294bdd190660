/*
 * train/trained/way_media.c - t2t-decoder for images, speech and values.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "train/trained/decode_media.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/ways.h"

enum t2_status tr_way_media(const struct tr_trained *t, struct dec_translator *translator,
                            const struct dec_parts *parts, struct t2_err *err)
{
    char *to = tr_decoder_flags.decode_to_file[0] || tr_decoder_flags.draw_images > 0
                   ? t2_path_expand(tr_decoder_flags.decode_to_file)
                   : t2_strdup("-");
    struct tr_media_options o = {.from = tr_decoder_flags.decode_from_file,
                                 .to = to,
                                 .contact_sheet = tr_decoder_flags.contact_sheet,
                                 .save = parts->hp->save_images,
                                 .draw = tr_decoder_flags.draw_images,
                                 .batch_size = dec_image_batch(parts->hp),
                                 .seed = parts->seed,
                                 .max_memory = parts->max_memory,
                                 .json = tr_decoder_flags.json};
    enum t2_status st = tr_decode_media(t, translator, &o, err);

    t2_free(to);
    return st;
}
