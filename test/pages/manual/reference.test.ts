import { expect, test } from "bun:test";
import { ACTION_NAMES } from "../../../src/data/db/actions.ts";
import { program } from "../../../src/cli/program.ts";
import { serveCommand } from "../../../src/cli/serve.ts";
import { readConfig } from "../../../src/config/config.ts";
import { SETTINGS, type Setting } from "../../../src/config/settings.ts";
import { type StageEvent, type StoredStage, nextStage } from "../../../src/platform/domains/stage.ts";
import { FAULTS } from "../../../src/lib/errors.ts";
import { SCOPES } from "../../../src/http/scopes.ts";
import { ROLES } from "../../../src/access/people/person.ts";
import { PAGES, markdownOf } from "../../../src/pages/manual/pages.ts";
import { clusterNode } from "../../support/cluster-node.ts";
import { FAULT_GROUPS } from "../../real/zone-faults.ts";
import { addPet, openStore } from "../../support/store.ts";
import { commandsPage } from "./commands.ts";

/** The Markdown of a page of the reference, with its generated parts. */
const reference = async (name: string): Promise<string> => {
  const page = PAGES.find(({ path }) => path === `reference/${name}`);
  if (!page) throw new Error(`the reference has no page ${name}`);
  return markdownOf(page);
};

/** The cells of all tables, without the heads and without code marks. */
const rowsOf = (markdown: string): string[][] =>
  markdown
    .split("\n")
    .filter((line, at, lines) => line.startsWith("| ") && lines[at - 1]?.startsWith("|"))
    .filter((line) => !/^\|[ |-]+$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );

/** The first columns of a page's tables. */
const columns = async (name: string, count: number): Promise<string[][]> =>
  rowsOf(await reference(name)).map((row) => row.slice(0, count));

const settings = Object.values(SETTINGS as Record<string, Setting>);

test("the page of settings has each setting with its flag and its default, in the order of the settings", async () => {
  expect(await columns("settings", 3)).toEqual(
    settings.map(({ env, flag, fallback }) => [env, `--${flag}`, fallback]),
  );
});

test("the page of settings lists flags that serve accepts, and variables that are read", async () => {
  const flags = [...program().options, ...serveCommand().options].map(({ long }) => long);
  for (const [env = "", flag] of await columns("settings", 2)) {
    expect(flags).toContain(flag);
    expect(() => readConfig({ flags: {}, env: { [env]: "\0" }, isTerminal: false })).toThrow(env);
  }
});

