import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { connect } from "./socket.ts";
import { EXECUTABLE, type Server, directory, real, serve, within } from "./support.ts";

const test = real();
const withMounts = real("unshare", "mount");

const DOCS = { slug: "docs", name: "Documentation", plan: "pro" };

const MIB = 2 ** 20;
const GZIP = { "content-type": "application/gzip" };
const DEPLOYS = "/platform/projects/docs/deploys";

const site = (text: string, more: { name: string; content: Buffer }[] = []) =>
  tarGzOf([{ name: "index.html", content: text }, ...more]);

const upload = (server: Server, body: Buffer | ReadableStream, headers: Record<string, string> = {}) =>
  server.call(DEPLOYS, { method: "POST", body, headers: { ...GZIP, ...headers } });

const page = async (server: Server) =>
  (await fetch(server.url, { headers: { host: `docs.localhost:${server.port}` } })).text();

/** An upload that begins, and sends a byte now and then. */
const trickle = async (server: Server) => {
  const socket = await connect(server.port);
  socket.write(
    `POST ${DEPLOYS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/gzip\r\nContent-Length: 1000000\r\n\r\n`,
  );
  const timer = setInterval(() => socket.write("x"), 200);
  return {
    ...socket,
    [Symbol.dispose]() {
      clearInterval(timer);
      socket[Symbol.dispose]();
    },
  };
};

test("uploads that trickle in hold up no deploy of another key, and a fifth of their own key must wait", async () => {
  const server = await serve();
  await server.send("/platform/projects", DOCS);
  const other = await server.call("/platform/keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "other", scopes: ["platform:write"] }),
  });
  const { secret } = (await other.json()) as { secret: string };
  using slow = new DisposableStack();
  for (let count = 0; count < 4; count++) slow.use(await trickle(server));
  await Bun.sleep(500);
  using fifth = await trickle(server);
  await fifth.until(/^HTTP\/1\.1 429 [^]*retry-after: 10\r\n/i);
  const answer = await within(
    "deploying beside slow uploads",
    10_000,
    upload(server, site("beside"), { authorization: `Bearer ${secret}` }),
  );
  expect(answer.status).toBe(201);
  expect(await page(server)).toBe("beside");
});

/** Mounts a small file system over the directory `data`, with the same files. */
const MOUNT = `cp -a data before && mount -t tmpfs -o size=128m,mode=0700 tmpfs data && cp -a before/. data/ && exec "$0" "$@"`;

const noise = (mebibytes: number) => {
  const part = crypto.getRandomValues(Buffer.alloc(65_536));
  return Buffer.concat(
    Array.from({ length: mebibytes * 16 }, (_, index) =>
      Buffer.from(part.map((byte) => byte ^ (index * 31))),
    ),
  );
};

const streamed = (bytes: Buffer) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += MIB) controller.enqueue(bytes.subarray(at, at + MIB));
      controller.close();
    },
  });

withMounts(
  "a deploy that would use the space of DISK_RESERVE is refused, the service stays ready, and no file is left",
  async () => {
    const place = directory();
    {
      // The key and the database, which the small file system begins with.
      await using first = await serve({ cwd: place });
      await first.send("/platform/projects", DOCS);
      expect((await upload(first, site("before"))).status).toBe(201);
      await first.stop();
    }
    const argv = ["unshare", "--mount", "--map-root-user", "sh", "-c", MOUNT, EXECUTABLE];
    const server = await serve({ cwd: place, argv });
    const inside = `/proc/${server.pid}/root${join(place, "data")}`;
    const files = () =>
      ["blobs", "uploads"].flatMap((name) => {
        const path = join(inside, name);
        return existsSync(path) ? readdirSync(path, { recursive: true }).map(String).toSorted() : [];
      });
    const before = files();
    const large = tarGzOf([{ name: "index.html" }, { name: "large.bin", content: noise(90) }]);
    const bomb = site("bomb", [{ name: "zeros.bin", content: Buffer.alloc(200 * MIB) }]);
    for (const body of [large, streamed(large), bomb]) {
      const answer = await upload(server, body);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: "storage_unavailable" });
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect(files()).toEqual(before);
      expect(await page(server)).toBe("before");
    }
    expect((await server.add("Bella")).status).toBe(201);
    expect((await upload(server, site("after"))).status).toBe(201);
    expect(await page(server)).toBe("after");
  },
);
