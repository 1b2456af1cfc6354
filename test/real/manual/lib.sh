# For the setups of pages (*.setup.sh): what the machine of a reader has around it. Everything runs in the page's namespaces.
#
#   $BIN        first on the page's PATH
#   $NOTES      for files that the page does not see
#   $SETUP_ENV  takes NAME=value lines for the page's environment
#   $ROOT       the repository

setting() { printf '%s\n' "$1" >>"$SETUP_ENV"; }

# hosts NAME...: names of this machine.
hosts() {
  printf '127.0.0.1 localhost %s\n' "$*" >"$NOTES/hosts"
  mount --bind "$NOTES/hosts" /etc/hosts
}

# The reader is root already.
sudo_is_root() {
  printf '#!/bin/sh\nexec "$@"\n' >"$BIN/sudo"
  chmod +x "$BIN/sudo"
}

# wait_for COMMAND...: until it succeeds, at most 10 seconds.
wait_for() {
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "not within 10 s: $*" >&2
  return 1
}

# zone NAME <RECORDS: a zone that this machine is the authoritative server of.
zone() {
  mkdir -p "$NOTES/zones"
  {
    printf '$ORIGIN %s.\n$TTL 60\n@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n' "$1"
    cat
  } >"$NOTES/zones/$1"
}

# Serves the zones, and is the resolver of this machine.
name_server() {
  # CAA records are looked for up to the top level.
  for name in $(ls "$NOTES/zones"); do [ -e "$NOTES/zones/${name##*.}" ] || zone "${name##*.}" </dev/null; done
  {
    printf 'options { directory "%s/zones"; listen-on { 127.0.0.1; }; listen-on-v6 { none; }; ' "$NOTES"
    printf 'pid-file none; session-keyfile none; recursion no; dnssec-validation no; };\ncontrols { };\n'
    for name in $(ls "$NOTES/zones"); do printf 'zone "%s" { type primary; file "%s"; };\n' "$name" "$name"; done
  } >"$NOTES/named.conf"
  named -g -c "$NOTES/named.conf" >"$NOTES/named.log" 2>&1 &
  wait_for grep -q "running" "$NOTES/named.log"
  # A zone's servers are never on this machine but here.
  setting DNS_PRIVATE=true
}

# A CA that speaks ACME, in place of Let's Encrypt. It asks the resolver of this machine, and port 80 or 443 of the name.
ca() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -addext subjectAltName=DNS:localhost \
    -keyout "$NOTES/ca.key" -out "$NOTES/ca.pem" 2>/dev/null
  cat >"$NOTES/pebble.json" <<JSON
{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "httpPort": 80, "tlsPort": 443,
 "certificate": "$NOTES/ca.pem", "privateKey": "$NOTES/ca.key"}}
JSON
  PEBBLE_VA_NOSLEEP=1 pebble -config "$NOTES/pebble.json" -dnsserver 127.0.0.1:53 >"$NOTES/pebble.log" 2>&1 &
  wait_for curl --silent --cacert "$NOTES/ca.pem" https://localhost:14000/dir
  curl --silent --fail --cacert "$NOTES/ca.pem" https://localhost:15000/roots/0 >"$NOTES/root.pem"
  setting ACME_DIRECTORY=https://localhost:14000/dir
  setting "ACME_CA_FILE=$NOTES/ca.pem"
  # For curl: what visitors' browsers know of Let's Encrypt.
  setting "CURL_CA_BUNDLE=$NOTES/root.pem"
}
