/*
 * tests/support/recorded_noise.h - how exact a recording itself is.
 *
 * A folder of T2_DATA/oracles may hold double-check.json: what became of the same computation in
 * double precision, and how far the recorded float32 values are from that.  Ours, in float32 too,
 * cannot be asked to come nearer to the recording than the recording comes to the exact result, and
 * that distance depends on seed and shapes: so it is read, and not written into a test.
 */
#ifndef T2_TESTS_SUPPORT_RECORDED_NOISE_H
#define T2_TESTS_SUPPORT_RECORDED_NOISE_H

/* The distance of a figure of one variant, or NAN where the file does not state it.  The key names
 * a number, or an object whose max_abs is meant; a dot separates levels ("summaries.norm"). variant
 * may be NULL when the file is about one case. */
double recorded_noise(const char *folder, const char *variant, const char *key);

/* What may lie between ours and the recording: `ours`, the room for our own order of sums, and four
 * times the recording's noise; `otherwise` where that is not stated. */
double recorded_room(const char *folder, const char *variant, const char *key, double ours,
                     double otherwise);

#endif
