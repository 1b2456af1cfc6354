import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  AppendUnknown,
  type Head,
  type Log,
  LogTrimmed,
  RecordTooLarge,
  type Snapshot,
} from "../../../src/data/cluster/log.ts";
import { outcomeOf } from "../../support/outcome.ts";

const MIB = 1024 * 1024;

const FIRST: Snapshot = { log: "log-1", position: 0, id: "first", checksum: "c0", reference: '{"files":[]}' };

const headOf = ({ log, position, id }: Head): Head => ({ log, position, id });

const bytes = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 7 + seed) % 256);

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Appends one record per id, and returns the new head. */
const appendAll = async (log: Log, after: Head, ids: readonly string[]): Promise<Head> => {
  let head = after;
  for (const id of ids) {
    expect((await log.append(head, id, text(`record ${id}`))).won).toBe(true);
    head = { log: head.log, position: head.position + 1, id };
  }
  return head;
};

const idsOf = async (log: Log, after: number, limit = 100): Promise<string[]> =>
  (await log.read({ log: FIRST.log, position: after }, limit)).map(({ id }) => id);

/**
 * What every engine does.
 * @param newPlace makes an empty place in the engine, and returns a function that opens it for one more node
 */
export const describeLog = (name: string, newPlace: () => Promise<() => Promise<Log>>): void =>
  describe(`the log in ${name}`, () => {
    let a: Log;
    let b: Log;

    beforeEach(async () => {
      const open = await newPlace();
      [a, b] = await Promise.all([open(), open()]);
    });

    afterEach(async () => {
      await Promise.all([a.close(), b.close()]);
    });

    const start = async (): Promise<Head> => {
      expect(await a.create(FIRST)).toBe(true);
      return headOf(FIRST);
    };

    test("a new place has no head and no snapshot", async () => {
      expect(await a.head()).toBeUndefined();
      expect(await a.snapshot()).toBeUndefined();
    });

    test("the log begins after its first snapshot", async () => {
      const first = { ...FIRST, position: 41 };
      expect(await a.create(first)).toBe(true);
      expect(await b.head()).toEqual(headOf(first));
      expect(await b.snapshot()).toEqual(first);
      expect(await b.read(first, 10)).toEqual([]);
      expect(await outcomeOf(b.read({ log: first.log, position: 40 }, 10))).toThrow(LogTrimmed);
    });

    test("of several nodes, one creates the log", async () => {
      const attempts = Array.from({ length: 8 }, async (_, index) =>
        (index % 2 ? a : b).create({ ...FIRST, log: `log-${index}` }),
      );
      const results = await Promise.all(attempts);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect((await a.head())?.log).toBe(`log-${results.indexOf(true)}`);
    });

    test("creating the same log again succeeds and changes nothing", async () => {
      const head = await appendAll(a, await start(), ["one"]);
      expect(await a.create(FIRST)).toBe(true);
      expect(await b.create(FIRST, "log-0")).toBe(true);
      expect(await b.head()).toEqual(head);
      expect(await idsOf(b, 0)).toEqual(["one"]);
    });

    test("another log replaces only the one that it names", async () => {
      const head = await appendAll(a, await start(), ["one", "two"]);
      const next = { ...FIRST, log: "log-2", position: 7, id: "restored" };
      expect(await b.create(next)).toBe(false);
      expect(await b.create(next, "log-0")).toBe(false);
      expect(await a.head()).toEqual(head);
      expect(await b.create(next, FIRST.log)).toBe(true);
      expect(await a.head()).toEqual(headOf(next));
      expect(await a.snapshot()).toEqual(next);
      expect((await a.append(head, "three", text("x"))).won).toBe(false);
      expect(await outcomeOf(a.read(head, 10))).toThrow(LogTrimmed);
      expect(await a.read(next, 10)).toEqual([]);
    });

    test("append puts a record that all nodes read", async () => {
      const head = await start();
      const record = bytes(1000);
      expect(await a.append(head, "one", record)).toEqual({ won: true, isAwaited: false });
      expect(await b.head()).toEqual({ log: FIRST.log, position: 1, id: "one" });
      expect(await b.read(head, 10)).toEqual([{ position: 1, id: "one", record }]);
    });

    test("append loses after any other head, and puts nothing", async () => {
      const first = await start();
      const head = await appendAll(a, first, ["one", "two"]);
      const others = [
        first,
        { ...head, id: "other" },
        { ...head, log: "other" },
        { ...head, position: 9 },
        { ...head, position: 1 },
      ];
      for (const other of others)
        expect((await b.append(other, `by ${other.position}`, text("x"))).won).toBe(false);
      expect(await b.head()).toEqual(head);
      expect(await idsOf(b, 0)).toEqual(["one", "two"]);
    });

    test("append without a log loses", async () => {
      expect((await a.append(headOf(FIRST), "one", text("x"))).won).toBe(false);
      expect(await a.head()).toBeUndefined();
    });

    test("of several appends at the same head, one wins", async () => {
      const head = await start();
      const attempts = Array.from({ length: 16 }, async (_, index) =>
        (index % 2 ? a : b).append(head, `id ${index}`, text(`record ${index}`)),
      );
      const results = await Promise.all(attempts);
      const winner = results.findIndex(({ won }) => won);
      expect(results.filter(({ won }) => won)).toHaveLength(1);
      expect(await a.read(head, 10)).toEqual([
        { position: 1, id: `id ${winner}`, record: text(`record ${winner}`) },
      ]);
    });

    test("append with the same id again wins again and puts nothing more, also after others", async () => {
      const first = await start();
      const head = await appendAll(a, first, ["one"]);
      expect((await a.append(first, "one", text("record one"))).won).toBe(true);
      await appendAll(b, head, ["two"]);
      expect((await a.append(first, "one", text("record one"))).won).toBe(true);
      expect(await idsOf(a, 0)).toEqual(["one", "two"]);
    });

    test("append again, once its record may have been removed, has an unknown outcome", async () => {
      const first = await start();
      const head = await appendAll(a, first, ["one", "two"]);
      await a.announce({ ...head, checksum: "c2", reference: "" });
      await a.trim(1);
      expect(await outcomeOf(a.append(first, "one", text("record one")))).toThrow(AppendUnknown);
      const second = { ...first, position: 1, id: "one" };
      expect((await a.append(second, "two", text("record two"))).won).toBe(true);
      expect((await a.append(second, "other", text("record two"))).won).toBe(false);
    });

    test("append takes empty records, and every byte", async () => {
      const head = await start();
      expect((await a.append(head, "empty", new Uint8Array())).won).toBe(true);
      const next = { ...head, position: 1, id: "empty" };
      expect((await a.append(next, "ü \n {}", bytes(256))).won).toBe(true);
      expect(await b.read(head, 10)).toEqual([
        { position: 1, id: "empty", record: new Uint8Array() },
        { position: 2, id: "ü \n {}", record: bytes(256) },
      ]);
    });

    test("append takes records of several MiB, also when it loses in between", async () => {
      const first = await start();
      const [large, other] = [bytes(5 * MIB + 17), bytes(3 * MIB, 9)];
      expect((await a.append(first, "large", large)).won).toBe(true);
      expect((await b.append(first, "lost", other)).won).toBe(false);
      const head = { ...first, position: 1, id: "large" };
      expect((await b.append(head, "other", other)).won).toBe(true);
      const [one] = await b.read(first, 1);
      expect(one?.id).toBe("large");
      expect(Buffer.compare(one?.record ?? text(""), large)).toBe(0);
      const [two] = await a.read(head, 1);
      expect(two?.id).toBe("other");
      expect(Buffer.compare(two?.record ?? text(""), other)).toBe(0);
    }, 60_000);

    test("append refuses a record above the limit", async () => {
      const head = await start();
      expect(await outcomeOf(a.append(head, "huge", new Uint8Array(64 * MIB + 1)))).toThrow(RecordTooLarge);
      expect(await a.head()).toEqual(head);
    });

    test("read gives at most `limit` records, in order", async () => {
      await appendAll(a, await start(), ["one", "two", "three", "four"]);
      expect(await idsOf(b, 0, 3)).toEqual(["one", "two", "three"]);
      expect(await idsOf(b, 3, 3)).toEqual(["four"]);
      expect(await idsOf(b, 4, 3)).toEqual([]);
    });

    test("read gives at least one record and at most a few MiB, without a gap", async () => {
      const first = await start();
      let head = first;
      for (let position = 1; position <= 12; position++) {
        expect((await a.append(head, `id ${position}`, bytes(MIB))).won).toBe(true);
        head = { log: first.log, position, id: `id ${position}` };
      }
      const read: number[] = [];
      while (read.length < 12) {
        const records = await b.read({ log: first.log, position: read.length }, 100);
        expect(records.length).toBeWithin(1, 9);
        read.push(...records.map(({ position }) => position));
      }
      expect(read).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    }, 60_000);

    test("read of another log is refused", async () => {
      await start();
      expect(await outcomeOf(a.read({ log: "other", position: 0 }, 10))).toThrow(LogTrimmed);
    });

    test("watch calls back after another node appended, until it is stopped", async () => {
      const head = await start();
      const stop = new AbortController();
      const calls: number[] = [];
      let called = Promise.withResolvers<void>();
      const onChange = () => {
        calls.push(1);
        called.resolve();
      };
      b.watch(onChange, stop.signal);
      // A watch may begin a moment after the call.
      let at = head;
      for (let n = 1; calls.length === 0; n++) {
        at = await appendAll(a, at, [`id ${n}`]);
        await Promise.race([called.promise, Bun.sleep(50)]);
      }
      for (let n = 1; n <= 3; n++) {
        called = Promise.withResolvers<void>();
        at = await appendAll(a, at, [`again ${n}`]);
        await called.promise;
      }
      stop.abort();
      calls.length = 0;
      await appendAll(a, at, ["unseen"]);
      await Bun.sleep(20);
      expect(calls).toEqual([]);
    });

    test("the write lease is the second node's once the first releases it, and the first learns that another waits", async () => {
      const head = await start();
      const first = await a.writeLease();
      expect((await a.append(head, "one", text("x"))).isAwaited).toBe(false);
      let isSecond = false;
      const second = b.writeLease().then((lease) => {
        isSecond = true;
        return lease;
      });
      let at: Head = { ...head, position: 1, id: "one" };
      for (let awaited = false; !awaited;) {
        const id = `w${at.position}`;
        awaited = (await a.append(at, id, text("x"))).isAwaited;
        at = { log: at.log, position: at.position + 1, id };
      }
      expect(isSecond).toBe(false);
      await first.release("done");
      const lease = await second;
      expect((await b.append(at, "two", text("x"))).isAwaited).toBe(false);
      await lease.release("done");
    });

    test("a node that appends without the write lease learns that another has it", async () => {
      const head = await start();
      const lease = await b.writeLease();
      expect((await a.append(head, "one", text("x"))).isAwaited).toBe(true);
      await lease.release("done");
      expect((await a.append({ ...head, position: 1, id: "one" }, "two", text("x"))).isAwaited).toBe(false);
    });

    test("a node can take the write lease again and again", async () => {
      for (let n = 0; n < 3; n++) await (await a.writeLease()).release("done");
      await (await b.writeLease()).release("done");
    });

    test("the write lease is free when its node closes the log", async () => {
      await a.writeLease();
      const second = b.writeLease();
      await a.close();
      await (await second).release("done");
    });

    test("one node has a claim, and another after it is released", async () => {
      const claim = await a.claim("sweep", 2000);
      expect(claim?.lost.aborted).toBe(false);
      expect(await b.claim("sweep", 2000)).toBeUndefined();
      expect(await b.claim("sweeps", 2000)).toBeDefined();
      await claim?.[Symbol.asyncDispose]();
      expect(await b.claim("sweep", 2000)).toBeDefined();
      expect(await a.claim("sweep", 2000)).toBeUndefined();
    });

    test("of several attempts at a claim, one has it", async () => {
      const attempts = Array.from({ length: 8 }, async (_, index) => (index % 2 ? a : b).claim("one", 2000));
      expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    });

    test("the value of a claim can be read and replaced", async () => {
      const [one] = await Promise.all([
        a.claim("node/a", 2000, '{"at":1}'),
        b.claim("node/b", 2000),
        b.claim("node0", 2000, "other"),
      ]);
      expect(await b.claims("node/")).toEqual(
        new Map([
          ["node/a", '{"at":1}'],
          ["node/b", ""],
        ]),
      );
      await one?.update("ü".repeat(30_000));
      expect((await b.claims("node/")).get("node/a")).toBe("ü".repeat(30_000));
      await one?.[Symbol.asyncDispose]();
      expect([...(await b.claims("node/")).keys()]).toEqual(["node/b"]);
    });

    test("a claim is released when its node closes the log", async () => {
      await a.claim("sweep", 60_000);
      await a.close();
      expect(await b.claim("sweep", 2000)).toBeDefined();
    });

    test("a newer snapshot of this log replaces the announced one, others do not", async () => {
      const head = await appendAll(a, await start(), ["one", "two"]);
      const next = { ...head, checksum: "c2", reference: "r".repeat(60_000) };
      expect(await b.announce({ ...next, log: "other" })).toBe(false);
      expect(await b.announce({ ...FIRST, reference: "again" })).toBe(false);
      expect(await a.snapshot()).toEqual(FIRST);
      expect(await b.announce(next)).toBe(true);
      expect(await a.snapshot()).toEqual(next);
      expect(await b.announce(next)).toBe(true);
      expect(await b.announce({ ...next, reference: "other" })).toBe(false);
      expect(await a.announce({ ...next, position: 1 })).toBe(false);
      expect(await a.snapshot()).toEqual(next);
    });

    test("trim removes the records that the snapshot covers, and no other", async () => {
      const head = await appendAll(a, await start(), ["one", "two", "three"]);
      await a.trim(2);
      expect(await idsOf(a, 0)).toEqual(["one", "two", "three"]);
      await a.announce({ log: FIRST.log, position: 2, id: "two", checksum: "c2", reference: "" });
      await a.trim(3);
      expect(await outcomeOf(b.read({ log: FIRST.log, position: 0 }, 10))).toThrow(LogTrimmed);
      expect(await outcomeOf(b.read({ log: FIRST.log, position: 1 }, 10))).toThrow(LogTrimmed);
      expect(await idsOf(b, 2)).toEqual(["three"]);
      await a.trim(1);
      expect(await idsOf(b, 2)).toEqual(["three"]);
      await appendAll(b, head, ["four"]);
      expect(await idsOf(a, 2)).toEqual(["three", "four"]);
    });

    test("every record can be removed, and the log continues", async () => {
      const head = await appendAll(a, await start(), ["one", "two"]);
      await a.announce({ ...head, checksum: "c2", reference: "" });
      await a.trim(2);
      expect(await b.head()).toEqual(head);
      expect(await idsOf(b, 2)).toEqual([]);
      await appendAll(b, head, ["three"]);
      expect(await idsOf(a, 2)).toEqual(["three"]);
    });

    test("files are put, read, listed and removed", async () => {
      const content = bytes(MIB);
      await a.files.put("s/1/b", content);
      await a.files.put("s/1/a", text("old"));
      await a.files.put("s/1/a", text("new"));
      await a.files.put("s/2", new Uint8Array());
      expect(Buffer.compare((await b.files.get("s/1/b")) ?? text(""), content)).toBe(0);
      expect(await b.files.get("s/1/a")).toEqual(text("new"));
      expect(await b.files.get("s/2")).toEqual(new Uint8Array());
      expect(await b.files.get("s/1")).toBeUndefined();
      expect(await b.files.list("s/1/")).toEqual(["s/1/a", "s/1/b"]);
      await b.files.remove(["s/1/a", "s/2", "none"]);
      await b.files.remove([]);
      expect(await a.files.list("")).toEqual(["s/1/b"]);
    });

    test("health names the version, a leader and the stored bytes", async () => {
      await start();
      const { version, members, bytes } = await b.health();
      expect(version).toMatch(/^\w+ \d/);
      expect(members.filter(({ problem, isLeader }) => isLeader && problem === undefined)).toHaveLength(1);
      expect(bytes).toBeNumber();
    });
  });
