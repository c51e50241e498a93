"""Python's zipfile: `store ZIP DIR` packs without compressing, `test ZIP` reads all of it again."""

import os
import sys
import zipfile


def store(archive, folder):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as package:
        for path, _, names in os.walk(folder):
            for name in names:
                file = os.path.join(path, name)
                package.write(file, os.path.relpath(file, folder))


def test(archive):
    with zipfile.ZipFile(archive) as package:
        broken = package.testzip()
    if broken is not None:
        sys.exit(f"error: {broken} is broken")


{"store": store, "test": test}[sys.argv[1]](*sys.argv[2:])
