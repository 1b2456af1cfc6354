import { describe, expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { samplesOf } from "../../src/pages/openapi/samples.ts";
import { png } from "../support/images.ts";
import { kept, directory, real, run, serve } from "./support.ts";

const withPython = real("curl", "python3", "tar");
const withGo = real("go", "tar");
const inEveryLanguage = real("curl", "python3", "go");

interface Sample {
  operationId: string;
  method: string;
  path: string;
  lang: string;
  source: string;
}

interface Recorded {
  method: string;
  target: string;
  type: string | null;
  isKeyed: boolean;
  body: string;
  status: number;
}

/** A proxy that records what passes. It ends streams, so that their samples end too. */
const recorder = (targetOf: () => string) => {
  const recorded: Recorded[] = [];
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.bytes();
      const headers = new Headers(request.headers);
      headers.delete("transfer-encoding");
      const { method } = request;
      const response = await fetch(`${targetOf()}${pathname}${search}`, {
        method,
        headers,
        ...(body.length > 0 && { body }),
      });
      recorded.push({
        method,
        target: `${pathname}${search}`,
        type: headers.get("content-type"),
        isKeyed: headers.has("authorization"),
        body: new Bun.CryptoHasher("sha256")
          .update(canonical(headers.get("content-type"), body))
          .digest("hex"),
        status: response.status,
      });
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
      await response.body?.cancel();
      return new Response("retry: 2000\n\n", { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { url: proxy.url.origin, recorded, [Symbol.asyncDispose]: () => proxy.stop(true) };
};

/** A body without the white space that languages write differently. */
const canonical = (type: string | null, body: Uint8Array): string | Uint8Array =>
  type === "application/json" ? JSON.stringify(JSON.parse(new TextDecoder().decode(body))) : body;

type Methods = Record<string, { operationId: string; "x-codeSamples": { lang: string; source: string }[] }>;

const samplesIn = async (url: string, prefix: string): Promise<Sample[]> => {
  const { paths } = (await (await fetch(url)).json()) as { paths: Record<string, Methods> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation["x-codeSamples"].map(({ lang, source }) => ({
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path: prefix + path,
        lang,
        source,
      })),
    ),
  );
};

/** Removes the resource that the other samples need, so it comes last. */
const isLast = ({ method }: Sample): boolean => method === "DELETE";

/** What they need is gone or never was: the number of animals with a field, a seventh deploy, a seventh person, an open adoption, an available animal, the project. */
const UNMET = [
  "activateDeploy",
  "cancelOrder",
  "changePerson",
  "createProject",
  "deleteDeploy",
  "deleteField",
  "deletePhoto",
  "getDeploy",
  "getImport",
  "getPerson",
  "invitePerson",
  "placeOrder",
  "removeDomain",
  "removePasskey",
  "removePerson",
  "undoImport",
];

/** How to run a sample that is in the file of its language. */
const RUN: Record<string, { file: string; argv: string[] }> = {
  curl: { file: "sample.sh", argv: ["sh", "-e", "sample.sh"] },
  javascript: { file: "sample.mjs", argv: [process.execPath, "sample.mjs"] },
  python: { file: "sample.py", argv: ["python3", "sample.py"] },
  go: { file: "main.go", argv: ["go", "run", "main.go"] },
};

const runSample = async ({ lang, source }: Pick<Sample, "lang" | "source">, cwd: string, key: string) => {
  const { file, argv } = RUN[lang] as { file: string; argv: string[] };
  await Bun.write(join(cwd, file), source);
  return run(argv, { cwd, env: { API_KEY: key, HOME: process.env["HOME"] ?? cwd } });
};

const call = (url: string, key: string, path: string, body: object) =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** The resources in the examples: an animal, a category, an adoption and a key of id 7, and two domains of the published project `docs`. */
/** The photo of the examples is number 7, of animal 7. */
const addPhotos = async (url: string, key: string, photo: Uint8Array<ArrayBuffer>) => {
  for (let id = 1; id <= 7; id++)
    await fetch(`${url}/v1/pets/${id === 7 ? 7 : 1}/photos`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "image/jpeg" },
      body: photo,
    });
};

const seed = async (url: string, key: string, archive: Blob) => {
  const adopter = { name: "Ada", email: "ada@example.org" };
  for (let id = 1; id <= 8; id++) {
    await call(url, key, "/v1/categories", { name: `Category ${id}` });
    await call(url, key, "/v1/pets", { name: `Bella ${id}`, categoryId: 1, status: "available" });
    if (id !== 7) await call(url, key, "/v1/store/orders", { petId: id, adopter });
    await call(url, key, "/v1/fields", { name: `field${id}`, label: `Field ${id}`, kind: "text" });
    await call(url, key, "/platform/keys", { name: `website ${id}`, scopes: ["pets:read"] });
  }
  await call(url, key, "/platform/projects", { slug: "docs", name: "Documentation", plan: "pro" });
  await fetch(`${url}/platform/projects/docs/deploys`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/gzip" },
    body: archive,
  });
  for (const hostname of ["docs.example.org", "www.example.org"])
    await call(url, key, "/platform/projects/docs/domains", { hostname });
};

