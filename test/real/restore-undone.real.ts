import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { directory, real, serve, store as command } from "./support.ts";

const test = real();

test("a restore names the key and the person that it gives back, and erases the adopter again", async () => {
  const cwd = directory();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(args, { cwd });
    expect({ args, code, stderr: code === 0 ? "" : stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  const server = await serve({ cwd });
  const { id: petId } = (await (await server.add("Bella")).json()) as { id: number };
  await server.send(`/v1/pets/${petId}`, { status: "available" }, "PATCH");
  const adopter = { name: "Ada Lovelace", email: "ada@example.org" };
  await server.send("/v1/store/orders", { petId, adopter });
  await run("keys", "create", "--name", "website", "--scope", "pets:read");
  await run("people", "add", "--email", "edith@example.org", "--name", "Edith", "--role", "staff");
  await run("backup", "backup.db");
  await run("keys", "revoke", "2");
  await run("people", "remove", "1", "--yes");
  await run("orders", "forget", adopter.email, "--cancel", "--yes");
  await server.stop();
  const printed = await run("restore", "backup.db", "--yes");
  expect(printed).toContain("These keys or their old secrets work again: 2 (website)");
  expect(printed).toContain("These people were removed, and can sign in again: 1 (Edith)");
  expect(printed).toContain(
    "Erased again, because they had been erased after the backup: 1 adopter, in 1 order",
  );
  const has = (file: string) => readFileSync(join(cwd, file)).includes("Lovelace");
  expect([has("backup.db"), has("data/adoption-store.db")]).toEqual([true, false]);
  const again = await serve({ cwd });
  const [order] = await again.read<{ adopter?: object; status: string }[]>("/v1/store/orders");
  expect([order?.adopter, order?.status]).toEqual([undefined, "cancelled"]);
  console.log("restore: 1 key and 1 person named, 1 of 1 erasure repeated");
});
