import { isIP } from "node:net";

/** A name server to ask. */
export interface Server {
  /** An IP address. */
  address: string;
  port: number;
}

export const DNS_PORT = 53;

/** Parses an address, `address:port` or `[address]:port`; undefined for anything else. */
export const parseServer = (text: string, fallbackPort = DNS_PORT): Server | undefined => {
  if (isIP(text) !== 0) return { address: text, port: fallbackPort };
  const [, bracketed, dotted, digits] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? "";
  const port = digits === undefined ? fallbackPort : Number(digits);
  const isValid = isIP(address) === (bracketed === undefined ? 4 : 6) && port > 0 && port < 65_536;
  return isValid ? { address, port } : undefined;
};

/** `192.0.2.1`, `[2001:db8::1]:5353`: without the port if it is 53. */
export const formatServer = ({ address, port }: Server): string => {
  if (port === 53) return address;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
};
