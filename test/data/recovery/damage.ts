import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPages } from "../../../src/data/recovery/pages.ts";
import { type SalvageReport, salvage } from "../../../src/data/recovery/salvage.ts";
import { isOf, shapesIn } from "../../../src/data/recovery/shape.ts";
import { treesOf } from "../../../src/data/recovery/trees.ts";
import { createDatabase } from "../../../src/data/db/open.ts";
import type { Random } from "../../support/random.ts";
import { temporaryDirectory } from "../../support/store.ts";

/** The tables whose rows cannot be derived from others. */
export const BASE = [
  ..."acme_accounts acme_attempts answers audit_entries browser_states categories certificates deploys".split(
    " ",
  ),
  ..."domain_events domains identities imports invitations keys notices orders passkeys people".split(" "),
  ..."pet_events pets projects sealing_keys secrets store_identity".split(" "),
];

const text = (random: Random, length: number): string =>
  Array.from({ length }, () => String.fromCodePoint(97 + random(26))).join("");

/** Fills all kinds of tables, some of them with rows longer than a page. */
const fill = (client: Database, animals: number, random: Random): void => {
  const insert = (table: string, row: Record<string, string | number | bigint | null>) =>
    client.run(
      `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
        .map(() => "?")
        .join(", ")})`,
      Object.values(row),
    );
  const some = Math.ceil(animals / 5);
  client.transaction(() => {
    for (let id = 1; id <= animals; id++)
      insert("pets", {
        name: `Ämelie ${text(random, 5 + random(60))}`,
        category_id: random(20) === 0 ? 2n ** 60n + BigInt(id) : 1 + random(9),
        status: [null, "available", "pending", "sold"][random(4)] ?? null,
        created_at: 1_700_000_000_000 + id * 60_000,
      });
    client.run(
      "UPDATE pets_indexed SET counted_to = (SELECT max(id) FROM pets), indexed_to = (SELECT max(id) FROM pets)",
    );
    client.run("DELETE FROM pets WHERE id % 17 = 3");
    for (let id = 1; id <= some; id++) {
      insert("categories", { name: `Kind ${id}`, folded: `kind ${id}` });
      insert("keys", { name: `key ${id}`, scopes: "pets:read pets:write", created_at: 1000 + id });
      insert("secrets", {
        hash: text(random, 64),
        key_id: id,
        prefix: text(random, 8),
        created_at: 2000 + id,
      });
      insert("people", {
        name: `Person ${id}`,
        email: `${id}@example.org`,
        folded_email: `${id}@example.org`,
        role: "staff",
        handle: text(random, 22),
        created_at: 3000 + id,
      });
      insert("orders", {
        pet_id: id * 17 + 3,
        adopter_name: `Zoë ${text(random, 9)}`,
        adopter_email: `${text(random, 9)}@example.org`,
        status: "completed",
        note: text(random, random(300)),
        created_at: 4000 + id,
        updated_at: 5000 + id,
      });
      insert("projects", {
        slug: `site-${id}`,
        name: `Site ${id}`,
        plan: "free",
        target_label: text(random, 20),
        created_at: 6000 + id,
      });
      insert("deploys", {
        project_id: id,
        status: "succeeded",
        manifest: Bun.SHA256.hash(String(id), "hex"),
        files: 3,
        bytes: 99,
        created_at: 7000 + id,
      });
      client.run("UPDATE projects SET active_deploy_id = ? WHERE id = ?", [id, id]);
      insert("domains", {
        project_id: id,
        hostname: `www${id}.example.org`,
        stage: "live",
        role: "primary",
        created_at: 8000 + id,
        waiting_since: 8000 + id,
        findings: "[]",
        trace: JSON.stringify(text(random, random(4) === 0 ? 9000 : 200)),
      });
      insert("answers", {
        caller: `key:${id}`,
        idempotency_key: `again-${id}`,
        fingerprint: text(random, 64),
        status: 201,
        headers: "{}",
        body: JSON.stringify(text(random, random(6) === 0 ? 5000 : 100)),
        created_at: 9000 + id,
      });
      for (let entry = 0; entry < 6; entry++)
        insert("audit_entries", {
          at: 10_000 + id * 6 + entry,
          actor: "key",
          actor_id: id,
          actor_name: `key ${id}`,
          action: "pet.changed",
          resource: "pet",
          resource_id: String(id),
          changes: JSON.stringify([["name", text(random, 20), text(random, 20)]]),
        });
    }
    insert("store_identity", { one: 1, store_id: crypto.randomUUID(), created_at: 42 });
    insert("sealing_keys", { one: 1, key: text(random, 44) });
  })();
};

