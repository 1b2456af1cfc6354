import { isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** True for the hosts that listen on all addresses of the machine. */
export const isAnyHost = (host: string): boolean => host === "0.0.0.0" || host === "::";

/**
 * The addresses of this machine at which other machines reach a listener on all addresses; none for any other host.
 * @param host `0.0.0.0` has those of IPv4, `::` has all
 */
const machineAddresses = (host: string, interfaces: Interfaces = networkInterfaces()): string[] => {
  if (!isAnyHost(host)) return [];
  return (
    Object.values(interfaces)
      .flatMap((list) => list ?? [])
      // A link-local address needs a zone, which differs from machine to machine.
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
      .filter(({ family }) => family === "IPv4" || host === "::")
      .map(({ address }) => address)
  );
};

/** The single addresses to listen on, instead of a host that means all of them. */
export const singleHosts = (host: string, interfaces?: Interfaces): string[] => {
  const addresses = machineAddresses(host, interfaces);
  return addresses.length > 0 ? addresses : [host];
};

const MAX_ADDRESSES = 4;

/**
 * The URLs under which other machines reach a listener on all addresses; none for any other host.
 * @param localUrl the URL of the listener on this machine
 */
export const networkUrls = (localUrl: string, host: string, interfaces?: Interfaces): string[] => {
  const { port } = new URL(localUrl);
  const suffix = port && `:${port}`;
  return machineAddresses(host, interfaces)
    .map((address) => `http://${isIPv6(address) ? `[${address}]` : address}${suffix}`)
    .slice(0, MAX_ADDRESSES);
};

/** The port at which visitors reach HTTPS: BASE_URL's if it has one, because a router may map it to the listening port. */
export const publicPort = (baseUrl: string | undefined, listeningPort: number): number =>
  baseUrl?.startsWith("https:") ? Number(new URL(baseUrl).port || 443) : listeningPort;
