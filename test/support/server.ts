import { startServer as start } from "../../src/app/server.ts";

const HOUR = 60 * 60_000;

/** Starts a server that does not publish the manual: that takes longer than everything else that a start does. */
export const startServer: typeof start = (config, options) => start(config, { publishMs: HOUR, ...options });
