#!/bin/sh
# The script of a command line step of TeamCity; publish tracekit-reports as artifacts, and *.xml in it as JUnit reports.
./record-runs.sh new
tracekit-ci --baseline /srv/performance/game/ --budget budget.json --accepted accepted.json new
