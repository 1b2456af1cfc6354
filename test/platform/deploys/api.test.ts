import { expect, test } from "bun:test";
import { OPERATOR } from "../../../src/lib/actor.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Call,
  type Store,
  type StoreSettings,
  faultOf,
  messageOf,
  openStore,
} from "../../support/store.ts";
import { tarGzOf, zipOf } from "./archives.ts";
import { outcomeOf } from "../../support/outcome.ts";

const site = (text: string, more: { name: string; content: Buffer }[] = []) =>
  tarGzOf([{ name: "index.html", content: Buffer.from(text) }, ...more]);

const DEPLOYS = "/platform/projects/docs/deploys";

const openProject = async (
  env: Record<string, string> = {},
  more: Omit<StoreSettings, "env"> = {},
): Promise<Store> => {
  const store = await openStore({ env, ...more });
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs" } });
  return store;
};

const upload = (store: Store, body: Call["body"], type = "application/gzip") =>
  store.call("POST", DEPLOYS, { body, headers: { "content-type": type } });

const fetchDeploys = async (store: Store, path = DEPLOYS) =>
  (await (await store.call("GET", path)).json()) as { id: number; status: string; active: boolean }[];

/** The files in DATA_DIR other than the database. */
const filesOf = ({ config }: Store): string[] =>
  ["blobs", "uploads"].flatMap((directory) => {
    const path = join(config.dataDir, directory);
    if (!existsSync(path)) return [];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  });

test("an archive is deployed, listed and fetched, and the upload leaves no file behind", async () => {
  const store = await openProject();
  const response = await upload(store, site("one"));
  expect(response.status).toBe(201);
  expect(response.headers.get("location")).toBe(`${DEPLOYS}/1`);
  const deploy = await response.json();
  expect(deploy).toEqual({
    id: 1,
    status: "succeeded",
    preview: "http://001--docs.localhost:3000/",
    active: true,
    files: 1,
    bytes: 3,
    key: 1,
    createdAt: "2026-11-20T00:00:00.000Z",
  });
  expect(await (await store.call("GET", `${DEPLOYS}/1`)).json()).toEqual(deploy);
  expect(await (await store.call("GET", DEPLOYS)).json()).toEqual([deploy]);
  expect(await (await store.call("GET", "/platform/projects/docs")).json()).toMatchObject({
    activeDeploy: 1,
  });
  // The page and the manifest.
  expect(filesOf(store).length).toBe(2);
});

test.each(["application/zip", "application/x-gzip", "application/octet-stream; x=y"])(
  "an archive sent as %s is recognised by its first bytes",
  async (type) => {
    const store = await openProject();
    const zip = zipOf([{ name: "index.html", content: Buffer.from("zip") }]);
    expect((await upload(store, zip, type)).status).toBe(201);
  },
);

test("a refused archive is recorded as failed with its reason, and the previous site is still served", async () => {
  const store = await openProject();
  await upload(store, site("good"));
  const before = filesOf(store).length;
  const response = await upload(store, site("bad", [{ name: "../x", content: Buffer.from("") }]));
  expect(response.status).toBe(400);
  const { code, message } = (await response.json()) as { code: string; message: string };
  expect(code).toBe("invalid_archive");
  expect(message).toContain('"../x"');
  expect(await fetchDeploys(store)).toMatchObject([
    { id: 2, status: "failed", reason: message, active: false },
    { id: 1, status: "succeeded", active: true },
  ]);
  expect(filesOf(store).length).toBe(before);
});

test("an archive without a start page is a failed deploy, and the previous site is still served", async () => {
  const store = await openProject();
  await upload(store, site("good"));
  const response = await upload(store, zipOf([{ name: "a/index.html" }, { name: "b/index.html" }]));
  expect(await messageOf(response)).toContain("found a/index.html, b/index.html");
  expect(await fetchDeploys(store)).toMatchObject([
    {
      id: 2,
      status: "failed",
      reason: expect.stringContaining("No index.html at the top level"),
      active: false,
    },
    { id: 1, status: "succeeded", active: true },
  ]);
  expect(await (await store.visit("http://docs.localhost/")).text()).toBe("good");
});

test("a zip of one folder is served without the folder in its paths", async () => {
  const store = await openProject();
  await upload(
    store,
    zipOf([{ name: "site/index.html", content: "home" }, { name: "__MACOSX/site/._index.html" }]),
  );
  expect(await (await store.visit("http://docs.localhost/")).text()).toBe("home");
});

