import { join, resolve } from "node:path";
import { blobsUrlText } from "../lib/blobs-url.ts";
import { writeDurably } from "../lib/durable.ts";
import type { Config } from "./config.ts";
import { type SettingName, SETTINGS } from "./settings.ts";
import { type Environment, PREFIX } from "./sources.ts";
import { readJson } from "../lib/files.ts";

/** The settings of a server that commands on the same DATA_DIR need. */
export const SHARED = [
  "port",
  "baseUrl",
  "stagingBaseUrl",
  "platformDomain",
  "platformCnameTarget",
  "domainConnectProviderId",
  "console",
  "apiHosts",
  "dnsResolvers",
  "dnsPort",
  "dnsPrivate",
  "caaIssuers",
  "httpsPort",
  "acmeDirectory",
  "acmeLimits",
  "acmeAgreeTos",
  "acmeCaFile",
  "nameserver",
  "dnsChallengeHook",
  "dnsUpdateServer",
  "dnsUpdateKeyFile",
  "strictCategories",
  "oidcIssuer",
  "oidcClientId",
] as const satisfies readonly SettingName[];

const MINUTE_MS = 60_000;

/** Lists have commas between items, and spaces between the words of an item. */
const textOf = (name: SettingName, value: unknown): string => {
  if (name === "backupSchedule") return `${Number(value) / MINUTE_MS}m`;
  return Array.isArray(value)
    ? value.map((item) => (Array.isArray(item) ? item.join(" ") : item)).join(",")
    : String(value);
};

/** These settings, and those of backups, in the form that `readConfig` reads, by environment variable. */
const textsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    ([...SHARED, "backupDir", "backupSchedule"] as const).flatMap((name) => {
      const value = config[name];
      return value === undefined ? [] : [[SETTINGS[name].env, textOf(name, value)]];
    }),
  );

/**
 * The file with the settings of the last server, for commands on the same DATA_DIR. Without it they would print addresses and
 * DNS records that differ from the server's, and check domains against them.
 */
export const savedSettingsPath = (dataDir: string): string => join(dataDir, "server.json");

/** Saves a server's settings in its DATA_DIR. @param port that it listens on */
export const saveSettings = async (config: Config, port: number): Promise<void> => {
  // Commands may run in another directory.
  const paths = {
    backupDir: resolve(config.backupDir),
    acmeCaFile: config.acmeCaFile && resolve(config.acmeCaFile),
    dnsChallengeHook: config.dnsChallengeHook && resolve(config.dnsChallengeHook),
    dnsUpdateKeyFile: config.dnsUpdateKeyFile && resolve(config.dnsUpdateKeyFile),
  };
  const texts = JSON.stringify(textsOf({ ...config, port, ...paths }), null, 2);
  await writeDurably(savedSettingsPath(config.dataDir), `${texts}\n`);
};

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((text) => typeof text === "string");

/** The settings of the last server of a DATA_DIR, by environment variable; none before the first. */
export const readSavedSettings = (dataDir: string): Readonly<Record<string, string>> => {
  const value = readJson(savedSettingsPath(dataDir));
  // The file may be damaged. Flags and the environment still apply.
  return isTexts(value) ? value : {};
};

/**
 * The environment in which a command has this server's BLOBS_URL, wherever that was written: other users of the machine can see
 * flags, and the command may not know the configuration file.
 */
export const childEnvironment = ({ blobsUrl }: Pick<Config, "blobsUrl">, env: Environment): Environment =>
  blobsUrl
    ? {
        ...env,
        [PREFIX + SETTINGS.blobsUrl.env]: blobsUrlText(blobsUrl),
        AWS_ACCESS_KEY_ID: blobsUrl.credentials?.accessKeyId,
        AWS_SECRET_ACCESS_KEY: blobsUrl.credentials?.secretAccessKey,
        AWS_SESSION_TOKEN: blobsUrl.credentials?.sessionToken,
      }
    : env;
