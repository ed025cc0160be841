# Completion of vestry(1) for fish. What the words can become, "vestry complete" says; it shows names of
# items while the keychain is open, and never unlocks it.

function __vestry_complete
    set -l words (commandline --cut-at-cursor --tokenize --current-process)
    set -l word (commandline --cut-at-cursor --current-token)
    set -l candidates (command vestry complete -- $words[2..-1] "$word" 2>/dev/null)
    if test "$candidates" = /
        __fish_complete_path (string replace --regex -- '^--[a-z-]*=' '' "$word")
    else
        printf '%s\n' $candidates
    end
end

complete --command vestry --no-files --arguments '(__vestry_complete)'
