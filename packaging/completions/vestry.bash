# Completion of vestry(1) for bash. What the words can become, "vestry complete" says; it shows names of
# items while the keychain is open, and never unlocks it.

# __vestry_plain WORD puts into $REPLY what the shell makes of WORD, and expands nothing in it.
__vestry_plain() {
    local rest=$1 quote=
    REPLY=
    while [[ $rest ]]; do
        case $quote$rest in
            \'\'* | \"\"*) quote= ;;
            \\?* | \"\\[\\\"\$\`]*)
                REPLY+=${rest:1:1}
                rest=${rest:1}
                ;;
            [\'\"]*) if [[ $quote ]]; then REPLY+=${rest:0:1}; else quote=${rest:0:1}; fi ;;
            *) REPLY+=${rest:0:1} ;;
        esac
        rest=${rest:1}
    done
}

_vestry() {
    local line=${COMP_LINE:0:COMP_POINT} word rest index plain=() raw=() candidate part REPLY
    COMPREPLY=()
    # bash takes words apart at = and :, and wants only what stands behind the last of these.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        rest=${line#"${line%%[![:space:]]*}"}
        ((index < COMP_CWORD)) || word=$rest
        if ((index > 0)) && [[ $rest == "$line" ]]; then
            raw[-1]+=$word
            part=$word
        else
            raw+=("$word")
            part=$word
        fi
        line=${rest#"$word"}
    done
    for word in "${raw[@]:1}"; do
        __vestry_plain "$word"
        plain+=("$REPLY")
    done
    [[ $part == [=:]* ]] && part=${part#"${part%%[!=:]*}"}
    word=${raw[-1]%"$part"}
    __vestry_plain "$word"
    while IFS= read -r candidate; do
        if [[ $candidate == / ]]; then
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$part")
            return
        fi
        # What is there already was not asked for.
        candidate=${candidate:${#REPLY}}
        case $part in
            \'*) [[ $candidate == *\'* ]] || COMPREPLY+=("$candidate") ;;
            \"*) [[ $candidate == *[\"\\\$\`]* ]] || COMPREPLY+=("$candidate") ;;
            *) printf -v candidate %q "$candidate" && COMPREPLY+=("$candidate") ;;
        esac
    done < <(command vestry complete -- "${plain[@]}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}

complete -F _vestry vestry
