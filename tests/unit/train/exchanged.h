/*
 * tests/unit/train/exchanged.h - a small model on its way to another format, for tests of
 * train/exchange.  Include it after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_EXCHANGED_H
#define T2_TESTS_UNIT_TRAIN_EXCHANGED_H

#include "tests/unit/train/small_translator.h"
#include "train/exchange/exchange.h"

struct exchanged {
    struct small_translator s;
    struct ckpt_state state;
    struct xch_model m;
};

/* more: hparams, "" or ",name=value". */
static inline void exchanged_open(struct exchanged *e, const char *more)
{
    small_open_as(&e->s, "beam_size=1", 0, 1, more, true);
    e->state = (struct ckpt_state){.step = 7,
                                   .model = "transformer",
                                   .hparams_set = "transformer_tiny",
                                   .problem = "p"};
    e->m = (struct xch_model){.state = &e->state,
                              .hp = mdl_hparams_of(e->s.m),
                              .problem = mdl_problem_of(e->s.m),
                              .params = mdl_params(e->s.m),
                              .inputs = e->s.bytes,
                              .targets = e->s.bytes,
                              .decode_hparams = "beam_size=2"};
}

static inline void exchanged_close(struct exchanged *e)
{
    small_close(&e->s);
}

#endif
