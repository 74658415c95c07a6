#!/bin/sh
# Print running, success or failed for the job with the given number, as LSF, Grid Engine or PBS
# tells it. A job that nobody knows anything of yet is taken to be running.
job=$1
verdict() { if [ "$1" = 0 ]; then echo success; else echo failed; fi; }

if command -v bjobs >/dev/null; then # LSF
    case $(bjobs -noheader -o stat "$job" 2>/dev/null) in
        DONE*) echo success ;;
        EXIT* | ZOMBI*) echo failed ;;
        *) echo running ;;
    esac
elif command -v qacct >/dev/null; then # Grid Engine: what has ended is known to qacct alone
    if said=$(qstat -j "$job" 2>/dev/null); then
        # A job in an error state (Eqw) waits until somebody deletes it.
        case $said in *"error reason"*) echo failed ;; *) echo running ;; esac
        exit
    fi
    # `failed` is 0, or a number with a reason, such as: 100 : assumedly after job
    code=$(qacct -j "$job" 2>/dev/null | awk '$1 == "failed" || $1 == "exit_status" { sum += $2; n++ }
        END { if (n) print sum }')
    [ -z "$code" ] && echo running && exit
    verdict "$code"
else # PBS
    # SITE: PBS must keep finished jobs, or they are running for ever: job_history_enable must be
    # True (qmgr -c 'list server job_history_enable').
    said=$(qstat -x -f "$job" 2>/dev/null)
    case $said in
        *"job_state = F"* | *"job_state = C"*) # TORQUE says C, and exit_status
            verdict "$(printf '%s\n' "$said" | awk 'tolower($1) == "exit_status" { print $3 }')" ;;
        *) echo running ;;
    esac
fi