test("an earlier deploy can be served again, a failed or unknown one can't", async () => {
  const store = await openProject();
  await upload(store, site("one"));
  await upload(store, site("two"));
  await upload(store, "no archive");
  const activate = (id: number | string) => store.call("POST", `${DEPLOYS}/${id}/activate`);
  expect(await (await activate(1)).json()).toMatchObject({ id: 1, active: true });
  expect(await (await activate(1)).json()).toMatchObject({ id: 1, active: true });
  expect(await fetchDeploys(store)).toMatchObject([{ active: false }, { active: false }, { active: true }]);
  expect(await faultOf(await activate(3))).toBe("409 deploy_failed");
  expect(await faultOf(await activate(9))).toBe("404 not_found");
  expect(await faultOf(await activate("x"))).toBe("404 not_found");
  // The next upload is served, whichever deploy was served before.
  await upload(store, site("four"));
  expect(await fetchDeploys(store, `${DEPLOYS}?limit=1`)).toMatchObject([{ id: 4, active: true }]);
});

test("a deploy of another project can be neither read nor activated", async () => {
  const store = await openProject();
  await upload(store, site("one"));
  await store.call("POST", "/platform/projects", { json: { slug: "other", name: "Other" } });
  expect(await faultOf(await store.call("GET", "/platform/projects/other/deploys/1"))).toBe("404 not_found");
  expect(await faultOf(await store.call("POST", "/platform/projects/other/deploys/1/activate"))).toBe(
    "404 not_found",
  );
  expect(await faultOf(await store.call("GET", "/platform/projects/none/deploys"))).toBe("404 not_found");
});

test("an archive above DEPLOY_LIMIT gets 413, with a Content-Length or streamed, and leaves nothing", async () => {
  const store = await openProject({ DEPLOY_LIMIT: "2KiB" });
  const large = new Uint8Array(3000);
  expect(await faultOf(await upload(store, large))).toBe("413 payload_too_large");
  const stream = new ReadableStream({
    start(controller) {
      for (let part = 0; part < 3; part++) controller.enqueue(new Uint8Array(1000));
      controller.close();
    },
  });
  expect(await faultOf(await upload(store, stream))).toBe("413 payload_too_large");
  expect(filesOf(store)).toEqual([]);
  expect(await fetchDeploys(store)).toEqual([]);
});

test("an upload that breaks off gets 400 and leaves nothing", async () => {
  const store = await openProject();
  let sent = false;
  const broken = new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new Error("gone"));
      else controller.enqueue(new Uint8Array(1000));
      sent = true;
    },
  });
  expect(await faultOf(await upload(store, broken))).toBe("400 invalid_request");
  expect(filesOf(store)).toEqual([]);
});

test("a Content-Type that is not an archive's gets 415 with the accepted types", async () => {
  const store = await openProject();
  const response = await upload(store, site("x"), "text/html");
  expect(response.status).toBe(415);
  expect(response.headers.get("accept")).toBe("application/gzip, application/zip");
  expect(await messageOf(response)).toContain("application/gzip");
});

/** Uploads that start, and send no more until the test ends them. */
const beginUploads = (store: Store, count: number, key = store.key) => {
  const held: ReadableStreamDefaultController<Uint8Array>[] = [];
  const responses = Array.from({ length: count }, () =>
    store.call("POST", DEPLOYS, {
      key,
      headers: { "content-type": "application/gzip" },
      body: new ReadableStream({ start: (controller) => void held.push(controller) }),
    }),
  );
  return {
    async end() {
      for (const controller of held) controller.close();
      for (const response of await Promise.all(responses)) expect(response.status).toBe(400);
    },
  };
};

test("a fifth concurrent upload of a key gets Retry-After, while another key's is deployed", async () => {
  const store = await openProject();
  const slow = beginUploads(store, 4);
  await Bun.sleep(20);
  const fifth = await upload(store, site("five"));
  expect(fifth.headers.get("retry-after")).toBe("10");
  expect(await faultOf(fifth)).toBe("429 rate_limited");
  const key = await store.createKey({});
  const other = await store.call("POST", DEPLOYS, {
    key,
    body: site("other"),
    headers: { "content-type": "application/gzip" },
  });
  expect(other.status).toBe(201);
  await slow.end();
  expect((await upload(store, site("six"))).status).toBe(201);
});

test("slow uploads delay no other archive, and all keys together have a limit", async () => {
  const store = await openProject({}, { admissionLimits: { perCaller: 10, total: 8, unpacking: 1 } });
  const slow = beginUploads(store, 7);
  await Bun.sleep(20);
  expect((await upload(store, site("between"))).status).toBe(201);
  const more = beginUploads(store, 1, await store.createKey({}));
  await Bun.sleep(20);
  expect(await faultOf(await upload(store, site("too many")))).toBe("429 rate_limited");
  await slow.end();
  await more.end();
});

