import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { version } from "../../package.json" with { type: "json" };
import { examplesOf, fullName } from "../../src/cli/command.ts";
import { program } from "../../src/cli/program.ts";
import { migrations } from "../../src/data/db/migrations.ts";
import { openProject } from "../platform/domains/projects.ts";
import { dnsServer } from "../support/dns.ts";
import { saveSettings } from "../../src/config/shared-settings.ts";
import { bundledProgram } from "../support/program.ts";
import { createStore } from "../support/new-store.ts";
import { temporaryDirectory } from "../support/store.ts";
import { bundled, bundledOnTerminal, inProcess, onQuestion, expectFailure } from "./program.ts";

const executable = bundled();
const onTerminal = bundledOnTerminal();
const spawn = (argv: string[], env: Record<string, string> = {}) => executable(argv, { env });
const run = (argv: string[], env: Record<string, string> = {}) => inProcess(argv, { env });

describe("wrong use is one line on standard error and exit code 2", () => {
  test.each<[argv: string[], named: string, env?: Record<string, string>]>([
    [["serve"], 'PORT: "abc" must be a port', { PORT: "abc" }],
    [["serve"], 'LOG_LEVEL: "loud" must be one of', { LOG_LEVEL: "loud" }],
    [["serve"], 'TRUST_PROXY: "yes" must be a number', { TRUST_PROXY: "yes" }],
    [["serve", "--body-limit", "much"], '--body-limit: "much" must be a size'],
    [["nonsense"], 'unknown command "nonsense"'],
    [["serve", "--prot", "1"], "--port"],
    [["serve", "extra"], "too many arguments"],
    [["serve", "--port"], "--port needs a value; see adoption-store serve --help"],
    [["serve", "--console=maybe"], '--console: "maybe" must be true or false'],
    [["serve", "--port", "abc"], '--port: "abc" must be a port from 0 to 65535'],
    [["keys", "lost"], 'unknown command "lost"'],
    [["keys", "help", "lost"], 'unknown command "lost"'],
    [["keys", "create", "--name", "x"], "--scope"],
    [["keys", "create", "--scope", "pets:read"], "--name"],
    [["keys", "create", "--name", "x", "--scope", "pets:fly"], '--scope: "pets:fly" is not a scope'],
    [["keys", "create", "--name", "x", "--scope", "*", "--expires", "soon"], "--expires"],
    [["keys", "create", "--name", "x", "--scope", "*", "--expires", "999999999d"], "--expires"],
    [["keys", "create", "--name", "x", "--scope", "*", "--expires", "2020-01-01T00:00:00Z"], "--expires"],
    [
      ["keys", "create", "--name", "x", "--scope", "*", "--rate-limit", "fast"],
      '--rate-limit: "fast" is not a rate',
    ],
    [["keys", "revoke"], "id"],
    [["keys", "revoke", "one"], 'key id: "one"'],
    [["keys", "rotate", "1", "--grace", "1y"], '--grace: "1y" is not a span'],
    [["openapi", "shop"], 'document: "shop" is not one of store, platform; see'],
    // The help of this command, not of all.
    [["serve", "extra"], "see adoption-store serve --help\n"],
    [["keys", "revoke"], "see adoption-store keys revoke --help\n"],
    [["keys", "lost"], "see adoption-store keys --help\n"],
    [["nonsense"], "see adoption-store --help\n"],
    [["help", "nosuch"], 'unknown command "nosuch"; see adoption-store --help\n'],
    [["help", "keys", "nosuch"], 'unknown command "nosuch"; see adoption-store keys --help\n'],
    [["serv"], 'unknown command "serv" (Did you mean serve?); see adoption-store --help\n'],
    [["keys", "craete"], 'unknown command "craete" (Did you mean create?); see'],
    [
      ["serve", "--prot", "1"],
      'unknown option "--prot" (Did you mean --port?); see adoption-store serve --help\n',
    ],
    [["keys", "crate"], 'unknown command "crate" (Did you mean create?); see'],
    [["--nonsense"], "see adoption-store --help\n"],
  ])("%j", async (argv, named, env = {}) => {
    const dataDir = temporaryDirectory();
    const { out, error, code } = await run(argv, { DATA_DIR: dataDir, ...env });
    expect([code, out]).toEqual([2, ""]);
    expect(readdirSync(dataDir)).toEqual([]);
    expect(error).toContain(named);
    expect(error.trimEnd().split("\n")).toHaveLength(1);
  });
});

