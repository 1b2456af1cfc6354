/** One whole answer at the beginning of what was received. */
const ANSWER = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/;

const wholeAnswer = (received: string): { status: number; length: number } | undefined => {
  const [head, status] = ANSWER.exec(received) ?? [];
  if (head === undefined) return undefined;
  const length = head.length + Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
  return received.length < length ? undefined : { status: Number(status), length };
};

export interface Visitors {
  /** From here on requests count as sent after the mark. */
  mark(): void;
  /** How many requests that were sent after the mark were answered with 200. */
  servedAfterMark(): number;
  /** Waits for an answer with this status to a request that is sent from now on, on every connection. */
  untilAnswered(status: number): Promise<void>;
  /** Connections that were opened in all. */
  connections(): number;
  stop(): void;
}

/** Keeps so many connections busy: each asks for `host` again as soon as it is answered. */
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
  /** Of each connection: which mark its request was sent after, and how many answers it had. */
  const states: { sentAfter: number; answers: number; status: number }[] = [];

  const open = async () => {
    const state = { sentAfter: marked, answers: 0, status: 0 };
    states.push(state);
    let received = "";
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(socket, bytes) {
          received += bytes.toString("latin1");
          const answer = wholeAnswer(received);
          if (!answer || !running) return;
          received = received.slice(answer.length);
          state.answers++;
          state.status = answer.status;
          if (answer.status === 200 && state.sentAfter === marked && marked > 0) served++;
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
    async untilAnswered(status) {
      const seen = states.map(({ answers }) => answers);
      // The answer after the next is to a request that is sent from now on.
      const isSo = () =>
        states.every((state, at) => state.answers >= (seen[at] ?? 0) + 2 && state.status === status);
      for (const end = performance.now() + 5000; !isSo(); await Bun.sleep(1))
        if (performance.now() > end) throw new Error(`not all were answered with ${status} within 5 s`);
    },
    connections: () => opened,
    stop() {
      running = false;
      for (const socket of sockets) socket.terminate();
    },
  };
};
