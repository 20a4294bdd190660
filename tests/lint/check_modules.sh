# module.mk lists what is there, and everything that is there; file names are unique in the tree.
bad=0
for folder in base tfrecord tokenizer augment audio tfrec vocab datagen train; do
    [ -d $folder ] || continue
    [ -f $folder/module.mk ] || { [ -z "$(find $folder -name '*.c')" ] || { echo "$folder/module.mk is missing" && bad=1; }; continue; }
    listed=$(printf 'include %s/module.mk\nall: ; @printf "%%s\\n" $(LIB_%s) $(CPU_KERNELS_%s) $(CUDA_%s)\n' $folder $folder $folder $folder |
        env -u MAKEFLAGS -u MAKELEVEL make -s -f - all | sort)
    there=$(cd $folder && find . \( -name '*.c' -o -name '*.cu' \) ! -name '*_main.c' | sed 's,^\./,,' | sort)
    missing=$(comm -23 <(printf '%s\n' "$listed" | sed '/^$/d' | sort -u) <(printf '%s\n' "$there"))
    extra=$(comm -13 <(printf '%s\n' "$listed") <(printf '%s\n' "$there" | sed '/^$/d'))
    # texts that are part of the library
    listed=$(printf 'include %s/module.mk\nall: ; @printf "%%s\\n" $(TEXTS_%s)\n' $folder $folder |
        env -u MAKEFLAGS -u MAKELEVEL make -s -f - all | sed '/^$/d' | sort)
    there=$(cd $folder && find . -name '*.yaml' -o -name '*.html' | sed 's,^\./,,' | sort)
    [ "$listed" = "$there" ] || { echo "$folder/module.mk: TEXTS_$folder is not what is there:" $there && bad=1; }
    for f in $missing; do echo "$folder/module.mk: $f does not exist" && bad=1; done
    for f in $extra; do echo "$folder/$f: not in $folder/module.mk" && bad=1; done
done
# One name a line, in folder order: the folder's own files first, then each folder's.
for m in */module.mk; do
    awk -v m="$m" '
        /:=/ { last = "" }
        /^\t/ {
            if (split($1, part, " ") != 1 || NF > 2) { print m ": more than one name in a line: " $0; bad = 1 }
            n = match($1, "[^/]*$")
            key = (n > 1 ? "1" substr($1, 1, n - 1) : "0") "\t" substr($1, n)
            if (key <= last) { print m ": not in folder order: " $1; bad = 1 }
            last = key
        }
        END { exit bad }' "$m" || bad=1
done
# Commands belong to their tool, so their names need not differ.
twice=$(sh tests/lint/sources.sh c | sed 's,.*/,,' | grep -v '^cmd_' | sort | uniq -d)
for f in $twice; do echo "$f: more than one file of this name" && bad=1; done
exit $bad
