# What the shells complete, by their own means: every tool, command, flag and value of the flag tables.
case ${T2_BUILD:?} in
*/release | */static) ;;
*) echo "the same tables as of the release build, slower" >&2 && exit 77 ;;
esac
command -v bash >/dev/null || { echo "no bash" >&2 && exit 77; }

# ask.bash TOOL: lines to complete on stdin; the candidates of each in a line on stdout
cat >ask.bash <<'BASH'
compopt() { :; } # outside of a real completion it is an error
COMP_WORDBREAKS=${BREAKS-$' \t\n"\'><=;|&(:'}
source "$1.bash"
function=$(complete -p "$1" | sed 's/.* -F \([^ ]*\) .*/\1/')
while IFS= read -r COMP_LINE; do
    COMP_POINT=${#COMP_LINE} COMPREPLY=()
    "$function" || exit 1
    echo "${COMPREPLY[*]}"
done
BASH
ask() { # tool, line
    printf '%s\n' "$2" | bash -eu ask.bash "$1"
}

for tool in "${T2_BUILD:?}"/bin/*; do
    tool=${tool##*/}
    for shell in bash zsh fish table; do
        "$T2_BUILD/bin/$tool" --completion=$shell >"$tool.$shell"
    done
    bash -n "$tool.bash"
    ! command -v zsh >/dev/null || zsh -n "$tool.zsh"
    ! command -v fish >/dev/null || fish -n "$tool.fish"

    # every value, behind '=' and as a word of its own, with '-' for '_'
    awk -F'\t' -v tool="$tool" '$3 == "words" {
        command = $1 == "" ? "" : $1 " "
        print tool " " command "--" $2 "=" >"lines"
        gsub(/_/, "-", $2)
        print tool " " command "x --" $2 " " >"lines"
        print $5 "\n" $5 >"words"
    }' "$tool.table"
    bash -eu ask.bash "$tool" <lines | diff words -

    # every flag that --help tells, and no other
    cut -f1 "$tool.table" | sort -u >commands
    while IFS= read -r command; do
        # shellcheck disable=SC2086 # none or one
        "$T2_BUILD/bin/$tool" $command --help </dev/null |
            sed -n -e 's/^  --\[no\]\([a-z][a-z0-9_]*\).*/\1\nno\1/p' -e 's/^  --\([a-z][a-z0-9_]*\).*/\1/p' | sort -u >of_help
        awk -F'\t' -v command="$command" '$1 == command && length($2) > 1 { print $2 }' "$tool.table" | sort -u | diff of_help -
        ask "$tool" "$tool ${command:+$command }--" | tr ' ' '\n' | sed -e 's/^--//' -e 's/=$//' | sort -u | diff of_help -
    done <commands

    # a value that is no name of a registry is one that --help tells, at the flag or at one that it refers to
    awk -F'\t' '$3 == "words" && $2 !~ /^(problem|model|hparams_set|hparams_range|experiment|pipeline)$/ { print $1 "," $2 "," $5 }' \
        "$tool.table" >told
    while IFS=, read -r command flag words; do
        case $tool:$command:$flag in
        t2t-vocab:verify:unicode | t2t-vocab:stats:unicode) told_by="build unicode" ;;
        t2t-vocab:convert:from) told_by="convert to" ;;
        tfrec:convert:to) told_by="convert from" ;;
        *) told_by="$command $flag" ;;
        esac
        # shellcheck disable=SC2086 # none or one
        "$T2_BUILD/bin/$tool" ${told_by% *} --help </dev/null | awk -v flag="${told_by##* }" '
            /^  -/ { on = index($1, "--" flag "=") == 1 || index($1, "--" flag "[=") == 1 } on' | tr -s '\n ' ' ' >row
        for word in $words; do
            grep -qF -e "$word" row || { echo "$tool $command --help says nothing of --$flag=$word" && exit 1; }
        done
    done <told
done

# Commands; the word under the cursor; names; files; a shell that does not cut at '='.
[ "$(ask tfrec 'tfrec co')" = 'count convert' ]
[ "$(ask tfrec 'tfrec count --qu')" = --quiet ]
[ "$(ask t2t-trainer 't2t-trainer --model=transf')" = 'transformer transformer_encoder transformer_memory transformer_regressor transformer_revnet transformer_scorer' ]
[ "$(ask t2t-datagen 't2t-datagen --data_dir=x --problem translate_ende_wmt8')" = "translate_ende_wmt8k translate_ende_wmt8k_packed" ]
[ "$(ask t2t-trainer 't2t-trainer --quiet foo')" = '' ]
mkdir folder
: >file
[ "$(ask t2t-trainer 't2t-trainer --data_dir=f')" = folder ]
[ "$(ask t2t-trainer 't2t-trainer --config_file f' | tr ' ' '\n' | sort | tr '\n' ' ')" = 'file folder ' ]
export BREAKS=' '
[ "$(ask t2t-trainer 't2t-trainer --device=r')" = --device=reference ]
[ "$(ask t2t-trainer 't2t-trainer --data_dir=f')" = --data_dir=folder ]

t2t-trainer --completion=csh 2>err && exit 1
grep -q "'csh' is not bash, zsh or fish" err

if command -v fish >/dev/null; then
    HOME=$PWD fish -c 'source tfrec.fish; complete -C "tfrec conv"; complete -C "tfrec sort --compress="; complete -C "tfrec schema --format p"' |
        cut -f1 | sort | tr '\n' ' ' >out
    [ "$(cat out)" = '--compress=bgzip --compress=gzip --compress=none --compress=zlib convert parsing_spec pbtxt ' ] || { cat out && exit 1; }
fi
