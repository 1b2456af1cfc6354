. "$ROOT/test/real/manual/lib.sh"

records() {
  printf 'adopt A 127.0.0.1\n*.sites A 127.0.0.1\n*.cname.sites A 127.0.0.1\n'
}

# The reader at their provider: creates the record that each domain of the project asks for.
provider() {
  local asked before=
  while sleep 1; do
    asked=$("$BIN/adoption-store" domains list --project cats --json 2>/dev/null |
      python3 -c 'import json, sys
for domain in json.load(sys.stdin):
    print(domain["hostname"] + ".", "CNAME", domain["record"]["value"] + ".")' 2>/dev/null) || continue
    [ "$asked" != "$before" ] || continue
    before=$asked
    { records; printf '%s\n' "$asked"; } | zone example.org
    kill -HUP "$named"
  done
}

records | zone example.org
name_server
named=$!
ca
# For commands that call the server by its name.
setting "NODE_EXTRA_CA_CERTS=$NOTES/root.pem"
provider >"$NOTES/provider.log" 2>&1 &
