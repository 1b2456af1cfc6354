# bash completion of adoption-store. It asks the program, so an upgrade needs no new script.
_adoption_store() {
  local line kind='' current=${COMP_WORDS[COMP_CWORD]}
  [ "$current" = = ] && current=''
  # A colon begins a new word for bash, so it inserts only what follows the last one.
  local typed=${COMP_LINE:0:COMP_POINT} prefix=''
  typed=${typed##* }
  case $typed in *:*) prefix=${typed%"${typed##*:}"} ;; esac
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    # Names can contain spaces, quotes and asterisks.
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$(printf %q "${line#"$prefix"}")"); fi
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  local IFS=$'\n'
  case $kind in
    files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
    directories) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")) ;;
  esac
}
complete -F _adoption_store adoption-store
