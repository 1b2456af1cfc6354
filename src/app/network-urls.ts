import { isIPv6 } from "node:net";
import { type Interfaces, machineAddresses } from "./host-addresses.ts";

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
