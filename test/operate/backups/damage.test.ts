import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { database } from "../../../src/cli/doctor.ts";
import { readConfig } from "../../../src/config/config.ts";
import { databasePath } from "../../../src/data/data-dir/paths.ts";
import { seeded } from "../../support/random.ts";
import { addPet, temporaryDirectory } from "../../support/store.ts";
import { backUp, storeIn } from "./stores.ts";

const FLIPS = Number(process.env["FLIPS"] ?? 60);

/** A DATA_DIR that no process has open, whose indexes are as large as its tables. */
const source = async (): Promise<string> => {
  const made = temporaryDirectory();
  const store = await storeIn(made);
  for (let at = 0; at < 300; at++)
    await addPet(store, { name: `Animal ${at} of the shelter`, categoryId: at % 9 });
  await store.database.close();
  return made;
};

const doctor = async (dataDir: string, quick = false): Promise<string> => {
  const config = readConfig({ flags: {}, env: { DATA_DIR: dataDir }, isTerminal: false });
  try {
    const found = await database(config, { quick });
    return typeof found === "string" ? found : found.warning;
  } catch (error) {
    return `FAILED ${String(error)}`;
  }
};

test(`doctor never calls a database intact that backup refuses, over ${FLIPS} flipped bits`, async () => {
  const random = seeded(23);
  const from = await source();
  const whole = readFileSync(databasePath(from));
  const wrong: string[] = [];
  let refused = 0;
  for (let flip = 0; flip < FLIPS; flip++) {
    const dataDir = temporaryDirectory();
    const bytes = Buffer.from(whole);
    const place = random(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8));
    writeFileSync(databasePath(dataDir), bytes, { mode: 0o600 });
    const said = await doctor(dataDir);
    const reason = await backUp(dataDir).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (reason !== undefined) refused++;
    if (reason !== undefined && !said.startsWith("FAILED")) wrong.push(`byte ${place}: ${said}; ${reason}`);
  }
  expect(wrong).toEqual([]);
  // Without a refusal, the test would show nothing.
  expect(refused).toBeGreaterThan(5);
}, 60_000);
