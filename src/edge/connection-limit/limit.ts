import { eachSecond } from "../../lib/each-second.ts";
import type { Logger } from "../../lib/log.ts";
import type { ConnectionLimits } from "./excess.ts";
import type { Sockets } from "./sockets.ts";
import { type ConnectionWatch, watchConnections } from "./watch.ts";

/**
 * Limits the connections of the HTTP listeners on these ports. Behind a trusted proxy there is no limit per client: the
 * proxy limits its clients, connects from few addresses, and alone can reach these ports.
 */
export const limitConnections = ({
  ports,
  limits,
  trustsProxy,
  sockets,
  log,
}: {
  ports: readonly number[];
  limits: ConnectionLimits;
  trustsProxy: boolean;
  sockets: Sockets | undefined;
  log: Pick<Logger, "warn">;
}): ConnectionWatch => {
  if (!sockets) {
    log.warn("connections over HTTP are not limited on this system: put a reverse proxy in front");
    return { stop: async () => {} };
  }
  const connectionsPerClient = trustsProxy ? Number.POSITIVE_INFINITY : limits.connectionsPerClient;
  return watchConnections({
    ports: new Set(ports),
    limits: { ...limits, connectionsPerClient },
    sockets,
    onClosed: eachSecond((count) =>
      log.warn({ count }, "connections over HTTP beyond the limits were closed"),
    ),
  });
};
