import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../support/random.ts";
import { contend } from "./cluster/animal-clients.ts";
import { buildChecker } from "./cluster/checker.ts";
import { type Node, recorder } from "./cluster/recorder.ts";
import { directory, real, serve } from "./support.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const OPERATIONS = 20_000;
const CLIENTS = 24;

/** Lets clients contend at these nodes. @returns what porcupine says, and the clients' figures */
const checkedHistory = async (place: string, nodes: readonly Node[], operations: number) => {
  const path = join(place, "history.jsonl");
  const check = await buildChecker(place);
  const record = recorder(path, nodes);
  await contend(record, { clients: CLIENTS, operations, nodes: nodes.length, random: seeded(SEED) });
  await record.end();
  return { ...(await check(path)), figures: record.figures };
};

real(
  "porcupine refuses a stale read, a lost write, an id that is given twice and two orders for one animal",
  ["go"],
  async () => {
    using place = directory();
    const check = await buildChecker(place.path);
    const added = { kind: "add", animal: 1, name: "a", status: "available", call: 1, return: 2, code: 201 };
    const renamed = { kind: "patch", animal: 1, name: "b", call: 3, return: 4, code: 200 };
    const read = (name: string, status = "available") => ({
      kind: "get",
      animal: 1,
      call: 5,
      return: 6,
      code: 200,
      seen: { name, status },
    });
    const placed = { kind: "order", animal: 1, call: 3, return: 4, code: 201, placed: 7 };
    const { return: _, code: __, ...unanswered } = renamed;
    const histories: [name: string, lines: object[], isFine: boolean][] = [
      ["a read after a write", [added, renamed, read("b")], true],
      ["a stale read", [added, renamed, read("a")], false],
      ["a write whose response was lost, done", [added, unanswered, read("b")], true],
      ["a write whose response was lost, not done", [added, unanswered, read("a")], true],
      ["an animal that was never added", [renamed], false],
      ["an id that is given twice", [added, { ...added, call: 3, return: 4 }], false],
      ["one order", [added, placed, read("a", "pending")], true],
      ["two orders", [added, placed, { ...placed, placed: 8 }], false],
      [
        "two orders, one of them cancelled between",
        [
          added,
          placed,
          { kind: "cancel", animal: 1, order: 7, call: 3, return: 4, code: 200 },
          { ...placed, placed: 8 },
        ],
        true,
      ],
    ];
    for (const [name, lines, isFine] of histories) {
      const path = join(place.path, "made.jsonl");
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      expect([name, (await check(path)).anomalies.length === 0]).toEqual([name, isFine]);
    }
  },
);

real(`${OPERATIONS} operations of ${CLIENTS} clients on one machine are linearizable`, ["go"], async () => {
  using place = directory();
  await using server = await serve({ cwd: place.path, env: { LOG_LEVEL: "silent" } });
  const { figures, explanation, ...verdict } = await checkedHistory(place.path, [server], OPERATIONS);
  console.log(`    seed ${SEED}: ${JSON.stringify(figures)}, ${JSON.stringify(verdict)}`);
  expect(explanation).toBe("");
  expect([verdict.anomalies, verdict.undecided]).toEqual([[], []]);
  expect(figures.operations).toBeGreaterThanOrEqual(OPERATIONS);
});