/** A closed store with animals; its last changes are in its log if `hasLog`. */
export const filledStore = (animals: number, random: Random, { hasLog = false } = {}): string => {
  const directory = temporaryDirectory();
  const path = join(directory, "source.db");
  createDatabase(path);
  {
    using client = new Database(path);
    client.run("DELETE FROM store_identity");
    fill(client, animals, random);
    client.run("PRAGMA journal_mode=WAL");
  }
  if (!hasLog) return path;
  const copy = join(directory, "with-log.db");
  using client = new Database(path);
  for (let change = 0; change < 30; change++)
    client.transaction(() => {
      client.run("UPDATE pets SET name = name || ' II', revision = revision + 1 WHERE id % 31 = ?", [change]);
      client.run("INSERT INTO pets (name, category_id, created_at) VALUES (?, 5, 1)", [`late ${change}`]);
      client.run("UPDATE pets_indexed SET counted_to = (SELECT max(id) FROM pets)");
    })();
  for (const end of ["", "-wal"]) copyFileSync(path + end, copy + end);
  return copy;
};

export type Row = Record<string, unknown>;

/** The rows of the base tables, by table and rowid, as SQLite reads them. */
export const rowsIn = (path: string): Map<string, Map<number, Row>> => {
  // A copy: reading a log would change the files.
  const copy = join(temporaryDirectory(), "read.db");
  for (const end of ["", "-wal"]) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  using client = new Database(copy, { safeIntegers: true });
  return new Map(
    BASE.map((table) => [
      table,
      new Map(
        client
          .query<Row, []>(`SELECT rowid AS rowid_, * FROM ${table}`)
          .all()
          .map((row) => [Number(row["rowid_"]), row]),
      ),
    ]),
  );
};

interface Place {
  page: number;
  start: number;
  end: number;
  overflow: number[];
}

export const rootOf = (path: string, name: string): number => {
  using client = new Database(path, { readonly: true });
  const { root } = client
    .query<{ root: number }, [string]>("SELECT rootpage AS root FROM sqlite_schema WHERE name = ?")
    .get(name) ?? { root: 1 };
  return root;
};

/** Where each row of a sound file is: `pets 7`. */
export const placesIn = (path: string): Map<string, Place> => {
  using pages = openPages(path);
  using client = new Database(path, { readonly: true });
  const trees = treesOf(pages);
  const places = new Map<string, Place>();
  for (const shape of shapesIn(client).filter(({ name }) => BASE.includes(name))) {
    const tree = trees.walk(rootOf(path, shape.name), "table", isOf(shape));
    for (const page of tree.leaves)
      for (const { id, start, end, overflow } of trees.leafOf(page, tree)?.cells ?? [])
        places.set(`${shape.name} ${id}`, { page, start, end, overflow });
  }
  return places;
};

/** Copies a store, and changes the bytes of one of its files. */
export const damagedCopy = (
  path: string,
  change: (bytes: Buffer) => Buffer | void,
  end: "" | "-wal" = "",
): string => {
  const copy = join(temporaryDirectory(), "damaged.db");
  for (const one of ["", "-wal"]) if (existsSync(path + one)) copyFileSync(path + one, copy + one);
  const bytes = readFileSync(copy + end);
  writeFileSync(copy + end, change(bytes) ?? bytes);
  return copy;
};

