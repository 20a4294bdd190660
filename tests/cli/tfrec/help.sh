# Every command explains itself; what is printed here is what people read.
tfrec --help
for command in $(tfrec --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -v tfrec); do
    printf '\n==== %s\n' "$command"
    tfrec "$command" --help
done
