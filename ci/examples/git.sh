#!/bin/sh
# Without a service, in a work tree of git: the target is the upstream of the branch, or the default branch.
./record-runs.sh new
tracekit-ci --baseline /srv/performance/game/ --budget budget.json --accepted accepted.json new
