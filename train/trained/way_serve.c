/*
 * train/trained/way_serve.c - t2t-decoder --serve.
 */
#include <stdio.h>

#include "train/trained/decoder_flags.h"
#include "train/trained/serve_trained.h"
#include "train/trained/ways.h"

static void print_url(void *context, const char *url)
{
    (void) context;
    (void) fputs(url, stdout);
    (void) fputs("\n", stdout);
    fflush(stdout);
}

enum t2_status tr_way_serve(const struct tr_trained_options *opened, struct tr_trained *t,
                            struct dec_translator **translator, const struct dec_parts *parts,
                            struct t2_err *err)
{
    struct srv_options service = {.address = tr_decoder_flags.serve,
                                  .name = tr_decoder_flags.serve_name,
                                  .hp = parts->hp,
                                  .max_body_bytes = tr_decoder_flags.serve_body,
                                  .max_instances = tr_decoder_flags.serve_instances,
                                  .max_ids = tr_decoder_flags.serve_ids,
                                  .max_waiting = tr_decoder_flags.serve_queue,
                                  .timeout_s = tr_decoder_flags.serve_timeout,
                                  .listening = print_url};

    if (t->data.view->is_images)
        return tr_serve_images(opened, t, dec_image_batch(parts->hp), &service, err);
    return tr_serve(opened, t, translator, parts, &service, err);
}
