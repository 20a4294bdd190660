# Wrong usage, problems that are not there, and servers that do not answer.
try() {
    rc=0
    t2t-query-server "$@" || rc=$?
    echo "exit code $rc"
}
printf '2\n' | t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=data --max_cases=40 >/dev/null 2>&1
all='--server=127.0.0.1:1 --problem=translate_ende_numbers --data_dir=data'
try
try $all --servable_name=m --timeout_secs=0
try $all --servable_name=../m
try --server=127.0.0.1:1 --servable_name=m --problem=nothing_like_it --data_dir=data 2>&1 | grep -o "'nothing_like_it'\|exit code.*"
try $all --servable_name=m --inputs_once=hello 2>&1 | grep -o "'http://127.0.0.1:1/v1/models/m:predict'\|exit code.*"
printf '\n' | try $all --servable_name=m --servr=x
