# Two jobs that ask for too little at first: one for memory, one for time.


include: "../../workflow/rules/resources.smk"


rule both:
    default_target: True
    input:
        "memory.txt",
        "time.txt",


rule memory:
    output:
        "memory.txt",
    resources:
        mem_mb=per_attempt(600),
        runtime=per_attempt(5),
    shell:
        "python -c \"import time; x = b'x' * 600_000_000; time.sleep(4)\""
        " && echo {resources.mem_mb} > {output}"


rule time:
    output:
        "time.txt",
    resources:
        mem_mb=per_attempt(600),
        runtime=per_attempt(1),
    shell:
        "if test -e tried.txt; then echo {resources.runtime} > {output};"
        " else touch tried.txt; sleep 600; fi"
