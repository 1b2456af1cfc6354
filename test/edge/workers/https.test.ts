import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { listeningInodes } from "../../../src/lib/port-holder.ts";
import { createTestCa } from "../../support/certificates.ts";
import { bundledProgram } from "../../support/program.ts";
import { openOnce } from "../../support/store.ts";
import { serveWithWorkers } from "./serving.ts";

const HOST = "adopt.example.org";
const CONNECTIONS = 40;

const shared = openOnce(async () => {
  const { root, issue } = await createTestCa();
  const store = await serveWithWorkers({ HTTPS_PORT: "0", HTTP_PORT: "0", BASE_URL: `https://${HOST}` });
  const { dataDir } = store.config;
  const files = Object.entries(await issue([HOST])).map(([name, text]) => {
    const file = join(dataDir, name);
    writeFileSync(file, String(text));
    return `--${name === "cert" ? "chain" : name}=${file}`;
  });
  const command = [...(await bundledProgram()), "certificates", "import", HOST];
  const imported = Bun.spawn([...command, ...files, "--data-dir", dataDir], {
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await imported.exited) !== 0) throw new Error(await imported.stderr.text());
  return { ...store, root };
});

/** Sends a request over many new connections of TLS. */
const visitAll = (path: string, init: RequestInit = {}): Promise<Response[]> =>
  Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      fetch(`https://127.0.0.1:${shared().server.httpsPort}${path}`, {
        ...init,
        headers: { host: HOST, connection: "close", ...(init.headers as Record<string, string>) },
        tls: { ca: shared().root, serverName: HOST, checkServerIdentity: () => undefined },
      }),
    ),
  );

const statusesOf = (responses: readonly Response[]): number[] => [
  ...new Set(responses.map(({ status }) => status)),
];

test("every process listens for HTTPS", () => {
  const table = readFileSync("/proc/net/tcp", "utf8");
  expect(listeningInodes(table, shared().server.httpsPort ?? 0)).toHaveLength(3);
});

test("every process has a certificate that another process has imported", async () => {
  // A worker may look for new certificates some milliseconds later.
  while ((await visitAll("/livez").catch(() => [])).length === 0) await Bun.sleep(10);
  expect(statusesOf(await visitAll("/v1/pets"))).toEqual([401]);
});

test("reads and writes over HTTPS work through every process", async () => {
  const headers = { authorization: `Bearer ${shared().key}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "Bella", categoryId: 1 });
  const added = await visitAll("/v1/pets", { method: "POST", headers, body });
  expect(statusesOf(added)).toEqual([201]);
  const pages = await visitAll("/v1/pets?sort=-id&limit=1", { headers });
  const newest = await Promise.all(
    pages.map(async (page) => ((await page.json()) as { id: number }[])[0]?.id),
  );
  expect(new Set(newest)).toEqual(new Set([CONNECTIONS]));
});

test("every process redirects pages over HTTP to HTTPS", async () => {
  const responses = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      fetch(`http://127.0.0.1:${shared().server.httpPort}/manual`, {
        redirect: "manual",
        headers: { host: HOST, connection: "close" },
      }),
    ),
  );
  expect(new Set(responses.map(({ status, headers }) => `${status} ${headers.get("location")}`)).size).toBe(
    1,
  );
  expect(responses[0]?.headers.get("location")).toStartWith(`https://${HOST}`);
});
