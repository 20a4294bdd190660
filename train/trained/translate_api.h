/*
 * translate_api.h - libt2t_translate: a model in one file (t2t-exporter --format=bundle) that
 * translates for other programs and languages.
 *
 * Opaque handles, plain numbers and arrays, no struct that could change its layout; everything
 * inside libt2t_translate.so that is not declared here is hidden.
 *
 * A function that can fail returns a status (T2T_OK or one of those after it); what went wrong, in
 * words, is then t2t_translate_error() of the same thread.  Nothing is printed, unless T2_LOG asks
 * for it, and no signal handler is set; a translator has threads of its own.  A handle belongs to
 * one thread at a time; different handles do not know of each other.  After fork(2) the child opens
 * handles of its own.  NULL may be freed.
 */
#ifndef T2T_TRANSLATE_API_H
#define T2T_TRANSLATE_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define T2T_API __attribute__((visibility("default")))

/* Grows when something is added; nothing is taken away under one SONAME. */
#define T2T_TRANSLATE_API_VERSION 1
T2T_API int t2t_translate_api_version(void);
T2T_API const char *t2t_translate_version(void); /* of the program: "0.1.0" */

#define T2T_OK 0
#define T2T_EUSAGE 1       /* arguments that make no sense */
#define T2T_EIO 2          /* the system refused to read the file */
#define T2T_EFORMAT 3      /* the file is no such model, or a text no UTF-8 */
#define T2T_ENOTFOUND 4    /* no such file */
#define T2T_ENOMEM 5       /* memory is exhausted */
#define T2T_EDEVICE 6      /* the device failed, or there is none */
#define T2T_EUNSUPPORTED 7 /* valid, but not in this version */

/* Of the last failure in this thread; "" before any.  Valid until the next failure. */
T2T_API const char *t2t_translate_error(void);

struct t2t_translator;

/*
 * Loads a model.  decode_hparams: "beam_size=4,alpha=0.6,..." over what the file says, as
 * --decode_hparams of t2t-decoder; device: "auto", "cpu", "cuda", "cuda:1", "reference"; n_threads
 * 0: as many as there are processors.  NULL is "" and "auto".
 */
T2T_API int t2t_translator_open(const char *model_file, const char *decode_hparams,
                                const char *device, int n_threads,
                                struct t2t_translator **translator);
T2T_API void t2t_translator_close(struct t2t_translator *translator);

/*
 * Translates n texts of n_bytes[i] bytes of UTF-8 (n_bytes NULL: they end with NUL), in batches of
 * similar length.  The results are read with the functions below until the next call.
 */
T2T_API int t2t_translator_run(struct t2t_translator *translator, const char *const *texts,
                               const size_t *n_bytes, size_t n);

/* Results of a text: beam_size with return_beams, else 1. */
T2T_API size_t t2t_translator_n_best(const struct t2t_translator *translator);
/* Hypothesis k of text i, the best first, with a NUL behind it; *n_bytes (NULL: not wanted) may be
 * more than strlen.  Borrowed until the next run or close.  NULL: there is no such one. */
T2T_API const char *t2t_translator_text(const struct t2t_translator *translator, size_t i, size_t k,
                                        size_t *n_bytes);
/* Its log-probability over its length penalty; 0 where there is none. */
T2T_API double t2t_translator_score(const struct t2t_translator *translator, size_t i, size_t k);
/* How many texts of the last run lost their ends, since max_input_size or memory wanted it. */
T2T_API size_t t2t_translator_n_cut(const struct t2t_translator *translator);

#ifdef __cplusplus
}
#endif

#endif
