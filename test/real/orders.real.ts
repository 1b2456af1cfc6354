import { expect } from "bun:test";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Server, directory, real, serve, store } from "./support.ts";

const test = real();

const ROUNDS = 20;
const CLIENTS = 100;
const EMAIL = "ada.byron@example.org";

const send = (server: Server, path: string, json?: unknown) =>
  server.call(path, {
    method: "POST",
    ...(json !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
    }),
  });

const addAvailable = async (server: Server): Promise<number> => {
  const answer = await send(server, "/v1/pets", { name: "Bella", categoryId: 1, status: "available" });
  return ((await answer.json()) as { id: number }).id;
};

const place = (server: Server, petId: number) =>
  send(server, "/v1/store/orders", { petId, adopter: { name: "Ada Byron", email: EMAIL } });

test(`of ${CLIENTS} clients that race for one animal exactly one gets it, ${ROUNDS} times`, async () => {
  const server = await serve();
  for (let round = 0; round < ROUNDS; round++) {
    const pet = await addAvailable(server);
    const answers = await Promise.all(Array.from({ length: CLIENTS }, () => place(server, pet)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array.from({ length: CLIENTS - 1 }, () => 409)]);
  }
  expect(server.stdout()).not.toContain("Byron");
  expect(server.stdout()).not.toContain(EMAIL);
});

test("orders forget leaves no byte of the address in DATA_DIR while the server writes", async () => {
  const home = directory();
  const server = await serve({ cwd: home });
  for (let at = 0; at < 20; at++) {
    const pet = await addAvailable(server);
    const { id } = (await (await place(server, pet)).json()) as { id: number };
    expect((await send(server, `/v1/store/orders/${id}/approve`)).status).toBe(200);
    if (at > 0) expect((await send(server, `/v1/store/orders/${id}/complete`)).status).toBe(200);
  }
  const data = join(home, "data");
  const holding = () =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes(EMAIL));
  expect(holding()).not.toEqual([]);
  const refused = await store(["orders", "forget", EMAIL, "--yes"], { cwd: home });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  const end = new AbortController();
  const writing = (async () => {
    const statuses = new Set<number>();
    while (!end.signal.aborted) statuses.add((await server.add("Rex")).status);
    return [...statuses];
  })();
  const forgotten = await store(["orders", "forget", EMAIL.toUpperCase(), "--yes", "--cancel"], {
    cwd: home,
  });
  end.abort();
  expect(forgotten).toEqual({
    code: 0,
    stdout:
      "Erased the adopter from 20 orders (1 cancelled by this command) and deleted 0 stored responses.\n",
    stderr: expect.stringContaining("rewriting the database"),
  });
  expect(await writing).toEqual([201]);
  expect(holding()).toEqual([]);
  const [first] = await server.read<object[]>("/v1/store/orders");
  expect(first).toMatchObject({ id: 1, status: "cancelled" });
  expect(first).not.toHaveProperty("adopter");
});
