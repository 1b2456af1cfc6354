import { Database } from "bun:sqlite";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "bun:test";
import { REJECTED, ROW_FLAGS, countBad, writeRows } from "../support/rows.ts";
import { createStore } from "../support/new-store.ts";
import { EXECUTABLE, type Server, directory, real, serve, store, until } from "./support.ts";

const test = real();
const inShell = real("sh", "head");

const ROWS = 100_000;
const BAD = countBad(ROWS);
const CLIENTS = 32;

const databaseIn = (cwd: string): string => join(cwd, "data", "adoption-store.db");

/** The counts of the import under way in a DATA_DIR; undefined before it has begun. */
const readSoFar = (cwd: string): number => {
  if (!existsSync(databaseIn(cwd))) return 0;
  try {
    using database = new Database(databaseIn(cwd), { readonly: true });
    return database.query<{ read: number }, []>("select read from imports").get()?.read ?? 0;
  } catch {
    // Its schema is being made.
    return 0;
  }
};

/** Every row was added or rejected once. A repeated import of the file is refused. */
const expectAccounted = async (cwd: string, added = 0) => {
  const { code, error } = await goOn(cwd);
  expect([code, error]).toEqual([1, expect.stringContaining(`already imported on`)]);
  using database = new Database(databaseIn(cwd), { readonly: true });
  const counts = database
    .query(
      "select count(*) as animals, count(distinct name) as names from pets where name not like 'client %'",
    )
    .get();
  expect(counts).toEqual({ animals: ROWS - BAD, names: ROWS - BAD });
  const clients = database.query("select count(*) as animals from pets where name like 'client %'").get();
  expect(clients).toEqual({ animals: added });
  const lines = [...readFileSync(join(cwd, "rows.csv.rejected"), "utf8").matchAll(REJECTED)];
  expect(lines).toHaveLength(BAD);
  expect(new Set(lines.map(([, line]) => line)).size).toBe(BAD);
};

/** A file to import, and an empty store. */
const prepare = async (cwd: string): Promise<void> => {
  await writeRows(join(cwd, "rows.csv"), ROWS);
  await createStore(join(cwd, "data"));
};

const importing = (cwd: string) =>
  Bun.spawn([EXECUTABLE, "import", "rows.csv", ...ROW_FLAGS], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", DATA_DIR: join(cwd, "data") },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });

/** Imports, and sends the signal once more rows are read than before. @returns the exit code */
const interrupt = async (cwd: string, signal: "SIGKILL" | "SIGINT") => {
  const before = readSoFar(cwd);
  const child = importing(cwd);
  await until("rows are read", () => readSoFar(cwd) > before || child.exitCode !== null, 30_000);
  child.kill(signal);
  return child.exited;
};

const goOn = async (cwd: string) => {
  const child = importing(cwd);
  const [code, out, error] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, out, error };
};

test("an import that is killed and called again adds every row once, and rejects every bad one once", async () => {
  const cwd = directory();
  await prepare(cwd);
  for (let round = 0; round < 2; round++) expect(await interrupt(cwd, "SIGKILL")).not.toBe(0);
  const reached = readSoFar(cwd);
  expect(reached).toBeGreaterThan(0);
  expect(reached).toBeLessThan(ROWS);
  const { code, out } = await goOn(cwd);
  expect(code).toBe(1);
  expect(out).toContain(`100,000 rows read (${reached.toLocaleString("en-US")} in an earlier run): `);
  await expectAccounted(cwd);
});

test("Ctrl-C ends an import with 130 between two transactions, and the next import continues there", async () => {
  const cwd = directory();
  await prepare(cwd);
  expect(await interrupt(cwd, "SIGINT")).toBe(130);
  await goOn(cwd);
  await expectAccounted(cwd);
});

