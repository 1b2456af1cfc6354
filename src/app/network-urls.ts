import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

const MAX_ADDRESSES = 4;

/** True for the hosts that listen on all addresses of the machine. */
export const isAnyHost = (host: string): boolean => host === "0.0.0.0" || host === "::";

/**
 * The URLs under which other machines reach a listener on all addresses; none for any other host.
 * @param localUrl the URL of the listener on this machine
 */
export const networkUrls = (
  localUrl: string,
  host: string,
  interfaces: Interfaces = networkInterfaces(),
): string[] => {
  if (!isAnyHost(host)) return [];
  const { port } = new URL(localUrl);
  const suffix = port && `:${port}`;
  return (
    Object.values(interfaces)
      .flatMap((list) => list ?? [])
      // A link-local address needs a zone, which differs from machine to machine.
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
      .filter(({ family }) => family === "IPv4" || host === "::")
      .map(({ family, address }) => `http://${family === "IPv6" ? `[${address}]` : address}${suffix}`)
      .slice(0, MAX_ADDRESSES)
  );
};
