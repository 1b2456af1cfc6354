import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publish } from "./site.ts";
import { directory, expectRefusal, real, run, serve, store as command, until } from "./support.ts";

const test = real();

/** Names that are confirmed and, the later half, only in the log. */
const COUNT = 40;
const NAMES = Array.from({ length: COUNT }, (_, at) => `Animal ${at}`);

const namesIn = async (cwd: string, dataDir: string): Promise<string[]> => {
  const { stdout } = await command(["export", "-", "--data-dir", dataDir], { cwd });
  return NAMES.filter((name) => stdout.includes(name));
};

const RUN = /; run (.+?), then start the server again/;
const rescuedIn = (place: string) => readdirSync(place).filter((name) => name.startsWith("data.rescued-"));

test("rm -rf DATA_DIR under a running server loses nothing that it confirmed, and the printed command brings it back", async () => {
  const cwd = directory();
  const server = await serve({ cwd });
  for (const name of NAMES) expect((await server.add(name)).status).toBe(201);
  rmSync(join(cwd, "data"), { recursive: true });
  expect(await server.exited).toBe(1);
  const output = server.stdout();
  const [rescued = ""] = rescuedIn(cwd);
  expect(output).toContain(`its data is saved in ${join(cwd, rescued)}, and the copy is intact`);
  expect(output).toContain("not saved: admin.key");
  expect(await namesIn(cwd, rescued)).toEqual(NAMES);

  expectRefusal(
    await command(["serve", "--port", "0"], { cwd }),
    1,
    /holds the one that was deleted: run mkdir -p /,
  );
  const [, line = ""] = RUN.exec(output) ?? [];
  expect((await run(["sh", "-c", line], { cwd })).code).toBe(0);
  writeFileSync(join(cwd, "data", "admin.key"), `${server.key}\n`);
  const again = await serve({ cwd });
  expect((await again.call("/v1/pets?limit=100")).status).toBe(200);
  expect((await again.add("Late")).status).toBe(201);
  expect(await namesIn(cwd, "data")).toEqual(NAMES);
  console.log(`rescue: ${COUNT} of ${COUNT} confirmed animals are in the saved copy`);
});

test("a server that gets SIGTERM right after the deletion still saves the data, in BACKUP_DIR", async () => {
  const cwd = directory();
  const backups = join(cwd, "backups");
  mkdirSync(backups);
  const server = await serve({ cwd, flags: ["--backup-dir", backups] });
  for (const name of NAMES) await server.add(name);
  rmSync(join(cwd, "data"), { recursive: true });
  await server.stop();
  const [rescued = ""] = rescuedIn(backups);
  expect(await namesIn(cwd, join(backups, rescued))).toEqual(NAMES);
  expect(server.stdout()).toContain(`its data is saved in ${join(backups, rescued)}, and the copy is intact`);
});

test("with no place for the data, SIGTERM does not end the server before there is room, and a second signal does", async () => {
  for (const second of ["room", "signal"]) {
    const cwd = directory();
    const place = join(cwd, "place");
    mkdirSync(place);
    const server = await serve({ cwd: place, flags: ["--backup-dir", join(cwd, "backups")] });
    await server.add("Animal 0");
    rmSync(place, { recursive: true });
    await until("the first failure is logged", async () => server.stdout().includes("could not be saved"));
    process.kill(server.pid, "SIGTERM");
    await until("the remedy is logged", async () =>
      server.stdout().includes("to exit now and lose the data, send the signal again"),
    );
    await Bun.sleep(1000);
    if (second === "signal") {
      process.kill(server.pid, "SIGINT");
      expect(await server.exited).not.toBe(0);
      continue;
    }
    mkdirSync(join(cwd, "backups"));
    expect(await server.exited).toBe(0);
    const [rescued = ""] = rescuedIn(join(cwd, "backups"));
    expect(await namesIn(cwd, join(cwd, "backups", rescued))).toEqual(["Animal 0"]);
  }
});

test("a deleted database takes along the key and the sites that are still there, and names a missing file", async () => {
  const cwd = directory();
  const server = await serve({ cwd });
  await server.add("Animal 0");
  await publish(server, "handbook", { files: { "index.html": "<h1>Docs</h1>", "lost.html": "lost" } });
  const lost = Bun.SHA256.hash("lost", "hex");
  rmSync(join(cwd, "data", "blobs", lost.slice(0, 2), lost.slice(2)));
  for (const end of ["", "-wal", "-shm"]) rmSync(join(cwd, "data", `adoption-store.db${end}`));
  expect(await server.exited).toBe(1);
  const output = server.stdout();
  expect(output).toContain("not saved: 1 file of sites (deploy those sites again)");
  const [rescued = ""] = rescuedIn(cwd);
  expect(readFileSync(join(cwd, rescued, "admin.key"), "utf8").trim()).toBe(server.key);
  const [, line = ""] = RUN.exec(output) ?? [];
  expect((await run(["sh", "-c", line], { cwd })).code).toBe(0);
  const again = await serve({ cwd });
  const page = await fetch(`${again.url}/`, { headers: { host: "handbook.localhost" } });
  expect(await page.text()).toBe("<h1>Docs</h1>");
});

test("a DATA_DIR that was moved is reported with its new path, and nothing is copied", async () => {
  const cwd = directory();
  const server = await serve({ cwd });
  await server.add("Animal 0");
  expect((await run(["mv", "data", "elsewhere"], { cwd })).code).toBe(0);
  expect(await server.exited).toBe(1);
  expect(server.stdout()).toContain(`it is now ${join(cwd, "elsewhere", "adoption-store.db")}`);
  expect(rescuedIn(cwd)).toEqual([]);
  expect(await namesIn(cwd, "elsewhere")).toEqual(["Animal 0"]);
  expect(existsSync(join(cwd, "data", "adoption-store.db"))).toBe(false);
});
