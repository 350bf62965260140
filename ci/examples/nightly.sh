#!/bin/sh
# Every night, on the main branch: new runs against the last good ones, and the whole history for changes.
./record-runs.sh new
tracekit-ci nightly --baseline /srv/performance/game/ --accepted accepted.json new