/** A sample may meet a resource in another state. It must never be a request that the service can't read. */
const UNDERSTOOD = [200, 201, 204, 402, 404, 409, 412, 422];

const openSamples = async (cwd: string) => {
  let target = "";
  const proxy = kept(recorder(() => target));
  const server = await serve({ cwd, env: { BASE_URL: proxy.url, DNS_RESOLVERS: "127.0.0.1:1" } });
  target = server.url;
  await Bun.write(join(cwd, "site", "index.html"), "<h1>Docs</h1>");
  await run(["tar", "-czf", "site.tar.gz", "-C", "site", "."], { cwd });
  const photo = new Uint8Array(await new Bun.Image(await png(640, 480)).jpeg().bytes());
  await Bun.write(join(cwd, "photo.jpg"), photo);
  await Bun.write(join(cwd, "animals.csv"), "name,categoryId\nBella,3\n");
  await Bun.write(join(cwd, "animals.ndjson"), '{"name":"Bella","categoryId":3}\n');
  await seed(server.url, server.key, Bun.file(join(cwd, "site.tar.gz")));
  await addPhotos(server.url, server.key, photo);
  const samples = [
    ...(await samplesIn(`${server.url}/openapi.json`, "/v1")),
    ...(await samplesIn(`${server.url}/platform/openapi.json`, "")),
  ];
  return {
    key: server.key,
    recorded: proxy.recorded,
    samples: samples.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b))),
  };
};

describe("code samples", () => {
  withPython(
    "every sample of curl, JavaScript and Python sends the same request, which the service understands",
    async () => {
      const place = directory();
      const all = await openSamples(place);
      const succeeded = new Set<string>();
      const byOperation = Map.groupBy(
        all.samples.filter(({ lang }) => lang !== "go"),
        ({ operationId }) => operationId,
      );
      expect(byOperation.size).toBeGreaterThan(40);
      for (const [operationId, samples] of byOperation) {
        const sent: Omit<Recorded, "status">[] = [];
        for (const sample of samples) {
          const { stderr } = await runSample(sample, place, all.key);
          const { status, ...request } = all.recorded.at(-1) as Recorded;
          expect(UNDERSTOOD, `${operationId} in ${sample.lang}: ${status} ${stderr}`).toContain(status);
          if (status < 300) succeeded.add(operationId);
          sent.push(request);
          const template = new RegExp(`^${sample.path.replace(/\{\w+\}/g, "[^/]+")}(\\?|$)`);
          expect([request.method, request.target, stderr]).toEqual([
            sample.method,
            expect.stringMatching(template),
            expect.anything(),
          ]);
        }
        expect(new Set(sent.map((one) => JSON.stringify(one))).size, operationId).toBe(1);
      }
      const unmet = [...byOperation.keys()].filter((operationId) => !succeeded.has(operationId));
      expect(unmet.toSorted()).toEqual(UNMET);
    },
  );

  withGo("every sample of Go passes its vet, and some run", async () => {
    const place = directory();
    const all = await openSamples(place);
    const samples = all.samples.filter(({ lang }) => lang === "go");
    const module = join(place, "samples");
    await Bun.write(join(module, "go.mod"), "module samples\n\ngo 1.19\n");
    for (const { operationId, source } of samples)
      await Bun.write(join(module, operationId.toLowerCase(), "main.go"), source);
    const env = { HOME: process.env["HOME"] ?? place };
    expect(await run(["go", "vet", "./..."], { cwd: module, env })).toMatchObject({ code: 0, stderr: "" });
    for (const operationId of ["listPets", "createPet", "getLiveness"]) {
      const sample = samples.find((one) => one.operationId === operationId) as Sample;
      mkdirSync(join(place, operationId));
      const { code, stderr } = await runSample(sample, join(place, operationId), all.key);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    expect(all.recorded.map(({ status }) => status)).toEqual([200, 201, 200]);
  });

  inEveryLanguage("hostile text in an example is data in every language", async () => {
    const text = "'\"`$(touch x)${1+1}%s\\n\\\n\t#{y}\u2028\uFEFFÄ🐕</script>";
    const json = { [text]: [text, 1.5, true, null, {}, []] };
    const bodies: unknown[] = [];
    await using echo = Bun.serve({
      port: 0,
      async fetch(request) {
        bodies.push([new URL(request.url).searchParams.get("q"), JSON.parse(await request.text())]);
        return Response.json({});
      },
    });
    const place = directory();
    const samples = samplesOf({
      method: "PUT",
      url: `${echo.url.origin}/?q=${encodeURIComponent(text)}`,
      isKeyed: true,
      body: { type: "application/json", json },
      response: "json",
    });
    for (const sample of samples) {
      const { code, stderr } = await runSample(sample, place, "key");
      expect([sample.lang, code, sample.lang === "curl" ? "" : stderr]).toEqual([sample.lang, 0, ""]);
      expect(bodies.at(-1)).toEqual([text, json]);
    }
    expect(bodies.length).toBe(samples.length);
  });
});
