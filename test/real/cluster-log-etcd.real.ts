import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Debug } from "../../src/data/cluster/engines/engine.ts";
import {
  type Append,
  EngineFull,
  EngineUnavailable,
  type Log,
  type EngineHealth,
} from "../../src/data/cluster/log.ts";
import { spacePoller } from "../../src/data/cluster/engine-space.ts";
import { clusterProblems } from "../../src/data/cluster/report.ts";
import { openLog } from "../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { isStorageFailure } from "../../src/lib/storage-errors.ts";
import { createTestCa, type TestCa } from "../support/certificates.ts";
import { outcomeOf } from "../support/outcome.ts";
import { cutProxy } from "./cut-proxy.ts";
import { FIRST, HEAD, lostResponse, record, stoppedHolder, unavailableServer } from "./cluster-failures.ts";
import { ETCD, type Etcd, type EtcdOptions, startEtcd } from "./etcd.ts";
import { atEnd, describeReal, directory, kept, until } from "./support.ts";

describeReal("the log in etcd, when etcd fails", [...ETCD, "curl"], () => {
  const start = async (count: number, options: EtcdOptions = {}) => kept(await startEtcd(count, options));
  const open = async (url: string, debug?: Debug): Promise<Log> => {
    const log = await openLog(parseDatabaseUrl(url), debug);
    atEnd(() => log.close());
    return log;
  };

  test("nothing acknowledged is lost when the leader is killed, and the log continues", async () => {
    const etcd = await start(3);
    const log = await open(etcd.url("a"));
    await log.create(FIRST);
    let head = HEAD;
    const ids: string[] = [];
    /** A busy machine may take longer to elect a leader than an append waits. It may be repeated: its id wins once. */
    const appended = async (id: string): Promise<Append> => {
      for (;;)
        try {
          return await log.append(head, id, record(id));
        } catch (error) {
          if (!isStorageFailure(error)) throw error;
        }
    };
    const appendFor = async (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end;) {
        const id = `id ${head.position}`;
        expect((await appended(id)).won).toBe(true);
        head = { log: head.log, position: head.position + 1, id };
        ids.push(id);
      }
    };
    for (let round = 0; round < 2; round++) {
      const appends = appendFor(4000);
      await Bun.sleep(500);
      const member = etcd.members[await etcd.leader()];
      await member?.kill();
      await appends;
      await member?.restart();
      await until("etcd has a leader", async () => (await etcd.leader()) >= 0);
    }
    const read: string[] = [];
    while (read.length < ids.length)
      read.push(...(await log.read({ log: "log-1", position: read.length }, 500)).map(({ id }) => id));
    expect(read).toEqual(ids);
  });

  test("after etcd was rebuilt with authentication, a running node authenticates again", async () => {
    const etcd = await start(1);
    const [member] = etcd.members;
    if (!member) throw new Error("there is no member");
    const ask = async (path: string, body: object) => {
      const response = await fetch(`http://${member.address}/v3/${path}`, {
        method: "POST",
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    };
    const enableAuthentication = async () => {
      await ask("auth/user/add", { name: "root", password: "s3cret" });
      await ask("auth/role/add", { name: "root" });
      await ask("auth/user/grant", { user: "root", role: "root" });
      await ask("auth/enable", {});
    };
    // The index of the first etcd is ahead of the second one's.
    for (let n = 0; n < 50; n++) await ask("kv/put", { key: btoa("other"), value: btoa(String(n)) });
    await enableAuthentication();
    const log = await open(`etcd://root:s3cret@${member.address}/a`);
    await log.create(FIRST);
    await member.kill();
    rmSync(member.log.replace(/\.log$/, ""), { recursive: true });
    mkdirSync(member.log.replace(/\.log$/, ""), { mode: 0o700 });
    await member.restart();
    await until("etcd has a leader", async () => (await etcd.leader()) >= 0);
    await enableAuthentication();
    const begun = performance.now();
    const answers = () =>
      log.head().then(
        (head) => head === undefined,
        () => false,
      );
    await until("the node has a response", answers, 20_000);
    console.log(`    after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  });

  test("a full etcd refuses writes as full, and reports its quota and the commands that free space", async () => {
    const etcd = await start(1, { more: ["--quota-backend-bytes", String(20 * 2 ** 20)] });
    const log = await open(etcd.url("a"));
    await log.create(FIRST);
    let head = HEAD;
    const append = async (): Promise<void> => {
      const id = `id ${head.position}`;
      await log.append(head, id, crypto.getRandomValues(new Uint8Array(60_000)));
      head = { log: head.log, position: head.position + 1, id };
    };
    const fill = async () => {
      for (let n = 0; n < 600; n++) await append();
    };
    expect(await outcomeOf(fill())).toThrow(EngineFull);
    // Reads continue.
    expect(await log.head()).toEqual(head);
    const health = await log.health();
    expect(health).toMatchObject({ quota: 20 * 2 ** 20, isFull: true });
    const report = {
      engine: health,
      log: { head, nodes: [], snapshot: undefined, claims: [] },
      problem: undefined,
    };
    const text = clusterProblems(report, Date.now()).find(({ text }) =>
      text.startsWith("etcd is full"),
    )?.text;
    expect(text).toMatch(/compact .*; etcdctl --endpoints=\S+ defrag; etcdctl --endpoints=\S+ alarm disarm/);
  });

  test("an etcd that is full of removed data accepts writes again after its space is reclaimed", async () => {
    const quota = 20 * 2 ** 20;
    const etcd = await start(3, { more: ["--quota-backend-bytes", String(quota)] });
    const log = await open(etcd.url("a"));
    await log.create(FIRST);
    const fill = async () => {
      for (let n = 0; n < 60; n++)
        await log.files.put("part", crypto.getRandomValues(new Uint8Array(2 ** 20)));
    };
    expect(await outcomeOf(fill())).toThrow(EngineFull);
    const reclaimed = Promise.withResolvers<EngineHealth>();
    const poller = spacePoller(log, {
      checkMs: 10,
      onReclaimed: (_before, after) => reclaimed.resolve(after),
      onError: reclaimed.reject,
    });
    poller.start();
    const { isFull, bytes = quota } = await reclaimed.promise;
    await poller.stop();
    expect(isFull).toBe(false);
    expect(bytes).toBeLessThan(quota / 2);
    expect(await log.append(HEAD, "next", new Uint8Array(10))).toMatchObject({ won: true });
  });

  test("a member that is silent costs a moment once, and is avoided then", async () => {
    const etcd = await start(3);
    const leader = await etcd.leader();
    const [first, ...others] = etcd.members.toSorted((_, b) => (b === etcd.members[leader] ? -1 : 1));
    const addresses = [first, ...others].map((member) => member?.address);
    const log = await open(`etcd://${addresses.join(",")}/a`);
    await log.create(FIRST);
    first?.pause();
    await log.head();
    const times: number[] = [];
    for (let n = 0; n < 10; n++) {
      const since = performance.now();
      await log.head();
      times.push(performance.now() - since);
    }
    // A request to the silent member takes 300 ms at least.
    expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(300);
    first?.resume();
  });

  test("an append whose response is lost has won", async () => {
    const etcd = await start(1);
    using proxy = await cutProxy(etcd.members[0]?.address ?? "");
    const log = await open(`etcd://${proxy.address}/a`);
    await lostResponse(log, proxy, "kv/txn");
  });

  test("without members, nothing is put; with silent ones, it is not known", async () => {
    const etcd = await start(1);
    const log = await open(etcd.url("a"));
    const [member] = etcd.members;
    if (member) await unavailableServer(log, member);
    expect(member).toBeDefined();
  });

  test("a watch calls back after its member was killed", async () => {
    const etcd = await start(3);
    const [a, b] = [await open(etcd.url("a")), await open(etcd.url("a"))];
    await a.create(FIRST);
    let calls = 0;
    a.watch(() => calls++, new AbortController().signal);
    await until("the watch has begun", () => calls > 0);
    await etcd.members[0]?.kill();
    await until("it begins again", () => calls > 1);
    await Bun.sleep(1000);
    const before = calls;
    expect((await b.append(HEAD, "one", record("one"))).won).toBe(true);
    await until("it calls back", () => calls > before);
  });

  test("removed records leave the engine's storage", async () => {
    const etcd = await start(1);
    const log = await open(etcd.url("a"));
    await log.create(FIRST);
    let head = HEAD;
    for (let position = 1; position <= 60; position++) {
      const id = `id ${position}`;
      await log.append(head, id, new Uint8Array(900_000));
      head = { log: head.log, position, id };
    }
    const bytesInUse = async () => (await log.health()).bytesInUse ?? 0;
    // The last ones are counted with the next commit of its file.
    expect(await bytesInUse()).toBeGreaterThan(40_000_000);
    await log.announce({ ...head, checksum: "", reference: "" });
    await log.trim(head.position);
    await until("the space is free", async () => {
      // etcd frees pages with the next write.
      await log.files.put("write", record("x"));
      return (await bytesInUse()) < 3_000_000;
    });
  });

  const certificateFiles = async (ca: TestCa) => {
    const path = directory();
    const server = await ca.issue(["127.0.0.1"]);
    writeFileSync(join(path, "ca.pem"), ca.root);
    writeFileSync(join(path, "cert.pem"), server.cert);
    writeFileSync(join(path, "key.pem"), server.key, { mode: 0o600 });
    return { path, server };
  };

  test("the members' certificates are verified", async () => {
    const ca = await createTestCa();
    const { path, server } = await certificateFiles(ca);
    const etcd = await start(1, { tls: server });
    const log = await open(`${etcd.url("a")}?ca=${path}/ca.pem`);
    expect(await log.create(FIRST)).toBe(true);
    expect((await log.append(HEAD, "one", record("one"))).won).toBe(true);
    const other = await certificateFiles(await createTestCa());
    const stranger = await open(`${etcd.url("a")}?ca=${other.path}/ca.pem`);
    expect(await outcomeOf(stranger.head())).toThrow(/^etcd: the certificate is refused/);
    const otherName = await open(`${etcd.url("a").replace("127.0.0.1", "localhost")}?ca=${path}/ca.pem`);
    expect(await outcomeOf(otherName.head())).toThrow(/^etcd: the certificate is refused/);
  });

  test("a client certificate identifies the node", async () => {
    const ca = await createTestCa();
    const { path, server } = await certificateFiles(ca);
    const etcd = await start(1, { tls: { ...server, ca: ca.root } });
    const files = `ca=${path}/ca.pem&cert=${path}/cert.pem&key=${path}/key.pem`;
    const log = await open(`${etcd.url("a")}?${files}`);
    expect(await log.create(FIRST)).toBe(true);
    const stranger = await open(`${etcd.url("a")}?ca=${path}/ca.pem`);
    expect(await outcomeOf(stranger.head())).toThrow(EngineUnavailable);
  });

  /** As the operator, with etcd's own API. */
  const administer = async (etcd: Etcd, path: string, body: object): Promise<void> => {
    const response = await fetch(`http://${etcd.members[0]?.address}/v3/auth/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(response.ok, `${path}: ${await response.text()}`).toBe(true);
  };

  test("a user and a password are checked, and authentication is renewed when it expires", async () => {
    // Tokens expire 2 s after their last use.
    const etcd = await start(1, { more: ["--auth-token-ttl", "2"] });
    const [key, range_end] = [btoa("a//"), btoa("a/0")];
    await administer(etcd, "user/add", { name: "root", password: "r00t" });
    await administer(etcd, "user/grant", { user: "root", role: "root" });
    await administer(etcd, "role/add", { name: "store" });
    await administer(etcd, "role/grant", { name: "store", perm: { permType: "READWRITE", key, range_end } });
    await administer(etcd, "user/add", { name: "store", password: "p@ss:word" });
    await administer(etcd, "user/grant", { user: "store", role: "store" });
    await administer(etcd, "enable", {});
    const url = (credentials: string, prefix = "a") =>
      etcd.url(prefix).replace("etcd://", `etcd://${credentials}`);

    const decisions: string[] = [];
    const log = await open(url("store:p%40ss:word@"), (_, decision) => decisions.push(decision));
    expect(await log.create(FIRST)).toBe(true);
    expect((await log.append(HEAD, "one", record("one"))).won).toBe(true);
    await log.writeLease();
    expect(decisions).toEqual(["took the write lease"]);
    const claim = await log.claim("work", 2000, "x");
    expect(await log.claims("")).toEqual(new Map([["work", "x"]]));
    await claim?.[Symbol.asyncDispose]();
    await Bun.sleep(4000);
    expect((await log.append({ ...HEAD, position: 1, id: "one" }, "two", record("two"))).won).toBe(true);

    for (const [stranger, message] of [
      [url(""), /user name is empty: put USER:PASSWORD@ into DATABASE_URL/],
      [url("store:s3cret@"), /authentication failed/],
      [url("store:p%40ss:word@", "b"), /permission denied: grant the user's role readwrite on the prefix/],
    ] as const) {
      const outcome = await outcomeOf((await open(stranger)).head());
      expect(outcome).toThrow(EngineUnavailable);
      expect(outcome).toThrow(message);
      expect(outcome).not.toThrow(/s3cret|p@ss/);
    }
  });

  test("a node that is stopped while it has the write lease, or a claim, keeps it for 6 seconds at most", async () => {
    const etcd = await start(1);
    await stoppedHolder(etcd.url("a"), open);
  });
});
