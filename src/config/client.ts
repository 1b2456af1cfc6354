import type { Config } from "./config.ts";
import { ConfigError } from "./setting.ts";
import { origin } from "./parse.ts";
import type { Sources } from "./sources.ts";

export interface Client {
  /** Origin, without a path. */
  readonly server: string;
  /** An API key; undefined: the one in DATA_DIR. */
  readonly key: string | undefined;
}

const SERVER = "ADOPTION_STORE_URL";
const KEY = "ADOPTION_STORE_KEY";

export const CLIENT_VARIABLES = [SERVER, KEY] as const;

/** Reads the flag `server`, else the environment, else the address of a server with this configuration. @throws ConfigError */
export const readClient = ({ flags, env }: Sources, { baseUrl, port }: Config): Client => {
  const text = String(flags["server"] ?? (env[SERVER] || baseUrl || `http://localhost:${port}`));
  const server = origin(text);
  if (server === undefined) {
    const source = flags["server"] === undefined ? SERVER : "--server";
    throw new ConfigError(
      `${source}: ${JSON.stringify(text)} is not an address such as https://adopt.example.org`,
    );
  }
  return { server, key: env[KEY] || undefined };
};
