# fish completion of adoption-store. It asks the program, so an upgrade needs no new script.
function __adoption_store_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($typed[1] __complete $typed[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case directories
            __fish_complete_directories "$current" ''
        case '*'
            printf '%s\n' $lines[2..-1]
    end
end
complete -c adoption-store -f -a '(__adoption_store_complete)'
