import type { Databases, DataDir } from "./databases.ts";
import type { Pace } from "./options.ts";
import { type Server, startServer } from "./processes.ts";

/** What every measurement works with. */
export interface Bench {
  executable: string;
  /** Of the run; gone afterwards. */
  directory: string;
  databases: Databases;
  pace: Pace;
  quick: boolean;
}

/** Serves a DATA_DIR by the executable, on a free port. */
export const serve = (
  { executable, directory }: Bench,
  data: DataDir,
  settings: Record<string, string> = {},
): Promise<Server> =>
  startServer("adoption-store", [executable, "serve"], {
    directory,
    settings: { DATA_DIR: data.path, PORT: "0", LOG_LEVEL: "warn", ...settings },
  });

/** Does something with servers, and stops them whatever happens. */
export const withServers = async <Servers extends readonly Server[], Result>(
  servers: Servers,
  work: (servers: Servers) => Promise<Result>,
): Promise<Result> => {
  try {
    return await work(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
};

/** A port that was free a moment ago, for what must be known before a server can say it. */
export const freePort = async (): Promise<number> => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
};
