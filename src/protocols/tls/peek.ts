import type { Socket } from "node:net";
import { type ClientHello, parseClientHello } from "./client-hello.ts";

/**
 * Waits for the ClientHello of a new connection. `onHello` gets it with its bytes back in the socket, which is paused;
 * `onMalformed` gets the bytes of what is not a ClientHello, or is beyond its limits. The caller limits the time by
 * destroying the socket.
 */
export const readClientHello = (
  socket: Socket,
  {
    onHello,
    onMalformed,
  }: { onHello: (hello: ClientHello) => void; onMalformed: (bytes: Uint8Array) => void },
): void => {
  const chunks: Buffer[] = [];
  let received = 0;
  let needed = 0;
  const read = (chunk: Buffer) => {
    chunks.push(chunk);
    received += chunk.length;
    if (received < needed) return;
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    chunks.splice(0, chunks.length, bytes);
    const reading = parseClientHello(bytes);
    if (reading.kind === "incomplete") {
      needed = reading.bytes;
      return;
    }
    socket.off("data", read);
    if (reading.kind === "malformed") return onMalformed(bytes);
    socket.pause();
    socket.unshift(bytes);
    onHello(reading);
  };
  socket.on("data", read);
};
