import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publish, zone, zonesWith } from "./site.ts";
import { surroundings } from "./authorities.ts";
import { NEEDED, nameServers } from "./dns-servers.ts";
import { directory, real, run, serve, store, until } from "./support.ts";

const test = real(...NEEDED, "pebble", "curl");

interface Listed {
  hostname: string;
  project: string;
  stage: string;
}

interface Addition {
  hostname: string;
  result: string;
  error?: { code: string; message: string };
}

const read = async <Value>(answer: Response): Promise<Value> => {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Value;
};

/** The executable with HTTPS and two projects, alongside name servers with zones of customers, and an authority. */
const opened = async (place: string) => {
  const { servers, authority, env, httpPort, httpsPort } = await surroundings(place);
  const server = await serve({ cwd: place, env });
  const publishOne = (slug: string) => publish(server, slug, { files: { "index.html": slug } });
  const [docs, handbook] = [await publishOne("docs"), await publishOne("handbook")];
  const zones = {
    ...zonesWith(docs, handbook),
    ...zone(
      "customer.test",
      `docs.customer.test CNAME ${docs}`,
      `api.customer.test CNAME ${docs}`,
      `help.customer.test CNAME ${handbook}`,
      `www.customer.test CNAME ${handbook}`,
      `csv.customer.test CNAME ${handbook}`,
      "blocked.customer.test A 192.0.2.1",
      "wrong.customer.test CNAME other.pages.test",
    ),
  };
  await nameServers(zones, servers);
  return {
    server,
    httpsPort,
    /** The page over HTTPS and its status, with the location of a redirect; undefined without a valid certificate. */
    async visit(name: string): Promise<string | undefined> {
      const trust = ["--cacert", authority.rootFile, "--resolve", `${name}:${httpsPort}:127.0.0.1`];
      const shown = ["--silent", "--write-out", " %{response_code} %{redirect_url}"];
      const { code, stdout } = await run(["curl", ...trust, ...shown, `https://${name}:${httpsPort}/`]);
      return code === 0 ? stdout.trim() : undefined;
    },
    /** The status of a request over plain HTTP. */
    async ask(name: string): Promise<number> {
      const answer = await fetch(`http://127.0.0.1:${httpPort}/`, { headers: { host: name } });
      return answer.status;
    },
  };
};

const LIST = `docs.customer.test
192.0.2.1
blocked.customer.test
`;

const CSV = `domain;project;role
www.customer.test;handbook;redirect
help.customer.test;handbook;primary
wrong.customer.test;handbook;
lost.customer.test;nobody;
own.pages.test;docs;
boss.customer.test;docs;boss
`;

/** The names of a list of the API or of the command line, in its order. */
const namesIn = (domains: readonly { hostname: string }[]) => domains.map(({ hostname }) => hostname);

const resultsIn = (additions: readonly Addition[]) =>
  additions.map(({ hostname, result, error }) => [hostname, result, ...(error ? [error.code] : [])]);

