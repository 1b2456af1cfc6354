import { isIP } from "node:net";

/**
 * The client's address: the peer's, or, with `hops` trusted proxies in front, the entry of X-Forwarded-For that the
 * outermost of them wrote. Entries to the left of it are the client's own and are ignored.
 */
export const clientAddress = (peer: string, forwardedFor: string | null, hops: number): string => {
  if (hops === 0 || !forwardedFor) return peer;
  const entries = forwardedFor.split(",");
  const entry = entries[Math.max(0, entries.length - hops)]?.trim() ?? "";
  // Some proxies add the port: 192.0.2.1:4711 or [2001:db8::1]:4711.
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry) ?? [];
  const address = bracketed ?? dotted ?? entry;
  return isIP(address) ? address : peer;
};

/** The network of a client for rate limits: an IPv4 address, or the /64 of an IPv6 address, which one household has. */
export const clientNetwork = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
};

/** True for an address of this machine, as the operating system writes it. */
export const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/i.test(address);
