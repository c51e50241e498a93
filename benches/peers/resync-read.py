"""Python resync as a reader of Resource Lists: FILE ITERATIONS, prints the entries counted."""

import sys

from resync.resource_list import ResourceList


def read(file):
    resources = ResourceList()
    resources.parse(uri=file)
    return len(resources)


print(sum(read(sys.argv[1]) for _ in range(int(sys.argv[2]))))
