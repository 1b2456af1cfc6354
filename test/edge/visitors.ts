/** A complete response at the beginning of the received text. */
const RESPONSE = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/;

const completeResponse = (received: string): { status: number; length: number } | undefined => {
  const [head, status] = RESPONSE.exec(received) ?? [];
  if (head === undefined) return undefined;
  const length = head.length + Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
  return received.length < length ? undefined : { status: Number(status), length };
};

export interface Visitors {
  /** Requests from now on count as sent after the mark. */
  mark(): void;
  /** How many requests after the mark got a 200. */
  servedAfterMark(): number;
  /** Waits until each connection has got this status for a request sent from now on. */
  untilStatus(status: number): Promise<void>;
  /** How many connections were opened. */
  connections(): number;
  stop(): void;
}

/** Keeps connections busy: each requests `host` again as soon as it gets a response. */
export const askAllTheTime = async ({
  port,
  host,
  connections,
}: {
  port: number;
  host: string;
  connections: number;
}): Promise<Visitors> => {
  const request = `GET / HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`;
  let marked = 0;
  let opened = 0;
  let served = 0;
  let running = true;
  /** For each connection: the mark before its request, and the number of its responses. */
  const states: { sentAfter: number; responses: number; status: number }[] = [];

  const open = async () => {
    const state = { sentAfter: marked, responses: 0, status: 0 };
    states.push(state);
    let received = "";
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(socket, bytes) {
          received += bytes.toString("latin1");
          const response = completeResponse(received);
          if (!response || !running) return;
          received = received.slice(response.length);
          state.responses++;
          state.status = response.status;
          if (response.status === 200 && state.sentAfter === marked && marked > 0) served++;
          state.sentAfter = marked;
          socket.write(request);
        },
        close: () => {
          if (running) throw new Error("the server closed a connection");
        },
      },
    });
    opened++;
    socket.write(request);
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: connections }, open));

  return {
    mark() {
      marked++;
      served = 0;
    },
    servedAfterMark: () => served,
    async untilStatus(status) {
      const seen = states.map(({ responses: answers }) => answers);
      // The response after the next belongs to a request sent from now on.
      const isSo = () =>
        states.every((state, index) => state.responses >= (seen[index] ?? 0) + 2 && state.status === status);
      for (const end = performance.now() + 5000; !isSo(); await Bun.sleep(1))
        if (performance.now() > end) throw new Error(`not all connections got ${status} within 5 s`);
    },
    connections: () => opened,
    stop() {
      running = false;
      for (const socket of sockets) socket.terminate();
    },
  };
};
