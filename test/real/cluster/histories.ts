import { expect } from "bun:test";
import { join } from "node:path";
import { seeded } from "../../support/random.ts";
import { until } from "../support.ts";
import { contend } from "./animal-clients.ts";
import { buildChecker } from "./checker.ts";
import type { Victim } from "./kills.ts";
import { type Node, recorder } from "./recorder.ts";

export const CLIENTS = 24;
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
/** How long what was killed stays away. */
const AWAY_MS = 500;
/** How long it may take until it is time for the next kill. */
const MAX_MS = 120_000;

/** Lets clients contend at these nodes, for so many operations, or until `end`. */
export const startHistory = async (place: string, nodes: readonly Node[], operations: number) => {
  const path = join(place, "history.jsonl");
  const check = await buildChecker(place);
  const record = recorder(path, nodes);
  const began = performance.now();
  let isEnded = false;
  const working = contend(record, {
    clients: CLIENTS,
    isEnded: () => isEnded || record.figures.operations >= operations,
    nodes: nodes.length,
    random: seeded(SEED),
  });
  return {
    operations,
    figures: record.figures,
    end: (): void => void (isEnded = true),
    /** What porcupine says, when all is done. */
    async verdict() {
      await working;
      await record.end();
      const seconds = Math.round((performance.now() - began) / 1000);
      return { ...(await check(path)), took: seconds };
    },
  };
};

export type History = Awaited<ReturnType<typeof startHistory>>;

/** Kills one after the other, each after so many operations, and starts again what was killed. */
export const killMeanwhile = async (
  { operations, figures }: Pick<History, "operations" | "figures">,
  kills: readonly (() => Promise<readonly Victim[]>)[],
): Promise<void> => {
  for (const [at, next] of kills.entries()) {
    const isTime = () => figures.operations > ((at + 0.5) * operations) / kills.length;
    await until(`it is time for kill ${at + 1}`, isTime, MAX_MS);
    const victims = await next();
    await Promise.all(victims.map((victim) => victim.kill()));
    await Bun.sleep(AWAY_MS);
    await Promise.all(victims.map((victim) => victim.start()));
  }
};

/** Fails unless porcupine finds an order that explains all responses. */
export const expectLinearizable = async ({
  operations,
  figures,
  verdict,
}: Pick<History, "operations" | "figures" | "verdict">): Promise<void> => {
  const { explanation, ...found } = await verdict();
  console.log(`    seed ${SEED}: ${JSON.stringify(figures)}, ${JSON.stringify(found)}`);
  expect(explanation).toBe("");
  expect([found.anomalies, found.undecided]).toEqual([[], []]);
  expect(figures.operations).toBeGreaterThanOrEqual(operations);
};
