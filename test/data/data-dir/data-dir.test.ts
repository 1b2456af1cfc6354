import { expect, test } from "bun:test";
import { Database as Client } from "bun:sqlite";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { databasePath, lockPath } from "../../../src/data/data-dir/paths.ts";
import { lockForServer } from "../../../src/data/data-dir/lock.ts";
import { openData } from "../../../src/data/data-dir/open.ts";
import { migrate } from "../../../src/data/db/migrate.ts";
import { migrations } from "../../../src/data/db/migrations.ts";
import { accessAdvice, directoryFault, ownershipFault } from "../../../src/data/data-dir/checks.ts";
import { OperatorError } from "../../../src/lib/operator-error.ts";
import { temporaryDirectory } from "../../support/store.ts";
import { asUser, giveToUser, isRoot } from "../../support/user.ts";
import { shellQuoted, sudoCommand } from "../../../src/data/data-dir/shell.ts";

const configIn = (dataDir: string) =>
  readConfig({ flags: {}, env: { DATA_DIR: dataDir }, isTerminal: false });

test("a server starts although a process that checks its lock is suspended for a moment", async () => {
  const dataDir = temporaryDirectory();
  const module = join(import.meta.dir, "../../../src/data/db/file-lock.ts");
  const script = `(await import(${JSON.stringify(module)})).shareLock(${JSON.stringify(lockPath(dataDir))}); console.log("checking"); Bun.sleepSync(400);`;
  const check = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  expect((await check.stdout.getReader().read()).value).toEqual(Buffer.from("checking\n"));
  const lock = lockForServer(dataDir);
  lock.release();
  expect(await check.exited).toBe(0);
});

test("a command does not migrate the database of a running older server, but the new server does", async () => {
  const config = configIn(temporaryDirectory());
  const older = new Client(databasePath(config.dataDir), { create: true, strict: true });
  migrate(older, migrations.slice(0, 1));
  const applied = () => older.query("SELECT tag FROM migrations").all().length;
  expect(() => openData(config, { create: true })).toThrow("older than this program");
  expect(applied()).toBe(1);
  await openData(config, { create: true, migrate: true }).close();
  expect(applied()).toBe(migrations.length);
  older.close();
});

test("a missing database is created only with create", async () => {
  const config = configIn(`${temporaryDirectory()}/new`);
  expect(() => openData(config, { create: false })).toThrow("there is no database");
  await openData(config, { create: true }).close();
  await openData(config, { create: false }).close();
});

/** The DATA_DIR of a used store. */
const usedDirectory = async (): Promise<string> => {
  const dataDir = temporaryDirectory();
  const database = openData(configIn(dataDir), { create: true });
  database.client.run("INSERT INTO pets (name, category_id, created_at) VALUES ('Bella', 1, 0)");
  // With its log, as after a crash.
  const copy = temporaryDirectory();
  for (const end of ["", "-wal"]) copyFileSync(databasePath(dataDir) + end, databasePath(copy) + end);
  await database.close();
  writeFileSync(join(copy, "admin.key"), "secret");
  mkdirSync(join(copy, "blobs"));
  writeFileSync(join(copy, "blobs", "one"), "");
  return copy;
};

const losses: [string, (path: string) => void, string][] = [
  ["missing", (path) => rmSync(path), "adoption-store.db is missing"],
  ["without a byte", (path) => truncateSync(path), "adoption-store.db is empty"],
  [
    "without tables",
    (path) => {
      rmSync(path);
      rmSync(`${path}-wal`);
      new Client(path).run("PRAGMA user_version=1");
    },
    "adoption-store.db is empty",
  ],
];

test.each(losses)(
  "a store that was in use without its database is not replaced by a new one if that is %s",
  async (_name, lose, reason) => {
    const dataDir = await usedDirectory();
    lose(databasePath(dataDir));
    const names = readdirSync(dataDir);
    for (const how of [{ create: true, migrate: true }, { create: true }, { create: false }])
      expect(() => openData(configIn(dataDir), how)).toThrow(reason);
    expect(() => openData(configIn(dataDir), { create: true })).toThrow(
      /admin\.key, .*blobs\): restore a backup .*; or, to begin a new store, move these files away/,
    );
    expect(readdirSync(dataDir)).toEqual(names);
    expect(readFileSync(join(dataDir, "admin.key"), "utf8")).toBe("secret");
  },
);

test("a store that was in use without its database keeps the log of a database that is missing or has no bytes", async () => {
  const dataDir = await usedDirectory();
  for (const name of ["admin.key", "blobs"]) rmSync(join(dataDir, name), { recursive: true });
  const log = `${databasePath(dataDir)}-wal`;
  const { size } = statSync(log);
  for (const lose of [truncateSync, rmSync]) {
    lose(databasePath(dataDir));
    expect(() => openData(configIn(dataDir), { create: true })).toThrow("(adoption-store.db-wal): restore");
    expect(statSync(log).size).toBe(size);
  }
});

