/*
 * tests/unit/train/fake_trainer.h - a program in t2t-trainer's place: a shell script whose loss is
 * x and the steps, in a moment.
 */
#ifndef T2_TESTS_UNIT_TRAIN_FAKE_TRAINER_H
#define T2_TESTS_UNIT_TRAIN_FAKE_TRAINER_H

#include <stdio.h>
#include <sys/stat.h>

#include "tests/support/t.h"

/* `more` is run when $dir, $x, $steps and $trial are known, before the evaluation is written. */
static inline const char *fake_trainer(const char *name, const char *more)
{
    static const char head[] = "#!/bin/sh\n"
                               "steps=90\n"
                               "for a; do\n"
                               "    case $a in\n"
                               "    --output_dir=*) dir=${a#*=} ;;\n"
                               "    --pause_at_step=*) steps=${a#*=} ;;\n"
                               "    --hparams=*) x=${a##*x=} ;;\n"
                               "    esac\n"
                               "done\n"
                               "trial=$T2_TUNE_TRIAL\n"
                               "echo \"$@\" >>$dir/args\n";
    static const char tail[] =
        "\nprintf '{\"kind\": \"eval\", \"step\": %s, \"loss\": %s}\\n' $steps $x "
        ">>$dir/metrics.jsonl\n";
    const char *path = t_tmp_path(name);
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%s%s", head, more, tail);

    assert_in_range(n, 1, sizeof text - 1);
    t_write_file(path, text, (size_t) n);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

#endif
