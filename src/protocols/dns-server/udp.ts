import type { Respond } from "./responder.ts";

export interface Listener {
  port: number;
  stop(): void;
}

/** Listens for datagrams. @throws the operating system's error, such as EACCES */
export const listenUdp = async (host: string, port: number, respond: Respond): Promise<Listener> => {
  const socket = await Bun.udpSocket({
    hostname: host,
    port,
    socket: {
      data({ closed }, packet, clientPort, address) {
        const response = closed ? undefined : respond(packet, { address, transport: "udp" });
        // A full buffer loses the response: the client asks again.
        if (response) socket.send(response, clientPort, address);
      },
      // A client that is gone, or an address that cannot be sent to, such as port 0. Bun also passes exceptions of `data`.
      error: () => undefined,
    },
  });
  return { port: socket.port, stop: () => socket.close() };
};
