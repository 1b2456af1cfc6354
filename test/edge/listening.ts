import { connect } from "node:net";
import { listenHttps } from "../../src/edge/https-listener.ts";
import { listenHttp } from "../../src/edge/http-listener.ts";
import { certificateStore } from "../../src/edge/certificate-store.ts";
import { type Store, atEnd, openStore } from "../support/store.ts";
import { testCa, eventually, tlsTo } from "../protocols/tls/listeners.ts";

/** The host name of the API over HTTPS. */
export const NAME = "adopt.example.org";

/** The whole service, listening on loopback: over HTTP, and over HTTPS under `NAME`. */
export const openListening = async (env: Record<string, string> = {}) => {
  const store: Store = await openStore({ env: { API_HOSTS: NAME, ...env } });
  const plain = listenHttp({ host: "127.0.0.1", port: 0, fetch: store.fetch });
  atEnd(() => plain.stop(0));
  const pair = await testCa.issue([NAME]);
  const certificates = certificateStore({
    read: (name) => (name === NAME ? { ...pair, notBefore: 0, notAfter: Infinity, renewals: 0 } : undefined),
    hstsMaxAge: 0,
    isServed: (name) => name === NAME,
    version: () => 0,
    now: Date.now,
    onError: (_, error) => {
      throw error;
    },
  });
  const https = await listenHttps({
    host: "127.0.0.1",
    port: 0,
    certificates,
    challenge: async () => undefined,
    fetch: store.fetch,
    misdirected: store.misdirected,
  });
  atEnd(() => https.stop(0));

  const open = async (over: "HTTP" | "HTTPS") => {
    const socket =
      over === "HTTPS"
        ? await tlsTo(https.port, NAME, { ALPNProtocols: ["http/1.1"] })
        : connect(plain.port, "127.0.0.1").on("error", () => {});
    atEnd(() => socket.destroy());
    const { promise, resolve } = Promise.withResolvers<void>();
    let text = "";
    socket.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")));
    socket.once("close", () => resolve());
    return {
      write: (part: string) => void socket.write(part, "latin1"),
      /** Resolves when the first bytes arrive. */
      responded: () => eventually(() => text !== ""),
      /** All text received until the server closed the connection. */
      closed: () => promise.then(() => text),
    };
  };

  /** Sends each part unchanged in a separate packet. @returns all text received until the server closed the connection */
  const send = async (over: "HTTP" | "HTTPS", ...parts: string[]): Promise<string> => {
    const { write, closed } = await open(over);
    for (const part of parts) {
      write(part);
      await Bun.sleep(20);
    }
    return closed();
  };
  return { store, plain, https, open, send };
};

/** The status codes in the received text, which may hold several responses. */
export const statusesOf = (text: string): number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
