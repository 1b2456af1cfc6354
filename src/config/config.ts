import { join } from "node:path";
import { type BlobsUrl, InvalidBlobsUrl, completeBlobsUrl } from "../lib/blobs-url.ts";
import { InvalidDatabaseUrl } from "../lib/database-url.ts";
import { ConfigError } from "./setting.ts";
import { type ConfigFile, keyOf, readConfigFile, readDefaultConfigFile } from "./file.ts";
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from "./settings.ts";
import { CONFIG_VARIABLE, PREFIX, type Environment, type Sources, settingText } from "./sources.ts";

export { ConfigError } from "./setting.ts";
export type { Sources } from "./sources.ts";

type Settings = typeof SETTINGS;

/** The value of a setting without a default is undefined unless it is set. A list is empty. */
type Unset<S extends Setting> = S extends { type: "list" }
  ? never
  : string extends S["fallback"]
    ? undefined
    : never;

type Values = {
  readonly [Name in SettingName]:
    Exclude<ReturnType<Settings[Name]["parse"]>, undefined> | Unset<Settings[Name]>;
};

const placeOf = (name: SettingName, sources: Sources): string => {
  const setting: Setting = SETTINGS[name];
  const { kind, origin } = settingText(name, sources);
  if (kind === "flag" || kind === "environment") return origin;
  return `${origin}: ${kind === "file" ? keyOf(setting) : setting.env}`;
};

/** @throws ConfigError if `read` reports a more exact problem than the setting's form */
const explained = <Value>(name: SettingName, sources: Sources, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidDatabaseUrl || error instanceof InvalidBlobsUrl)) throw error;
    throw new ConfigError(`${placeOf(name, sources)}: ${error.message}`);
  }
};

const blobsUrlOf = ({ blobsUrl }: Values, sources: Sources): BlobsUrl | undefined =>
  blobsUrl && explained("blobsUrl", sources, () => completeBlobsUrl(blobsUrl, sources.env));

/** The value of a setting. @throws ConfigError that names its source and its form */
const valueOf = (name: SettingName, sources: Sources): unknown => {
  const setting: Setting = SETTINGS[name];
  const { text } = settingText(name, sources);
  if (text === "" && setting.fallback === "" && setting.type !== "list") return undefined;
  const value = explained(name, sources, () => setting.parse(text));
  if (value !== undefined) return value;
  // The message goes to a terminal or a log.
  const shown = setting.isSecret ? "the value" : JSON.stringify(text);
  throw new ConfigError(`${placeOf(name, sources)}: ${shown} must be ${setting.form}`);
};

/** @throws ConfigError if the settings ask for several processes, but only one is possible */
const workersOf = ({ workers, databaseUrl, drainTime }: Values, sources: Sources): number => {
  if (databaseUrl) {
    const { text } = settingText("workers", sources);
    if (text !== "auto" && workers > 1)
      throw new ConfigError(
        "WORKERS: with DATABASE_URL one process serves a node: remove WORKERS, and add nodes instead",
      );
    return 1;
  }
  if (workers > 1 && drainTime)
    throw new ConfigError("DRAIN_TIME needs one process: remove it, or remove WORKERS");
  if (workers > 1 && process.platform !== "linux")
    throw new ConfigError("WORKERS: more than one process needs Linux: leave it at 1");
  return workers;
};

/** True if other machines cannot reach this address. */
export const isLocalHost = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);

/** With HTTPS, PORT listens only on this machine unless PORT_HOST is set, because it is not encrypted. */
const portHostOf = ({ portHost, host, httpsPort }: Values): string =>
  portHost ?? (httpsPort === undefined || isLocalHost(host) ? host : "127.0.0.1");

/** A load balancer in front of the nodes notices within this time that one of them stops. */
const CLUSTER_DRAIN_MS = 2000;

/** Reads each setting from its source; see `settingText` for their order. @throws ConfigError */
export const readConfig = (sources: Sources) => {
  const values = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, valueOf(name, sources)]),
  ) as unknown as Values;
  const { logFormat, platformDomain, oidcIssuer } = values;
  if (!values.acmeEabKid !== !values.acmeEabHmac)
    throw new ConfigError("ACME_EAB_KID and ACME_EAB_HMAC: set both, or neither");
  if (values.acmeLimits.length > values.acmeDirectory.length)
    throw new ConfigError(
      "ACME_LIMITS has more entries than ACME_DIRECTORY has CAs: separate the limits of one CA with spaces, and CAs with commas",
    );
  if (!values.oidcIssuer !== !values.oidcClientId)
    throw new ConfigError("OIDC_ISSUER and OIDC_CLIENT_ID: set both, or neither");
  if (!values.dnsUpdateServer !== !values.dnsUpdateKeyFile)
    throw new ConfigError("DNS_UPDATE_SERVER and DNS_UPDATE_KEY_FILE: set both, or neither");
  return Object.freeze({
    ...values,
    workers: workersOf(values, sources),
    blobsUrl: blobsUrlOf(values, sources),
    dnsUpdateZone: values.dnsUpdateZone ?? platformDomain,
    oidcLabel: values.oidcLabel ?? (oidcIssuer === undefined ? "" : new URL(oidcIssuer).hostname),
    portHost: portHostOf(values),
    drainTime: values.drainTime ?? (values.databaseUrl ? CLUSTER_DRAIN_MS : 0),
    dnsListenHost: values.dnsListenHost ?? values.host,
    platformCnameTarget: values.platformCnameTarget ?? `cname.${platformDomain}`,
    backupDir: values.backupDir ?? join(values.dataDir, "backups"),
    logFormat:
      logFormat === "auto" ? (sources.isTerminal ? ("pretty" as const) : ("json" as const)) : logFormat,
    /** True for colours in the log. */
    colour: sources.isTerminal && !sources.env["NO_COLOR"],
  });
};

export type Config = ReturnType<typeof readConfig>;

/** The configuration file that a flag or a variable names, else the one in DATA_DIR, if there is one. @throws ConfigError */
const findConfigFile = ({ flags, env }: Omit<Sources, "isTerminal">): ConfigFile | undefined => {
  const path = flags["config"] ?? env[CONFIG_VARIABLE];
  if (path) return readConfigFile(String(path));
  return readDefaultConfigFile(settingText("dataDir", { flags, env }).text);
};

/** A service manager's input to the service: its variables, and the place that sets each. */
interface ServiceEnvironment {
  variables: Readonly<Record<string, string>>;
  places: Readonly<Record<string, string>>;
}

const withoutPrefix = (variable: string): string =>
  variable.startsWith(PREFIX) ? variable.slice(PREFIX.length) : variable;

/**
 * The environment of this process, which overrides that of the service, with or without the prefix. An empty variable counts as
 * unset.
 */
const mergedEnvironment = ({ variables, places }: ServiceEnvironment): Pick<Sources, "env" | "places"> => {
  const own = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value));
  const ownNames = new Set(Object.keys(own).map(withoutPrefix));
  const withoutOwn = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !ownNames.has(withoutPrefix(name))));
  return { env: { ...withoutOwn(variables), ...own }, places: withoutOwn(places) };
};

/** The flags, environment, configuration file and terminal of this process. @throws ConfigError */
export const processSources = (
  flags: Sources["flags"],
  service: ServiceEnvironment = { variables: {}, places: {} },
): Sources => {
  const environment = mergedEnvironment(service);
  return {
    flags,
    ...environment,
    file: findConfigFile({ flags, ...environment }),
    isTerminal: process.stdout.isTTY === true,
  };
};

export const processEnvironment = (): Environment => process.env;
