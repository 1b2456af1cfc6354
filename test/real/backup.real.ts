import { expect } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createStore } from "../support/new-store.ts";
import { seeded } from "../support/random.ts";
import { EXECUTABLE, type Server, directory, expectRefusal, real, run, serve, store } from "./support.ts";

const test = real();
const withSqlite = real("sqlite3");
const withSha256sum = real("sha256sum");
const withMounts = real("unshare", "mount");

const CONNECTIONS = 32;
const FLIPS = Number(process.env["FLIPS"] ?? 60);
const BACKUPS = Number(process.env["BACKUPS"] ?? 12);

/** Adds animals until it is stopped, and knows the highest id below which every animal was acknowledged. */
const writers = (server: Server) => {
  const acknowledged = new Set<number>();
  let upTo = 0;
  let asked = 0;
  const state = { isOver: false };
  const write = async () => {
    while (!state.isOver) {
      asked++;
      const answer = await server.add("animal");
      if (answer.status !== 201) throw new Error(`answered ${answer.status}`);
      acknowledged.add(((await answer.json()) as { id: number }).id);
      while (acknowledged.delete(upTo + 1)) upTo++;
    }
  };
  const running = Promise.all(Array.from({ length: CONNECTIONS }, write));
  return {
    upTo: () => upTo,
    /** Of all that were ever asked for. */
    asked: () => asked,
    end() {
      state.isOver = true;
      return running;
    },
  };
};

