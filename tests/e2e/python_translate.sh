# python/t2t_translate over libt2t_translate.so: the translations of --decode_from_file; and a C program that knows only
# what is installed.
case $T2_BUILD in */release) ;; *) echo "python cannot load the library of an instrumented build" >&2 && exit 77 ;; esac
lib=$T2_BUILD/lib/libt2t_translate.so.0
test -f "$lib" || { echo "no libt2t_translate.so.0: make lib-shared" >&2 && exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2 && exit 77; }
. "$T2_ROOT/tests/e2e/train_common.subr"

data data 400
train run 8
t2t-exporter --quiet --output_dir=run --data_dir=data --format=bundle --export_dir=model.safetensors >/dev/null
for i in $(seq 40); do
    seq -s ' ' "$i" $((i + i * i % 13))
done >lines
decode() {
    t2t-decoder --quiet --model=./model.safetensors --decode_from_file=lines --decode_to_file="$1" --decode_hparams=beam_size=2,extra_length=12"$2"
}
decode want ''
decode beams ,return_beams=true,write_beam_scores=true
PYTHONPATH=$T2_ROOT/python T2T_TRANSLATE_LIB=$T2_BUILD/lib PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=error::ResourceWarning \
    python3 "$T2_ROOT/tests/python/test_t2t_translate.py" model.safetensors lines want beams

# Nothing but the interface is visible.
BUILD=$T2_BUILD PREFIX=$PWD/prefix VERSION=1.2.3 sh "$T2_ROOT/mk/install.sh" translate
declared=$(sed -n 's/^T2T_API .*\(t2t_translat[a-z0-9_]*\)(.*/\1/p' prefix/include/t2t/translate_api.h | sort)
exported=$(nm -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
test "$declared" = "$exported" || { printf 'declared:\n%s\nexported:\n%s\n' "$declared" "$exported" && exit 1; }

cat >program.c <<'END'
#include <stdio.h>
#include <translate_api.h>

int main(void)
{
    const char *texts[] = {"1 2 3", "2 3"};
    struct t2t_translator *t;

    if (t2t_translator_open(NULL, NULL, NULL, 0, &t) != T2T_EUSAGE || t || t2t_translator_run(NULL, texts, NULL, 2) != T2T_EUSAGE)
        return 1;
    if (t2t_translator_open("model.safetensors", "beam_size=2,extra_length=12", "cpu", 1, &t) != T2T_OK ||
        t2t_translator_run(t, texts, NULL, 2) != T2T_OK) {
        printf("%s\n", t2t_translate_error());
        return 1;
    }
    for (size_t i = 0; i < 2; i++)
        printf("%s\n", t2t_translator_text(t, i, 0, NULL));
    if (t2t_translator_text(t, 2, 0, NULL) || t2t_translator_text(t, 0, 1, NULL) || t2t_translator_n_best(t) != 1)
        return 1;
    t2t_translator_close(t);
    return 0;
}
END
${CC:-cc} -std=c11 -Wall -Wextra -Werror -o program program.c -Iprefix/include/t2t -Lprefix/lib -lt2t_translate
LD_LIBRARY_PATH=$PWD/prefix/lib ./program >out
printf '1 2 3\n2 3\n' >lines
decode want ''
cmp want out
