import { Command } from "commander";
import { startServer } from "../server.ts";
import { configOf, withSettings } from "./settings.ts";
import { MigrationStopped } from "../wire-migration.ts";
import { fail, print } from "./terminal.ts";

const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    process.once("SIGTERM", () => resolve("SIGTERM"));
    process.once("SIGINT", () => resolve("SIGINT"));
  });

/** A line that fits between those of a JSON log, whatever the log's level. */
const printLogged = (message: string) =>
  print(JSON.stringify({ level: "info", time: new Date().toISOString(), message }));

/** Its thread may be inside a long statement, which nothing but the end of the process ends. */
const exitIfStopped = (error: unknown): never => {
  if (!(error instanceof MigrationStopped)) throw error;
  fail(error.message);
  process.exit();
};

export const serveCommand = (): Command =>
  withSettings(
    new Command("serve").description(
      "run the server until SIGTERM or SIGINT; settings come from flags, then the environment, then defaults",
    ),
  ).action(async (options: Record<string, unknown>) => {
    const config = configOf(options);
    const signal = stopSignal();
    const stopping = new AbortController();
    void signal.then((name) => stopping.abort(name));
    const server = await startServer(config, stopping.signal).catch(exitIfStopped);
    // The executable starts with a JIT that compiles late, which takes a fifth off the start's CPU: now it is worth it.
    Bun.unsafe.setJITPolicy(1);
    const address = config.baseUrl ?? server.url;
    const say = config.logFormat === "json" ? printLogged : print;
    say(`Listening on ${server.url}`);
    say(`Documentation: ${address}/docs`);
    if (config.console) say(`Console: ${address}/console`);
    if (server.httpsPort !== undefined)
      say(`HTTPS on port ${server.httpsPort}, for names that have a certificate`);
    say(`Sites: ${server.sites.replace("*", "<project>")}`);
    if (server.adminKey) say(`Admin key (all scopes) in ${server.adminKey}`);
    if (server.httpsPort !== undefined && !config.acmeAgreeTos)
      say("No certificate is ordered before ACME_AGREE_TOS is true");
    const reason = await Promise.race([signal, server.failed]);
    if (reason instanceof Error) {
      server.log.error({ reason: reason.message }, "stopping");
      process.exitCode = 1;
    } else server.log.info({ signal: reason }, "stopping");
    await server.stop();
    server.log.info("stopped");
    // Whoever still waits for an authority's answer could not write it down any more.
    process.exit();
  });
