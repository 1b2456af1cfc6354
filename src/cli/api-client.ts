import { existsSync, readFileSync } from "node:fs";
import type { Client } from "../config/client.ts";
import type { Config } from "../config/config.ts";
import { adminKeyPath } from "../data/data-dir/paths.ts";
import { isWellFormed } from "../access/keys/secret.ts";
import { printable } from "../lib/text.ts";

/** The API's messages are shorter. */
const MAX_MESSAGE = 1000;

/** The server refused a request or did not respond. The message includes the remedy. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    message: string,
    /** The response's error code; "" without a response. */
    readonly code: string,
  ) {
    super(message);
  }
}

interface RequestContent {
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged, with `type` as its media type. */
  body?: ReadableStream<Uint8Array>;
  type?: string;
}

/** @throws ApiError if the file holds something else: it must not be sent to a server */
const readKey = (path: string): string => {
  const text = readFileSync(path, "utf8").trim();
  if (isWellFormed(text)) return text;
  throw new ApiError(`${path} does not contain an API key: name another file with --key-file`, "");
};

/** @throws ApiError */
const keyOf = ({ key }: Client, { dataDir }: Config, keyFile: string | undefined): string => {
  const path = keyFile ?? adminKeyPath(dataDir);
  if (keyFile === undefined && key !== undefined) return key;
  if (existsSync(path)) return readKey(path);
  throw new ApiError(
    `no API key, because ${path} does not exist: name a file with a key with --key-file, or set ADOPTION_STORE_KEY`,
    "",
  );
};

/** Bun's message for a refused connection says nothing about it. */
const connectionFault = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "ECONNREFUSED" || code === "ConnectionRefused"
    ? "connection refused"
    : message.replace(/ Is the computer able to access the url\?$/, "");

const unreachable = ({ server }: Client, reason: string) =>
  new ApiError(
    `no response from ${server} (${reason}): start the server with adoption-store serve, or name another with --server`,
    "",
  );

/** The value of JSON; undefined if the text is not JSON. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Another service may have responded, perhaps a proxy. */
const errorOf = (server: string, status: number, text: string): ApiError => {
  const { code, message } = (parse(text) ?? {}) as Record<string, unknown>;
  return typeof code === "string" && typeof message === "string"
    ? new ApiError(printable(message, MAX_MESSAGE), code)
    : new ApiError(
        `${server} responded with status ${status}, but not as adoption-store does: check --server, and the proxy in front of it`,
        "",
      );
};

const resultOf = (server: string, text: string): unknown => {
  const result = parse(text);
  if (typeof result === "object" && result !== null) return result;
  throw new ApiError(`${server} did not respond with JSON: is it adoption-store? Check --server`, "");
};

/** A client of a server's HTTP API. @param keyFile a file with the key, instead of the default one */
export const apiClient = (client: Client, config: Config, keyFile?: string) => {
  const key = keyOf(client, config, keyFile);
  return {
    /** @returns the JSON of the response @throws ApiError */
    async call<Result>(
      method: string,
      path: string,
      { json, body, type }: RequestContent = {},
    ): Promise<Result> {
      const content = json === undefined ? body : JSON.stringify(json);
      const response = await fetch(client.server + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(content !== undefined && { "content-type": type ?? "application/json" }),
        },
        ...(content !== undefined && { body: content }),
        redirect: "error",
        // Uploading an archive may take long.
        timeout: false,
      } as RequestInit).catch((error: Error) => {
        throw unreachable(client, connectionFault(error));
      });
      const text = await response.text();
      if (!response.ok) throw errorOf(client.server, response.status, text);
      return resultOf(client.server, text) as Result;
    },
  };
};

export type Api = ReturnType<typeof apiClient>;
