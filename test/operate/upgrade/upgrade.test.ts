import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Host,
  planRollback,
  readRecord,
  upgrade,
  upgradePaths,
} from "../../../src/operate/upgrade/upgrade.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { outcomeOf } from "../../support/outcome.ts";

/** A program that reports this version and its newest migration. */
const program = (version: string, migration = "0002_next") =>
  `#!/bin/sh\n# release ${version}\necho '${JSON.stringify({ version, commit: null, migration })}'\n`;

/** A program of a build that has no `version --json`. */
const earlierProgram = (version: string) =>
  `#!/bin/sh\n# release ${version}\n[ $# -eq 1 ] && echo ${version}\n`;
const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const write = (path: string, text: string) => {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};

class Killed extends Error {}

interface MachineOptions {
  /** Versions that never become ready. */
  broken?: string[];
  /** The newest migration that each version brings. */
  migrations?: Record<string, string>;
  /** True if the server copies the database before a migration. */
  copies?: boolean;
  hasService?: boolean;
}

/** A machine with version 1.0.0 in `adoption-store`, a service and a database. */
const machine = ({
  broken = [],
  migrations = {},
  copies = false,
  hasService = true,
}: MachineOptions = {}) => {
  const directory = temporaryDirectory();
  const paths = upgradePaths(join(directory, "adoption-store"));
  write(paths.executable, program("1.0.0"));
  const installed = () => /release (.*)/.exec(readFileSync(paths.executable, "utf8"))?.[1] ?? "";
  const said: string[] = [];
  const decisions: string[] = [];
  const state = { running: hasService ? "1.0.0" : "", migration: "0001", copy: "", kill: Infinity };
  /** The process is killed before its `state.kill`th effect on the machine. */
  const effect = () => {
    if (state.kill-- === 0) throw new Killed();
  };
  const service: Host["service"] = {
    async stop() {
      effect();
      state.running = "";
    },
    async restart() {
      effect();
      const version = installed();
      const wanted = migrations[version] ?? "0001";
      if (wanted < state.migration) return "the database is newer than this program";
      if (wanted > state.migration && copies) state.copy = state.migration;
      state.migration = wanted;
      state.running = broken.includes(version) ? "" : version;
      effect();
      return state.running === "" ? "it is broken" : undefined;
    },
  };
  const host: Host = {
    service: hasService ? service : undefined,
    dataDir: directory,
    current: { version: "1.0.0" },
    now: () => 1,
    say(line) {
      effect();
      said.push(line);
    },
    debug: (line) => void decisions.push(line),
    newestMigration: () => state.migration || undefined,
    async backUp() {
      effect();
      return `backup of ${state.migration}`;
    },
    copyBeforeMigration: () => (state.copy && `copy of ${state.copy}`) || undefined,
    async restore(by, backup) {
      effect();
      expect(existsSync(by)).toBe(true);
      state.migration = backup.split(" ").at(-1) ?? "";
    },
    removeBackups: effect,
  };
  const call = (source: string, sum?: string) =>
    upgrade(host, paths, { source, sha256: sum, onBytes: () => {} });
  const file = (version: string) => {
    const path = join(directory, `file-${version}`);
    write(path, program(version));
    return path;
  };
  /** Everything except the files to upgrade to. */
  const files = () =>
    readdirSync(directory)
      .filter((name) => !name.startsWith("file-"))
      .toSorted();
  return { paths, host, state, said, decisions, installed, call, file, files };
};

test("the new version replaces the old one, which is kept, and the service runs it", async () => {
  const { call, file, state, installed, files, said } = machine();
  expect(await call(file("1.1.0"))).toMatchObject({ outcome: "upgraded", to: { version: "1.1.0" } });
  expect([installed(), state.running]).toEqual(["1.1.0", "1.1.0"]);
  expect(files()).toEqual(["adoption-store", "adoption-store.previous", "adoption-store.upgrade.json"]);
  expect(said.join("\n")).toContain("it is newer than the installed one, 1.0.0");
});

