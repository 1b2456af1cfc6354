import { lookup } from "node:dns/promises";
import { singleHosts } from "../lib/host-addresses.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { portHolder } from "../lib/port-holder.ts";
import { reasonOf } from "../lib/reason.ts";
import { listenForDns } from "../protocols/dns-server/listen.ts";
import { type Handler, listenHttp } from "./http-listener.ts";

/** An address to listen on, and the settings that it comes from. */
export interface ListenAddress {
  host: string;
  port: number;
  hostSetting: { env: string; flag: string };
  portFlag: string;
}

const hasAddress = (host: string): Promise<boolean> =>
  lookup(host).then(
    () => true,
    () => false,
  );

/** The remedy for the code of a failed `listen`. */
const remedyFor = (
  code: string | undefined,
  { port, hostSetting: { env, flag: hostFlag }, portFlag }: ListenAddress,
): string | undefined => {
  if (code === "EADDRNOTAVAIL")
    return `${env} is neither an address nor a name of this machine; choose another with --${hostFlag}, such as 127.0.0.1`;
  if (code === "EACCES")
    return `ports below 1024 need a permission: run it with adoption-store service install, grant CAP_NET_BIND_SERVICE, or choose another with --${portFlag}`;
  if (code !== "EADDRINUSE") return undefined;
  const holder = portHolder(port);
  return `the port is in use${holder ? ` by ${holder}: stop that` : ": stop what listens there"}, or choose another with --${portFlag}`;
};

/** Calls `listen`. @throws OperatorError with a remedy if it fails */
export const listenAt = async <Listening>(
  address: ListenAddress,
  listen: (where: { host: string; port: number }) => Listening | Promise<Listening>,
): Promise<Listening> => {
  const { host, port } = address;
  try {
    return await listen({ host, port });
  } catch (error) {
    // For a name that does not resolve, Bun's error has no code, or that of an earlier call.
    const code = (await hasAddress(host)) ? (error as { code?: string }).code : "EADDRNOTAVAIL";
    const remedy = remedyFor(code, address) ?? reasonOf(error);
    throw new OperatorError(`cannot listen on ${host}:${port}: ${remedy}`, { cause: error });
  }
};

export type Where = Pick<ListenAddress, "host" | "port">;

/** Every program of this user could share a shared port: makes sure that no other program listens there. */
export const claim = async (where: Where, fetch: Handler): Promise<Where> => {
  const alone = listenHttp({ ...where, fetch });
  await alone.stop(0);
  return { ...where, port: alone.port };
};

/** How long the workers of a killed server may take to end. */
const LEAVE_MS = 2000;
const RETRY_MS = 20;

/** Listens, as soon as the workers of a killed server have left the port: they end by themselves. */
export const listenAfterWorkers = async <Listening>(
  listen: () => Listening | Promise<Listening>,
): Promise<Listening> => {
  for (const end = performance.now() + LEAVE_MS; ;) {
    try {
      return await listen();
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE" || performance.now() > end) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
};

export interface Listener {
  stop(graceMs: number): Promise<void>;
}

/**
 * Each address has its own sockets: a response over UDP comes from the address that was asked, and port 53 of 127.0.0.53,
 * which systemd-resolved holds, is not touched.
 */
export const openDns = async (
  address: ListenAddress,
  respond: Parameters<typeof listenForDns>[2],
  onOpen: (listener: Listener) => void,
): Promise<number> => {
  let { port } = address;
  for (const host of singleHosts(address.host)) {
    const listener = await listenAt({ ...address, host, port }, (where) =>
      listenForDns(where.host, where.port, respond),
    );
    onOpen({ stop: async () => listener.stop() });
    ({ port } = listener);
  }
  return port;
};
