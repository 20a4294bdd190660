# entries in both, moved, in one only
printf '<pad>\n<EOS>\nthe\nhouse\non\nhill\n' >a
printf '<pad>\n<EOS>\nhouse\nthe\non\nwas\nsold\n' >b
t2t-vocab diff a a && echo same
differ() { t2t-vocab diff "$@" || echo "exit $?"; }
differ a b
differ -n 1 a b
differ -n 0 b a
differ --json a b
head -n 3 a >short
differ a short
differ short a
no() { t2t-vocab diff "$@" || echo "exit $?"; }
no
no a
no a b a
no -n -1 a b
no a nothing
no nothing a