test("each decision of an upgrade and of its rollback is logged with its reason", async () => {
  const { call, file, decisions } = machine({ broken: ["1.1.0"], migrations: { "1.1.0": "0002" } });
  await outcomeOf(call(file("1.1.0")));
  expect(decisions).toEqual([
    "begins an upgrade: no upgrade was interrupted",
    "the new version can open the database: it has migration 0002_next, and the database 0001",
    "restores the backup of the database: the server made no copy before its migration",
    "puts back the executable: the executable does not have the hash of 1.0.0",
  ]);
});

test("an older version is installed too, and reported as older", async () => {
  const { call, file, said, installed } = machine();
  await call(file("0.9.0"));
  expect(installed()).toBe("0.9.0");
  expect(said.join("\n")).toContain("it is older than the installed one");
});

test("a file with the installed version and other content is another build", async () => {
  const { call, file, said } = machine();
  const source = file("1.0.0");
  write(source, `${program("1.0.0")}exit\n`);
  await call(source);
  expect(said.join("\n")).toContain("it is another build of the installed one, 1.0.0");
});

test("the installed version is not installed again", async () => {
  const { call, paths, files } = machine();
  expect(await call(paths.executable)).toMatchObject({ outcome: "installed" });
  expect(files()).toEqual(["adoption-store"]);
});

const upgradeTo = async (text: string, migration: string) => {
  const one = machine({ hasService: false });
  one.state.migration = migration;
  const source = join(one.host.dataDir, "file-x");
  write(source, text);
  return { ...one, source, outcome: await outcomeOf(one.call(source)) };
};

test.each([
  ["has an older migration", program("1.1.0", "0019_names"), "its newest migration is 0019_names"],
  [
    "has another migration of the same number",
    program("1.1.0", "0021_other"),
    "its newest migration is 0021_other",
  ],
  ["reports no migration", earlierProgram("0.9.0"), "it is an earlier build"],
])(
  "a program that cannot open the database is refused before anything changes if it %s",
  async (_, text, reason) => {
    const { outcome, source, installed, said, files } = await upgradeTo(text, "0021_states");
    expect(outcome).toThrow(`${source} cannot open the database: ${reason}`);
    expect(outcome).toThrow("the database has 0021_states");
    expect([installed(), files()]).toEqual(["1.0.0", ["adoption-store"]]);
    expect(said.join("\n")).not.toContain("backup");
  },
);

test("a program that cannot open the database is refused with the advice to roll back only if there is a previous version", async () => {
  const { outcome } = await upgradeTo(earlierProgram("0.9.0"), "0021_states");
  expect(outcome).not.toThrow("--rollback");
  const one = machine({ migrations: { "1.1.0": "0002_next" } });
  await one.call(one.file("1.1.0"));
  const source = one.file("0.9.0");
  write(source, earlierProgram("0.9.0"));
  expect(await outcomeOf(one.call(source))).toThrow("run adoption-store upgrade --rollback.");
});

test.each([
  ["the newest migration of the database", program("1.1.0", "0021_states")],
  ["a newer migration than the database", program("1.1.0", "0100_next")],
])("a program with %s is installed", async (_, text) => {
  expect((await upgradeTo(text, "0021_states")).installed()).toBe("1.1.0");
});

test("without a database, an earlier build is installed", async () => {
  expect((await upgradeTo(earlierProgram("0.9.0"), "")).installed()).toBe("0.9.0");
});

const refused = async (prepare: (one: ReturnType<typeof machine>) => [string, string?], reason: string) => {
  const one = machine();
  const [source, sum] = prepare(one);
  const before = one.files();
  expect(await outcomeOf(one.call(source, sum))).toThrow(reason);
  expect([one.installed(), one.state.running, one.files()]).toEqual(["1.0.0", "1.0.0", before]);
  expect(existsSync(one.paths.previous) || existsSync(one.paths.staged)).toBe(false);
};

test("nothing changes if the new file does not have the given checksum", () =>
  refused(({ file }) => [file("1.1.0"), "0".repeat(64)], `not ${"0".repeat(64)}: do not use this file`));