/** The ids of all animals that a server lists. */
const idsOf = async (server: Server): Promise<number[]> => {
  const ids: number[] = [];
  for (let path: string | undefined = "/v1/pets?limit=100"; path;) {
    const answer = await server.call(path);
    expect(answer.status).toBe(200);
    ids.push(...((await answer.json()) as { id: number }[]).map(({ id }) => id));
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return ids;
};

/** Restores a backup to a new directory and starts a server there, with the first key of `from`. */
const idsIn = async (backup: string, from: string): Promise<number[]> => {
  const place = directory();
  const restored = await store(["restore", backup], { cwd: place });
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  copyFileSync(join(from, "data/admin.key"), join(place, "data/admin.key"));
  await using server = await serve({ cwd: place });
  return await idsOf(server);
};

test(`${BACKUPS} backups while ${CONNECTIONS} connections add animals: each is a prefix of what was acknowledged`, async () => {
  const place = directory();
  const shelf = directory();
  const server = await serve({ cwd: place });
  const load = writers(server);
  const taken: { file: string; least: number; most: number }[] = [];
  for (let count = 0; count < BACKUPS; count++) {
    const file = join(shelf, `${count}.db`);
    const least = load.upTo();
    const { code, stderr } = await store(["backup", file], { cwd: place });
    expect([code, stderr]).toEqual([0, ""]);
    taken.push({ file, least, most: load.asked() });
  }
  await load.end();
  for (const { file, least, most } of taken) {
    const ids = await idsIn(file, place);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(ids.length).toBeGreaterThanOrEqual(least);
    expect(ids.length).toBeLessThanOrEqual(most);
  }
  expect(taken.at(-1)?.least).toBeGreaterThan(CONNECTIONS);
  console.log(
    `    ${load.upTo()} acknowledged; backups of ${taken.map(({ least }) => least).join(", ")} and more`,
  );
  expectRefusal(
    await store(["restore", taken[0]?.file ?? "", "--yes"], { cwd: place }),
    1,
    /a server is using it/,
  );
}, 600_000);

/** How many animals a database has that no server has open, by SQLite's own tool. */
const countIn = (file: string): string =>
  Bun.spawnSync(["sqlite3", file, "PRAGMA integrity_check; SELECT count(*) FROM pets"])
    .stdout.toString()
    .trim();

/** What a kill may leave: the database before while the other is written, then while it has two names, or the other. */
const FALLS = ["written", "set aside", "replaced"] as const;
/** Each is seen so often. */
const FALLS_EACH = Number(process.env["RESTORE_KILLS"] ?? 10);
const MAX_KILLS = 40 * FALLS_EACH;

/** Waits until something is so or a process has ended. @returns when */
const whenSo = async (child: Bun.Subprocess, isSo: () => boolean): Promise<number> => {
  while (child.exitCode === null && child.signalCode === null && !isSo())
    await new Promise((resolve) => setImmediate(resolve));
  return performance.now();
};

withSqlite(
  `killed while it writes, sets aside or has replaced the database, a restore leaves the one before or the restored one, whole`,
  async () => {
    const place = directory();
    const data = join(place, "data");
    const database = join(data, "adoption-store.db");
    const backups = { "ok\n3": join(place, "three.db"), "ok\n4": join(place, "four.db") };
    {
      await using server = await serve({ cwd: place });
      for (let count = 0; count < 3; count++) await server.add("before");
      expect((await store(["backup", backups["ok\n3"]], { cwd: place })).code).toBe(0);
      await server.add("after");
      await server.stop();
    }
    expect((await store(["backup", backups["ok\n4"]], { cwd: place })).code).toBe(0);

    const restoring = `${database}.restoring`;
    const seen = { written: 0, "set aside": 0, replaced: 0 };
    const missing = () => FALLS.filter((fall) => seen[fall] < FALLS_EACH);
    /** Begins a restore of the other backup. */
    const begin = (other: keyof typeof backups) => {
      rmSync(restoring, { force: true });
      const old = new Set(readdirSync(data));
      const isAside = () =>
        readdirSync(data).some((name) => name.includes(".before-restore-") && !old.has(name));
      const child = Bun.spawn([EXECUTABLE, "restore", backups[other], "--yes"], {
        cwd: place,
        stdio: ["ignore", "ignore", "ignore"],
      });
      // What shows that it has come so far.
      const begun = {
        written: () => existsSync(restoring),
        "set aside": isAside,
        replaced: () => isAside() && !existsSync(restoring),
      };
      return { child, begun };
    };

    const spans = { written: 0, "set aside": 0, replaced: 0 };
    {
      const { child, begun } = begin("ok\n3");
      const written = await whenSo(child, begun.written);
      const aside = await whenSo(child, begun["set aside"]);
      const replaced = await whenSo(child, begun.replaced);
      expect(await child.exited).toBe(0);
      Object.assign(spans, { written: aside - written, "set aside": replaced - aside });
    }
    let kills = 0;
    for (; kills < MAX_KILLS && missing().length > 0; kills++) {
      const before = countIn(database) as keyof typeof backups;
      const other = before === "ok\n3" ? "ok\n4" : "ok\n3";
      const { child, begun } = begin(other);
      const [meant = "written"] = missing();
      const since = await whenSo(child, begun[meant]);
      // Sometimes without a delay, so that some hit their target on the busiest machine.
      const wait = kills % 4 > 0 ? spans[meant] * Math.random() : 0;
      await whenSo(child, () => performance.now() >= since + wait);
      child.kill("SIGKILL");
      await child.exited;
      const isKilled = child.signalCode === "SIGKILL";
      expect(existsSync(database)).toBe(true);
      const after = countIn(database);
      expect(isKilled ? [before, other] : [other]).toContain(after);
      // The remaining files show where the kill hit, which may be later than intended.
      if (isKilled && after === other) seen.replaced++;
      else if (isKilled && begun["set aside"]()) seen["set aside"]++;
      else if (isKilled && begun.written()) seen.written++;
    }
    console.log(`    ${kills} times: ${JSON.stringify(seen)}`);
    // Had none fallen there, nothing would be known of it.
    expect(missing()).toEqual([]);

    // One that ends leaves nothing of those that did not, and what it leaves is served.
    expect((await store(["restore", backups["ok\n3"], "--yes"], { cwd: place })).code).toBe(0);
    const rest = readdirSync(data).filter((name) => /restoring|-wal|-shm/.test(name));
    expect(rest).toEqual([]);
    expect(statSync(database).mode & 0o777).toBe(0o600);
    const server = await serve({ cwd: place });
    expect(await idsOf(server)).toEqual([1, 2, 3]);
  },
  600_000,
);

test("a server takes its own backups, keeps the newest, and each can be restored", async () => {
  const place = directory();
  const shelf = join(place, "shelf");
  const flags = ["--backup-schedule", "24h", "--backup-dir", shelf, "--backup-keep", "2"];
  const settled = async () => {
    for (let tries = 0; tries < 1000; tries++, await Bun.sleep(20)) {
      const names = existsSync(shelf) ? readdirSync(shelf).filter((name) => name.endsWith(".db")) : [];
      if (names.length > 0) return names;
    }
    throw new Error("no backup was taken");
  };
  {
    await using server = await serve({ cwd: place, flags });
    const [name = ""] = await settled();
    expect(await idsIn(join(shelf, name), place)).toEqual([]);
    expect(await server.stop()).toBe(0);
  }
  // Another start takes none before it is time.
  const server = await serve({ cwd: place, flags });
  await Bun.sleep(2500);
  expect(await settled()).toHaveLength(1);
  expect(await server.stop()).toBe(0);
});

test("a start removes what a killed restore left, so that commands work while the server runs", async () => {
  const place = directory();
  const data = join(place, "data");
  {
    await using first = await serve({ cwd: place });
    expect(await first.stop()).toBe(0);
  }
  writeFileSync(join(data, "adoption-store.db.restoring"), "half");
  const server = await serve({ cwd: place });
  expect(readdirSync(data).filter((name) => name.includes("restoring"))).toEqual([]);
  expect((await store(["keys", "list"], { cwd: place })).code).toBe(0);
  expect(await server.stop()).toBe(0);
});

/** Runs a command on a DATA_DIR on a separate file system, after `change` of it, and with one backup next to it. */
const onOwnFileSystem = async (change: string, command: string) => {
  const place = directory();
  await createStore(join(place, "seed"));
  const script = `
    mkdir data && mount -t tmpfs -o size=3m,mode=0700 tmpfs data && cp -a seed/. data &&
    "$0" keys create --name x --scope '*' >keys && "$0" backup taken.db >taken &&
    { ${change}; } 2>noise && exec "$0" ${command}`;
  return run(["unshare", "--mount", "--map-root-user", "sh", "-c", script, EXECUTABLE], {
    cwd: place,
    // Some machines allow few open files, and the server logs a warning.
    env: { DISK_RESERVE: "0", LOG_LEVEL: "error" },
  });
};

const READ_ONLY = "mount -o remount,ro data";
const FULL = "cat /dev/zero >data/zero || true";

for (const [change, command, says] of [
  [
    READ_ONLY,
    "backup b.db",
    /DATA_DIR .\/data: adoption-store.db is on a read-only file system: make it writable/,
  ],
  [READ_ONLY, "serve --port 0", /DATA_DIR .\/data: cannot be written \(EROFS: [^)]+\): make it writable/],
  [READ_ONLY, "restore taken.db --yes", /DATA_DIR .\/data: cannot be written \(EROFS: [^)]+\)/],
  [READ_ONLY, "restore data/adoption-store.db --yes", /DATA_DIR .\/data: cannot be written \(EROFS: [^)]+\)/],
  [FULL, "serve --port 0", /DATA_DIR .\/data: its file system is full: make room there \(df data shows/],
  [
    FULL,
    "restore taken.db --yes",
    /DATA_DIR .\/data: there is no room for the restored database, its file system is full: make room/,
  ],
] as const)
  withMounts(`${command} says so where DATA_DIR is ${change === FULL ? "full" : "read-only"}`, async () => {
    expectRefusal(await onOwnFileSystem(change, command), 1, says);
  });