test("the page of errors has a section for each code, below its status, with its message", async () => {
  const sections = (await reference("errors")).split(/^## /m).slice(1);
  const found = sections.flatMap((section) =>
    [...section.matchAll(/^### `(\w+)`\n\n.+\n\n> (.+)$/gm)].map(([, code, message]) => [
      code,
      Number.parseInt(section, 10),
      message,
    ]),
  );
  const listed = Object.entries(FAULTS).map(([code, [status, message]]) => [code, status, message]);
  expect(found.toSorted()).toEqual(listed.toSorted());
});

test("the page of errors lists the errors of the OpenAPI documents, and those outside their operations", async () => {
  const documents = (
    await Promise.all(
      ["store", "platform"].map((name) => Bun.file(`${import.meta.dir}/../openapi/${name}.json`).text()),
    )
  ).join("");
  expect(Object.keys(FAULTS).filter((code) => !documents.includes(`"${code}"`))).toEqual([
    // Of the console, of an unknown path or host, and of sites.
    "not_signed_in",
    "https_required",
    "cross_site_request",
    "method_not_allowed",
    "last_passkey",
    "passkey_limit_reached",
    "invalid_invitation",
    "passkey_refused",
    "misdirected",
    "damaged_file",
  ]);
});

test("the page of metrics lists the output of /metrics: names, types, help and labels", async () => {
  const { node } = await clusterNode();
  const store = await openStore({ clusterNode: node });
  await store.call("GET", "/v1/pets/1");
  const text = await (await store.call("GET", "/metrics")).text();
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
  const listed = rowsOf(await reference("metrics"));
  expect(listed.map(([name, type]) => [name, type]).toSorted()).toEqual(types.toSorted());
  for (const [name = "", , labels = "", help = ""] of listed) {
    expect(text).toContain(`# HELP ${name} ${help}\n`);
    const [, printed = ""] = new RegExp(`^${name}(?:_count)?{(.*)}`, "m").exec(text) ?? [];
    expect([...printed.matchAll(/(\w+)=/g)].map(([, label]) => label).join(", ")).toBe(printed && labels);
  }
  expect(text).toContain('http_server_deprecated_requests_total{http_route="/v1/pets/:petId",key_id="1"} 1');
});

const limitOf = async (what: string): Promise<number> => {
  const row = rowsOf(await reference("limits")).find(([name]) => name === what);
  return Number(/[\d,]+(?= (?:characters|levels)|$)/.exec(row?.[1] ?? "")?.[0]?.replaceAll(",", ""));
};

const animal = (name: string) => ["POST", "/v1/pets", { name, categoryId: 1 }] as const;
const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown;
const x = (count: number) => "x".repeat(count);

/** A request at the limit is allowed or refused for another reason, one beyond it is refused for this. */
test.each([
  ["name of an animal", (n: number) => animal(x(n)), "200 characters"],
  [
    "name of a category",
    (n: number) => ["POST", "/v1/categories", { name: x(n) }] as const,
    "100 characters",
  ],
  [
    "slug of a project",
    (n: number) => ["POST", "/platform/projects", { slug: x(n), name: "a" }] as const,
    "slug",
  ],
  [
    "name of a key",
    (n: number) => ["POST", "/platform/keys", { name: x(n), scopes: ["*"] }] as const,
    "name",
  ],
  [
    "ids in ids",
    (n: number) => ["GET", `/v1/pets?ids=${Array<number>(n).fill(1).join(",")}`] as const,
    "ids",
  ],
  ["depth of a JSON body", (n: number) => ["POST", "/v1/pets", nested(n)] as const, "nested deeper"],
] as const)("the page of limits has the limit of the %s in a request", async (what, requestOf, reason) => {
  const store = await openStore();
  const limit = await limitOf(what);
  const refusalAt = async (count: number): Promise<string> => {
    const [method, path, json] = requestOf(count);
    const response = await store.call(method, path, json === undefined ? {} : { json });
    return response.status === 400 ? ((await response.json()) as { message: string }).message : "";
  };
  expect(await refusalAt(limit)).not.toContain(reason);
  expect(await refusalAt(limit + 1)).toContain(reason);
});

test("the page of limits names settings with their defaults", async () => {
  const named = rowsOf(await reference("limits")).flatMap(
    ([, value = ""]) => /^(\S+) \((\w+)\)/.exec(value)?.slice(1) ?? [],
  );
  const defaults = Object.values(SETTINGS as Record<string, Setting>).flatMap(({ env, fallback }) => [
    fallback,
    env,
  ]);
  expect(named.length).toBeGreaterThan(6);
  expect(defaults).toEqual(expect.arrayContaining(named));
});

test("the page of events has each action of the audit log", async () => {
  const [, log = ""] = (await reference("events")).split("## The audit log");
  expect(rowsOf(log).map(([action]) => action)).toEqual([...ACTION_NAMES]);
});

/** The enumerations of the platform's OpenAPI document that have this value. */
const enumerationWith = async (value: string): Promise<string[]> => {
  const document = await Bun.file(`${import.meta.dir}/../openapi/platform.json`).text();
  const lists = [...document.matchAll(/"enum": ?\[([^\]]*)\]/g)].map(
    ([, list = ""]) => JSON.parse(`[${list}]`) as string[],
  );
  return lists.find((list) => list.includes(value)) ?? [];
};