export const PAGE = 4096;
export const zeroPage = (page: number) => (bytes: Buffer) =>
  void bytes.fill(0, (page - 1) * PAGE, page * PAGE);
export const flipBit = (bit: number) => (bytes: Buffer) => {
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
};
export const swapPages = (one: number, other: number) => (bytes: Buffer) => {
  const kept = Buffer.from(bytes.subarray((one - 1) * PAGE, one * PAGE));
  bytes.copy(bytes, (one - 1) * PAGE, (other - 1) * PAGE, other * PAGE);
  kept.copy(bytes, (other - 1) * PAGE);
};

const isNamed = ({ tables }: SalvageReport, table: string, id: number): boolean => {
  const report = tables.find((one) => one.table === table);
  return (
    report !== undefined &&
    (report.missing.some(({ from, to }) => id >= from && id <= (to ?? Infinity)) ||
      report.refused.some((one) => one.id === id))
  );
};

const isEqual = (one: Row | undefined, other: Row | undefined): boolean => Bun.deepEquals(one, other);

/**
 * Salvages a damaged store and compares it with the rows before the damage.
 * @param isHit true for a row that the damage hit: it may be lost, and its own values may differ
 * @returns one line for each row that is wrong
 */
export const faultsOf = (
  damaged: string,
  rows: Map<string, Map<number, Row>>,
  isHit: (table: string, id: number) => "lost" | "altered" | false,
): { faults: string[]; report: SalvageReport } => {
  const target = join(temporaryDirectory(), "saved.db");
  const report = salvage(damaged, target);
  const saved = rowsIn(target);
  const faults: string[] = [];
  const refused = new Map(report.tables.map((one) => [one.table, new Set(one.refused.map(({ id }) => id))]));
  for (const [table, before] of rows) {
    const after = saved.get(table) ?? new Map<number, Row>();
    for (const [id, row] of before) {
      const found = after.get(id);
      const hit = isHit(table, id);
      if (isEqual(found, row)) continue;
      // The report names a reference to a lost row, and two versions of a row.
      if (refused.get(table)?.has(id)) continue;
      // A store without an id gets another.
      if (table === "store_identity" && isNamed(report, table, id)) continue;
      if (found) {
        if (hit !== "altered") faults.push(`${table} ${id} is altered`);
      } else if (!hit) faults.push(`${table} ${id} is lost, although its page is intact`);
      else if (!isNamed(report, table, id) && hit !== "altered")
        faults.push(`${table} ${id} is lost and not named`);
    }
    // Without the list of free pages, deleted rows may come back, which the report notes.
    for (const id of report.isFreeListWhole ? after.keys() : [])
      if (!before.has(id) && ![...before.keys()].some((one) => isHit(table, one) === "altered"))
        faults.push(`${table} ${id} did not exist`);
  }
  return { faults, report };
};

type Hit = "lost" | "altered" | false;

interface Damage {
  damaged: string;
  /** What the damage is, to repeat it. */
  text: string;
  /** The rows that should be there; by default those of the sound store. */
  expected?: Map<string, Map<number, Row>>;
  isHit(table: string, id: number): Hit;
}

export interface Sound {
  path: string;
  rows: Map<string, Map<number, Row>>;
  places: Map<string, Place>;
}

export const soundStore = (animals: number, random: Random): Sound => {
  const path = filledStore(animals, random);
  return { path, rows: rowsIn(path), places: placesIn(path) };
};

