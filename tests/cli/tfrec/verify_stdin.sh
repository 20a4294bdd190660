# a record of 376 bytes begins like zlib, one of 35615 like gzip: both are plain, on a pipe too
for n in 358 35592; do # of the value; 18 and 23 more of the Example
    head -c "$n" /dev/zero | tr '\0' x >value
    printf '{"x":"%s"}\n' "$(cat value)" | tfrec convert --quiet --to=tfrecord -o file -
    head -c 2 file | od -An -tx1
    tfrec verify - <file
    tfrec count - <file
    # shellcheck disable=SC2002 # a pipe is the point
    cat file | tfrec verify --payload=any -
done
