import { join } from "node:path";
import { type BlobsUrl, InvalidBlobsUrl, completeBlobsUrl } from "../lib/blobs-url.ts";
import { type DatabaseUrl, InvalidDatabaseUrl } from "../lib/database-url.ts";
import type { LogFormat, LogLevel } from "../lib/log.ts";
import { ConfigError } from "./setting.ts";
import { type ConfigFile, keyOf, readConfigFile, readDefaultConfigFile } from "./file.ts";
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from "./settings.ts";
import { CONFIG_VARIABLE, PREFIX, type Environment, type Sources, settingText } from "./sources.ts";

export { ConfigError } from "./setting.ts";
export type { Sources } from "./sources.ts";

/** All settings, checked and frozen. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The address for `port`; `host` is for the other ports. */
  readonly portHost: string;
  /** Directory of the database, the lock and the first key. */
  readonly dataDir: string;
  /** The public address, without a path; undefined: the server's listening address. */
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  /** The number of proxies in front of the server that add to X-Forwarded-For. */
  readonly trustProxy: number;
  /** The number of processes that serve requests, this one included. */
  readonly workers: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** True for colours in the log. */
  readonly colour: boolean;
  /** The largest JSON body, in bytes. */
  readonly bodyLimit: number;
  readonly authFailuresPerMinute: number;
  readonly eventStreams: number;
  readonly eventStreamsPerKey: number;
  /** The maximum number of writes that share one fsync. */
  readonly commitGroupSize: number;
  /** How many days an entry of the audit log is kept; 0: forever. */
  readonly auditDays: number;
  /** True if animals may name only categories that have a record. */
  readonly strictCategories: boolean;
  /** Free bytes on the disk below which `/readyz` reports not ready. */
  readonly diskReserve: number;
  /** Projects are published at `<slug>.<platformDomain>`. */
  readonly platformDomain: string;
  /** CNAME targets of custom domains are `<label>.<platformCnameTarget>`. */
  readonly platformCnameTarget: string;
  /** True if there is a web console. */
  readonly console: boolean;
  /** Host names of the API in addition to `baseUrl`'s, addresses and local names. */
  readonly apiHosts: readonly string[];
  /** The largest archive, in bytes. */
  readonly deployLimit: number;
  /** The bytes that the deploys of a project may take. */
  readonly projectQuota: number;
  /** `address` or `address:port` of each resolver; empty: the system's. */
  readonly dnsResolvers: readonly string[];
  /** The port of name servers whose setting has no port. */
  readonly dnsPort: number;
  /** True if name servers may have private addresses. */
  readonly dnsPrivate: boolean;
  /** Whether `/domain-check` is served to people without a key. */
  readonly publicDomainCheck: boolean;
  /** The name of this service in Domain Connect, which is off if undefined. */
  readonly domainConnectProviderId: string | undefined;
  /** The host names of the built-in name server; empty: it is off. */
  readonly nameserver: readonly string[];
  /** The public addresses of this service, for the records of the name server; empty: those of the machine. */
  readonly publicAddresses: readonly string[];
  readonly dnsListenPort: number;
  /** The address that the name server listens on. */
  readonly dnsListenHost: string;
  /** Undefined: no HTTPS. */
  readonly httpsPort: number | undefined;
  /** A second port for HTTP. */
  readonly httpPort: number | undefined;
  /** ACME directories of CAs, tried in turn. */
  readonly acmeDirectory: readonly string[];
  /** For each CA in `acmeDirectory`, a preset and changes to its limits, if set. */
  readonly acmeLimits: readonly (readonly string[])[];
  readonly acmeAgreeTos: boolean;
  readonly acmeEmail: string | undefined;
  /** A file of PEM certificates. */
  readonly acmeCaFile: string | undefined;
  readonly acmeEabKid: string | undefined;
  readonly acmeEabHmac: string | undefined;
  /** The certificate profile to order; undefined: the CA's default. */
  readonly acmeProfile: string | undefined;
  /** The port where CAs fetch challenges. */
  readonly acmeHttpPort: number;
  /** The port where CAs open TLS handshakes for challenges. */
  readonly acmeTlsPort: number;
  /** A program that adds and removes the TXT records of challenges. */
  readonly dnsChallengeHook: string | undefined;
  /** `address` or `address:port` of a primary name server that takes dynamic updates. */
  readonly dnsUpdateServer: string | undefined;
  /** A file with a TSIG key; set if `dnsUpdateServer` is. */
  readonly dnsUpdateKeyFile: string | undefined;
  readonly dnsUpdateZone: string;
  /** The longest `max-age` of Strict-Transport-Security, in seconds. */
  readonly hstsMaxAge: number;
  /** The names of the CA in CAA records. */
  readonly caaIssuers: readonly string[];
  /** The interval of scheduled backups in milliseconds; undefined: none. */
  readonly backupSchedule: number | undefined;
  /** The directory of scheduled backups. */
  readonly backupDir: string;
  /** The number of scheduled backups to keep. */
  readonly backupKeep: number;
  /** The engine of the cluster's log; undefined: this machine has the store alone. */
  readonly databaseUrl: DatabaseUrl | undefined;
  /** The bucket that has the files of all sites; undefined: they are on this machine alone. */
  readonly blobsUrl: BlobsUrl | undefined;
  /** How long sites are served while this machine's copy may be out of date, in milliseconds. */
  readonly staleLimit: number;
  /** The OpenID Connect provider; undefined: people sign in with passkeys only. */
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  /** Undefined: a public client. */
  readonly oidcClientSecret: string | undefined;
  /** Separated by spaces. */
  readonly oidcScopes: string;
  /** The provider's name, for people. */
  readonly oidcLabel: string;
}

