import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Debug } from "../../src/data/cluster/engines/engine.ts";
import { AppendUnknown, EngineUnavailable, type Log } from "../../src/data/cluster/log.ts";
import { openLog } from "../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { createTestCa } from "../support/certificates.ts";
import { outcomeOf } from "../support/outcome.ts";
import { FIRST, HEAD, lostResponse, record, stoppedHolder, unavailableServer } from "./cluster-failures.ts";
import { cutProxy } from "./cut-proxy.ts";
import { POSTGRES, type PostgresOptions, startPostgres } from "./postgres.ts";
import { atEnd, describeReal, directory, kept, until } from "./support.ts";

describeReal("the log in PostgreSQL, when PostgreSQL fails", POSTGRES, () => {
  const start = async (options: PostgresOptions = {}) => kept(await startPostgres(options));
  const open = async (url: string, debug?: Debug): Promise<Log> => {
    const log = await openLog(parseDatabaseUrl(url), debug);
    atEnd(() => log.close());
    return log;
  };
  /** A primary whose commits wait for a standby. */
  const startPair = async () => {
    const primary = await start();
    const standby = kept(await primary.standby("s1"));
    await primary.configure(["synchronous_standby_names = 's1'"]);
    await until("the standby is synchronous", async () =>
      (await primary.query("SELECT sync_state FROM pg_stat_replication")).includes("sync"),
    );
    const url = primary.url("a").replace(primary.address, `${primary.address},${standby.address}`);
    return { primary, standby, url };
  };

  test("nothing acknowledged is lost when the primary is killed and its standby promoted", async () => {
    const { primary, standby, url } = await startPair();
    const log = await open(url);
    await log.create(FIRST);
    let calls = 0;
    log.watch(() => calls++, new AbortController().signal);
    let head = HEAD;
    const ids: string[] = [];
    const append = async () => {
      const id = `id ${head.position}`;
      expect((await log.append(head, id, record(id))).won).toBe(true);
      head = { log: head.log, position: head.position + 1, id };
      ids.push(id);
    };
    for (let n = 0; n < 50; n++) await append();
    const appends = (async () => {
      for (let n = 0; n < 200; n++) await append();
    })();
    await primary.kill();
    await standby.promote();
    await appends;
    const read = await log.read({ log: "log-1", position: 0 }, 1000);
    expect(read.map(({ id }) => id)).toEqual(ids);
    // Notifications come from the new primary.
    await until("the watch is there", () => calls > 0);
    const before = calls;
    await append();
    await until("it calls back", () => calls > before);
    const { members } = await log.health();
    expect(members.map(({ isLeader }) => isLeader)).toEqual([false, true]);
  });

  test("a record counts only when the standby has it, also after the primary was killed and shows it", async () => {
    const { primary, standby, url } = await startPair();
    // The session decides, not the defaults.
    await primary.query("ALTER ROLE store SET synchronous_commit = 'local'");
    const log = await open(url);
    await log.create(FIRST);
    standby.pause();
    expect(await outcomeOf(log.append(HEAD, "one", record("one")))).toThrow(AppendUnknown);
    await primary.kill();
    await primary.restart();
    // It was committed there, so the restarted primary shows it to all readers.
    expect(await primary.query("SELECT id FROM adoption_store_record")).toBe("one");
    expect(await outcomeOf(log.append(HEAD, "one", record("one")))).toThrow(AppendUnknown);
    standby.resume();
    expect((await log.append(HEAD, "one", record("one"))).won).toBe(true);
    expect(await log.read(HEAD, 10)).toHaveLength(1);
  });

  /** Sessions of nodes that wait for a standby. */
  const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  const UNCONFIRMED = /check the synchronous standby/;

  test("a restarted primary is believed only when the standby has its records", async () => {
    const { primary, standby, url } = await startPair();
    const log = await open(url);
    await log.create(FIRST);
    standby.pause();
    expect(await outcomeOf(log.append(HEAD, "one", record("one")))).toThrow(AppendUnknown);
    await primary.kill();
    await primary.restart();
    const nodes = [log, await open(url), await open(url)];
    const heads = await Promise.all(nodes.map((node) => outcomeOf(node.head())));
    for (const head of heads) expect(head).toThrow(UNCONFIRMED);
    // Each node waits in one session, however often it tries.
    expect(Number(await primary.query(`SELECT count(*) ${WAITING}`))).toBeLessThanOrEqual(3);
    standby.resume();
    for (const node of nodes) expect(await node.read(HEAD, 10)).toHaveLength(1);
  });

  test("while a standby does not respond, connected nodes read the log, and have claims", async () => {
    const { standby, url } = await startPair();
    const log = await open(url);
    await log.create(FIRST);
    expect((await log.append(HEAD, "one", record("one"))).won).toBe(true);
    standby.pause();
    const one = { ...HEAD, position: HEAD.position + 1, id: "one" };
    expect(await outcomeOf(log.append(one, "two", record("two")))).toThrow(AppendUnknown);
    expect(await log.head()).toEqual(one);
    expect(await log.claim("work", 3000)).toBeDefined();
    standby.resume();
    expect((await log.append(one, "two", record("two"))).won).toBe(true);
  });

  for (const cut of ["pg_cancel_backend", "pg_terminate_backend"])
    test(`a record whose session was cut off by ${cut} while it waited counts only when the standby has it`, async () => {
      const { primary, standby, url } = await startPair();
      const [log, other] = [await open(url), await open(url)];
      await log.create(FIRST);
      expect(await other.head()).toEqual(HEAD);
      standby.pause();
      const append = outcomeOf(log.append(HEAD, "one", record("one")));
      for (const end = performance.now() + 1000; performance.now() < end; await Bun.sleep(50))
        expect(await other.head()).toEqual(HEAD);
      expect(await primary.query(`SELECT ${cut}(pid) ${WAITING}`)).toBe("t");
      const read = await outcomeOf(other.read(HEAD, 10));
      expect(await append).toThrow(AppendUnknown);
      // Its end of the log is only a reason to read.
      expect(await other.head()).toMatchObject({ id: "one" });
      expect(read).toThrow(UNCONFIRMED);
      standby.resume();
      expect((await log.append(HEAD, "one", record("one"))).won).toBe(true);
      expect(await other.read(HEAD, 10)).toHaveLength(1);
    });

  test("an append whose response is lost has won", async () => {
    const postgres = await start();
    using proxy = await cutProxy(postgres.address);
    const log = await open(postgres.url("a").replace(postgres.address, proxy.address));
    await lostResponse(log, proxy, "this response is lost");
  });

  test("without a server, nothing is put; with a silent one, it is not known", async () => {
    const postgres = await start();
    await unavailableServer(await open(postgres.url("a")), postgres);
  });

  test("of two primaries, the one that was promoted last is used", async () => {
    const { primary, standby, url } = await startPair();
    const [first] = [await open(url)];
    await first.create(FIRST);
    await primary.configure(["synchronous_standby_names = ''"]);
    await standby.promote();
    await standby.query("UPDATE adoption_store_log SET id = 'new'");
    const late = await open(url);
    expect((await late.head())?.id).toBe("new");
    await until("a connected node finds it too", async () => (await first.head())?.id === "new");
  });

  test("a node that is stopped while it has the write lease, or a claim, keeps it for 6 seconds at most", async () => {
    await stoppedHolder((await start()).url("a"), open);
  });

  test("an error names the missing right or database, without a password", async () => {
    const postgres = await start();
    await postgres.query("CREATE ROLE reader LOGIN PASSWORD 's3cret'");
    const to = (user: string, password: string, database = "store") =>
      `postgres://${user}:${password}@${postgres.address}/${database}`;
    for (const [url, message] of [
      [to("reader", "s3cret"), /permission denied for schema public: grant the user CREATE on the schema/],
      [
        to("reader", "s4cret"),
        /password authentication failed .*: check the user and the password in DATABASE_URL/,
      ],
      [to("reader", "s3cret", "none"), /database "none" does not exist: create it/],
      [`${to("reader", "s3cret")}?sslmode=require`, /the server does not offer TLS: set ssl = on/],
    ] as const) {
      const outcome = await outcomeOf((await open(url)).head());
      expect(outcome).toThrow(EngineUnavailable);
      expect(outcome).toThrow(message);
      expect(outcome).not.toThrow(/s3cret|s4cret/);
    }
    // Once the tables are there, the right to create some is not needed.
    await (await open(postgres.url("a"))).create(FIRST);
    await postgres.query("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader");
    expect(await (await open(`${to("reader", "s3cret")}?log=a`)).head()).toEqual(HEAD);
  });

  test("the server's certificate is verified", async () => {
    const ca = await createTestCa();
    const path = directory();
    writeFileSync(join(path, "ca.pem"), ca.root);
    writeFileSync(join(path, "other.pem"), (await createTestCa()).root);
    const postgres = await start({ tls: await ca.issue(["127.0.0.1"]) });
    const log = await open(`${postgres.url("a")}&ca=${path}/ca.pem`);
    expect(await log.create(FIRST)).toBe(true);
    const encrypted =
      "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'store'";
    expect(await postgres.query(encrypted)).toBe("t");
    const stranger = await open(`${postgres.url("a")}&ca=${path}/other.pem`);
    expect(await outcomeOf(stranger.head())).toThrow(/^PostgreSQL: the certificate is refused/);
    const named = await open(`${postgres.url("a").replace("127.0.0.1", "localhost")}&ca=${path}/ca.pem`);
    expect(await outcomeOf(named.head())).toThrow(/^PostgreSQL: the certificate is refused/);
  });
});