/** A store whose last changes are in its log. */
export const soundStoreWithLog = (animals: number, random: Random): Sound => {
  const path = filledStore(animals, random, { hasLog: true });
  const merged = damagedCopy(path, () => {});
  {
    using client = new Database(merged);
    client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  return { path, rows: rowsIn(path), places: placesIn(merged) };
};

const pagesOf = (path: string): number => Math.floor(statSync(path).size / PAGE);

const never = (): Hit => false;

/** The kinds of damage, each at a random place. */
export const DAMAGES: Record<string, (sound: Sound, withLog: Sound, random: Random) => Damage> = {
  "a zeroed page"({ path, places }, _, random) {
    const page = 1 + random(pagesOf(path));
    return {
      damaged: damagedCopy(path, zeroPage(page)),
      text: `page ${page}`,
      isHit(table, id) {
        const place = places.get(`${table} ${id}`);
        return place?.page === page || place?.overflow.includes(page) ? "lost" : false;
      },
    };
  },
  "a flipped bit"({ path, places }, _, random) {
    const bit = random(statSync(path).size * 8);
    const [page, at] = [Math.floor(bit / 8 / PAGE) + 1, (bit >> 3) % PAGE];
    return {
      damaged: damagedCopy(path, flipBit(bit)),
      text: `bit ${bit} (page ${page}, byte ${at})`,
      isHit(table, id) {
        const place = places.get(`${table} ${id}`);
        if (place?.overflow.includes(page)) return "altered";
        if (place?.page !== page) return false;
        return at >= place.start && at < place.end ? "altered" : "lost";
      },
    };
  },
  "a truncated file"({ path, places }, _, random) {
    const size = PAGE + random(statSync(path).size - PAGE);
    const first = Math.floor(size / PAGE) + 1;
    return {
      damaged: damagedCopy(path, (bytes) => bytes.subarray(0, size)),
      text: `to ${size} bytes`,
      isHit(table, id) {
        const { page, overflow } = places.get(`${table} ${id}`) ?? { page: 0, overflow: [] };
        return [page, ...overflow].some((one) => one >= first) ? "lost" : false;
      },
    };
  },
  "a lost tail of the log"(_, { path }, random) {
    const size = random(statSync(`${path}-wal`).size);
    const damaged = damagedCopy(path, (bytes) => bytes.subarray(0, size), "-wal");
    return { damaged, text: `to ${size} bytes`, expected: rowsIn(damaged), isHit: never };
  },
  "a flipped bit in the log"(_, { path, rows, places }, random) {
    const log = readFileSync(`${path}-wal`);
    const bit = random(log.length * 8);
    const step = 24 + PAGE;
    const frame = Math.floor(((bit >> 3) - 32) / step);
    const start = 32 + frame * step;
    const page = frame < 0 ? 0 : log.readUInt32BE(start);
    // The number of its page is unknown, or all of the last commit is lost.
    const isUnclear = (bit >> 3) - start < 8 || start + step >= log.length;
    return {
      damaged: damagedCopy(path, flipBit(bit), "-wal"),
      text: `bit ${bit} (page ${page})`,
      expected: rows,
      isHit(table, id) {
        if (frame >= 0 && isUnclear) return "altered";
        const place = places.get(`${table} ${id}`);
        return place?.page === page || place?.overflow.includes(page) ? "lost" : false;
      },
    };
  },
  "two swapped pages"({ path, places }, _, random) {
    const [one, other] = [1 + random(pagesOf(path)), 1 + random(pagesOf(path))];
    return {
      damaged: damagedCopy(path, swapPages(one, other)),
      text: `pages ${one} and ${other}`,
      isHit: (table, id) =>
        places.get(`${table} ${id}`)?.overflow.some((page) => page === one || page === other)
          ? "altered"
          : false,
    };
  },
};

/** Damages a store and salvages it. @returns what is wrong with the salvage, with the damage */
export const tryDamage = (kind: string, sound: Sound, withLog: Sound, random: Random): string[] => {
  const damage = DAMAGES[kind]?.(sound, withLog, random);
  if (!damage) throw new Error(`there is no damage ${kind}`);
  const { damaged, text, expected = sound.rows, isHit } = damage;
  try {
    return faultsOf(damaged, expected, isHit).faults.map((fault) => `${kind}, ${text}: ${fault}`);
  } catch (error) {
    return [`${kind}, ${text}: ${String(error)}`];
  }
};
