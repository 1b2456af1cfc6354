import { readFileSync } from "node:fs";
import { readConfig } from "../../../src/config/config.ts";
import { adminKeyPath } from "../../../src/data/data-dir/paths.ts";
import { readProcessRecord } from "../../../src/data/data-dir/process-record.ts";
import { bundledProgram } from "../../support/program.ts";
import { startServer } from "../../../src/app/server.ts";
import { atEnd, temporaryDirectory } from "../../support/store.ts";

/** So many new connections reach every process of a server, but for one time in a million. */
const CONNECTIONS = 40;

export interface Sent extends Omit<RequestInit, "headers"> {
  key?: string;
  headers?: Record<string, string>;
}

/** A server of three processes. */
export const serveWithWorkers = async (env: Record<string, string> = {}) => {
  const config = readConfig({
    flags: {},
    env: {
      DATA_DIR: temporaryDirectory(),
      HOST: "127.0.0.1",
      PORT: "0",
      LOG_LEVEL: "silent",
      WORKERS: "3",
      ...env,
    },
    isTerminal: false,
  });
  const server = await startServer(config, { program: await bundledProgram() });
  atEnd(() => server.stop());
  const adminKey = readFileSync(adminKeyPath(config.dataDir), "utf8").trim();

  /** Sends a request over a new connection. */
  const call = (path: string, { key = adminKey, headers, ...init }: Sent = {}): Promise<Response> =>
    fetch(server.url + path, {
      ...init,
      headers: { authorization: `Bearer ${key}`, connection: "close", ...headers },
    });
  const post = (path: string, body: unknown, { headers, ...sent }: Sent = {}): Promise<Response> =>
    call(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
      ...sent,
    });
  return {
    server,
    config,
    key: adminKey,
    call,
    post,
    /** Sends a request over many connections concurrently. */
    callAll: (path: string, sent?: Sent): Promise<Response[]> =>
      Promise.all(Array.from({ length: CONNECTIONS }, () => call(path, sent))),
    add: async (name: string): Promise<number> => {
      const response = await post("/v1/pets", { name, categoryId: 1 });
      return ((await response.json()) as { id: number }).id;
    },
    /** The process ids of the workers. */
    workers: (): readonly number[] => readProcessRecord(config.dataDir)?.workers ?? [],
  };
};

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
