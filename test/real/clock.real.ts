import { expect } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { backupName } from "../../src/operate/backups/file-names.ts";
import { settableClock } from "./faults/clock.ts";
import { type Server, directory, real, serve, store as command, until } from "./support.ts";

const test = real("gcc");

const DAY_S = 86_400;
/** Sweeps run every 10 seconds. */
const SWEEP_MS = 11_000;

const addOnce = async ({ call }: Server): Promise<boolean> => {
  const response = await call("/v1/pets", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "K1" },
    body: JSON.stringify({ name: "Bella", categoryId: 1 }),
  });
  expect(response.status).toBe(201);
  return response.headers.get("idempotency-replayed") === "true";
};

const isInDoubt = async ({ read }: Server): Promise<boolean> => {
  const { warnings = [] } = await read<{ warnings?: { code: string; message: string }[] }>("/readyz");
  return warnings.some(({ code, message }) => code === "clock_jumped" && message.includes("clock --confirm"));
};

const entriesOf = async ({ read }: Server): Promise<number> =>
  (await read<unknown[]>("/platform/audit")).length;

test("a clock that jumps by 30 days deletes nothing until it jumps back, or an operator confirms it", async () => {
  const cwd = directory();
  const clock = await settableClock(cwd);
  const settings = { cwd, env: clock.env, flags: ["--audit-days", "7"] };
  const commandOf = (...args: string[]) => command(args, { cwd, env: clock.env });
  const server = await serve(settings);
  expect(await addOnce(server)).toBe(false);
  const entries = await entriesOf(server);
  expect(entries).toBeGreaterThan(0);
  const earlier = [1, 2].map((day) => backupName(Date.UTC(2026, 0, day)));
  const backups = join(cwd, "backups");
  mkdirSync(backups);
  for (const name of earlier) expect((await commandOf("backup", join(backups, name))).code).toBe(0);

  clock.jump(30 * DAY_S);
  expect(await isInDoubt(server)).toBe(true);
  await Bun.sleep(SWEEP_MS);
  expect(await entriesOf(server)).toBeGreaterThanOrEqual(entries);
  expect(await addOnce(server)).toBe(true);
  const { stdout: doctor } = await commandOf("doctor");
  expect(doctor).toMatch(/^warning clock: The clock shows .+, 30 days after the expected /m);
  expect((await commandOf("status")).stdout).toContain("30 days after the expected");
  expect((await commandOf("clock")).code).toBe(1);
  const kept = await commandOf("backup", backups, "--keep", "1");
  expect(kept.stderr).toContain("no older backup was removed");
  expect(readdirSync(backups).filter((name) => name.endsWith(".db"))).toHaveLength(3);

  clock.jump(0);
  expect(await isInDoubt(server)).toBe(false);
  clock.jump(30 * DAY_S);
  await server.stop();
  const again = await serve(settings);
  expect(await isInDoubt(again)).toBe(true);
  expect((await commandOf("clock", "--confirm")).code).toBe(0);
  expect(await isInDoubt(again)).toBe(false);
  await until("the deletion of the old entries", async () => (await entriesOf(again)) < entries, 15_000);
  expect(await addOnce(again)).toBe(false);
  console.log(`clock: ${entries} audit entries, 1 response and 2 backups kept during a jump of 30 days`);
});
