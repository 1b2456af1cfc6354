import { type Config, readConfig } from "../config/config.ts";
import { SETTING_NAMES } from "../config/settings.ts";
import { takeSupervisor } from "../config/sources.ts";
import { engineError } from "../data/data-dir/storage.ts";
import { reasonOf } from "../lib/reason.ts";
import { EngineUnavailable } from "../lib/storage-errors.ts";
import { type ServiceNotifier, serviceNotifier } from "../operate/service/notify.ts";
import { startServer } from "../app/server.ts";
import { startLines } from "./print/start-lines.ts";
import { command } from "./command.ts";
import { ignoresHangup } from "./signals.ts";
import { serverSources, settingWarnings } from "./settings.ts";
import { MigrationStopped } from "../operate/backups/migration.ts";
import { note, print, printJson } from "./print/output.ts";

/** Resolves with the first signal that asks the server to stop. A second SIGTERM or SIGINT ends it immediately. */
const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    const stop = (name: string) => {
      for (const ending of ["SIGTERM", "SIGINT"]) process.off(ending, stop);
      resolve(name);
    };
    for (const ending of ["SIGTERM", "SIGINT"]) process.on(ending, stop);
    // A closing terminal sends it more than once.
    if (!ignoresHangup()) process.on("SIGHUP", stop);
  });

/** Prints a line as a JSON log does, at every log level. */
const printLogged = (message: string) =>
  printJson({ level: "info", time: new Date().toISOString(), message });

/** Exits because only the end of the process stops a long statement in the worker. */
const exitIfStopped =
  (config: Config) =>
  (error: unknown): never => {
    if (error instanceof EngineUnavailable && config.databaseUrl)
      throw engineError(config.databaseUrl, error);
    if (!(error instanceof MigrationStopped)) throw error;
    note(error.message);
    process.exit(0);
  };

const noteFailure = (error: unknown) => note(`systemd could not be notified: ${reasonOf(error)}`);

/** Undefined unless a service manager started this process. */
const createNotifier = (): ServiceNotifier | undefined => {
  const supervisor = takeSupervisor();
  return supervisor && serviceNotifier({ ...supervisor, onError: noteFailure });
};

export const serveCommand = command({
  name: "serve",
  summary: "run the server",
  description: "run the server until Ctrl-C, SIGTERM or SIGHUP",
  settings: SETTING_NAMES,
  notes: [
    "The first start creates DATA_DIR with a database. If no usable key has all scopes and no administrator can sign in, the start writes a new key with all scopes to DATA_DIR/admin.key. Settings can also be in DATA_DIR/adoption-store.toml: adoption-store config example prints such a file.",
  ],
  examples: {
    "Try it on this machine": "",
    "Serve the local network": "--host 0.0.0.0 --port 8080",
    "Run behind a proxy that does HTTPS": "--base-url https://adopt.example.org --trust-proxy 1",
    "Do HTTPS without a proxy, with certificates from Let's Encrypt":
      "--host 0.0.0.0 --http-port 80 --https-port 443 \\\n  --base-url https://adopt.example.org --acme-agree-tos",
  },
  async run(flags) {
    const sources = serverSources(flags);
    const config = readConfig(sources);
    const signal = stopSignal();
    const stopping = new AbortController();
    void signal.then((name) => stopping.abort(name));
    const notifier = createNotifier();
    notifier?.starting();
    const start = () => startServer(config, stopping);
    const starting = config.databaseUrl
      ? (await import("../data/cluster/restarts.ts")).startNode(config, start, stopping)
      : start();
    const server = await starting.catch(exitIfStopped(config));
    for (const warning of settingWarnings(sources)) server.log.warn(warning);
    // The executable starts with a JIT that compiles late, which saves a fifth of the start's CPU time. Now compiling pays off.
    Bun.unsafe.setJITPolicy(1);
    const say = config.logFormat === "json" ? printLogged : print;
    for (const line of startLines(config, server)) say(line);
    notifier?.ready(server.state);
    const reason = await Promise.race([signal, server.failed]);
    notifier?.stopping();
    const hasFailed = reason instanceof Error;
    if (hasFailed) server.log.error({ reason: reason.message }, "stopping");
    else {
      server.log.info({ signal: reason }, "stopping");
      await server.drain();
    }
    await server.stop();
    server.log.info("stopped");
    // Without waiting for pending responses of CAs: they could no longer be stored. A failed write to standard output is not a
    // server failure.
    process.exit(hasFailed ? 1 : 0);
  },
});
