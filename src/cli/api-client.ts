import { existsSync, readFileSync } from "node:fs";
import type { Client } from "../config/client.ts";
import type { Config } from "../config/config.ts";
import { adminKeyPath } from "../data-dir/paths.ts";
import { isWellFormed } from "../keys/secret.ts";

/** The server refused a request or did not respond; the message says what to do. */
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

const errorOf = (server: string, status: number, text: string): ApiError => {
  let fault: { code?: string; message?: string } = {};
  try {
    fault = JSON.parse(text) as typeof fault;
  } catch {
    // Another service responded, perhaps a proxy.
  }
  return new ApiError(fault.message ?? `${server} responded with status ${status}`, fault.code ?? "");
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
      return (text === "" ? undefined : JSON.parse(text)) as Result;
    },
  };
};

export type Api = ReturnType<typeof apiClient>;
