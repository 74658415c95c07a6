# Raw data to processed data sets, which the rules of the families make. Files are found, verified by
# hash and, where they have a pinned URL, downloaded by the job itself.


rule data:
    # Every data set of the run, processed.
    input:
        [path for plan in FAMILIES.values() for path in stored(plan)],