test.each(["", "deadbeef  file-1.1.0", `${"0".repeat(64)}  other`])(
  "nothing changes if the new file has no checksum in the SHA256SUMS next to it: %j",
  (sums) =>
    refused(({ host, file }) => {
      writeFileSync(join(host.dataDir, "SHA256SUMS"), sums);
      return [file("1.1.0")];
    }, "does not list file-1.1.0: give the checksum that the publisher names with --sha256"),
);
test("nothing changes if the new file does not have the checksum in the SHA256SUMS next to it", () =>
  refused(({ file, host }) => {
    writeFileSync(join(host.dataDir, "SHA256SUMS"), `${"0".repeat(64)}  file-1.1.0\n`);
    return [file("1.1.0")];
  }, "do not use this file"));

test("nothing changes if the new file is missing", () => refused(() => ["/nonexistent"], "does not exist"));
test.each(["/", "/dev/zero"])("nothing changes if the new file is %s", (path) =>
  refused(() => [path], `${path} is not a file`),
);

test.each([
  ["is not a program", "just text"],
  ["is a program of another machine", "\x7fELF\x02\x01\x01"],
  ["fails", "#!/bin/sh\nexit 3\n"],
  ["does not report its version", "#!/bin/sh\necho hello\n"],
])("nothing changes if the new file %s", (_, text) =>
  refused(({ host }) => {
    write(join(host.dataDir, "file-x"), text);
    return [join(host.dataDir, "file-x")];
  }, "is not adoption-store for this machine"),
);

test.each(["http://localhost/adoption-store", "ftp://localhost/adoption-store"])(
  "nothing changes if the new file is at %s",
  (url) => refused(() => [url, "0".repeat(64)], "only https is allowed"),
);

test("the right checksum is accepted, given or in SHA256SUMS", async () => {
  const given = machine();
  await given.call(given.file("1.1.0"), sha256(program("1.1.0")).toUpperCase());
  expect(given.said[0]).toContain("with the right checksum");
  const listed = machine();
  const file = listed.file("1.1.0");
  writeFileSync(join(listed.host.dataDir, "SHA256SUMS"), `${sha256(program("1.1.0"))} *file-1.1.0\n`);
  await listed.call(file);
  expect(listed.said[0]).toContain("with the right checksum");
});

test("a version that does not become ready is replaced by the previous one, and a database that it did not migrate stays", async () => {
  const { call, file, state, installed, files } = machine({ broken: ["1.1.0"] });
  expect(await outcomeOf(call(file("1.1.0")))).toThrow(
    "1.1.0 does not work (it is broken): 1.0.0 runs again",
  );
  expect([installed(), state.running, state.migration]).toEqual(["1.0.0", "1.0.0", "0001"]);
  expect(files()).toEqual(["adoption-store"]);
});

test.each([
  ["the copy that the server took, which has everything", true, "copy of 0001"],
  ["the backup", false, "backup of 0001"],
])(
  "a version that does not become ready is replaced by the previous one, and a database that it migrated is restored from %s",
  async (_, copies, source) => {
    const { call, file, state, installed, said } = machine({
      broken: ["1.1.0"],
      migrations: { "1.1.0": "0002" },
      copies,
    });
    expect(await outcomeOf(call(file("1.1.0")))).toThrow("1.0.0 runs again");
    expect([installed(), state.running, state.migration]).toEqual(["1.0.0", "1.0.0", "0001"]);
    expect(said.join("\n")).toContain(`restoring the database from ${source}`);
  },
);

test("the upgrade reports that the previous version does not run either", async () => {
  const { call, file } = machine({ broken: ["1.1.0", "1.0.0"] });
  expect(await outcomeOf(call(file("1.1.0")))).toThrow("1.0.0 does not run either");
});