type Values = { [K in SettingName]: Exclude<ReturnType<(typeof SETTINGS)[K]["parse"]>, undefined> };

/** The place of a setting's text. */
const placeOf = (name: SettingName, sources: Sources): string => {
  const setting: Setting = SETTINGS[name];
  const { kind, origin } = settingText(name, sources);
  const key = {
    environment_file: `: ${setting.env}`,
    file: `: ${keyOf(setting)}`,
    saved: `: ${setting.env}`,
    default: `: ${setting.env}`,
  };
  return kind in key ? origin + key[kind as keyof typeof key] : origin;
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

const parsedOf = (name: SettingName, sources: Sources): unknown =>
  explained(name, sources, () => SETTINGS[name].parse(settingText(name, sources).text));

const blobsUrlOf = ({ blobsUrl }: Values, sources: Sources): BlobsUrl | undefined =>
  blobsUrl === "" ? undefined : explained("blobsUrl", sources, () => completeBlobsUrl(blobsUrl, sources.env));

/** The value of a setting. @throws ConfigError that names its source and its form */
const valueOf = (name: SettingName, sources: Sources): unknown => {
  const setting: Setting = SETTINGS[name];
  const value = parsedOf(name, sources);
  if (value !== undefined) return value;
  // The message goes to a terminal or a log.
  const shown = setting.isSecret ? "the value" : JSON.stringify(settingText(name, sources).text);
  throw new ConfigError(`${placeOf(name, sources)}: ${shown} must be ${setting.form}`);
};

/** @throws ConfigError if the settings ask for several processes, but only one is possible */
const workersOf = ({ workers, databaseUrl }: Values, sources: Sources): number => {
  if (databaseUrl !== "") {
    const { text } = settingText("workers", sources);
    if (text !== "auto" && workers > 1)
      throw new ConfigError(
        "WORKERS: with DATABASE_URL one process serves a node: remove WORKERS, and add nodes instead",
      );
    return 1;
  }
  if (workers > 1 && process.platform !== "linux")
    throw new ConfigError("WORKERS: more than one process needs Linux: leave it at 1");
  return workers;
};

/** True if other machines cannot reach this address. */
export const isLocalHost = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);

/** With HTTPS, PORT listens only on this machine unless PORT_HOST is set, because it is not encrypted. */
const portHostOf = ({ portHost, host, httpsPort }: Values): string =>
  portHost || (httpsPort === "" || isLocalHost(host) ? host : "127.0.0.1");

const oidcOf = ({ oidcIssuer, oidcClientId, oidcClientSecret, oidcLabel }: Values) => ({
  oidcIssuer: oidcIssuer || undefined,
  oidcClientId: oidcClientId || undefined,
  oidcClientSecret: oidcClientSecret || undefined,
  oidcLabel: oidcLabel || (oidcIssuer && new URL(oidcIssuer).hostname),
});

/** Reads each setting from its source; see `settingText` for their order. @throws ConfigError */
export const readConfig = (sources: Sources): Config => {
  const values = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, valueOf(name, sources)]),
  ) as unknown as Values;
  const { logFormat, baseUrl, stagingBaseUrl, platformDomain, platformCnameTarget } = values;
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
    databaseUrl: values.databaseUrl || undefined,
    blobsUrl: blobsUrlOf(values, sources),
    dnsChallengeHook: values.dnsChallengeHook || undefined,
    dnsUpdateServer: values.dnsUpdateServer || undefined,
    dnsUpdateKeyFile: values.dnsUpdateKeyFile || undefined,
    dnsUpdateZone: values.dnsUpdateZone || platformDomain,
    ...oidcOf(values),
    portHost: portHostOf(values),
    dnsListenHost: values.dnsListenHost || values.host,
    baseUrl: baseUrl || undefined,
    stagingBaseUrl: stagingBaseUrl || undefined,
    platformCnameTarget: platformCnameTarget || `cname.${platformDomain}`,
    domainConnectProviderId: values.domainConnectProviderId || undefined,
    httpsPort: values.httpsPort === "" ? undefined : values.httpsPort,
    httpPort: values.httpPort === "" ? undefined : values.httpPort,
    acmeEmail: values.acmeEmail || undefined,
    acmeCaFile: values.acmeCaFile || undefined,
    acmeEabKid: values.acmeEabKid || undefined,
    acmeEabHmac: values.acmeEabHmac || undefined,
    acmeProfile: values.acmeProfile || undefined,
    backupSchedule: values.backupSchedule === "" ? undefined : values.backupSchedule,
    backupDir: values.backupDir || join(values.dataDir, "backups"),
    logFormat: logFormat === "auto" ? (sources.isTerminal ? "pretty" : "json") : logFormat,
    colour: sources.isTerminal && !sources.env["NO_COLOR"],
  });
};

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

/** The environment variables of this process. */
export const processEnvironment = (): Environment => process.env;