test("the program without arguments lists the first steps", async () => {
  const { out, error, code } = await spawn([]);
  expect([code, error]).toEqual([0, ""]);
  expect(out).toContain("Start here:\n  adoption-store serve ");
  expect(out).toEndWith("All commands: adoption-store help\n");
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test("help lists all commands under headings", async () => {
  const { out } = await run(["help"]);
  for (const command of ["serve", "keys", "openapi", "doctor", "version"])
    expect(out).toContain(`\n  ${command}`);
  expect(out).toContain("\n\nBackups:\n  backup <file...> ");
});

const everyCommand = (command = program()): Command[] => [command, ...command.commands.flatMap(everyCommand)];

test("every command's help fits 80 columns, and shows an example if it does something by itself", async () => {
  for (const command of everyCommand()) {
    const { out: help } = await run(["help", ...fullName(command).split(" ").slice(1)]);
    expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const isSimple = command.commands.length > 0 || ["version", "help"].includes(command.name());
    if (!isSimple) expect(help).toContain("\nExamples:\n");
  }
});

test("every example calls a command with options that it has", async () => {
  for (const command of everyCommand())
    for (const [, line] of examplesOf(command)) {
      const words = line.replaceAll("\\\n", "").split(/ +/);
      const path = words.slice(1, 1 + fullName(command).split(" ").length - 1);
      expect(["adoption-store", ...path].join(" ")).toBe(fullName(command));
      const known = [...command.options, ...program().options].map(({ long }) => long);
      for (const word of words.filter((one) => one.startsWith("--"))) expect(known).toContain(word);
    }
});

test.each(["--help", "serve --help", "keys --help", "keys"])(
  "%s prints help on standard output",
  async (line) => {
    const { out, code } = await run(line.split(" "));
    expect([code, out.includes("Usage: adoption-store")]).toEqual([0, true]);
  },
);

test.each(["help keys create", "keys help create", "keys create -h"])(
  "%s prints what keys create --help prints",
  async (line) => {
    const { out, code } = await run(line.split(" "));
    expect(out).toStartWith("Usage: adoption-store keys create");
    expect([code, out]).toEqual([0, (await run(["keys", "create", "--help"])).out]);
  },
);

test("a subcommand's help lists no settings except the global options", async () => {
  const { out } = await run(["domains", "list", "--help"]);
  expect(new Set(out.match(/--[\w-]+/g))).toEqual(
    new Set(["--project", "--json", "--stage", "--q", "--data-dir", "--config", "--help"]),
  );
});

test("global options stand before or after the command", async () => {
  const directory = await createStore();
  await run(["--data-dir", directory, "keys", "create", "--name", "x", "--scope", "*"]);
  expect(JSON.parse((await run(["keys", "list", "--json", "--data-dir", directory])).out)).toMatchObject([
    { name: "x" },
  ]);
});

describe("a boolean setting", () => {
  const importWith = async (...flags: string[]) => {
    const directory = await createStore();
    const file = join(directory, "animals.csv");
    writeFileSync(file, "name,categoryId\nRex,9\n");
    return (await run(["import", ...flags, file], { DATA_DIR: directory, STRICT_CATEGORIES: "yes" })).code;
  };

  test.each([
    [["--strict-categories"], 1],
    [["--strict-categories=true"], 1],
    [["--strict-categories", "on"], 1],
    [["--no-strict-categories"], 0],
    [["--strict-categories=false"], 0],
    [["--strict-categories", "no"], 0],
    [[], 1],
  ])("is written %j", async (flags, code) => {
    expect(await importWith(...flags)).toBe(code);
  });
});

test.skipIf(!existsSync("/dev/full"))("a key whose secret cannot be printed is named", async () => {
  const { code, error } = await executable(["keys", "create", "--name", "x", "--scope", "*"], {
    env: { DATA_DIR: await createStore() },
    output: "/dev/full",
  });
  expect(code).toBe(1);
  expect(error).toContain(
    "key 1 was created, but its secret could not be printed: revoke it, or rotate it\n",
  );
});

test("domains redirect names the reason if no domain can be the target", async () => {
  const dataDir = temporaryDirectory();
  const { store } = await openProject({
    path: join(dataDir, "adoption-store.db"),
    env: { DATA_DIR: dataDir },
  });
  const redirect = (hostname: string) =>
    run(["domains", "redirect", hostname, "--project", "docs", "--data-dir", dataDir]);
  await store.call("POST", "/platform/projects/docs/domains", { json: { hostname: "docs.example.org" } });
  expect((await redirect("docs.example.org")).error).toBe(
    "adoption-store: docs.example.org is the primary domain and cannot redirect to itself: first make another one primary with adoption-store domains primary HOSTNAME --project docs\n",
  );
  store.database.client.run("UPDATE domains SET role = 'served'");
  const { code, error } = await redirect("docs.example.org");
  expect([code, error]).toEqual([
    1,
    "adoption-store: docs has no primary domain: set one with adoption-store domains primary HOSTNAME --project docs\n",
  ]);
});

test("serve --help lists every setting with its variable and default", async () => {
  const { SETTINGS } = await import("../../src/config/settings.ts");
  const { out } = await run(["serve", "--help"]);
  const text = out.replace(/\s+/g, " ");
  for (const { flag, env, fallback } of Object.values(SETTINGS)) {
    expect(text).toMatch(new RegExp(`--(no-)?${flag} `));
    expect(text).toContain(`(env ${env}${fallback && `; default ${fallback}`})`);
  }
});

describe("version", () => {
  const commitOfSource = async () => {
    const describe = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    return (await Bun.$`${describe}`.text()).trim();
  };
  const newest = migrations.at(-1)?.tag;

  test("prints the version of package.json, the commit and the newest migration", async () => {
    const commit = await commitOfSource();
    expect((await spawn(["version"])).out).toBe(
      `version    ${version}\ncommit     ${commit}\nmigration  ${newest}\n`,
    );
    const { out } = await spawn(["version", "--json"]);
    expect(JSON.parse(out)).toEqual({ version, commit, migration: newest });
  });

  test("prints one line for --version, and for the upgrade command of earlier builds", async () => {
    expect((await spawn(["--version"])).out).toBe(`${version}\n`);
    // They run it with an empty environment, and accept nothing else.
    const child = Bun.spawn([...(await bundledProgram()), "version"], { env: {}, stderr: "inherit" });
    expect(await child.stdout.text()).toBe(`${version}\n`);
  });
});

test.each(["store", "platform"])("openapi %s prints a document that names BASE_URL", async (name) => {
  const { out, code } = await run(["openapi", name], { BASE_URL: "https://adopt.example.org" });
  const document = JSON.parse(out) as {
    openapi: string;
    servers: { variables: Record<string, { default: string }> }[];
  };
  expect([code, document.openapi]).toEqual([0, "3.1.0"]);
  expect(document.servers[0]?.variables["base_url"]?.default).toBe(
    `https://adopt.example.org${name === "store" ? "/v1" : ""}`,
  );
});

test("keys are created, listed, rotated and revoked, in words and in JSON", async () => {
  const env = { DATA_DIR: await createStore() };
  const json = async (line: string) =>
    JSON.parse((await run([...line.split(" "), "--json"], env)).out) as Record<string, unknown>;
  const made = await json(
    "keys create --name web --scope pets:read pets:write --expires 90d --rate-limit 600/min",
  );
  const scopes = ["pets:read", "pets:write"];
  expect(made).toMatchObject({ id: 1, name: "web", scopes, rateLimit: "600/min" });
  expect(made["secret"]).toMatch(/^aas_\w{36}$/);
  expect((await run(["keys", "list"], env)).out).toMatch(
    /^ID +NAME.*\n1 +web +aas_\w{4} +pets:read pets:write +600\/min +never +expires in 90 days/,
  );
  expect((await json("keys rotate 1 --grace 0s"))["secret"]).not.toBe(made["secret"]);
  expect((await run(["keys", "revoke", "1"], env)).out).toStartWith('Key 1 "web" was revoked at ');
  expect(await json("keys list")).toMatchObject([{ id: 1, revokedAt: expect.any(String) }]);
  const unknown = await run(["keys", "revoke", "9"], env);
  expect([unknown.code, unknown.error]).toEqual([
    1,
    "adoption-store: There is no API key with this id: see adoption-store keys list\n",
  ]);
});

describe("the last usable key that can manage keys", () => {
  const withAdmin = async () => {
    const env = { DATA_DIR: await createStore() };
    await run(["keys", "create", "--name", "admin", "--scope", "*"], env);
    return env;
  };

  test("is revoked without a terminal only with --yes", async () => {
    const env = await withAdmin();
    const refused = await spawn(["keys", "revoke", "1"], env);
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.error).toMatch(
      /^adoption-store: Without key 1 "admin", no key or administrator could grant all of its scopes\. Revoke it\?.* Pass --yes to confirm\.\n$/,
    );
    expect((await run(["keys", "list"], env)).out).toEndWith("valid\n");
    const revoked = await run(["keys", "revoke", "1", "--yes"], env);
    expect([revoked.code, revoked.out]).toEqual([0, expect.stringContaining("was revoked at")]);
  });

  test.each([
    ["y", "was revoked at"],
    ["n", "Nothing was revoked."],
  ])("is revoked only if the answer is yes: %s", async (answer, said) => {
    const env = await withAdmin();
    const argv = ["keys", "revoke", "1"];
    const { shown, code } = await onTerminal(argv, env, onQuestion("[y/N]", `${answer}\r`));
    expect([code, shown]).toEqual([0, expect.stringContaining(said)]);
  });
});

describe.each([
  ["with the DATA_DIR of no store", { DATA_DIR: "mistyped" }, "mistyped"],
  ["without DATA_DIR, a store here and a service", {}, "./data"],
])("%s,", (_where, env, dataDir) => {
  test.each([
    "keys list",
    "keys create --name web --scope pets:read",
    "keys revoke 7",
    "categories add Dogs",
    "people add --name Ada --email ada@example.org --role staff",
    "orders list",
    "audit",
    "export out.csv",
    "backup friday.db",
    "import animals.csv",
    "import animals.csv --create-categories",
  ])("%s creates nothing, and names both remedies", async (line) => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "animals.csv"), "name,category\nRex,Dog\n");
    expect(await inProcess(line.split(" "), { env, cwd })).toEqual({
      code: 1,
      out: "",
      error: `adoption-store: DATA_DIR ${dataDir}: there is no database. Name the directory of a store with --data-dir, or create a store with adoption-store serve\n`,
    });
    expect(readdirSync(cwd)).toEqual(["animals.csv"]);
  });
});

