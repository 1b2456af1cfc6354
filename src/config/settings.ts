import { BACKUPS } from "./settings/backups.ts";
import { HTTPS } from "./settings/https.ts";
import { PLATFORM } from "./settings/platform.ts";
import { SERVER } from "./settings/server.ts";
import { STORE } from "./settings/store.ts";

export type { Setting } from "./setting.ts";

/** Every setting of the server: one row is its flag, its environment variable, its default, its check and its help. */
export const SETTINGS = { ...SERVER, ...STORE, ...PLATFORM, ...HTTPS, ...BACKUPS } as const;

export type SettingName = keyof typeof SETTINGS;
