# shellcheck shell=sh
# What scripts answer before they do anything else; read with `.` by each of them.

# answer_help "$@": --help prints the first comment of the script; an option that the comment does not name is refused.
answer_help() {
    for word; do
        case $word in
        -h | --help)
            first_comment
            exit 0
            ;;
        -D?*=*) word=-DNAME ;;
        -?*) ;;
        *) continue ;;
        esac
        first_comment | tr -c 'A-Za-z0-9\n-' '\n' | grep -qxe "${word%%=*}" || {
            echo "script/${0##*/}: there is no option '$word'; script/${0##*/} --help names those that there are" >&2
            exit 2
        }
    done
}

first_comment() {
    sed -n '2,${ /^#/!q; s/^# \{0,1\}//; p; }' "$0"
}
