import type { Respond } from "./responder.ts";
import { listenTcp } from "./tcp.ts";
import { type Listener, listenUdp } from "./udp.ts";

/** Attempts to find a port that is free over TCP and UDP. */
const MAX_ATTEMPTS = 10;

const listenOnce = async (host: string, port: number, respond: Respond): Promise<Listener> => {
  const tcp = await listenTcp(host, port, respond);
  try {
    const udp = await listenUdp(host, tcp.port, respond);
    return {
      port: tcp.port,
      stop() {
        tcp.stop();
        udp.stop();
      },
    };
  } catch (error) {
    tcp.stop();
    throw error;
  }
};

/**
 * Listens over UDP and TCP on one port; port 0 takes any port that is free for both.
 * @throws the operating system's error, such as EADDRINUSE
 */
export const listenForDns = async (host: string, port: number, respond: Respond): Promise<Listener> => {
  for (let left = MAX_ATTEMPTS; ; left -= 1) {
    try {
      return await listenOnce(host, port, respond);
    } catch (error) {
      const isInUse = (error as { code?: string }).code === "EADDRINUSE";
      if (port !== 0 || !isInUse || left === 1) throw error;
    }
  }
};
