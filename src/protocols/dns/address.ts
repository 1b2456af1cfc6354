import { BlockList, isIP } from "node:net";

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** A set of networks such as `192.0.2.0/24`. */
export const networks = (list: readonly string[]): BlockList => {
  const set = new BlockList();
  for (const network of list) {
    const [address = "", prefix] = network.split("/");
    set.addSubnet(address, Number(prefix), familyOf(address));
  }
  return set;
};

export const isInNetworks = (address: string, set: BlockList): boolean =>
  isIP(address) !== 0 && set.check(address, familyOf(address));

/** IANA's IPv4 Special-Purpose Address Registry, with multicast and class E. */
const SPECIAL_4 = networks([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/** RFC 4291 section 2.4, as assigned by IANA: loopback, local, multicast, IPv4-mapped and NAT64 addresses lie outside it. */
const GLOBAL_6 = networks(["2000::/3"]);
/** Exceptions, from IANA's IPv6 Special-Purpose Address Registry: Teredo and 6to4 embed IPv4 addresses. */
const SPECIAL_6 = networks(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

/** True for an address that is reachable from the whole Internet, and not in a private network. */
export const isGlobalUnicast = (address: string): boolean => {
  if (isIP(address) === 4) return !isInNetworks(address, SPECIAL_4);
  // A zone index (RFC 4007 section 11) belongs to local addresses only.
  return !address.includes("%") && isInNetworks(address, GLOBAL_6) && !isInNetworks(address, SPECIAL_6);
};