test("the same command while an import runs is refused, and takes no rows from it", async () => {
  const cwd = directory();
  await prepare(cwd);
  const first = goOn(cwd);
  await until("rows are read", () => readSoFar(cwd) > 0, 30_000);
  const others = await Promise.all([goOn(cwd), goOn(cwd)]);
  for (const { code, error } of others)
    expect([code, error]).toEqual([
      1,
      expect.stringMatching(/another import of this file|was already imported on/),
    ]);
  expect((await first).out).toStartWith("100,000 rows read: ");
  await expectAccounted(cwd);
});

/** Lists and adds until it is stopped. @returns how many it added */
const client = async (server: Server, number: number, isOver: () => boolean): Promise<number> => {
  let added = 0;
  while (!isOver()) {
    expect((await server.add(`client ${number} ${added}`)).status).toBe(201);
    added++;
    const answer = await server.call("/v1/pets?status=available");
    expect(answer.status).toBe(200);
    await answer.json();
  }
  return added;
};

test(`while ${CLIENTS} clients read and write, an import fails no request and adds every row`, async () => {
  const cwd = directory();
  await prepare(cwd);
  const server = await serve({ cwd });
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(server, number, () => isOver));
  const imported = await goOn(cwd).finally(() => (isOver = true));
  const added = (await Promise.all(clients)).reduce((sum, one) => sum + one, 0);
  expect(imported.code).toBe(1);
  expect(added).toBeGreaterThan(CLIENTS);
  await expectAccounted(cwd, added);
  const exported = await store(["export", "out.ndjson", "--data-dir", "data", "--json"], { cwd });
  expect(JSON.parse(exported.stdout)).toMatchObject({ rows: ROWS - BAD + added });
});

inShell("an export whose reader has seen enough ends quietly", async () => {
  const cwd = directory();
  await prepare(cwd);
  await goOn(cwd);
  const child = Bun.spawn(["sh", "-c", `${EXECUTABLE} export --data-dir data | head -n 2`], {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([out.split("\n")[0], error]).toEqual(["id,name,categoryId,category,status", ""]);
});

/** True while a process is stopped by a signal. */
const isStopped = (pid: number): boolean => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

/** Stops it as Ctrl-Z does. */
const suspend = async (child: Bun.Subprocess) => {
  child.kill("SIGTSTP");
  await until("stopped", () => isStopped(child.pid), 10_000);
};

if (process.platform === "linux")
  test("a suspended import holds no lock, and continues after SIGCONT", async () => {
    const cwd = directory();
    await prepare(cwd);
    const server = await serve({ cwd });
    const child = importing(cwd);
    await until("rows are read", () => readSoFar(cwd) > 0, 30_000);
    const statuses: number[] = [];
    for (let round = 0; round < 10 && child.exitCode === null; round++) {
      await suspend(child);
      statuses.push((await server.add(`client ${round}`)).status);
      child.kill("SIGCONT");
      await Bun.sleep(20);
    }
    expect(await child.exited).toBe(1);
    expect(statuses).toEqual(statuses.map(() => 201));
    expect(statuses.length).toBeGreaterThan(0);
    await expectAccounted(cwd, statuses.length);
  });

if (process.platform === "linux")
  test("an export that is suspended or read slowly keeps no snapshot of the database", async () => {
    const cwd = directory();
    await prepare(cwd);
    await goOn(cwd);
    const server = await serve({ cwd });
    const child = Bun.spawn([EXECUTABLE, "export", "-"], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", DATA_DIR: join(cwd, "data") },
      stdout: "pipe",
      stderr: "ignore",
    });
    const reader = child.stdout.getReader();
    const first = await reader.read();
    await suspend(child);
    expect((await server.add("client")).status).toBe(201);
    using database = new Database(databaseIn(cwd));
    const truncate = database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)");
    // The server may be about to index what was added. A snapshot would keep the log for as long as the export is stopped.
    await until("the log is truncated", () => truncate.get()?.busy === 0, 5000);
    child.kill("SIGCONT");
    let text = new TextDecoder().decode(first.value);
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += decoder.decode(part.value, { stream: true });
    expect(await child.exited).toBe(0);
    expect(text.trimEnd().split("\n")).toHaveLength(ROWS - BAD + 1);
  });
