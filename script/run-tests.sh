# shellcheck shell=sh
# Functions of scripts that build and test; read with `.` from the root of the sources.
# shellcheck disable=SC2034 # what is set here is for the script that reads this

# As on a machine of builds: questions of tests leave nothing in the cache of the user, and find nothing there.
export CI="${CI:-true}"

# What is drawn at random, or is a part of a sweep, is another one each day.
seed_of_day() {
    echo $(($(date +%s) / 86400))
}

# is_seed WORD
is_seed() {
    case $1 in
    '' | *[!0-9]* | ??????????*) return 1 ;;
    esac
}

# attribute NAME FILE: a number from the head of a JUnit file.
attribute() {
    sed -n "s/.*[[:space:]]$1=\"\\([0-9]*\\)\".*/\\1/p" "$2" | head -n 1
}

# Lets what follows write its files to memory, where there is space for them and TMPDIR says nothing else: each of many
# files is made sure of, for which disks take their time.
write_to_memory() {
    if [ -z "${TMPDIR:-}" ] && [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -ge 4000000 ] 2>/dev/null; then
        TMPDIR=$(mktemp -d /dev/shm/tracekit-XXXXXX)
        export TMPDIR
        chmod 755 "$TMPDIR" # tests read in it as another user
        trap 'rm -rf "$TMPDIR"' EXIT
        trap 'exit 130' INT TERM
    fi
}

# build_for_tests PRESET TIER [TARGET]: builds all, or a target, with the tests of quick, ci or all.
build_for_tests() {
    script/build "$1" --target="${3:-all}" -DTK_TESTS=ON -DTK_TIER="$2" -DTRACEKIT_CORPUS="${TRACEKIT_CORPUS:-}"
}

# run_ctest PRESET FILES [options]: runs tests and counts them: `ran`, and of these `bad`. What ctest says is in
# FILES.log, the results are in FILES.xml. Fails where none were run. One test more than there are processors runs at a
# time, since those of live programs mostly wait.
run_ctest() {
    ran=0
    bad=0
    of=$1
    files=$2
    shift 2
    rm -f "$files.xml" "$files.log"
    ctest --test-dir "build/$of" --parallel "$(($(nproc) + 1))" --timeout 1800 --no-tests=error --output-on-failure \
        --output-log "$files.log" --output-junit "$files.xml" "$@" || true
    [ -s "$files.xml" ] || return 1
    bad=$(attribute failures "$files.xml")
    ran=$(($(attribute tests "$files.xml") - $(attribute skipped "$files.xml") - $(attribute disabled "$files.xml")))
}

# seconds_by_label FILE...: a table of what ctest says of its labels, a column a build (the folder of a file): seconds of
# one processor. Tests with two labels count in both.
seconds_by_label() {
    awk '
        FNR == 1 {
            name = FILENAME
            sub(/\/[^\/]*$/, "", name)
            sub(/.*\//, "", name)
            if (!(name in column))
                title[column[name] = ++n] = name
        }
        / = +[0-9.]+ sec\*proc / {
            seconds[$1, column[name]] += $3
            sum[$1] += $3
        }
        END {
            printf "%-12s", "label"
            for (i = 1; i <= n; i++)
                printf " %9s", title[i]
            printf " %9s\n", "seconds"
            for (label in sum) {
                line = sprintf("%-12s", label)
                for (i = 1; i <= n; i++)
                    line = line sprintf(" %9s", (label, i) in seconds ? sprintf("%.1f", seconds[label, i]) : "")
                printf "%s %9.1f\n", line, sum[label] | "sort"
            }
            close("sort")
        }' "$@"
}
