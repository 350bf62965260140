#!/bin/sh
# Types of the JavaScript of pages: what is written there has to fit what is called. The modules lie in several folders,
# and pages join them, so they are looked at in one.
#
# usage: types.sh ROOT TSC      TSC: the compiler of TypeScript, a file for node
set -eu
root=$1
tsc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pages" "$work/flame"
cp "$root"/libtrace/report/page/*.js "$root"/libtrace/view/page/*.js "$work/pages"
cp "$root"/libtrace/sink/timelines/page/*.js "$work/flame"
status=0
for part in pages flame; do
    cat >"$work/$part/tsconfig.json" <<'END'
{"compilerOptions": {"noEmit": true, "allowJs": true, "checkJs": true, "strict": false, "noImplicitReturns": true,
  "noFallthroughCasesInSwitch": true, "target": "es2022", "module": "es2022", "moduleResolution": "bundler",
  "lib": ["es2023", "dom", "dom.iterable"], "types": []}, "include": ["*.js"]}
END
    (cd "$work/$part" && node "$tsc" -p .) || status=1
done
[ $status -ne 0 ] || echo "ok     types of the JavaScript of pages"
exit $status