test("the pages of domains have each stage, event and finding of the API", async () => {
  const stages = rowsOf((await reference("stages-of-a-domain")).split("## Transitions")[0] ?? "");
  expect(stages.map(([stage]) => stage)).toEqual(await enumerationWith("awaiting_dns"));
  const [, history = ""] = /## The history([^]*?)\n## /.exec(await reference("events")) ?? [];
  const events = rowsOf(history);
  expect(events.map(([event = ""]) => event)).toEqual(await enumerationWith("became_primary"));
  const findings = [...(await reference("findings")).matchAll(/^## `(\w+)`$/gm)].map(([, kind]) => kind);
  expect(findings.toSorted()).toEqual((await enumerationWith("no_record")).toSorted());
});

test("the pages of domains lead from each stage to the stages of the table", async () => {
  const rows = rowsOf((await reference("stages-of-a-domain")).split("## Transitions")[1] ?? "");
  const moves = rows.flatMap(([event = "", from = "", to = ""]) =>
    from.split(", ").map((stage) => [stage, event, to]),
  );
  expect(moves).toHaveLength(31);
  for (const [stage, event, to] of moves)
    expect(nextStage(stage as StoredStage, event as StageEvent)).toBe(to as StoredStage);
});

test("the pages of domains quote ten rules", async () => {
  const rules = (await reference("custom-domain-procedure")).split(/^## Rule /m).slice(1);
  expect(rules.map((rule) => /^(\d+)\n\n> \S/.exec(rule)?.[1])).toEqual(
    Array.from({ length: 10 }, (_, index) => String(index + 1)),
  );
});

test("the page of events has the events that a stream of animals sends", async () => {
  const store = await openStore();
  const rows = rowsOf((await reference("events")).split("## The steps")[0] ?? "").map(([event]) => event);
  const { id } = await addPet(store, {});
  await store.call("PATCH", `/v1/pets/${id}`, { json: { name: "Luna" } });
  await store.call("DELETE", `/v1/pets/${id}`);
  const stop = new AbortController();
  const stream = await store.visit("http://localhost/v1/pets/events?lastEventId=0", {
    headers: { authorization: `Bearer ${store.key}` },
    signal: stop.signal,
  });
  let sent = "";
  for await (const chunk of (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    sent += chunk;
    if (sent.includes("event: deleted")) break;
  }
  stop.abort();
  const events = [...sent.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event);
  expect([...new Set(events), "reset"]).toEqual(rows);
});

test("the page of commands is the help of the program: bun run manual:commands", async () => {
  // The formatter aligns the columns of tables.
  const aligned = (text: string): string => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
  expect(aligned(await reference("commands"))).toBe(aligned(commandsPage()));
});

test("the page of commands refers readers to the page of settings for settings only", async () => {
  const flags = Object.values(SETTINGS).map(({ flag }) => `--${flag}`);
  const linked = [...(await reference("commands")).matchAll(/^\[Settings\].* matter here: (.*)\.$/gm)]
    .flatMap(([, list = ""]) => list.split(", "))
    .map((name) => name.replaceAll("`", "").replace(/^--no-/, "--"));
  expect(linked).not.toEqual([]);
  expect(linked.filter((name) => !flags.includes(name))).toEqual([]);
});

test("the page of scopes has each scope, and the one that holds all", async () => {
  expect((await columns("scopes", 1)).flat()).toEqual([...Object.keys(SCOPES), "*"]);
});

test("the page of people has each role with its scopes", async () => {
  const page = PAGES.find(({ path }) => path === "how-to/people");
  const rows = rowsOf(page ? await markdownOf(page) : "").filter(([role = ""]) => Object.hasOwn(ROLES, role));
  expect(rows.map(([role, , scopes]) => [role, scopes])).toEqual(
    Object.entries(ROLES).map(([role, scopes]) => [role, scopes.join(", ")]),
  );
});

test("the faults page lists each fault of the table with its finding", async () => {
  const rows = await columns("domain-faults", 3);
  const faults = FAULT_GROUPS.flatMap((group) => group.faults);
  expect(rows.map(([fault]) => fault)).toEqual(faults.map(({ fault }) => fault));
  expect(rows.map(([, reported]) => reported)).toEqual(
    faults.map(({ reported = [] }) => reported.join(", ")),
  );
  for (const [at, { findings }] of faults.entries())
    for (const kind of findings) expect(rows[at]?.[2]).toContain(`(findings.md#${kind})`);
});
