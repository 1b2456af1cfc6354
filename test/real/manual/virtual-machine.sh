# Around the virtual machine: in its network, with the programs of this machine. $MACHINE is its file system.
. "$ROOT/test/real/manual/lib.sh"

cd "$MACHINE/root"
cp "$EXECUTABLE" adoption-store-linux-x64
sha256sum adoption-store-linux-x64 >SHA256SUMS

# The internet: a DNS that knows the records that the reader has created, and a CA.
printf 'adopt A 127.0.0.1\n*.sites A 127.0.0.1\n*.cname.sites A 127.0.0.1\n' | zone example.org
echo 'nameserver 127.0.0.1' >"$MACHINE/etc/resolv.conf"
name_server
ca

# What Debian and the executable know of Let's Encrypt, the machine knows of this CA.
cp "$NOTES/root.pem" "$MACHINE/usr/local/share/ca-certificates/ca.crt"
cp "$NOTES/ca.pem" "$MACHINE/etc/acme-ca.pem"
chmod 644 "$MACHINE/etc/acme-ca.pem"
mkdir -p "$MACHINE/etc/systemd/system/adoption-store.service.d"
cat >"$MACHINE/etc/systemd/system/adoption-store.service.d/ca.conf" <<'UNIT'
[Service]
Environment=DNS_PRIVATE=true ACME_DIRECTORY=https://localhost:14000/dir ACME_CA_FILE=/etc/acme-ca.pem
UNIT
touch "$NOTES/ready"
wait