test("doctor passes a fresh directory, and names a damaged database", async () => {
  const directory = temporaryDirectory();
  const well = await run(["doctor", "--port", "0"], { DATA_DIR: directory });
  expect([well.code, well.out.includes("FAILED")]).toEqual([0, false]);
  await Bun.write(
    join(directory, "adoption-store.db"),
    "this is no database, and it is long enough to be looked at".repeat(20),
  );
  const ill = await run(["doctor", "--port", "0"], { DATA_DIR: directory });
  expect(ill.code).toBe(1);
  expect(ill.out).toMatch(/^FAILED {2}database: /m);
});

describe("a BACKUP_DIR that cannot take backups", () => {
  const unfit = () => {
    const directory = temporaryDirectory();
    const file = join(directory, "file");
    writeFileSync(file, "mine");
    return { file, env: { DATA_DIR: join(directory, "data"), BACKUP_SCHEDULE: "24h" } };
  };

  test.each(["", "/below"])("refuses the start, and doctor names it (a file%s)", async (end) => {
    const { file, env } = unfit();
    const message = `BACKUP_DIR ${file}${end}: ${file} is not a directory: choose another with --backup-dir`;
    const started = await spawn(["serve", "--port", "0"], { ...env, BACKUP_DIR: file + end });
    expect([started.code, started.out, started.error]).toEqual([1, "", `adoption-store: ${message}\n`]);
    const { out, code } = await run(["doctor", "--port", "0"], { ...env, BACKUP_DIR: file + end });
    expect([code, out]).toEqual([1, expect.stringContaining(`FAILED  backups: ${message}\n`)]);
  });

  test("stops the start if it is a directory of the server itself", async () => {
    const { env } = unfit();
    expectFailure(
      await spawn(["serve"], { ...env, BACKUP_DIR: join(env.DATA_DIR, "blobs") }),
      1,
      /BACKUP_DIR .+blobs: it is a directory of the server in DATA_DIR/,
    );
  });

  test("is not checked without BACKUP_SCHEDULE, and one that does not exist is fine", async () => {
    const { file, env } = unfit();
    const doctor = async (more: Record<string, string>) =>
      (await run(["doctor", "--port", "0"], { ...env, ...more })).out;
    expect(await doctor({ BACKUP_SCHEDULE: "", BACKUP_DIR: file })).toContain("warning backups: none");
    const directory = join(env.DATA_DIR, "a/b");
    expect(await doctor({ BACKUP_DIR: directory })).toContain(`ok      backups: ${directory}`);
    expect(existsSync(directory)).toBe(false);
  });
});

