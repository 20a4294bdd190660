for command in '' report status worker stop continue; do
    # shellcheck disable=SC2086 # none is no argument
    t2t-tune $command --help
done
