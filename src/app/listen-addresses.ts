import { lookup } from "node:dns/promises";
import type { Config } from "../config/config.ts";
import { SETTINGS, type SettingName } from "../config/settings.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { reasonOf } from "../lib/reason.ts";
import { portHolder } from "./port-holder.ts";

/** An address to listen on, and the settings that it comes from. */
export interface ListenAddress {
  host: string;
  port: number;
  hostSetting: SettingName;
  portSetting: SettingName;
}

export interface ListenAddresses {
  /** The address of PORT. */
  main: ListenAddress;
  http: ListenAddress | undefined;
  https: ListenAddress | undefined;
  /** Of the name server. */
  dns: ListenAddress;
}

/** Reads the addresses from the settings. */
export const listenAddresses = ({
  host,
  port,
  portHost,
  httpPort,
  httpsPort,
  dnsListenHost,
  dnsListenPort,
}: Config): ListenAddresses => ({
  main: { host: portHost, port, hostSetting: portHost === host ? "host" : "portHost", portSetting: "port" },
  http:
    httpPort === undefined
      ? undefined
      : { host, port: httpPort, hostSetting: "host", portSetting: "httpPort" },
  https:
    httpsPort === undefined
      ? undefined
      : { host, port: httpsPort, hostSetting: "host", portSetting: "httpsPort" },
  dns: {
    host: dnsListenHost,
    port: dnsListenPort,
    hostSetting: dnsListenHost === host ? "host" : "dnsListenHost",
    portSetting: "dnsListenPort",
  },
});

const hasAddress = (host: string): Promise<boolean> =>
  lookup(host).then(
    () => true,
    () => false,
  );

/** What to do about the code of a failed `listen`. */
const remedyFor = (
  code: string | undefined,
  { port, hostSetting, portSetting }: ListenAddress,
): string | undefined => {
  const { env, flag: hostFlag } = SETTINGS[hostSetting];
  const { flag: portFlag } = SETTINGS[portSetting];
  if (code === "EADDRNOTAVAIL")
    return `${env} is neither an address nor a name of this machine; choose another with --${hostFlag}, such as 127.0.0.1`;
  if (code === "EACCES")
    return `ports below 1024 need a permission: run it with adoption-store service install, grant CAP_NET_BIND_SERVICE, or choose another with --${portFlag}`;
  if (code !== "EADDRINUSE") return undefined;
  const holder = portHolder(port);
  return `the port is in use${holder ? ` by ${holder}: stop that` : ": stop what listens there"}, or choose another with --${portFlag}`;
};

/** Calls `listen`. @throws OperatorError that says what to do if it fails */
export const listenAt = async <Listening>(
  { host, port, hostSetting, portSetting }: ListenAddress,
  listen: (where: { host: string; port: number }) => Listening | Promise<Listening>,
): Promise<Listening> => {
  try {
    return await listen({ host, port });
  } catch (error) {
    // For a name that does not resolve, Bun's error has no code, or that of an earlier call.
    const code = (await hasAddress(host)) ? (error as { code?: string }).code : "EADDRNOTAVAIL";
    const remedy = remedyFor(code, { host, port, hostSetting, portSetting }) ?? reasonOf(error);
    throw new OperatorError(`cannot listen on ${host}:${port}: ${remedy}`, { cause: error });
  }
};
