# resnet_main has a flag for each field of the configuration: each alone is taken and shown by --describe, or is refused by
# a reason; a flag is over --params_override, which is over the file.
export LC_ALL=C
resnet_main --describe | sed -n 's/^[ *] \([a-z_][a-z_]*\) = \(.*\)$/\1 \2/p' >fields
[ "$(wc -l <fields)" = "$(sed -n '/^Fields of the configuration/,/^$/s/^  --/x/p' "$T2_ROOT/tests/cli/resnet_main/help.stdout" | wc -l)" ]
while read -r field value; do
    case $field in
    augment_name) flag=--augment_name=autoaugment want="'autoaugment'" ;;
    data_format) flag=--data_format=channels_first want="'channels_first'" ;;
    precision) flag=--precision=float32 want="'float32'" ;;
    norm_act_layer | dropblock_groups) flag=--$field=other want=refused ;;
    pre_activation) flag=--pre_activation want=refused ;;
    enable_lars) flag=--enable_lars want=true ;;
    *) case $value in
        false) flag=--$field want=true ;;
        true) flag=--no$field want=false ;;
        null) flag=--$field=0.25 want=0.25 ;;
        *.*) flag=--$field=0.625 want=0.625 ;;
        *) flag=--$field=34 want=34 ;;
        esac ;;
    esac
    case $field in randaug_*) flag=--$field=3 want=3 ;; esac
    code=0
    resnet_main --describe "$flag" >out 2>log || code=$?
    if [ $want = refused ]; then
        [ $code = 1 ] && grep -q "$field" log
    else
        [ $code = 0 ] && grep -qxF "* $field = $want" out
    fi || { echo "exit code $code of --describe $flag:" >&2; cat log >&2; grep -e "$field" out >&2; exit 1; }
done <fields

printf 'momentum: 0.5\nse_ratio: 0.5\nimage_size: 192\n' >some.yaml
resnet_main --describe --config_file=some.yaml --params_override=se_ratio=0.125,image_size=160 --image_size=128 >out
for line in 'momentum = 0.5' 'se_ratio = 0.125' 'image_size = 128'; do
    grep -qxF "* $line" out || { echo "not '$line'" >&2; exit 1; }
done
