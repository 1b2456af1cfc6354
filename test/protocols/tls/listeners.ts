import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { secureContexts, type KeyPair } from "../../../src/protocols/tls/contexts.ts";
import { listenTls, type TlsListener, type TlsListenerOptions } from "../../../src/protocols/tls/listener.ts";
import { createTestCa } from "../../support/certificates.ts";
import { atEnd } from "../../support/store.ts";

export const testCa = await createTestCa();
export const PAIRS: Record<string, KeyPair> = {
  "a.test": await testCa.issue(["a.test"]),
  "b.test": await testCa.issue(["b.test"], { intermediate: true }),
  localhost: await testCa.issue(["localhost"]),
};

export const REFUSALS = {
  misdirected: () => new Response("elsewhere", { status: 421 }),
  plainHttp: { contentType: "text/plain", body: "use https:// in the address\n" },
};

/** A listener with certificates that a test may replace. Its default response is "METHOD URL address". */
export const listenerFor = async (settings: Partial<TlsListenerOptions> = {}) => {
  const stored = { ...PAIRS };
  const contexts = secureContexts({ read: (name) => stored[name] });
  const listener: TlsListener = await listenTls({
    host: "127.0.0.1",
    port: 0,
    contexts,
    fetch: (request, { address }) => new Response(`${request.method} ${request.url} ${address}`),
    ...REFUSALS,
    ...settings,
  });
  atEnd(() => listener.stop(0));
  return { listener, contexts, stored, port: listener.port };
};

export const tcpTo = async (port: number): Promise<Socket> => {
  const socket = connectTcp(port, "127.0.0.1").on("error", () => {});
  atEnd(() => socket.destroy());
  await once(socket, "connect");
  return socket;
};

/** @throws the error that ends the handshake */
export const tlsTo = async (
  port: number,
  servername: string | undefined,
  options: ConnectionOptions = {},
): Promise<TLSSocket> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connectTls({
    port,
    host: "127.0.0.1",
    ca: testCa.root,
    ...(servername !== undefined && { servername }),
    ...options,
  });
  atEnd(() => socket.destroy());
  socket.once("secureConnect", resolve);
  socket.once("close", () => reject(new Error("closed")));
  socket.on("error", reject);
  await promise;
  return socket;
};

/** Resolves once the socket is closed. */
export const closed = (socket: Socket): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (socket.destroyed) return Promise.resolve();
  socket.once("close", () => resolve());
  socket.resume();
  return promise;
};

/** Reads until the other end closes. */
export const received = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await closed(socket);
  return Buffer.concat(chunks).toString("latin1");
};

/** Sends one request over a new HTTP/1.1 connection. @returns the whole response */
export const askHttp1 = async (
  port: number,
  name: string,
  { host = name, path = "/", headers = "" }: { host?: string; path?: string; headers?: string } = {},
): Promise<string> => {
  const socket = await tlsTo(port, name, { ALPNProtocols: ["http/1.1"] });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`);
  return received(socket);
};

export const http2To = async (port: number, name: string): Promise<ClientHttp2Session> => {
  const socket = await tlsTo(port, name, { ALPNProtocols: ["h2"] });
  const session = connectHttp2(`https://${name}`, { createConnection: () => socket });
  session.on("error", () => {});
  atEnd(() => session.destroy());
  return session;
};

/** @throws if the stream or its connection ends early */
export const askHttp2 = async (
  session: ClientHttp2Session,
  headers: Record<string, string> = {},
  body?: Buffer,
): Promise<{ status: number; text: string }> => {
  const stream = session.request({ ":path": "/", ...headers }, { endStream: body === undefined });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  let status = 0;
  const chunks: Buffer[] = [];
  stream.on("response", (head) => {
    status = Number(head[":status"]);
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A stream that is cut off ends too, without a response.
  stream.on("end", () => {
    if (status === 0) reject(new Error("ended without a response"));
    else resolve({ status, text: Buffer.concat(chunks).toString() });
  });
  stream.on("error", reject);
  stream.on("close", () => reject(new Error("closed")));
  if (body) stream.end(body);
  return promise;
};

/** Waits until the condition holds. */
export const eventually = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(5);
};
