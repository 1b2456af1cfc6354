#compdef adoption-store
# zsh completion of adoption-store. It asks the program, so an upgrade needs no new script.
_adoption_store() {
  local line
  local -a lines candidates
  lines=("${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case ${lines[1]} in
    files) _files ;;
    directories) _files -/ ;;
    *)
      for line in "${(@)lines[2,-1]}"; do
        if [[ $line == *$'\t'* ]]; then
          candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
          candidates+=("${line//:/\\:}")
        fi
      done
      _describe 'adoption-store' candidates
      ;;
  esac
}
if [[ ${funcstack[1]} == _adoption_store ]]; then
  _adoption_store "$@"
else
  compdef _adoption_store adoption-store
fi
