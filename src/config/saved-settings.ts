import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeDurably } from "../lib/durable.ts";
import type { Config } from "./config.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

/** What commands beside a server must know of it. */
export const SHARED = [
  "port",
  "baseUrl",
  "stagingBaseUrl",
  "platformDomain",
  "platformCnameTarget",
  "apiHosts",
  "dnsResolvers",
  "dnsPort",
  "dnsPrivate",
  "caaIssuers",
  "httpsPort",
  "acmeCaFile",
  "strictCategories",
] as const satisfies readonly SettingName[];

const MINUTE_MS = 60_000;

const textOf = (name: SettingName, value: unknown): string =>
  name === "backupSchedule" ? `${Number(value) / MINUTE_MS}m` : String(value);

/** The shared settings as `readConfig` takes them, by environment variable, and where the backups are. */
const textsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    ([...SHARED, "backupDir", "backupSchedule"] as const).flatMap((name) => {
      const value = config[name];
      return value === undefined ? [] : [[SETTINGS[name].env, textOf(name, value)]];
    }),
  );

/**
 * What a server runs with, for the commands beside it: without this they would print other addresses and records than the
 * server, and check domains against them. It is there as soon as a server has run.
 */
export const savedSettingsPath = (dataDir: string): string => join(dataDir, "server.json");

/** Keeps a server's settings in its DATA_DIR. @param port where it listens */
export const saveSettings = async (config: Config, port: number): Promise<void> => {
  const texts = JSON.stringify(textsOf({ ...config, port, backupDir: resolve(config.backupDir) }), null, 2);
  await writeDurably(savedSettingsPath(config.dataDir), `${texts}\n`);
};

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((text) => typeof text === "string");

/** The settings of the server that last ran on a DATA_DIR, as environment variables; none if there was none. */
export const readSavedSettings = (dataDir: string): Readonly<Record<string, string>> => {
  const path = savedSettingsPath(dataDir);
  try {
    const value: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    return isTexts(value) ? value : {};
  } catch {
    // Broken off by a full disk, perhaps: flags and the environment still say what they say.
    return {};
  }
};
