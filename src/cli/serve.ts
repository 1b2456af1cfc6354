import { Command } from "commander";
import { startServer } from "../wire.ts";
import { configOf, withSettings } from "./settings.ts";
import { print } from "./terminal.ts";

const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    process.once("SIGTERM", () => resolve("SIGTERM"));
    process.once("SIGINT", () => resolve("SIGINT"));
  });

export const serveCommand = (): Command =>
  withSettings(
    new Command("serve").description(
      "run the server until SIGTERM or SIGINT; settings come from flags, then the environment, then defaults",
    ),
  ).action(async (options: Record<string, unknown>) => {
    const signal = stopSignal();
    const config = configOf(options);
    const server = await startServer(config);
    const address = config.baseUrl ?? server.url;
    print(`Listening on ${server.url}`);
    print(`Documentation: ${address}/docs`);
    if (server.adminKey) print(`Admin key (all scopes) in ${server.adminKey}`);
    server.log.info({ signal: await signal }, "stopping");
    await server.stop();
    server.log.info("stopped");
  });
