import { expect, test } from "bun:test";
import { isGlobalUnicast } from "../../../src/protocols/dns/address.ts";
import { words } from "../../support/words.ts";

const PUBLIC = words(`
  8.8.8.8 1.0.0.1 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 192.0.1.1 223.255.255.255
  2001:4860:4860::8888 2606:4700:4700::1111 2a00::1 2001:200::1 2003::1`);

test.each(PUBLIC)("%s is a public address", (address) => {
  expect(isGlobalUnicast(address)).toBe(true);
});

const SPECIAL_4 = words(`
  0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.251 239.255.255.255 240.0.0.1 255.255.255.255`);

/** IPv6 addresses that embed an IPv4 address: mapped, compatible, NAT64 and 6to4. */
const leadingTo = (address: string): string[] => {
  const hex = Buffer.from(address.split(".").map(Number)).toString("hex");
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
  const prefixes = ["::ffff:", "::", "64:ff9b::", "64:ff9b:1::"];
  return [...prefixes.flatMap((prefix) => [prefix + address, prefix + groups]), `2002:${groups}::1`];
};

test.each(SPECIAL_4)(
  "%s is not a public address, and neither is an IPv6 address that embeds it",
  (address) => {
    for (const one of [address, ...leadingTo(address)])
      expect({ one, is: isGlobalUnicast(one) }).toEqual({ one, is: false });
  },
);

const SPECIAL_6 = words(`
  :: ::1 0:0:0:0:0:0:0:1 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 100:0:0:1::1
  2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002::1 3fff::1 4000::1 5f00::1 fc00::1 fdff::1
  fe80::1 fe80::1%lo febf::1 fec0::1 ff02::fb ff0e::1 2606:4700::1%lo`);

test.each(SPECIAL_6)("%s is not a public address", (address) => {
  expect(isGlobalUnicast(address)).toBe(false);
});

const NONE = words(
  "localhost example.org 8.8.8 8.8.8.8. 08.8.8.8 0x08080808 134744072 [2606:4700::1] 8.8.8.8/8",
);

test.each(["", ...NONE])("%j is not an address", (text) => {
  expect(isGlobalUnicast(text)).toBe(false);
});
