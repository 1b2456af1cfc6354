import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { type Server, directory, launch, real, serve, until } from "./support.ts";

const test = real();

const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 20);
const CLIENTS = 32;
const LONGEST_ROUND_MS = 600;

/** One thing to do, until an answer says that it is done. */
interface Task {
  key: string;
  /** Every answer that came. */
  answers: string[];
}

const send = async (server: Server, { key, answers }: Task): Promise<number> => {
  const answer = await server.call("/v1/pets", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ name: key, categoryId: 1 }),
  });
  const text = await answer.text();
  if (answer.status === 201) answers.push(text);
  return answer.status;
};

/** Does one task after the other until the server is killed; what was not answered is tried again first. */
const work = async (
  server: Server,
  tasks: Task[],
  prefix: string,
  isKilled: () => boolean,
): Promise<void> => {
  for (;;) {
    const task = tasks.findLast(({ answers }) => answers.length === 0) ?? {
      key: `${prefix}-${tasks.length}`,
      answers: [],
    };
    if (!tasks.includes(task)) tasks.push(task);
    try {
      const status = await send(server, task);
      if (status !== 201) throw new Error(`answered ${status}`);
    } catch (error) {
      if (isKilled()) return;
      throw error;
    }
  }
};

test(`killed ${ROUNDS} times while ${CLIENTS} clients add animals and retry requests without a response, it adds one for each Idempotency-Key`, async () => {
  const place = directory();
  const clients = Array.from({ length: CLIENTS }, (): Task[] => []);
  let unanswered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await using process = launch({ cwd: place, env: { LOG_LEVEL: "silent" } });
    const server = await process.listening();
    if (!server) throw new Error(`the server ended: ${await process.stderr}`);
    const timer = setTimeout(process.kill, 50 + Math.random() * LONGEST_ROUND_MS);
    await Promise.all(clients.map((tasks, index) => work(server, tasks, String(index), process.isKilled)));
    clearTimeout(timer);
    unanswered += clients.flat().filter(({ answers }) => answers.length === 0).length;
  }
  const server = await serve({ cwd: place, env: { LOG_LEVEL: "silent" } });
  const tasks = clients.flat();
  // Once more all that was not answered, and some of what was.
  for (const [at, task] of tasks.entries())
    if (task.answers.length === 0 || at % 10 === 0) expect(await send(server, task)).toBe(201);
  expect(tasks.every(({ answers }) => new Set(answers).size === 1)).toBe(true);
  const listed: { id: number; name: string }[] = [];
  for (let path: string | undefined = "/v1/pets?limit=100"; path;) {
    const answer = await server.call(path);
    listed.push(...((await answer.json()) as typeof listed));
    path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  expect(listed.map(({ name }) => name).toSorted()).toEqual(tasks.map(({ key }) => key).toSorted());
  expect(tasks.length).toBeGreaterThan(ROUNDS);
  console.log(`    ${tasks.length} keys, ${unanswered} tried again after a crash, ${listed.length} animals`);
}, 600_000);

test("a running server removes answers of the day before", async () => {
  const server = await serve({ env: { LOG_LEVEL: "silent" } });
  for (const key of ["old", "new"]) expect(await send(server, { key, answers: [] })).toBe(201);
  using database = new Database(join(server.cwd, "data", "adoption-store.db"));
  database.run("PRAGMA busy_timeout=5000");
  database.run("UPDATE answers SET created_at = 0 WHERE idempotency_key = 'old'");
  const kept = () =>
    database.query<{ key: string }, []>("SELECT idempotency_key AS key FROM answers").values().flat();
  await until("the old answer is removed", () => !kept().includes("old"), 30_000);
  expect(kept()).toEqual(["new"]);
});
