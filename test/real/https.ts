import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { createTestCa } from "../support/certificates.ts";
import { freePort } from "./authorities.ts";
import { directory, serve, type ServerSettings, store } from "./support.ts";

export const HOST = "adopt.example.org";

/** The executable with HTTPS under `names`, with a certificate of an authority whose root is `root` in its directory. */
export const serveHttps = async ({
  host = HOST,
  names = [host],
  flags = [],
  cwd = directory(),
  ...settings
}: ServerSettings & { host?: string; names?: string[] } = {}) => {
  const httpsPort = freePort();
  const { root, issue } = await createTestCa();
  for (const [name, text] of Object.entries({ root, ...(await issue(names)) }))
    writeFileSync(join(cwd, name), text);
  const https = ["--https-port", String(httpsPort), "--base-url", `https://${host}:${httpsPort}`];
  const server = await serve({ ...settings, cwd, flags: [...https, ...flags] });
  for (const name of names) {
    const argv = ["certificates", "import", name, "--key", "key", "--chain", "cert"];
    expect(await store(argv, { cwd })).toMatchObject({ code: 0, stderr: "" });
  }
  return {
    ...server,
    httpsPort,
    /** What curl needs to trust the server and to find it. */
    trust: ["--cacert", join(cwd, "root"), "--resolve", `${host}:${httpsPort}:127.0.0.1`],
    httpsUrl: `https://${host}:${httpsPort}`,
  };
};

/** Whether a name is served with a certificate of the CA. */
export const isServedBy = (port: number, servername: string, ca: string): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: "127.0.0.1", port, servername, ca }, () => {
    resolve(socket.authorized);
    socket.destroy();
  });
  socket.on("error", () => resolve(false));
  return promise;
};
