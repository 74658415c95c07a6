# Processed data sets, which the rules of the families make from raw data. Each job itself finds its
# raw files, verifies their hashes and, where they have a pinned URL, downloads them.


rule data:
    # Every processed data set of the run.
    input:
        [path for plan in FAMILIES.values() for path in stored(plan)],
