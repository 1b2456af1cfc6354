import type { Socket } from "node:net";
import { type Hello, readHello } from "./hello.ts";

/**
 * Waits for the ClientHello of a new connection and puts its bytes back, the socket paused; what is not one, or not within
 * its limits, has its socket destroyed. Whoever asks limits the time, by destroying the socket.
 */
export const peekHello = (socket: Socket, found: (hello: Hello) => void): void => {
  const chunks: Buffer[] = [];
  let received = 0;
  let needed = 0;
  const read = (chunk: Buffer) => {
    chunks.push(chunk);
    received += chunk.length;
    if (received < needed) return;
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    chunks.splice(0, chunks.length, bytes);
    const reading = readHello(bytes);
    if (reading.kind === "incomplete") {
      needed = reading.bytes;
      return;
    }
    socket.off("data", read);
    if (reading.kind === "malformed") return void socket.destroy();
    socket.pause();
    socket.unshift(bytes);
    found(reading);
  };
  socket.on("data", read);
};
