# The blocks of a page of walk-throughs, into the folder `out`: NN.KIND, the title of its section in
# NN.KIND.title, and its file name, if it has one, in NN.KIND.path.
/^## / { title = substr($0, 4); next }
/^```/ && !inside {
    inside = 1
    name = sprintf("%s/%02d.%s", out, ++n, substr($1, 4))
    print title >(name ".title")
    close(name ".title")
    if (NF > 1) {
        print $2 >(name ".path")
        close(name ".path")
    }
    next
}
/^```/ { inside = 0; close(name); next }
inside { print >name }
