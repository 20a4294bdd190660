#!/usr/bin/env python3
"""T2_DATA with one index that names half of what is there, to see that no oracle test is content with that.

    half_indexes.py DATA OUT INDEX KEY      OUT: links to DATA, but INDEX, whose entries under KEY ("": all) are halved
"""
import json
import os
import sys

DATA, OUT, INDEX, KEY = sys.argv[1:5]


def link(folder):
    """All of a folder; the folders on the way to the index are made, the others are links."""
    os.makedirs(os.path.join(OUT, folder), exist_ok=True)
    for name in os.listdir(os.path.join(DATA, folder)):
        path = os.path.join(folder, name)
        if INDEX.startswith(path + "/"):
            link(path)
        elif path != INDEX:
            os.symlink(os.path.join(os.path.abspath(DATA), path), os.path.join(OUT, path))


link("")
with open(os.path.join(DATA, INDEX)) as f:
    whole = json.load(f)
part = whole[KEY] if KEY else whole
if isinstance(part, dict):
    for key in sorted(part)[len(part) // 2:]:
        del part[key]
else:
    del part[len(part) // 2:]
with open(os.path.join(OUT, INDEX), "w") as f:
    json.dump(whole, f)
