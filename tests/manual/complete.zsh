# usage: zsh -f complete.zsh FUNCTIONS LINE    prints what zsh would offer behind LINE, one a line.
# Runs a zsh on a terminal of its own whose `compadd` tells what it is given, and presses the tabulator in it.
zmodload zsh/zpty || exit 77
told=$(mktemp)
setup=$(mktemp)
# compadd with -O, -A or -D adds nothing: whoever calls it so wants the matches back.
cat >$setup <<END
fpath=($1 \$fpath)
autoload -Uz compinit
compinit -u -D
bindkey '^I' complete-word
compadd() {
    local -a __found
    if [[ \${@[1,(i)(-|--)][(I)-[OAD]]} -eq 0 ]]; then
        builtin compadd -A __found "\$@"
        (( \$#__found )) && printf '<<%s>>\n' \$IPREFIX\${^__found} >>$told
    fi
    builtin compadd "\$@"
}
END
zpty -b inner zsh -f -i
zpty -w inner "source $setup; print ready-\$((1 + 1))"
zpty -r -m inner text '*ready-2*'
zpty -w -n inner "$2"$'\t'
for ((i = 0; i < 20; i++)); do
    sleep 0.1
    [[ -s $told ]] && break
done
sleep 0.2
zpty -d inner
sed -n 's/^<<\(.*\)>>$/\1/p' $told | sort -u
rm -f $told $setup