/** The size of all files below a directory. */
const sizeOfFiles = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

withMounts("a restore that runs out of space leaves no files", async () => {
  const cwd = directory();
  const site = join(cwd, "site");
  mkdirSync(site);
  for (const name of ["index.html", "one.bin", "two.bin"])
    writeFileSync(
      join(site, name),
      crypto.getRandomValues(Buffer.alloc(65_536)).toString("base64").repeat(20),
    );
  {
    await using server = await serve({ cwd });
    const deploy = ["deploy", site, "--project", "docs", "--create", "--server", server.url];
    expect((await store(deploy, { cwd })).code).toBe(0);
    expect((await store(["backup", "taken.db"], { cwd })).code).toBe(0);
  }
  const script = `
    mkdir small && mount -t tmpfs -o size=$1,mode=0700 tmpfs small && mkdir -m 700 small/empty
    for target in small/new small/empty; do "$0" restore taken.db --data-dir $target --yes && exit 9; done
    find small -mindepth 1`;
  // With their compressed forms.
  const files = sizeOfFiles(join(cwd, "data/blobs"));
  const backup = statSync(join(cwd, "taken.db")).size;
  // Too small for the files of the site, and for the copy of the backup next to them.
  for (const bytes of [files / 2, files + backup / 2]) {
    const size = `${Math.ceil(bytes / 1024)}k`;
    const argv = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, EXECUTABLE, size];
    const { stdout, stderr } = await run(argv, { cwd });
    expect([size, stdout]).toEqual([size, "small/empty\n"]);
    expect(stderr.match(/there is no room for the restored database/g)).toHaveLength(2);
    rmdirSync(join(cwd, "small"));
  }
});

