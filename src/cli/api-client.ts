import { existsSync, readFileSync } from "node:fs";
import type { Client } from "../config/client.ts";
import type { Config } from "../config/config.ts";
import { adminKeyPath } from "../data-dir/paths.ts";

/** The server refused, or is not there; the message says what to do. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    message: string,
    /** The error's code; "" if there was no answer. */
    readonly code: string,
  ) {
    super(message);
  }
}

export interface RequestContent {
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, as `type`. */
  body?: ReadableStream<Uint8Array>;
  type?: string;
}

export interface Api {
  /** The answer's JSON. @throws ApiError */
  call<Answer>(method: string, path: string, sent?: RequestContent): Promise<Answer>;
}

const readKey = (path: string): string => readFileSync(path, "utf8").trim();

/** @throws ApiError */
const keyOf = ({ key }: Client, { dataDir }: Config, keyFile: string | undefined): string => {
  const path = keyFile ?? adminKeyPath(dataDir);
  if (keyFile === undefined && key !== undefined) return key;
  if (existsSync(path)) return readKey(path);
  throw new ApiError(
    `no API key: ${path} does not exist; name a file that holds one with --key-file, or set ADOPTION_STORE_KEY`,
    "",
  );
};

const unreachable = ({ server }: Client, reason: string) =>
  new ApiError(
    `no answer from ${server} (${reason}): start the server with adoption-store serve, or name another with --server`,
    "",
  );

/** A server's HTTP API. @param keyFile a file that holds the key, in place of the usual one */
export const apiClient = (client: Client, config: Config, keyFile?: string): Api => {
  const key = keyOf(client, config, keyFile);
  return {
    async call<Answer>(method: string, path: string, { json, body, type }: RequestContent = {}) {
      const sent = json === undefined ? body : JSON.stringify(json);
      const answer = await fetch(client.server + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(sent !== undefined && { "content-type": type ?? "application/json" }),
        },
        ...(sent !== undefined && { body: sent }),
        redirect: "error",
        // An archive may take its time.
        timeout: false,
      } as RequestInit).catch((error: Error) => {
        throw unreachable(client, error.message);
      });
      const text = await answer.text();
      if (answer.ok) return (text === "" ? undefined : JSON.parse(text)) as Answer;
      let fault: { code?: string; message?: string } = {};
      try {
        fault = JSON.parse(text) as typeof fault;
      } catch {
        // Not this service's answer: a proxy's, perhaps.
      }
      throw new ApiError(fault.message ?? `${client.server} answered ${answer.status}`, fault.code ?? "");
    },
  };
};
