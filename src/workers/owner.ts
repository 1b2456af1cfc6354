import { channel, type Channel, type Handlers } from "./channel.ts";

/**
 * Connects a worker with the process that started it. The worker ends when that process does. Signals of a terminal or a
 * service manager go to all processes: a worker leaves it to its owner to stop it.
 */
export const connectToOwner = (handlers: Handlers): Channel => {
  const link = channel((packet) => process.send?.(packet), handlers);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  process.on("message", (packet: Parameters<Channel["receive"]>[0]) => link.receive(packet));
  return link;
};