test("concurrent archives queue to be unpacked, and all are deployed", async () => {
  const store = await openProject({}, { admissionLimits: { perCaller: 4, total: 4, unpacking: 1 } });
  const responses = await Promise.all(["a", "b", "c", "d"].map((text) => upload(store, site(text))));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});

test("an upload below the minimum rate is refused with that reason", async () => {
  const store = await openProject({}, { uploadPace: { stallMs: 1000, graceMs: 20, bytesPerSecond: 1e6 } });
  const body = new ReadableStream({
    async pull(controller) {
      await Bun.sleep(10);
      controller.enqueue(new Uint8Array(1));
    },
  });
  const response = await upload(store, body);
  expect(response.status).toBe(408);
  expect(await messageOf(response)).toBe(
    "The archive is not complete: it was slower than 1000000 bytes a second, try again over a faster connection.",
  );
});

test("deploys share files, and a sweep removes those that no kept deploy needs", async () => {
  const store = await openProject();
  const shared = { name: "same.txt", content: Buffer.from("same") };
  await upload(store, site("one", [shared]));
  await upload(store, site("two", [shared]));
  // Two pages, one shared file, two manifests.
  expect(filesOf(store).length).toBe(5);
  expect(await store.deploys.sweep()).toBe(0);
  await store.call("DELETE", "/platform/projects/docs");
  expect(await store.deploys.sweep()).toBe(5);
  expect(filesOf(store)).toEqual([]);
});

test("the newest 20 deploys that succeeded are kept, regardless of later failures, and the newest 20 that failed", async () => {
  const store = await openProject();
  for (let count = 1; count <= 22; count++) await upload(store, site(`${count}`));
  for (let count = 1; count <= 25; count++) await upload(store, "no archive");
  const remaining = await fetchDeploys(store, `${DEPLOYS}?limit=100`);
  const idsOf = (status: string) => remaining.filter((one) => one.status === status).map(({ id }) => id);
  expect(idsOf("succeeded")).toEqual(Array.from({ length: 20 }, (_, index) => 22 - index));
  expect(idsOf("failed")).toEqual(Array.from({ length: 20 }, (_, index) => 47 - index));
  expect(remaining.find(({ active }) => active)?.id).toBe(22);
});

test("an upload whose connection was closed publishes nothing, although its body seems complete", async () => {
  const store = await openStore();
  await store.call("POST", "/platform/projects", { json: { slug: "docs", name: "Docs" } });
  const { body } = new Response(tarGzOf([{ name: "index.html", content: "home" }]));
  const upload = { length: undefined, body, isCutOff: async () => true, caller: "key:1", actor: OPERATOR };
  expect(await outcomeOf(store.deploys.upload("docs", upload))).toThrow(
    expect.objectContaining({ code: "invalid_request" }),
  );
  expect(await (await store.call("GET", "/platform/projects/docs/deploys")).json()).toEqual([]);
});

test("rules that are not understood refuse the deploy with the numbers of their lines", async () => {
  const store = await openProject();
  await upload(store, site("one"));
  const file = (name: string, content: string | Buffer) => ({ name, content: Buffer.from(content) });
  const bad = [file("_redirects", "/a /b\n/c /d 404\n"), file("_headers", "/*\n  Set-Cookie: a=b\n")];
  const response = await upload(store, site("two", bad));
  expect(await faultOf(response)).toBe("400 invalid_archive");
  const [failed] = (await fetchDeploys(store)) as { reason?: string }[];
  expect(failed?.reason).toBe(
    '_redirects line 2: "404" is not a status: use 200, 301, 302, 303, 307, 308; _headers line 2: "Set-Cookie" may not be set: a cookie could reach other sites.',
  );
  for (const [content, says] of [
    ["/a\n".repeat(12), "and 2 more."],
    [Buffer.from([0x2f, 0xff]), "_redirects is not text in UTF-8."],
    ["#".repeat(256 * 1024 + 1), "_redirects is larger than 262144 bytes."],
  ] as const)
    expect(await messageOf(await upload(store, site("two", [file("_redirects", content)])))).toEndWith(says);
  expect(await (await store.visit("http://docs.localhost/")).text()).toBe("one");
});

test("rules hold from the next request on after a deploy, and go with a deploy without them", async () => {
  const store = await openProject();
  const rules = { name: "_redirects", content: Buffer.from("/* /index.html 200") };
  const get = () => store.visit("http://docs.localhost/any/where");
  await upload(store, site("one"));
  expect((await get()).status).toBe(404);
  await upload(store, site("two", [rules]));
  expect(await (await get()).text()).toBe("two");
  await store.call("POST", `${DEPLOYS}/1/activate`);
  expect((await get()).status).toBe(404);
});
