import { expect } from "bun:test";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Random, seeded } from "../support/random.ts";
import { compareNodes } from "./cluster/equality.ts";
import { INDEX_DIFFERS } from "./cluster/tables.ts";
import { type Node, node } from "./cluster/nodes.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { directory, EXECUTABLE, kept, real, run } from "./support.ts";

/** A night has 1,000. */
const FAULTS = Number(process.env["DISK_FAULTS"] ?? 12);
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

const test = real(...ETCD);

const PAGE = 4096;

const read = (file: number, page: number): Buffer => {
  const content = Buffer.alloc(PAGE);
  readSync(file, content, 0, PAGE, page * PAGE);
  return content;
};
const write = (file: number, page: number, content: Buffer) =>
  void writeSync(file, content, 0, PAGE, page * PAGE);

/** What a disk may do to an open file of so many pages. */
const FAULT_KINDS: Record<string, (file: number, pages: number, random: Random) => void> = {
  "a flipped bit"(file, pages, random) {
    const page = random(pages);
    const content = read(file, page);
    const at = random(PAGE);
    content.writeUInt8(content.readUInt8(at) ^ (1 << random(8)), at);
    write(file, page, content);
  },
  "a zeroed page"(file, pages, random) {
    write(file, random(pages), Buffer.alloc(PAGE));
  },
  "swapped pages"(file, pages, random) {
    const [one, other] = [random(pages), random(pages)];
    const [first, second] = [read(file, one), read(file, other)];
    write(file, one, second);
    write(file, other, first);
  },
  "a truncated file"(file, pages, random) {
    ftruncateSync(file, PAGE * random(pages));
  },
};

const KINDS = Object.keys(FAULT_KINDS);

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item;

const damage = ({ place }: Node, kind: string, random: Random): void => {
  const file = openSync(join(place, "data", "adoption-store.db"), "r+");
  FAULT_KINDS[kind]?.(file, Math.floor(fstatSync(file).size / PAGE), random);
  closeSync(file);
};

const WRITE_MS = 5;
/** A night has 20,000 writes: comparing many more would take most of its time. */
const WRITES_PER_FAULT = 20;

/** Adds animals at the nodes in turn, except for one, and remembers those that were acknowledged. */
const startWriter = (nodes: readonly Node[], key: string) => {
  const acknowledged: string[] = [];
  const state: { avoided?: Node; allowed: number; isStopped: boolean } = { allowed: 1, isStopped: false };
  const run = async () => {
    for (let count = 0; !state.isStopped; await Bun.sleep(WRITE_MS)) {
      const at = nodes[count++ % nodes.length];
      if (!at || at === state.avoided || acknowledged.length >= state.allowed) continue;
      const name = `Animal ${count}`;
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const response = await fetch(`${at.url}/v1/pets`, {
        method: "POST",
        headers,
        body: JSON.stringify({ name, categoryId: 1 }),
      }).catch(() => undefined);
      if (response?.status === 201) acknowledged.push(name);
    }
  };
  const running = run();
  return {
    acknowledged,
    /** Continues at the other nodes, for some more writes. */
    avoid(victim: Node) {
      state.avoided = victim;
      state.allowed = acknowledged.length + WRITES_PER_FAULT;
    },
    async stop() {
      state.isStopped = true;
      await running;
    },
  };
};

const NAMED_BY_DOCTOR = /FAILED +derived data: /;

/** Tables that each node derives from the rows that it shares. */
const DERIVED = /^(pets_words|orders_words|pet_names)/;

/**
 * The check at a start covers rows, pages and indexes. The lists by name and the search words are compared daily, and by `doctor`:
 * it names the node, and the remedy is a new copy.
 */
const replaceCopy = async (victim: Node, env: Record<string, string>): Promise<void> => {
  await victim.kill();
  const data = join(victim.place, "data");
  const { stdout } = await run([EXECUTABLE, "doctor", "--data-dir", data], { env });
  expect(stdout).toMatch(NAMED_BY_DOCTOR);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `adoption-store.db${end}`), { force: true });
  await victim.start();
};

/** The tables in which nodes differ, or that one of them derives in a wrong way. */
const compare = (nodes: readonly Node[]) =>
  compareNodes(nodes).catch((error: unknown) => {
    if (!String(error).includes(INDEX_DIFFERS)) throw error;
    return { differences: ["pet_names"] };
  });

test(
  `after each of ${FAULTS} faults of a node's disk, the others have served, and all have every write`,
  async () => {
    console.log(`    SEED=${SEED}`);
    const random = seeded(SEED);
    const place = directory();
    const etcd = kept(await startEtcd(1));
    const env = { DATABASE_URL: etcd.url("faults") };
    const nodes = ["a", "b", "c"].map((name) => kept(node({ place: join(place, name), env })));
    for (const each of nodes) await each.start();
    const writer = startWriter(nodes, nodes[0]?.adminKey() ?? "");
    await Bun.sleep(1000);
    let [found, derived] = [0, 0];
    const before = () => writer.acknowledged.length;
    for (let round = 0; round < FAULTS; round++) {
      if (round % 100 === 99) console.log(`    ${round + 1} faults`);
      const victim = pick(random, nodes);
      const kind = pick(random, KINDS);
      const others = nodes.filter((each) => each !== victim);
      const pids = others.map((each) => each.pid());
      const count = before();
      writer.avoid(victim);
      if (random(2) === 0) {
        damage(victim, kind, random);
        await Bun.sleep(100);
        await victim.kill();
      } else {
        await victim.kill();
        damage(victim, kind, random);
      }
      const what = `round ${round}: ${kind} on ${victim.place}`;
      await victim.start().catch((error: unknown) => {
        throw new Error(`${what}: ${victim.output()}`, { cause: error });
      });
      if (/damaged|outdated/.test(victim.output())) found++;
      expect([what, before() > count]).toEqual([what, true]);
      expect([what, others.map((each) => each.pid())]).toEqual([what, pids]);
      const compared = await compare(nodes);
      if (compared.differences.length > 0 && compared.differences.every((table) => DERIVED.test(table))) {
        derived++;
        await replaceCopy(victim, env);
      }
      const { differences, first } = await compareNodes(nodes);
      expect([what, differences]).toEqual([what, []]);
      const names = new Set(first.query("SELECT name FROM pets").values().flat());
      expect([what, writer.acknowledged.slice(0, count).filter((name) => !names.has(name))]).toEqual([
        what,
        [],
      ]);
    }
    await writer.stop();
    console.log(
      `    ${FAULTS} faults, ${found} found at a start, ${derived} in derived data; ${writer.acknowledged.length} writes`,
    );
    // Many change nothing that counts: a free page, or one that the log has in a newer version.
    expect(found).toBeGreaterThan(0);
  },
  60_000 + FAULTS * 10_000,
);
