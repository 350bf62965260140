#!/bin/sh
# The week of a studio, point by point, over playtests that are made: docs/studio.md has the same points with their answers.
# usage: walk.sh FOLDER [PLAYTESTS]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || {
    echo "usage: walk.sh FOLDER [PLAYTESTS]" >&2
    exit 2
}
bisect=$here/../../ci/tracekit-bisect
[ -f "$bisect" ] || bisect=$(command -v tracekit-bisect)
work=$1
playtests=${2:-40}

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

mkdir -p "$work"
cd "$work"
python3 "$here/make_playtests.py" night "$playtests"
rm -rf history
mkdir history

# The night is kept: a baseline for each map and build, with metrics and with where frames were.
for place in Harbor Canyon; do
    for build in 501 502 503; do
        trace-baseline add "history/$place-$build.tkb" night/"$place-$build"-[0-9].json \
            --metric "$here/metrics.json" --position PlayerX,PlayerY -q
    done
done

say "1. Metrics of our own"
step trace-stats night/Harbor-503-1.json -t metrics --metric "$here/metrics.json" -f table
step trace-diff history/Harbor-502.tkb history/Harbor-503.tkb -n 4

say "2. The night: which map, which build?"
step trace-report history/ --target 60 --budget "$here/budget.json" -o night.txt --force -q
cat night.txt
step trace-report night/ --target 60 --budget "$here/budget.json" --metric "$here/metrics.json" \
    --position PlayerX,PlayerY -o night.html --force -q
step trace-report history/ --target 60 --budget "$here/budget.json" -o night.csv --force -q
step trace-check history/Canyon-502.tkb --budget "$here/budget.json"
step trace-check history/Harbor-503.tkb --budget "$here/budget.json"

say "3. What hitches, and is it new?"
step trace-stats history/*.tkb -t hitch_causes -f table
step trace-stats night/Canyon-502-1.json --hitches -f table

say "4. Where in the level is it slow?"
step trace-stats night/Harbor-503-1.json --by cell=10000 --position PlayerX,PlayerY --target 60 -f table
step trace-stats night/Harbor-503-1.json --by cell=2500 --position PlayerX,PlayerY --target 60 -o map.svg --force
step trace-diff history/Harbor-502.tkb history/Harbor-503.tkb --by cell=10000 -n 6

say "5. What is wrong in a playtest, and what is not?"
step trace-stats night/Harbor-503-1.json --rules -f table
step trace-check night/Canyon-503-1.json --rules --fail found:sync-load
step trace-check night/Harbor-503-1.json --rules --fail found:sync-load

say "6. Whose is it?"
step trace-diff history/Harbor-502.tkb history/Harbor-503.tkb --owners "$here/CODEOWNERS" -f markdown -n 4

say "7. Which change was it?"
step trace-diff --until-decided 20 history/Canyon-501.tkb --series timer:Physics -f text=decided.txt \
    -- python3 "$here/make_playtests.py" --play Canyon 503 '{out}'
for build in 502 503; do
    TRACEKIT_CHANGE=$build step sh "$bisect" --base history/Canyon-501.tkb --series timer:Physics \
        -- python3 "$here/make_playtests.py" --play Canyon "$build" '{out}'
done

say "8. Numbers for the dashboard, and from other tools"
step trace-baseline export history/ -f openmetrics -o night.prom --force
step grep -c '^tracekit_frame_p95_seconds{' night.prom
step trace-baseline export history/ -f influx -o night.influx --force
step trace-stats presentmon.csv -t frame_stats -f table

say "9. A month later, without the captures"
step trace-baseline list history/ -c run,capture,build,map,machine,frames -f table
step trace-report history/Harbor-503.tkb --before history/Harbor-501.tkb -o month.html --force -q
step trace-trend history/ -n 3
