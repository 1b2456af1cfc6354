import { expect } from "bun:test";
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE, type Server, directory, expectRefusal, real, run, serve, store } from "./support.ts";

const CONNECTIONS = 32;
const BACKUPS = Number(process.env["BACKUPS"] ?? 12);
const KILLS = Number(process.env["RESTORE_KILLS"] ?? 40);

/** Adds animals until it is told to end, and knows the highest id below which every animal was acknowledged. */
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

/** Restores a backup to a directory of its own and starts a server there, with the first key of `from`. */
const idsIn = async (backup: string, from: string): Promise<number[]> => {
  using place = directory();
  const restored = await store(["restore", backup], { cwd: place.path });
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  copyFileSync(join(from, "data/admin.key"), join(place.path, "data/admin.key"));
  await using server = await serve({ cwd: place.path });
  return await idsOf(server);
};

real(
  `${BACKUPS} backups while ${CONNECTIONS} connections add animals: each is a prefix of what was acknowledged`,
  [],
  async () => {
    using place = directory();
    using shelf = directory();
    await using server = await serve({ cwd: place.path });
    const load = writers(server);
    const taken: { file: string; least: number; most: number }[] = [];
    for (let count = 0; count < BACKUPS; count++) {
      const file = join(shelf.path, `${count}.db`);
      const least = load.upTo();
      const { code, stderr } = await store(["backup", file], { cwd: place.path });
      expect([code, stderr]).toEqual([0, ""]);
      taken.push({ file, least, most: load.asked() });
    }
    await load.end();
    for (const { file, least, most } of taken) {
      const ids = await idsIn(file, place.path);
      expect(ids).toEqual(ids.map((_, at) => at + 1));
      expect(ids.length).toBeGreaterThanOrEqual(least);
      expect(ids.length).toBeLessThanOrEqual(most);
    }
    expect(taken.at(-1)?.least).toBeGreaterThan(CONNECTIONS);
    console.log(
      `    ${load.upTo()} acknowledged; backups of ${taken.map(({ least }) => least).join(", ")} and more`,
    );
    expectRefusal(
      await store(["restore", taken[0]?.file ?? "", "--yes"], { cwd: place.path }),
      1,
      /a server is running/,
    );
  },
  600_000,
);

/** How many animals a database has that no server has open, by SQLite's own tool. */
const countIn = (file: string): string =>
  Bun.spawnSync(["sqlite3", file, "PRAGMA integrity_check; SELECT count(*) FROM pets"])
    .stdout.toString()
    .trim();

real(
  `killed ${KILLS} times while it restores, it leaves the database before or the restored one, whole`,
  ["sqlite3"],
  async () => {
    using place = directory();
    const backup = join(place.path, "three.db");
    const database = join(place.path, "data/adoption-store.db");
    {
      await using server = await serve({ cwd: place.path });
      for (let count = 0; count < 3; count++) await server.add("before");
      expect((await store(["backup", backup], { cwd: place.path })).code).toBe(0);
      await server.add("after");
      await server.stop();
    }
    const seen = { "ok\n4": 0, "ok\n3": 0 };
    const four = join(place.path, "four.db");
    expect((await store(["backup", four], { cwd: place.path })).code).toBe(0);
    const begun = performance.now();
    expect((await store(["restore", four, "--yes"], { cwd: place.path })).code).toBe(0);
    const wholeMs = performance.now() - begun;
    for (let round = 0; round < KILLS; round++) {
      const child = Bun.spawn([EXECUTABLE, "restore", round % 2 ? four : backup, "--yes"], {
        cwd: place.path,
        stdio: ["ignore", "ignore", "ignore"],
      });
      await Bun.sleep((wholeMs * (0.4 + 0.6 * Math.random())) | 0);
      child.kill("SIGKILL");
      await child.exited;
      expect(existsSync(database)).toBe(true);
      const found = countIn(database) as keyof typeof seen;
      expect(found in seen).toBe(true);
      seen[found]++;
    }
    console.log(`    ${seen["ok\n4"]} times with 4 animals, ${seen["ok\n3"]} times with 3`);
    // One that ends leaves nothing of those that did not, and what it leaves is served.
    expect((await store(["restore", backup, "--yes"], { cwd: place.path })).code).toBe(0);
    const rest = readdirSync(join(place.path, "data")).filter((name) => /restoring|-wal|-shm/.test(name));
    expect(rest).toEqual([]);
    expect(statSync(database).mode & 0o777).toBe(0o600);
    await using server = await serve({ cwd: place.path });
    expect(await idsOf(server)).toEqual([1, 2, 3]);
  },
  300_000,
);

