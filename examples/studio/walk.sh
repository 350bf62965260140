#!/bin/sh
# The week of a studio, step by step, over playtests that are made: docs/studio.md has the same steps with their answers.
# usage: walk.sh FOLDER [RUNS]
set -eu

here=$(dirname "$0")
[ $# -gt 0 ] || {
    echo "usage: walk.sh FOLDER [RUNS]" >&2
    exit 2
}
work=$1
runs=${2:-4}

# Prints a command, runs it, and says how it ended where that is an answer.
step() {
    echo
    echo "\$ $*"
    status=0
    "$@" || status=$?
    [ "$status" -eq 0 ] || echo "(status $status)"
}

say() {
    echo
    echo "== $*"
}

python3 "$here/make_playtests.py" "$work/night" "$runs"
cd "$work"
rm -rf history
mkdir history

say "1. The night is kept: a baseline for each map and build, which says what a capture does not"
for place in Harbor Canyon; do
    for build in 501 502 503; do
        n=1
        while [ "$n" -le "$runs" ]; do
            trace-baseline add "history/$place-$build.tkb" "night/$place-$build-$n.json" \
                --run-info "map=$place" --run-info "build=$build" --run-info "machine=lab-$((n % 2 + 1))" \
                --run-info "time=2026-11-0$((build - 500))T0$n:00:00Z" -q
            n=$((n + 1))
        done
    done
done
step trace-baseline list history/ -c run,capture,build,map,machine,frames -f table

say "2. What is wrong in a playtest, and what is not?"
step trace-stats night/Harbor-503-1.json --rules -f table

say "3. Where in the level is it slow?"
step trace-stats night/Harbor-503-1.json --by cell=10000 --position PlayerX,PlayerY --target 60 -f table

say "4. Which hitches?"
step trace-stats night/Canyon-502-1.json --hitches -f table

say "5. What did the new build change?"
step trace-diff history/Harbor-502.tkb history/Harbor-503.tkb --mixed -n 3

say "6. Does the night keep its budgets?"
cat >budget.json <<'END'
{"budgets": [{"kind": "frame", "name": "p95", "warning": 17, "error": 20},
             {"kind": "counter", "name": "DrawCalls", "error": 1100}]}
END
step trace-check history/Canyon-503.tkb --budget budget.json
step trace-check history/Harbor-503.tkb --budget budget.json

say "7. No build with blocking loads is let through"
step trace-check night/Canyon-503-1.json --rules --fail found:sync-load
step trace-check night/Harbor-503-1.json --rules --fail found:sync-load

say "8. A page for the meeting"
step trace-report night/Harbor-503-1.json -o harbor.html --force

say "9. The dashboard gets the numbers"
trace-baseline export history/ -f openmetrics -o night.prom --force
step grep -c '^tracekit_frame_p95_seconds{' night.prom
