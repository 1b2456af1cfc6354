import { join } from "node:path";
import { until } from "./support.ts";

/** The S3 server of moto, which `.ci/run` installs from `moto/requirements.txt`: what a test of `real` must name. */
export const MOTO = join(import.meta.dir, "moto/programs/bin/moto_server");

const KEYS = "test-key:test-secret";

/** A port that was free a moment ago: moto prints none that it chose itself. */
const freePort = async (): Promise<number> => {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
};

const startProcess = (port: number) =>
  Bun.spawn([MOTO, "-H", "127.0.0.1", "-p", String(port)], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });

/** Starts a third-party S3 server with an empty bucket. It keeps objects in memory: they end with it. */
export const startMoto = async ({ bucket = "sites", port: wanted = 0 } = {}) => {
  const port = wanted || (await freePort());
  const endpoint = `http://127.0.0.1:${port}`;
  const child = startProcess(port);
  await until("moto responds", () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  );
  const created = await fetch(`${endpoint}/${bucket}`, { method: "PUT" });
  if (!created.ok) throw new Error(`moto made no bucket: ${created.status}`);
  const client = new Bun.S3Client({
    accessKeyId: "test-key",
    secretAccessKey: "test-secret",
    bucket,
    endpoint,
    region: "us-east-1",
  });
  const stop = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return {
    port,
    endpoint,
    /** For BLOBS_URL. */
    url: `s3://${KEYS}@${bucket}/store?endpoint=${endpoint}&region=us-east-1`,
    /** Bun's S3 client on the bucket, to look and to damage. */
    client,
    /** The names of all objects, with their prefix: the first 1,000. */
    async names(prefix = ""): Promise<string[]> {
      const { contents = [] } = await client.list({ prefix });
      return contents.map(({ key }) => key);
    },
    /** The server sends no responses until `resume`: connections stay open. */
    pause: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
    /** Ends it, with all objects. Another can have its port. */
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

export type Moto = Awaited<ReturnType<typeof startMoto>>;
