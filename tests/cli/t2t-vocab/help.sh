# Every command explains itself; what is printed here is what people read.
t2t-vocab --help
for command in $(t2t-vocab --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -v t2t); do
    printf '\n==== %s\n' "$command"
    t2t-vocab "$command" --help
done