test("a store that was in use without its database can be replaced by a new store once its files are moved away; backups and locks may stay", async () => {
  const dataDir = await usedDirectory();
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
  mkdirSync(join(dataDir, "backups"));
  for (const name of ["server.lock", "backups/adoption-store-20261120T030000.000Z.db"])
    writeFileSync(join(dataDir, name), "");
  await openData(configIn(dataDir), { create: true }).close();
});

test.each([
  ["its owner", 1000, 0o40700, 1000, undefined],
  ["its owner, and others may list it", 1000, 0o40755, 1000, undefined],
  ["root, and it belongs to the service", 1000, 0o40700, 0, undefined],
  [
    "another user",
    1000,
    0o40700,
    1001,
    "it belongs to user 1000, and this process runs as user 1001. Run: sudo ",
  ],
  ["another user, of root's", 0, 0o40755, 1001, "belongs to user 0"],
  ["its owner, and its group can write to it", 1000, 0o40770, 1000, "chmod 700 '/srv/my store'"],
  ["its owner, and all can write to it", 1000, 0o40777, 1000, "others can write to it (mode 777)"],
  ["all, as /tmp", 0, 0o41777, 0, "name a separate directory"],
  ["root, and others can write to it", 0, 0o40702, 0, "others can write to it (mode 702)"],
  ["a system without users", 0, 0o40777, undefined, undefined],
])("the ownership of DATA_DIR is checked when it is used by %s", (_name, uid, mode, user, fault) => {
  const found = ownershipFault("/srv/my store", { uid, mode }, user);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

test.each(["", "-wal", "-shm"])(
  "DATA_DIR whose database%s is not an ordinary file is refused, and stays",
  async (end) => {
    const dataDir = await usedDirectory();
    const path = databasePath(dataDir) + end;
    const elsewhere = join(temporaryDirectory(), "elsewhere");
    if (end === "-shm") writeFileSync(path, "");
    renameSync(path, elsewhere);
    symlinkSync(elsewhere, path);
    const bytes = readFileSync(elsewhere);
    expect(() => openData(configIn(dataDir), { create: true })).toThrow(
      "is a symbolic link: move its target",
    );
    rmSync(path);
    expect(Bun.spawnSync(["mkfifo", path]).success).toBe(true);
    expect(() => openData(configIn(dataDir), { create: true })).toThrow(
      "is not an ordinary file: move it away",
    );
    expect(readFileSync(elsewhere).equals(bytes)).toBe(true);
  },
);

test("DATA_DIR whose lock file is another file or a pipe is refused with that reason", () => {
  const dataDir = temporaryDirectory();
  writeFileSync(lockPath(dataDir), "another file");
  expect(() => lockForServer(dataDir)).toThrow(
    "server.lock is not a lock file of adoption-store: move it away",
  );
  rmSync(lockPath(dataDir));
  expect(Bun.spawnSync(["mkfifo", lockPath(dataDir)]).success).toBe(true);
  expect(() => lockForServer(dataDir)).toThrow("server.lock is not an ordinary file: move it away");
});

test("the root directory as DATA_DIR is refused, without advice to change its mode", () => {
  const fault = directoryFault("/");
  expect(fault).toBe("it is the root directory: name a separate directory with --data-dir");
});

test("DATA_DIR that is a file, or a link to nothing, is refused with that reason", () => {
  const directory = temporaryDirectory();
  const file = join(directory, "f");
  writeFileSync(file, "");
  for (const create of [true, false])
    expect(() => openData(configIn(file), { create })).toThrow(
      `${file}: it is a file, not a directory: name another with --data-dir`,
    );
  const link = join(directory, "link");
  symlinkSync(join(directory, "nowhere"), link);
  expect(() => openData(configIn(link), { create: true })).toThrow(
    "it is a symbolic link to a directory that does not exist",
  );
});

test("DATA_DIR below a file is named, and cannot be created", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  const below = join(file, "below");
  expect(() => openData(configIn(below), { create: true })).toThrow(
    `DATA_DIR ${below}: cannot be created (ENOTDIR`,
  );
});

test("DATA_DIR that others can write to is refused by every command that opens it", async () => {
  const dataDir = await usedDirectory();
  chmodSync(dataDir, 0o770);
  for (const create of [true, false])
    expect(() => openData(configIn(dataDir), { create })).toThrow(OperatorError);
  chmodSync(dataDir, 0o700);
  await openData(configIn(dataDir), { create: false }).close();
});

const opening = (dataDir: string) =>
  asUser(
    { "config/config.ts": "readConfig", "data/data-dir/open.ts": "openData" },
    `const config = readConfig({ flags: {}, env: { DATA_DIR: ${JSON.stringify(dataDir)} }, isTerminal: false });
       try { await openData(config, { create: false }).close(); console.log("opened"); } catch ({ message }) { console.log(message); }`,
  );

test.skipIf(!isRoot)(
  "DATA_DIR of another user is refused with that reason, not as one without a database",
  async () => {
    const dataDir = await usedDirectory();
    expect(await opening(dataDir)).toMatch(
      /it belongs to user 0, and this process runs as user \d+\. Run: sudo adoption-store/,
    );
  },
);

test.skipIf(!isRoot)("in DATA_DIR of another user no command advises to chown a file", async () => {
  const dataDir = temporaryDirectory();
  chmodSync(dataDir, 0o755);
  writeFileSync(lockPath(dataDir), "", { mode: 0o600 });
  const fault = await asUser(
    { "data/data-dir/checks.ts": "fileFault" },
    `console.log(fileFault(${JSON.stringify(lockPath(dataDir))}));`,
  );
  expect(fault).toContain("server.lock belongs to user 0 and cannot be written by user");
  expect(fault).toContain("Run: sudo ");
  expect(fault).not.toContain("chown");
});

test.skipIf(!isRoot)(
  "an error about a database of another user names that, and the command that fixes it",
  async () => {
    const dataDir = await usedDirectory();
    giveToUser(dataDir);
    expect(await opening(dataDir)).toMatch(
      /adoption-store\.db belongs to user 0 and cannot be written by user \d+ .*: sudo chown \d+ .*adoption-store\.db$/m,
    );
  },
);

test.skipIf(!isRoot).each(["", "-shm"])(
  "DATA_DIR whose database%s is read-only is refused by the server, and doctor names the file",
  async (end) => {
    const dataDir = await usedDirectory();
    const file = databasePath(dataDir) + end;
    if (end === "-shm") writeFileSync(file, "");
    giveToUser(dataDir, ...readdirSync(dataDir).map((name) => join(dataDir, name)));
    chmodSync(file, 0o400);
    const says = await asUser(
      {
        "config/config.ts": "readConfig",
        "data/data-dir/open.ts": "openData",
        "cli/doctor.ts": "database",
      },
      `const config = readConfig({ flags: {}, env: { DATA_DIR: ${JSON.stringify(dataDir)} }, isTerminal: false });
         try { openData(config, { create: true, migrate: true }); } catch ({ message }) { console.log(message); }
         await Promise.try(database, config, { quick: true }).catch(({ message }) => console.log(message));`,
    );
    const fault = `adoption-store.db${end} belongs to user`;
    expect(says.split("\n")).toEqual([
      expect.stringContaining(`DATA_DIR ${dataDir}: ${fault}`),
      expect.stringMatching(new RegExp(`^${fault}.+Make it writable: chmod 600`)),
    ]);
  },
);

test.skipIf(!isRoot)(
  "DATA_DIR of a service can be used by root, whose new files there belong to the service",
  async () => {
    const dataDir = temporaryDirectory();
    giveToUser(dataDir);
    const database = openData(configIn(dataDir), { create: true });
    const { uid } = statSync(dataDir);
    const owners = readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).uid]);
    expect(owners.toSorted()).toEqual(["", "-shm", "-wal"].map((end) => [`adoption-store.db${end}`, uid]));
    await database.close();
    expect(await opening(dataDir)).toBe("opened");
  },
);