real("a server takes its own backups, keeps the newest, and each can be restored", [], async () => {
  using place = directory();
  const shelf = join(place.path, "shelf");
  const flags = ["--backup-schedule", "24h", "--backup-dir", shelf, "--backup-keep", "2"];
  const settled = async () => {
    for (let tries = 0; tries < 1000; tries++, await Bun.sleep(20)) {
      const names = existsSync(shelf) ? readdirSync(shelf).filter((name) => name.endsWith(".db")) : [];
      if (names.length > 0) return names;
    }
    throw new Error("no backup was taken");
  };
  {
    await using server = await serve({ cwd: place.path, flags });
    const [name = ""] = await settled();
    expect(await idsIn(join(shelf, name), place.path)).toEqual([]);
    expect(await server.stop()).toBe(0);
  }
  // Another start takes none before it is time.
  await using server = await serve({ cwd: place.path, flags });
  await Bun.sleep(2500);
  expect(await settled()).toHaveLength(1);
  expect(await server.stop()).toBe(0);
});

real("a start removes what a killed restore left, so that commands work beside the server", [], async () => {
  using place = directory();
  const data = join(place.path, "data");
  {
    await using first = await serve({ cwd: place.path });
    expect(await first.stop()).toBe(0);
  }
  writeFileSync(join(data, "adoption-store.db.restoring"), "half");
  await using server = await serve({ cwd: place.path });
  expect(readdirSync(data).filter((name) => name.includes("restoring"))).toEqual([]);
  expect((await store(["keys", "list"], { cwd: place.path })).code).toBe(0);
  expect(await server.stop()).toBe(0);
});

/** Runs a command on a DATA_DIR that has a file system of its own, after `change` of it, and with one backup beside it. */
const onOwnFileSystem = async (change: string, command: string) => {
  using place = directory();
  const script = `
    mkdir data && mount -t tmpfs -o size=3m tmpfs data &&
    "$0" keys create --name x --scope '*' >keys && "$0" backup taken.db >taken &&
    { ${change}; } 2>noise && exec "$0" ${command}`;
  return await run(["unshare", "--mount", "--map-root-user", "sh", "-c", script, EXECUTABLE], {
    cwd: place.path,
    env: { DISK_RESERVE: "0" },
  });
};

const READ_ONLY = "mount -o remount,ro data";
const FULL = "cat /dev/zero >data/zero || true";

for (const [change, command, says] of [
  [READ_ONLY, "backup b.db", /DATA_DIR .\/data: cannot be written, and a database that is read needs that/],
  [READ_ONLY, "serve --port 0", /DATA_DIR .\/data: cannot be written \(EROFS: [^)]+\); make it writable/],
  [READ_ONLY, "restore taken.db --yes", /DATA_DIR .\/data: cannot be written \(EROFS: [^)]+\)/],
  [READ_ONLY, "restore data/adoption-store.db --yes", /DATA_DIR .\/data: cannot be written \(EROFS: [^)]+\)/],
  [FULL, "serve --port 0", /DATA_DIR .\/data: its file system is full; make room there, or choose another/],
  [FULL, "restore taken.db --yes", /DATA_DIR .\/data: its file system is full; make room there/],
] as const)
  real(
    `${command} says so where DATA_DIR is ${change === FULL ? "full" : "read-only"}`,
    ["unshare", "mount"],
    async () => {
      expectRefusal(await onOwnFileSystem(change, command), 1, says);
    },
  );

real("what a killed backup left takes no room from the next", ["unshare", "mount"], async () => {
  const left = `data/.adoption-store-backup-${Bun.spawnSync(["true"]).pid}.tmp`;
  const fill = `cat /dev/zero >${left} || :; : >${left}.lock`;
  const { code, stdout, stderr } = await onOwnFileSystem(fill, "backup data/b.db");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("data/b.db: ");
});
