import { join } from "node:path";
import type { LogFormat, LogLevel } from "../lib/log.ts";
import { SETTINGS, type Setting, type SettingName } from "./settings.ts";

/** Everything that can be set, checked and frozen. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The address for `port`; `host` is that of the other ports. */
  readonly portHost: string;
  /** Directory of the database, the lock and the first key. */
  readonly dataDir: string;
  /** Public address without a path, as clients reach it; undefined: where it listens. */
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
  readonly corsOrigins: readonly string[];
  /** How many proxies in front add to X-Forwarded-For. */
  readonly trustProxy: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Colours on the terminal. */
  readonly colour: boolean;
  /** Bytes of a JSON body. */
  readonly bodyLimit: number;
  readonly authFailuresPerMinute: number;
  /** Most writes that share one fsync. */
  readonly commitGroupSize: number;
  /** True if animals may name only categories that have a record. */
  readonly strictCategories: boolean;
  /** Bytes; below, `/readyz` says not ready. */
  readonly diskReserve: number;
  /** Projects are published at `<slug>.<platformDomain>`. */
  readonly platformDomain: string;
  /** CNAME targets of custom domains are `<label>.<platformCnameTarget>`. */
  readonly platformCnameTarget: string;
  /** True if there is a web console. */
  readonly console: boolean;
  /** Host names of the API beside `baseUrl`'s, addresses and local names. */
  readonly apiHosts: readonly string[];
  /** Bytes of an archive, packed. */
  readonly deployLimit: number;
  /** Bytes that the kept deploys of a project may take. */
  readonly projectQuota: number;
  /** `address` or `address:port` of each resolver; none: those of the system. */
  readonly dnsResolvers: readonly string[];
  /** Port of name servers that no setting names with a port of its own. */
  readonly dnsPort: number;
  /** True if name servers at private addresses may be asked. */
  readonly dnsPrivate: boolean;
  /** Undefined: no HTTPS. */
  readonly httpsPort: number | undefined;
  /** A port for HTTP beside `port`. */
  readonly httpPort: number | undefined;
  /** Directories of certificate authorities, tried in turn. */
  readonly acmeDirectory: readonly string[];
  readonly acmeAgreeTos: boolean;
  readonly acmeEmail: string | undefined;
  /** A file of PEM certificates. */
  readonly acmeCaFile: string | undefined;
  readonly acmeEabKid: string | undefined;
  readonly acmeEabHmac: string | undefined;
  /** Where authorities fetch challenges. */
  readonly acmeHttpPort: number;
  /** Where they ask for them in a TLS handshake. */
  readonly acmeTlsPort: number;
  /** Seconds that browsers are told to come over HTTPS only, at the most. */
  readonly hstsMaxAge: number;
  /** What CAA records must name for a certificate to be issued. */
  readonly caaIssuers: readonly string[];
  /** From one of the server's backups to the next, in milliseconds; undefined: it takes none. */
  readonly backupSchedule: number | undefined;
  /** Where it puts them. */
  readonly backupDir: string;
  /** How many of them stay. */
  readonly backupKeep: number;
}

/** A setting that cannot be used: its message names it and the form that it must have. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Values = { [K in SettingName]: Exclude<ReturnType<(typeof SETTINGS)[K]["parse"]>, undefined> };

/** Where a setting's text comes from. */
export interface Sources {
  /** By flag name in camel case, as the command line parser gives them. */
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  /** What holds where neither says anything, by environment variable. */
  saved?: Readonly<Record<string, string>>;
  /** True if standard output is a terminal. */
  isTerminal: boolean;
}

const valueOf = (name: SettingName, { flags, env, saved: remembered = {} }: Sources): unknown => {
  const setting: Setting = SETTINGS[name];
  const flag = flags[name];
  // An empty variable is an unset one: that is how shells and unit files unset them.
  const text = flag ?? (env[setting.env] || remembered[setting.env] || setting.fallback);
  const value = setting.parse(text);
  if (value !== undefined) return value;
  const source = flag === undefined ? setting.env : `--${setting.flag}`;
  throw new ConfigError(`${source}: ${JSON.stringify(text)} is not ${setting.form}`);
};

/** True for an address that other machines cannot reach. */
export const isLocalHost = (host: string): boolean => /^(?:localhost|127\..+|::1)$/.test(host);

/** With HTTPS, PORT is for this machine unless PORT_HOST says otherwise: what it serves goes over the network in clear. */
const portHostOf = ({ portHost, host, httpsPort }: Values): string =>
  portHost || (httpsPort === "" || isLocalHost(host) ? host : "127.0.0.1");

/** Flags, then environment, then what is remembered, then defaults. @throws ConfigError */
export const readConfig = (sources: Sources): Config => {
  const names = Object.keys(SETTINGS) as SettingName[];
  const values = Object.fromEntries(names.map((name) => [name, valueOf(name, sources)])) as unknown as Values;
  const { logFormat, baseUrl, stagingBaseUrl, platformDomain, platformCnameTarget } = values;
  if (!values.acmeEabKid !== !values.acmeEabHmac)
    throw new ConfigError("ACME_EAB_KID and ACME_EAB_HMAC: set both, or neither");
  return Object.freeze({
    ...values,
    portHost: portHostOf(values),
    baseUrl: baseUrl || undefined,
    stagingBaseUrl: stagingBaseUrl || undefined,
    platformCnameTarget: platformCnameTarget || `cname.${platformDomain}`,
    httpsPort: values.httpsPort === "" ? undefined : values.httpsPort,
    httpPort: values.httpPort === "" ? undefined : values.httpPort,
    acmeEmail: values.acmeEmail || undefined,
    acmeCaFile: values.acmeCaFile || undefined,
    acmeEabKid: values.acmeEabKid || undefined,
    acmeEabHmac: values.acmeEabHmac || undefined,
    backupSchedule: values.backupSchedule === "" ? undefined : values.backupSchedule,
    backupDir: values.backupDir || join(values.dataDir, "backups"),
    logFormat: logFormat === "auto" ? (sources.isTerminal ? "pretty" : "json") : logFormat,
    colour: sources.isTerminal && !sources.env["NO_COLOR"],
  });
};

/** What the process was started with. */
export const processSources = (
  flags: Sources["flags"],
  remembered: Readonly<Record<string, string>> = {},
): Sources => ({
  flags,
  saved: remembered,
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
});
