/* Tests of datagen/problems/problem_common_voice.c: splits by the names of the sounds. */
#include "tests/support/speech_sources.h"

static void test_splits(void **state)
{
    (void) state;
    pc_put_text("cv", "cv_corpus_v1/cv-valid-train.csv",
                "filename,text,up_votes\ncv-valid-train/sample-2.mp3,two,1\n"
                "cv-valid-train/sample-1.mp3,\"one, at last\",1\n");
    pc_put_text("cv", "cv_corpus_v1/cv-other-train.csv",
                "filename,text\ncv-other-train/sample-1.mp3,other\n");
    speech_put("cv", "cv_corpus_v1/cv-valid-train/sample-1.mp3", 300);
    speech_put("cv", "cv_corpus_v1/cv-valid-train/sample-2.mp3", 400);
    speech_put("cv", "cv_corpus_v1/cv-other-train/sample-1.mp3", 500);
    speech_check("common_voice", "cv", DG_TRAIN,
                 "cv-valid-train/sample-1.mp3\tunknown\t0\t0|one, at last\n"
                 "cv-valid-train/sample-2.mp3\tunknown\t0\t0|two\n");
    speech_check("common_voice_noisy", "cv", DG_TRAIN,
                 "cv-other-train/sample-1.mp3\tunknown\t0\t0|other\n");
    speech_check("common_voice_clean", "cv", DG_DEV, "");
}

T_MAIN(cmocka_unit_test(test_splits))
