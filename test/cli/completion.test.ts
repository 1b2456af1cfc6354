import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { complete } from "../../src/cli/completion.ts";
import { fullName } from "../../src/cli/command.ts";
import { manualPage } from "../../src/cli/man.ts";
import { program } from "../../src/cli/program.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { addDomain, addSite } from "../edge/projects.ts";
import { openStore, temporaryDirectory } from "../support/store.ts";
import { inProcess } from "./program.ts";

const NO_OBJECTS = () => [];

/** The values that are suggested for a line, whose last word is being typed. */
const valuesFor = (line: string): string[] =>
  complete(program(), line.split(" "), NO_OBJECTS).candidates.map(({ value }) => value);

const kindFor = (line: string): string => complete(program(), line.split(" "), NO_OBJECTS).kind;

describe("completion", () => {
  test.each([
    ["keys cr", ["create"]],
    ["ke", ["keys"]],
    ["help keys re", ["revoke"]],
    ["keys create --sc", ["--scope"]],
    ["keys create --scope pets:w", ["pets:write"]],
    ["keys create --scope pets:read pets:w", ["pets:write"]],
    ["keys create --scope pets:read --expires 9d --na", ["--name"]],
    ["--data-dir /srv keys cr", ["create"]],
    ["serve --log-level de", ["debug"]],
    ["serve --log-level=de", ["--log-level=debug"]],
    ["serve --no-c", ["--no-console"]],
    ["import animals.csv --format n", ["ndjson"]],
    ["openapi pl", ["platform"]],
    ["completion f", ["fish"]],
    ["nonsense x", []],
    ["keys create --name cr", []],
    ["keys revoke 1 2 ", []],
    ["audit --actor p", ["person"]],
    ["audit --resource do", ["domain"]],
  ])("of %j suggests %j", (line, values) => {
    expect(valuesFor(line)).toEqual(values);
  });

  test.each([
    ["import ", "files"],
    ["restore ", "files"],
    ["upgrade ", "files"],
    ["import --rejected ", "files"],
    ["serve --acme-ca-file ", "files"],
    ["deploy ", "directories"],
    ["keys list --data-dir ", "directories"],
    ["keys ", "words"],
  ])("of %j suggests %s", (line, kind) => {
    expect(kindFor(line)).toBe(kind);
  });

  test("takes the words that bash separates at = and :", () => {
    const values = (words: string[]) =>
      complete(program(), words, NO_OBJECTS).candidates.map(({ value }) => value);
    expect(values(["serve", "--log-level", "=", "de"])).toEqual(["debug"]);
    expect(values(["serve", "--log-level", "="])).toContain("debug");
    expect(values(["keys", "create", "--scope", "pets", ":", "w"])).toEqual(["pets:write"]);
    expect(values(["keys", "create", "--scope", "pets", ":"])).toEqual(["pets:read", "pets:write"]);
  });

  test("is printed as its kind and a candidate a line", async () => {
    const { out, code } = await inProcess(["__complete", "keys", "ro"]);
    expect([code, out]).toEqual([
      0,
      "words\nrotate\treplace the secret of a key and print the new one, which is shown only once\n",
    ]);
  });

  test.each(["bash", "zsh", "fish"])("has a script for %s that calls the program", async (shell) => {
    const { out, code } = await inProcess(["completion", shell]);
    expect([code, out]).toEqual([0, expect.stringContaining("__complete")]);
  });
});