withMounts("the files of a killed backup take no room from the next backup", async () => {
  const left = `data/.adoption-store-backup-${Bun.spawnSync(["true"]).pid}.tmp`;
  const fill = `cat /dev/zero >${left} || :; : >${left}.lock`;
  const { code, stdout, stderr } = await onOwnFileSystem(fill, "backup data/b.db");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("data/b.db: ");
});

withSha256sum("each flipped bit of a backup is found by backup --check, and by sha256sum", async () => {
  const cwd = directory();
  const names = Array.from({ length: 500 }, (_, index) => `Animal ${index},${index % 7}\n`);
  writeFileSync(join(cwd, "a.csv"), `name,categoryId\n${names.join("")}`);
  await createStore(join(cwd, "data"));
  expect((await store(["import", "a.csv"], { cwd })).code).toBe(0);
  expect((await store(["backup", "whole.db"], { cwd })).code).toBe(0);
  expect((await run(["sha256sum", "--check", "whole.db.sha256"], { cwd })).code).toBe(0);
  const whole = readFileSync(join(cwd, "whole.db"));
  const random = seeded(30);
  // Half of the bits are in names.
  const places = Array.from({ length: FLIPS }, (_, flip) =>
    flip % 2 === 0 ? random(whole.length) : whole.indexOf(`Animal ${random(500)}`) + random(6),
  );
  const files = places.map((place, flip) => {
    const bytes = Buffer.from(whole);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
    writeFileSync(join(cwd, `flipped-${flip}.db`), bytes);
    return `flipped-${flip}.db`;
  });
  const { code, stdout, stderr } = await store(["backup", "--check", ...files], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toEndWith(`adoption-store: ${FLIPS} of ${FLIPS} backups cannot be restored\n`);
  console.log(
    `${FLIPS} of ${FLIPS} flipped bits were found; ${stderr.split("SHA-256").length - 1} by the digest alone`,
  );
  renameSync(join(cwd, "flipped-1.db"), join(cwd, "whole.db"));
  expect((await run(["sha256sum", "--check", "whole.db.sha256"], { cwd })).code).toBe(1);
  expectRefusal(
    await store(["restore", "whole.db", "--data-dir", "new"], { cwd }),
    1,
    /SHA-256 does not match the one inside.*--force/,
  );
});
