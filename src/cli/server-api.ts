import { existsSync, readFileSync } from "node:fs";
import { ApiError } from "../client/api-error.ts";
import { type Client, createClient } from "../client/client.ts";
import type { Fetch, Reply } from "../client/transport.ts";
import type { Client as ClientSettings } from "../config/client.ts";
import type { Config } from "../config/config.ts";
import { adminKeyPath } from "../data/data-dir/paths.ts";
import { isWellFormed } from "../access/keys/secret.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { printable } from "../lib/text.ts";
import { availableConfig, clientOf } from "./settings.ts";

/** The API's messages are shorter. */
const MAX_MESSAGE = 1000;

/** @throws OperatorError if the file holds something else: it must not be sent to a server */
const readKey = (path: string): string => {
  const text = readFileSync(path, "utf8").trim();
  if (isWellFormed(text)) return text;
  throw new OperatorError(`${path} does not contain an API key: name another file with --key-file`);
};

/** @throws OperatorError */
const keyOf = ({ key }: ClientSettings, { dataDir }: Config, keyFile: string | undefined): string => {
  const path = keyFile ?? adminKeyPath(dataDir);
  if (keyFile === undefined && key !== undefined) return key;
  if (existsSync(path)) return readKey(path);
  throw new OperatorError(
    `no API key, because ${path} does not exist: name a file with a key with --key-file, or set ADOPTION_STORE_KEY`,
  );
};

/** Bun's message for a refused connection does not mention the refusal. */
const connectionFault = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ECONNREFUSED" || code === "ConnectionRefused"
    ? "connection refused"
    : message.replace(/ Is the computer able to access the url\?$/, "");

/** Why a request failed, and the remedy. Another service may have responded, perhaps a proxy. */
const describe = (server: string, { status, code, message, cause }: ApiError): string => {
  if (code === "unreachable")
    return `no response from ${server} (${connectionFault(cause as Error)}): start the server with adoption-store serve, or name another with --server`;
  if (code !== "unreadable") return printable(message, MAX_MESSAGE);
  return status < 400
    ? `${server} did not respond with JSON: is it adoption-store? Check --server`
    : `${server} responded with status ${status}, but not as adoption-store does: check --server, and the proxy in front of it`;
};

/** @throws ApiError if the response is not JSON */
export const dataOf = async <Data>(reply: Promise<Reply<Data>>): Promise<Data> => {
  const { data, response } = await reply;
  if (typeof data === "object" && data !== null) return data;
  throw new ApiError(response.status, "unreadable", "The response is not JSON.");
};

/** Sends a request. The client itself sends no stream, because it could not repeat that. Uploading an archive may take long. */
const fetchWith =
  (archive: ReadableStream<Uint8Array> | undefined): Fetch =>
  (url, init) =>
    fetch(url, { ...init, ...(archive && { body: archive }), redirect: "error", timeout: false });

/** The operations of a server. @param archive sent as the body, while it is packed */
export type Api = (archive?: ReadableStream<Uint8Array>) => Client;

/** Runs `work` with the API of a server. Requests are not repeated, so that a wrong address is reported immediately. */
export const withApi = async <Result>(
  input: { server: string | undefined; keyFile: string | undefined },
  work: (api: Api, server: string) => Promise<Result>,
): Promise<Result> => {
  const config = availableConfig(input);
  const client = clientOf(input, config);
  const apiKey = keyOf(client, config, input.keyFile);
  const options = { baseUrl: client.server, apiKey, maxRetries: 0, timeoutMs: 0 };
  try {
    return await work((archive) => createClient({ ...options, fetch: fetchWith(archive) }), client.server);
  } catch (error) {
    throw error instanceof ApiError ? new OperatorError(describe(client.server, error)) : error;
  }
};

/** The options of a command that calls the API. */
export const SERVER = {
  "--server <url>":
    "address of the server (env ADOPTION_STORE_URL; default BASE_URL or http://localhost:PORT)",
  "--key-file <file>":
    "file with an API key (default DATA_DIR/admin.key; env ADOPTION_STORE_KEY holds the key itself)",
} as const;