describe("domains", () => {
  /** A DATA_DIR with the deployed project `docs`, the target of its domains, and name servers for them. */
  const open = async () => {
    const directory = temporaryDirectory();
    const { store } = await openProject({
      path: join(directory, "adoption-store.db"),
      env: { DATA_DIR: directory },
    });
    const { targetLabel } = await store.projects.get("docs");
    const zones = {
      test: ["test NS ns.test", "ns.test A 127.0.0.1"],
      localhost: ["localhost NS ns.test", `${targetLabel}.cname.localhost A 127.0.0.1`],
      "example.test": ["example.test NS ns.example.test", "ns.example.test A 127.0.0.1"],
    };
    const dns = await dnsServer({ zones });
    const { port } = dns.server;
    const env = {
      DATA_DIR: directory,
      DNS_RESOLVERS: `127.0.0.1:${port}`,
      DNS_PORT: String(port),
      DNS_PRIVATE: "yes",
    };
    return {
      store,
      target: `${targetLabel}.cname.localhost`,
      show: (record: string) => void zones["example.test"].push(record),
      env,
      domains: (...argv: string[]) => run(["domains", ...argv, "--project", "docs"], env),
      inProcesses: (...argv: string[]) => spawn(["domains", ...argv, "--project", "docs"], env),
      [Symbol.dispose]: () => dns[Symbol.dispose](),
    };
  };

  test("a domain is added, verified, listed, shown, redirected and removed while a server runs", async () => {
    using place = await open();
    const { domains, inProcesses, target, show, store } = place;
    const added = await domains("add", "docs.example.test");
    expect([added.code, added.error]).toEqual([0, ""]);
    expect(added.out).toContain(`CNAME  docs  ${target}  3600`);
    expect(added.out).toContain(`docs.example.test. 3600 IN CNAME ${target}.`);
    expect(added.out).toContain("domains verify docs.example.test --project docs --wait");
    const early = await domains("verify", "docs.example.test");
    expect([early.code, early.error]).toEqual([1, ""]);
    expect(early.out).toStartWith("docs.example.test: awaiting_dns\n  ");
    const visit = async () => (await store.visit("http://docs.example.test/")).status;
    expect(await visit()).toBe(503);

    show(`docs.example.test CNAME ${target}`);
    const live = await inProcesses("verify", "docs.example.test", "--wait");
    expect([live.code, live.out, live.error]).toEqual([0, "docs.example.test: live\n", ""]);
    // The server sees the change immediately.
    expect(await visit()).toBe(200);

    show(`www.example.test CNAME ${target}`);
    const second = await domains("add", "www.example.test", "--wait", "--json");
    const stages = second.out.trimEnd().split("\n");
    expect(stages.map((line) => (JSON.parse(line) as { stage: string }).stage)).toEqual([
      "awaiting_dns",
      "live",
    ]);
    expect((await domains("redirect", "www.example.test")).out).toBe(
      "www.example.test redirects to docs.example.test.\n",
    );
    const listed = await domains("list");
    expect(listed.out).toMatch(
      /^docs\.example\.test +live +primary .*\nwww\.example\.test +live +redirect /m,
    );
    const shown = await domains("show", "docs.example.test");
    expect(shown.out).toMatch(/docs\.example\.test CNAME {2}NOERROR/);
    expect(shown.out).toMatch(/operator +added +awaiting_dns/);

    const refused = await domains("remove", "docs.example.test");
    expect(refused.code).toBe(2);
    expect(refused.out).toContain("stops being served immediately");
    expect(refused.out).toContain(
      "domains primary www.example.test --project docs\n  adoption-store domains redirect docs.example.test --project docs",
    );
    expect(refused.error).toContain("--yes");
    expect(await visit()).toBe(200);
    const removed = await inProcesses("remove", "docs.example.test", "--yes");
    expect([removed.code, removed.error]).toEqual([0, ""]);
    expect(await visit()).toBe(421);
    expect((await domains("show", "docs.example.test")).error).toContain("no domain docs.example.test");
  });

  test("that are not valid, or not allowed for the project, are refused in one line", async () => {
    using place = await open();
    for (const [argv, message] of [
      [["add", "192.0.2.1"], "is an IP address"],
      [["add", "docs.localhost"], "only one label|own names|public suffix"],
      [["primary", "docs.example.test"], "no domain docs.example.test: check the name and --project"],
    ] as const) {
      const { code, out, error } = await place.domains(...argv);
      expect([code, out]).toEqual([1, ""]);
      expect(error).toMatch(new RegExp(`^adoption-store: .*(${message}).*\n$`));
    }
  });

  test("that are apexes are added with both records to create, also the TXT record", async () => {
    using place = await open();
    const { out } = await place.domains("add", "example.com");
    expect(out).not.toContain("to move a live site");
    expect(out).toMatch(/Create these records .*\n\n.*\n  ALIAS +@ .*\n  TXT +_adoption-store /);
    expect(out).toMatch(/If your DNS provider has no ALIAS record, .*\n\n.*\n  A +@ +127\.0\.0\.1 +3600\n/);
  });

  test("are added with the optional TXT record that proves ownership before the move", async () => {
    using place = await open();
    const { out } = await place.domains("add", "a.example.com");
    expect(out).toMatch(/to move a live site .*\n\n.*\n {2}TXT +_adoption-store\.a +[a-z2-7]{20}\./);
  });

  test("are added with their pair, which is offered until the project has it", async () => {
    using place = await open();
    const offer =
      /Visitors also type www\.example\.com\. .*\n.* domains add example\.com --project docs --pair\n/;
    expect((await place.domains("add", "example.com")).out).toMatch(offer);
    expect((await place.domains("add", "example.com", "--no-pair")).out).not.toMatch(offer);
    const { out } = await place.domains("add", "example.com", "--pair");
    expect(out).toMatch(/^www\.example\.com: awaiting_dns, redirects/m);
    expect(out).toMatch(/Create these records .*\n\n.*\n  ALIAS +@ .*\n  TXT +.*\n  CNAME +www /);
    expect(out).not.toMatch(offer);
    expect((await place.domains("add", "example.com")).out).not.toMatch(offer);
    const single = await place.domains("add", "docs.example.com", "--pair");
    expect(single.out).toMatch(/Create this record .*\n\n.*\n  CNAME +docs /);
  });

  test.each([
    ["", ["example.com primary", "www.example.com redirect"]],
    ["y", ["example.com primary", "www.example.com redirect"]],
    ["n", ["example.com primary"]],
  ])("are added with their pair on a terminal if the answer is %p", async (answer, expected) => {
    using place = await open();
    const question = "Also add www.example.com and redirect it? [Y/n]";
    const argv = ["domains", "add", "example.com", "--project", "docs"];
    const { shown, code } = await onTerminal(argv, place.env, onQuestion(question, `${answer}\r`));
    expect([code, shown]).toEqual([0, expect.stringContaining(question)]);
    expect(shown).not.toContain("Visitors also type");
    const { out } = await place.domains("list", "--json");
    const roles = (JSON.parse(out) as { hostname: string; role: string }[]).map(
      ({ hostname, role }) => `${hostname} ${role}`,
    );
    expect(roles).toEqual(expected);
  });

  test("are added with their pair only after an answer that means yes or no", async () => {
    using place = await open();
    const answers = ["yesterday", "nope", "No"];
    const argv = ["domains", "add", "example.com", "--project", "docs"];
    const { shown, code } = await onTerminal(argv, place.env, (shown, terminal) => {
      const asked = shown.split("[Y/n]").length - 1;
      if (asked > 3 - answers.length) terminal.write(`${answers.shift()}\r`);
    });
    expect([code, answers, shown.split("[Y/n]").length]).toEqual([0, [], 4]);
    expect((await place.domains("list")).out).not.toContain("www.example.com");
  });

  test("stay and are followed if their pair is refused, and the reason is printed", async () => {
    using place = await open();
    place.show(`www.example.test CNAME ${place.target}`);
    const argv = ["domains", "add", "www.example.test", "--project", "docs", "--wait"];
    const env = { ...place.env, BASE_URL: "http://store.example.test" };
    const { shown, code } = await onTerminal(argv, env, onQuestion("[Y/n]", "\r"));
    expect(code).toBe(1);
    expect(shown).toMatch(
      /CNAME {2}www [^]* example\.test was not added: it is one of this service's own names[^]*www\.example\.test: .*live/,
    );
  });

  test("show their record although the question about their pair is interrupted", async () => {
    using place = await open();
    const argv = ["domains", "add", "www.example.com", "--project", "docs"];
    const { shown } = await onTerminal(argv, place.env, onQuestion("[Y/n]", "\u0003"));
    expect(shown).toContain("CNAME  www ");
    expect((await place.domains("list")).out).not.toMatch(/^example\.com /m);
  });

  test("are added with the optional record of their challenge, if the server publishes records", async () => {
    using place = await open();
    const { config } = place.store;
    const publishing = {
      httpsPort: 443,
      dnsChallengeHook: "/bin/true",
      platformDomain: "sites.example.test",
    };
    await saveSettings({ ...config, ...publishing }, 4321);
    const argv = ["domains", "add", "a.example.com", "--project", "docs", "--data-dir", config.dataDir];
    expect((await run(argv)).out).toMatch(
      / {2}CNAME +_acme-challenge\.a +[a-z2-7]{20}\._acme-challenge\.sites\.example\.test +3600\n/,
    );
  });

  test("are checked and described by the settings of the server on the same DATA_DIR, unless flags say otherwise", async () => {
    using place = await open();
    const { config } = place.store;
    const dataDir = ["--data-dir", config.dataDir];
    await saveSettings(
      { ...config, platformDomain: "sites.example.test", platformCnameTarget: "to.example.test" },
      4321,
    );
    const added = await run(["domains", "add", "a.example.com", "--project", "docs", ...dataDir]);
    expect(added.out).toMatch(/a\.example\.com\. 3600 IN CNAME [a-z2-7]{20}\.to\.example\.test\./);
    expect(
      (await run(["domains", "add", "x.sites.example.test", "--project", "docs", ...dataDir])).code,
    ).toBe(1);
    const other = ["--platform-cname-target", "elsewhere.example.test"];
    const shown = await run(["domains", "show", "a.example.com", "--project", "docs", ...dataDir, ...other]);
    expect(shown.out).toContain(".elsewhere.example.test.");
    const site = temporaryDirectory();
    writeFileSync(join(site, "index.html"), "");
    const deployed = await run(["deploy", site, "--project", "docs", ...dataDir], {
      ADOPTION_STORE_KEY: "aas_none",
    });
    expect(deployed.error).toContain("no response from http://localhost:4321 (connection refused):");
  });
});
