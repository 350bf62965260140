#!/bin/sh
# Reduces captures to summaries, one process each, as many at a time as there are processors. What is there is replaced.
#
# usage: reduce.sh FOLDER CAPTURE...
set -eu
folder=$1
shift
# shellcheck disable=SC2016 # the inner shell expands them
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c 'trace-stats "$1" --summary "$0" --quiet' "$folder"
