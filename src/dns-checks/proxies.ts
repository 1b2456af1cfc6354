import { isInNetworks, networks } from "../protocols/dns/address.ts";

/** A company whose proxy hides the records behind it. */
interface Proxy {
  provider: string;
  /** The setting that switches it off for a record. */
  setting: string;
  networks: ReturnType<typeof networks>;
}

/**
 * Proxies that show their own addresses in place of the record behind them. The networks are those of
 * https://www.cloudflare.com/ips-v4 and ips-v6, compared with public copies on 2026-11-23. Fastly and CloudFront are left out:
 * their users point the record at them, so such an address is simply a wrong record.
 */
const PROXIES: readonly Proxy[] = [
  {
    provider: "Cloudflare",
    setting: '"DNS only" (the grey cloud)',
    networks: networks([
      "173.245.48.0/20",
      "103.21.244.0/22",
      "103.22.200.0/22",
      "103.31.4.0/22",
      "141.101.64.0/18",
      "108.162.192.0/18",
      "190.93.240.0/20",
      "188.114.96.0/20",
      "197.234.240.0/22",
      "198.41.128.0/17",
      "162.158.0.0/15",
      "104.16.0.0/13",
      "104.24.0.0/14",
      "172.64.0.0/13",
      "131.0.72.0/22",
      "2400:cb00::/32",
      "2606:4700::/32",
      "2803:f800::/32",
      "2405:b500::/32",
      "2405:8100::/32",
      "2a06:98c0::/29",
      "2c0f:f248::/32",
    ]),
  },
];

/** The setting that switches a proxy off for a record. */
export const settingOf = (provider: string): string =>
  PROXIES.find((proxy) => proxy.provider === provider)?.setting ?? "DNS only";

/** The proxy that all of these addresses belong to; undefined if none is known. */
export const proxyOf = (addresses: readonly string[]): Proxy | undefined =>
  addresses.length === 0
    ? undefined
    : PROXIES.find((proxy) => addresses.every((address) => isInNetworks(address, proxy.networks)));
