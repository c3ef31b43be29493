#!/bin/bash
for word in "$@"; do
    case $word in --array=1-*) count=${word#--array=1-} ;; esac
done
echo 4711
script=${!#}
for ((number = 1; number <= count; number++)); do
    if grep -qx "$number" "$DEAD"; then
        echo "slurmstepd: error: Detected 1 oom_kill event" >"$(dirname "$script")/$number.log"
    else
        SLURM_ARRAY_TASK_ID=$number sh "$script" >"$(dirname "$script")/$number.log" 2>&1
    fi
done