test("domains of lists have a result per row, are live if their records are right, and are found across projects", async () => {
  const cwd = directory();
  const room = await opened(cwd);
  const { server, visit, httpsPort } = room;
  const addFrom = async (file: string, text: string, ...argv: string[]) => {
    writeFileSync(join(cwd, file), text);
    const { code, stdout } = await store(["domains", "add", "--from", file, "--json", ...argv], { cwd });
    return { code, results: resultsIn(JSON.parse(stdout) as Addition[]) };
  };
  expect(await addFrom("list.txt", LIST, "--project", "docs")).toEqual({
    code: 1,
    results: [
      ["docs.customer.test", "added"],
      ["192.0.2.1", "refused", "invalid_request"],
      ["blocked.customer.test", "added"],
    ],
  });
  expect(await addFrom("domains.csv", CSV)).toEqual({
    code: 1,
    results: [
      ["www.customer.test", "added"],
      ["help.customer.test", "added"],
      ["wrong.customer.test", "added"],
      ["lost.customer.test", "refused", "not_found"],
      ["own.pages.test", "refused", "invalid_request"],
      ["boss.customer.test", "refused", "invalid_request"],
    ],
  });
  const post = async (path: string, type: string, body: string) => {
    const headers = { "content-type": type };
    return resultsIn(await read<Addition[]>(await server.call(path, { method: "POST", headers, body })));
  };
  const rows = ["api.customer.test", "docs.customer.test", "none.invalid"].map((hostname) => ({
    hostname,
  }));
  expect(await post("/platform/domains?project=docs", "application/json", JSON.stringify(rows))).toEqual([
    ["api.customer.test", "added"],
    ["docs.customer.test", "present"],
    ["none.invalid", "refused", "invalid_request"],
  ]);
  expect(await post("/platform/domains", "text/csv", "csv.customer.test,handbook")).toEqual([
    ["csv.customer.test", "added"],
  ]);

  const right = {
    "docs.customer.test": "docs 200",
    "api.customer.test": "docs 200",
    "help.customer.test": "handbook 200",
    "www.customer.test": `301 https://help.customer.test:${httpsPort}/`,
    "csv.customer.test": "handbook 200",
  };
  for (const [name, response] of Object.entries(right))
    await until(`${name} is live`, async () => (await visit(name)) === response, 60_000);
  const listed = async (query = "") => read<Listed[]>(await server.call(`/platform/domains${query}`));
  const isKnown = async () => (await listed("?stage=dns_conflict")).length === 2;
  await until("wrong records are found", isKnown, 60_000);

  const problems = ["blocked.customer.test", "wrong.customer.test"];
  const all = [...problems, ...Object.keys(right).toSorted()];
  expect(namesIn(await listed())).toEqual(all);
  expect(namesIn(await listed("?project=handbook"))).toEqual(
    ["wrong", "csv", "help", "www"].map((label) => `${label}.customer.test`),
  );
  expect(namesIn(await listed("?q=W&stage=dns_conflict,live"))).toEqual(
    ["wrong.customer.test", "www.customer.test"].toSorted(),
  );
  expect(namesIn(await listed("?q=customer&stage=live&project=docs"))).toEqual([
    "api.customer.test",
    "docs.customer.test",
  ]);
  const projects = await server.call("/platform/projects?q=HAND");
  expect(await read(projects)).toMatchObject([{ slug: "handbook" }]);

  const list = async (...argv: string[]) => {
    const { code, stdout } = await store(["domains", "list", "--json", ...argv], { cwd });
    expect(code).toBe(0);
    return JSON.parse(stdout) as Listed[];
  };
  expect(await list()).toMatchObject(
    all.map((hostname, index) => ({ hostname, stage: index < problems.length ? "dns_conflict" : "live" })),
  );
  expect(namesIn(await list("--stage", "dns_conflict", "--project", "handbook"))).toEqual([
    "wrong.customer.test",
  ]);
  expect(namesIn(await list("--project", "docs", "--q", "API"))).toEqual(["api.customer.test"]);
  const shown = await store(["domains", "list"], { cwd });
  expect(shown.stdout.split("\n")[1]).toMatch(/^blocked\.customer\.test +dns_conflict +served +docs /);

  expect((await addFrom("list.txt", LIST, "--project", "docs")).results[0]).toEqual([
    "docs.customer.test",
    "present",
  ]);
  expect(await visit("docs.customer.test")).toBe("docs 200");
});

test("status and doctor advise no setting for customers' domains, but for a name of the service", async () => {
  const cwd = directory();
  const room = await opened(cwd);
  const { server, ask, visit } = room;
  const domain = (name: string) => `/platform/projects/docs/domains/${name}`;
  // Its record exists before the project has it.
  expect(await ask("docs.customer.test")).toBe(421);
  for (const name of ["docs.customer.test", "api.customer.test"]) {
    const added = await store(["domains", "add", name, "--project", "docs", "--no-pair"], { cwd });
    expect(added.code).toBe(0);
    await server.call(`${domain(name)}/verify`, { method: "POST" });
    await until(`${name} is live`, async () => (await visit(name)) === "docs 200", 60_000);
  }
  expect((await server.call(domain("api.customer.test"), { method: "DELETE" })).status).toBe(204);
  for (const name of ["api.customer.test", "help.customer.test", "adopt.pages.test"])
    expect(await ask(name)).toBe(421);

  const refusals = async () => {
    const { refusedHosts, warnings } = JSON.parse((await store(["status", "--json"], { cwd })).stdout) as {
      refusedHosts: { host: string }[];
      warnings: string[];
    };
    return { hosts: refusedHosts.map(({ host }) => host), warnings };
  };
  await until("the refused hosts are saved", async () =>
    (await refusals()).hosts.includes("adopt.pages.test"),
  );
  const addIt = (name: string) =>
    `1 request for ${name} was refused: no project has this domain; to add it to one, run adoption-store domains add ${name} --project PROJECT.`;
  const { hosts, warnings } = await refusals();
  expect(hosts).toEqual(["adopt.pages.test", "help.customer.test", "api.customer.test"]);
  expect(warnings.filter((warning) => warning.includes("refused"))).toEqual([
    "1 request for adopt.pages.test was refused: if it is the address of this server, set BASE_URL to it.",
    addIt("help.customer.test"),
    addIt("api.customer.test"),
  ]);
  const doctor = await store(["doctor", "--json"], { cwd });
  expect(JSON.parse(doctor.stdout)).toContainEqual(expect.objectContaining({ check: "platform" }));
  expect(doctor.stdout).not.toMatch(/BASE_URL|API_HOSTS|customer\.test/);
});