describe("completion of objects", () => {
  const openOnDisk = async (env: Record<string, string> = {}) => {
    const directory = temporaryDirectory();
    const path = join(directory, "adoption-store.db");
    return { directory, store: await openStore({ path, env: { DATA_DIR: directory, ...env } }) };
  };

  let dataDir = "";
  beforeAll(async () => {
    const { directory, store } = await openOnDisk({ PLATFORM_DOMAIN: "sites.example.org" });
    dataDir = directory;
    const { client } = store.database;
    client.run("INSERT INTO keys (name, scopes, created_at) VALUES ('hall screen', 'pets:read', 5)");
    client.run("INSERT INTO keys (name, scopes, created_at, revoked_at) VALUES ('lost', '*', 6, 7)");
    client.run(
      "INSERT INTO people (name, email, folded_email, role, handle, created_at) VALUES ('Ada', 'ada@example.org', 'ada@example.org', 'staff', 'handle-of-ada', 8)",
    );
    client.run("INSERT INTO categories (name, folded) VALUES ('Dogs', 'dogs'), ('Big cats', 'big cats')");
    await addSite(store, "docs");
    await addSite(store, "shop");
    addDomain(store, "docs", "docs.example.org");
    addDomain(store, "shop", "*.shop.example.net");
    client.run(
      "INSERT INTO certificates (hostname, failures, renewals, created_at) VALUES ('old.example.org', 0, 0, 13)",
    );
    client.run("INSERT INTO pets (id, name, category_id, created_at) VALUES (31, 'Rex', 1, 9)");
    client.run(
      "INSERT INTO orders (id, pet_id, adopter_name, adopter_email, status, created_at, updated_at) VALUES (21, 31, 'Bo', 'bo@example.org', 'placed', 10, 11)",
    );
  });

  /** The lines after the kind, which `__complete` prints for a line. */
  const linesFor = async (line: string, env: Record<string, string> = { DATA_DIR: dataDir }) => {
    const { out, error, code } = await inProcess(["__complete", ...line.split(" ")], { env });
    expect([code, error]).toEqual([0, ""]);
    return out.split("\n").slice(1, -1);
  };

  test.each([
    ["keys revoke ", ["1\tall", "2\thall screen"]],
    ["keys rotate 2", ["2\thall screen"]],
    ["people role ", ["1\tAda"]],
    ["people invite 7", []],
    ["categories delete ", ["Big cats\tid 2", "Dogs\tid 1"]],
    ["categories rename 1", ["1\tDogs"]],
    ["deploy site --project d", ["docs\tdocs"]],
    ["deploys list --project=s", ["--project=shop"]],
    ["domains show ", ["*.shop.example.net\tlive", "docs.example.org\tlive"]],
    ["domains remove --project docs ", ["docs.example.org\tlive"]],
    ["domains remove --project=shop ", ["*.shop.example.net\tlive"]],
    ["domains add do", []],
    ["certificates show ", ["old.example.org"]],
    ["certificates import docs", ["docs.example.org\tlive"]],
    ["audit --actor key:2", ["key:2\thall screen"]],
    ["audit --resource order:", ["order:21\tplaced"]],
    ["audit --resource deploy:1", ["deploy:1\tdocs, succeeded"]],
    ["orders forget b", []],
  ])("of %j suggests %j", async (line, lines) => {
    expect(await linesFor(line)).toEqual(lines);
  });

  test("reads the store that --data-dir names", async () => {
    expect(await linesFor(`--data-dir ${dataDir} keys revoke 2`, {})).toEqual(["2\thall screen"]);
    expect(await linesFor(`keys revoke --data-dir=${dataDir} 2`, {})).toEqual(["2\thall screen"]);
  });

  test("is silent without a store, and creates none", async () => {
    const empty = temporaryDirectory();
    expect(await linesFor("keys revoke ", { DATA_DIR: empty })).toEqual([]);
    expect(await linesFor("keys revoke ", { DATA_DIR: join(empty, "none") })).toEqual([]);
    expect(readdirSync(empty)).toEqual([]);
  });

  test("is silent about a database that it cannot read", async () => {
    const damaged = temporaryDirectory();
    writeFileSync(join(damaged, "adoption-store.db"), "not a database");
    expect(await linesFor("keys revoke ", { DATA_DIR: damaged })).toEqual([]);
    expect(await linesFor("keys revoke ", { DATA_DIR: damaged, PORT: "nonsense" })).toEqual([]);
  });

  test("changes no file of the store", async () => {
    const state = () =>
      readdirSync(dataDir, { recursive: true })
        .map(String)
        .map((name) => [name, statSync(join(dataDir, name)).mtimeMs]);
    const before = state();
    await linesFor("domains show ");
    expect(state()).toEqual(before);
  });

  test("shows at most 200 objects", async () => {
    const { directory, store } = await openOnDisk();
    const keys = Array.from({ length: 300 }, (_, index) => `('key ${index}', 'pets:read', 12)`).join();
    store.database.client.run(`INSERT INTO keys (name, scopes, created_at) VALUES ${keys}`);
    expect(await linesFor("keys revoke ", { DATA_DIR: directory })).toHaveLength(200);
  });
});

describe("the manual page", () => {
  const leavesOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
  const page = manualPage(program(), "1.0.0").replaceAll("\\-", "-");

  test("describes every command, visible option and setting", () => {
    const words = [
      ...leavesOf(program()).flatMap((command) => [
        `\n.SS ${fullName(command)}`,
        ...command.options
          .filter(({ hidden }) => !hidden)
          .map(({ long }) => long?.replace(/^--(no-)?/, "") ?? ""),
      ]),
      ...Object.values(SETTINGS).map(({ env }) => `\n${env}, ${env.toLowerCase()}`),
    ];
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });

  test("shows that an argument may be repeated", () => {
    expect(page).toContain("\n.SS adoption-store backup [options] <file...>\n");
    expect(page).toContain("\n.TP\n<names...>\n");
  });

  test("has no line that text begins with a dot or a quote", () => {
    const controls = page.split("\n").filter((line) => /^[.']/.test(line));
    expect(controls.filter((line) => !/^\.(TH|SH|SS|TP|PP|RS|RE|EX|EE|nf|fi|br)\b/.test(line))).toEqual([]);
  });
});
