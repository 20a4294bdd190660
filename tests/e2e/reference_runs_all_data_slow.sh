# Every recorded run of the originals, made again, in one table: the other reference_runs_* and datagen_reference_runs_slow
# print their rows (run, what was compared, how many are the same), the last column here is the verdict of each group.
T2_DATA=$(cd "${T2_DATA:-$T2_ROOT/../shared/data}" 2>/dev/null && pwd) || { echo "no T2_DATA" >&2; exit 77; }
[ -d "$T2_DATA/reference-runs/tools" ] || { echo "no reference-runs in T2_DATA" >&2; exit 77; }
export T2_DATA
rc=0
for script in datagen_reference_runs_slow reference_runs_classes_data reference_runs_translate_data_slow reference_runs_official_data \
    reference_runs_images_data reference_runs_images_data_slow; do
    mkdir $script
    got=0
    (cd $script && sh -eu "$T2_ROOT/tests/e2e/$script.sh") >$script.rows 2>$script.err || got=$?
    verdict='as recorded'
    case $got in
    0) ;;
    77) verdict="skipped: $(tail -n 1 $script.err)" ;;
    *) verdict=DIFFERENT rc=1 ;;
    esac
    sed "/not made here/!s|\$|  [$verdict]|" $script.rows
    [ $got = 0 ] || { echo "$script: $verdict"; cat $script.err; }
    rm -rf $script
done
exit $rc
