/*
 * train/models/speech_bottom.h - what stands between the features of speech and the encoder: T2T's
 * SpeechRecognitionModality (layers/modalities.py, speech_recognition_bottom; spec t2t-trainer.md
 * §6.2).
 */
#ifndef MDL_SPEECH_BOTTOM_H
#define MDL_SPEECH_BOTTOM_H

#include "train/models/kind.h"

/* x (B, H, 80, 3), H = T + MDL_SPEECH_MARGIN frames of which the last are zeros -> (B, L, D),
 * L = mdl_speech_positions(H), D = hidden_size:
 *   2 times relu(norm(conv of 3 x 3, 128 channels, stride 2)), no bias
 *   relu(norm(conv of 3 frames, the last two of them zeros, x 19 rows, D channels)) */
struct gr_tensor *mdl_speech_bottom(const struct mdl_build *b, struct gr_tensor *x);

#endif