test.each([
  ["EACCES", "chmod 700 '/srv/my store'"],
  ["EPERM", "sudo chattr -i '/srv/my store'"],
  ["EROFS", "Mount it for writing, or name another directory with --data-dir"],
  ["EIO", "Look for disk errors"],
  [undefined, "Look for disk errors"],
])("the advice about a directory that cannot be written fits the code %s", (code, advice) => {
  expect(accessAdvice("/srv/my store", code)).toContain(advice);
});

test("only a lack of permission is advised to be corrected with chmod", () => {
  for (const code of ["EPERM", "EROFS", "EIO", undefined])
    expect(accessAdvice("/srv/store", code)).not.toContain("chmod");
});

test("a command is repeated with sudo, and its arguments stay quoted", () => {
  expect(
    sudoCommand("adoption-store", undefined, ["keys", "create", "--name", "our web", "--scope", "*"]),
  ).toBe("sudo adoption-store keys create --name 'our web' --scope '*'");
});

test("a server runs as the owner of the store, by name or by number", () => {
  expect(sudoCommand(0, "/srv/store", ["serve", "--data-dir", "/srv/store"])).toBe(
    "sudo -u root adoption-store serve --data-dir /srv/store",
  );
  expect(sudoCommand(54_321, undefined, ["serve"])).toBe("sudo -u '#54321' adoption-store serve");
});

test("a command with the argument `serve` still runs as root", () => {
  expect(sudoCommand(54_321, undefined, ["keys", "create", "--name", "serve"])).toBe(
    "sudo adoption-store keys create --name serve",
  );
});

test("the command names the store by its absolute path, unless its arguments already do", () => {
  expect(sudoCommand(0, "./our data", ["status"])).toBe(
    `sudo adoption-store status --data-dir ${shellQuoted(resolve("our data"))}`,
  );
  expect(sudoCommand(0, "/srv/store", ["status", "--data-dir=/srv/store"])).toBe(
    "sudo adoption-store status '--data-dir=/srv/store'",
  );
});
