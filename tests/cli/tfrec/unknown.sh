# what other tools call a command is answered by what it is here; a slip by the nearest
for name in view validate verfy xyzzy; do
    tfrec "$name" x || echo "exit $?"
done
tfrec || echo "exit $?"