test("a rollback by hand brings back the previous version and its database", async () => {
  const { call, file, host, paths, state, installed, files } = machine({ migrations: { "1.1.0": "0002" } });
  await call(file("1.1.0"));
  const plan = await planRollback(host, paths);
  expect(plan.losesData).toBe(true);
  await plan.run();
  expect([installed(), state.running, state.migration]).toEqual(["1.0.0", "1.0.0", "0001"]);
  expect(files()).toEqual(["adoption-store"]);
});

test("a rollback by hand loses nothing if the database was not migrated", async () => {
  const { call, file, host, paths } = machine();
  await call(file("1.1.0"));
  expect((await planRollback(host, paths)).losesData).toBe(false);
});

test("a rollback by hand is refused without the version from before the upgrade", async () => {
  const { call, file, host, paths } = machine();
  expect(await outcomeOf(planRollback(host, paths))).toThrow(
    "adoption-store upgrade FILE installs an older one if it can open the database",
  );
  await call(file("1.1.0"));
  write(paths.previous, program("0.1.0"));
  expect(await outcomeOf(planRollback(host, paths))).toThrow("there is no previous version next to");
});

test("without a service the executable is replaced, and nothing is started", async () => {
  const { call, file, installed, paths, decisions } = machine({ hasService: false, broken: ["1.1.0"] });
  await call(file("1.1.0"));
  expect(decisions.at(-1)).toBe("does not try the new version: no service runs this executable");
  expect(installed()).toBe("1.1.0");
  expect(readRecord(paths)?.state).toBe("done");
});

const MAX_EFFECTS = 40;

/** Kills the first call before each of its effects in turn, and repeats it. */
const killEverywhere = async (
  options: MachineOptions,
  check: (one: ReturnType<typeof machine>, repeated: Promise<unknown>) => Promise<void>,
) => {
  let kills = 0;
  for (; kills < MAX_EFFECTS; kills++) {
    const one = machine(options);
    const source = one.file("1.1.0");
    one.state.kill = kills;
    const first: unknown = await one.call(source).catch((error: unknown) => error);
    if (!(first instanceof Killed)) break;
    expect(["1.0.0", "1.1.0"]).toContain(one.installed());
    one.state.kill = Infinity;
    // The running version is the installed one.
    one.host.current.version = one.installed();
    await check(one, one.call(source));
    rmSync(one.host.dataDir, { recursive: true });
  }
  expect(kills).toBeGreaterThan(5);
  expect(kills).toBeLessThan(MAX_EFFECTS);
};

test("a call that is killed at any step leaves a whole executable, and repeating it finishes the upgrade", () =>
  killEverywhere({ migrations: { "1.1.0": "0002" } }, async ({ installed, state, paths }, repeated) => {
    await repeated;
    expect([installed(), state.running, state.migration]).toEqual(["1.1.0", "1.1.0", "0002"]);
    expect(readRecord(paths)?.state).toBe("done");
  }));

test("a call that is killed at any step leaves a whole executable, and repeating it finishes the rollback", () =>
  killEverywhere(
    { broken: ["1.1.0"], migrations: { "1.1.0": "0002" } },
    async ({ installed, state }, repeated) => {
      expect(await outcomeOf(repeated)).toThrow("runs again");
      expect([installed(), state.running, state.migration]).toEqual(["1.0.0", "1.0.0", "0001"]);
    },
  ));

test("after an interrupted upgrade, another file is refused until the first one is finished or undone", async () => {
  const { call, file, state, host, paths, installed, decisions } = machine({ broken: ["1.1.0"] });
  const source = file("1.1.0");
  for (let kill = 0; installed() === "1.0.0"; kill++) {
    state.kill = kill;
    await call(source).catch(() => {});
  }
  state.kill = Infinity;
  expect(await outcomeOf(call(file("1.2.0")))).toThrow("was interrupted: finish it with the same file");
  expect(decisions.at(-1)).toBe(
    "continues an upgrade: an upgrade to 1.1.0 was interrupted after the executable was replaced",
  );
  await (await planRollback(host, paths)).run();
  expect([installed(), state.running]).toEqual(["1.0.0", "1.0.0"]);
});
