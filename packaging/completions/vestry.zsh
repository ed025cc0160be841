#compdef vestry
# Completion of vestry(1) for zsh. What the words can become, "vestry complete" says; it shows names of
# items while the keychain is open, and never unlocks it.

_vestry() {
    local -a candidates
    candidates=(${(f)"$(command vestry complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)"})
    if [[ ${candidates[1]-} == / ]]; then
        [[ $PREFIX != --*=* ]] || compset -P '*='
        _files
        return
    fi
    compadd -a candidates
}

_vestry "$@"
