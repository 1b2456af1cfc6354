import { connect, type TLSSocket } from "node:tls";
import { PREFACE } from "../../src/protocols/tls/frames.ts";

/**
 * Clients that request over HTTP/2 and do not read: their windows are closed. Usage: bun unread-attack.ts PORT HOST PATH
 * CONNECTIONS STREAMS CLIENTS. Each client has a separate address. The program prints "ready" once all requests are sent. For each
 * line of input it prints its counters.
 */
const [port = "", host = "", path = "", connections = "", streams = "", clients = "1"] =
  process.argv.slice(2);

/** 127.0.0.2 and 127.0.0.3 are those of other clients. */
const FIRST_ADDRESS = 10;

const SETTINGS = 4;
const HEADERS = 1;
const RST_STREAM = 3;
const PING = 6;
const INITIAL_WINDOW_SIZE = 4;
const END_STREAM = 1;
const END_HEADERS = 4;
/** More often than any idle timeout. */
const PING_MS = 2000;

const frame = (type: number, flags: number, stream: number, body: Uint8Array): Buffer => {
  const header = Buffer.alloc(9);
  header.writeUIntBE(body.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, body]);
};

/** RFC 7541 section 6.2.2: a literal field without indexing. */
const field = (name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);

const settings = Buffer.alloc(6);
settings.writeUInt16BE(INITIAL_WINDOW_SIZE, 0);
const request = Buffer.concat([
  field(":method", "GET"),
  field(":scheme", "https"),
  field(":path", path),
  field(":authority", `${host}:${port}`),
]);
const opening = Buffer.concat([
  PREFACE,
  frame(SETTINGS, 0, 0, settings),
  ...Array.from({ length: Number(streams) }, (_, index) =>
    frame(HEADERS, END_STREAM | END_HEADERS, 2 * index + 1, request),
  ),
]);

/** Closed connections, reset streams, responses, and how many of these have no body. */
const received = { closed: 0, reset: 0, responses: 0, empty: 0 };

const readFrames = () => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 9) return;
      const length = rest.readUIntBE(0, 3);
      if (rest.length < 9 + length) return;
      if (rest[3] === RST_STREAM) received.reset += 1;
      if (rest[3] === HEADERS) received.responses += 1;
      if (rest[3] === HEADERS && rest[4]! & END_STREAM) received.empty += 1;
      rest = rest.subarray(9 + length);
    }
  };
};

const attack = (index: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const options = {
    port: Number(port),
    host: "127.0.0.1",
    localAddress: `127.0.0.${FIRST_ADDRESS + (index % Number(clients))}`,
    servername: host,
    ALPNProtocols: ["h2"],
    rejectUnauthorized: false,
  };
  const socket: TLSSocket = connect(options, () => {
    socket.write(opening);
    setInterval(() => socket.write(frame(PING, 0, 0, Buffer.alloc(8))), PING_MS);
    resolve();
  });
  socket.on("data", readFrames());
  socket.on("error", () => {});
  socket.on("close", () => {
    received.closed += 1;
    resolve();
  });
  return promise;
};

await Promise.all(Array.from({ length: Number(connections) }, (_, index) => attack(index)));
console.log("ready");
for await (const _line of console) console.log(JSON.stringify(received));
