import type { Setting } from "./setting.ts";
import { API, SIGN_IN } from "./settings/access.ts";
import { BACKUPS, CLUSTER, LOGGING, NETWORK, STORAGE } from "./settings/server.ts";
import { HTTPS, NAME_SERVER, PLATFORM } from "./settings/platform.ts";

export type { Setting } from "./setting.ts";

/** Every setting of the server: one row is its flag, its environment variable, its default, its check and its help. */
export const SETTINGS = {
  ...NETWORK,
  ...HTTPS,
  ...STORAGE,
  ...BACKUPS,
  ...CLUSTER,
  ...PLATFORM,
  ...NAME_SERVER,
  ...API,
  ...SIGN_IN,
  ...LOGGING,
} as const;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The settings by the heading under which help shows them. */
export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  Network: NETWORK,
  HTTPS,
  Storage: STORAGE,
  Backups: BACKUPS,
  Cluster: CLUSTER,
  Platform: PLATFORM,
  "Name server": NAME_SERVER,
  API,
  "Sign-in": SIGN_IN,
  Logging: LOGGING,
};

/** The heading of a setting. */
export const groupOf = (name: SettingName): string =>
  Object.entries(SETTING_GROUPS).find(([, settings]) => name in settings)?.[0] ?? "";
