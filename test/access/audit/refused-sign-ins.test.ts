import { expect, test } from "bun:test";
import { refusedSignIns } from "../../../src/access/audit/refused-sign-ins.ts";
import type { AuditEntry } from "../../../src/data/db/audit.ts";
import { visitor } from "../people/visitor.ts";
import { openStore, testClock } from "../../support/store.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The entries that were stored, as `client` and its other fields: "192.0.2.7 attempts=3 clients=2". */
const open = () => {
  const clock = testClock();
  const entries: AuditEntry[] = [];
  const failure: { now?: Error } = {};
  const refused = refusedSignIns({
    clock,
    async add(_act, entry) {
      if (failure.now) throw failure.now;
      entries.push(entry);
    },
  });
  const stored = () =>
    entries.map(({ id, changes = [] }) =>
      [id, ...changes.map(([field, , value]) => `${field}=${value}`)].join(" "),
    );
  /** Attempts of each client, stored by the next flush if an entry is due. */
  const attempt = async (...clients: string[]) => {
    for (const client of clients) refused.record(client);
    await refused.flush();
    clock.advance(10 * SECOND);
  };
  return { clock, refused, stored, attempt, failure };
};

const network = (number: number) => `2001:db8:0:${number.toString(16)}`;

test("failed sign-ins share one entry that names their clients, the one with the most attempts first", async () => {
  const { attempt, stored } = open();
  await attempt("192.0.2.7", "198.51.100.9", "198.51.100.9");
  expect(stored()).toEqual(["198.51.100.9 attempts=3 clients=2 198.51.100.9=2 192.0.2.7=1"]);
});

test("failed sign-ins from one client have an entry that names it once", async () => {
  const { attempt, stored } = open();
  await attempt("192.0.2.7", "192.0.2.7");
  expect(stored()).toEqual(["192.0.2.7 attempts=2 clients=1"]);
});

test("no entry is written while there are no failed sign-ins", async () => {
  const { refused, stored } = open();
  await refused.flush();
  await refused.flush({ isLast: true });
  expect(stored()).toEqual([]);
});

test("failed sign-ins are stored within ten minutes for a client that has an entry, and immediately for another one", async () => {
  const { attempt, stored, clock } = open();
  await attempt("192.0.2.7");
  await attempt("192.0.2.7", "192.0.2.7");
  expect(stored()).toEqual(["192.0.2.7 attempts=1 clients=1"]);
  await attempt("198.51.100.9");
  expect(stored().slice(1)).toEqual(["198.51.100.9 attempts=3 clients=2 198.51.100.9=1 192.0.2.7=2"]);
  await attempt("198.51.100.9");
  expect(stored()).toHaveLength(2);
  clock.advance(10 * MINUTE);
  await attempt();
  expect(stored().slice(2)).toEqual(["198.51.100.9 attempts=1 clients=1"]);
});

test("failed sign-ins cost one entry in ten minutes, regardless of their number", async () => {
  const { refused, stored, clock } = open();
  for (let second = 0; second < 20 * 60; second++) {
    for (let client = 0; client < 10; client++) refused.record(`192.0.2.${client}`);
    await refused.flush();
    clock.advance(SECOND);
  }
  const each = (count: number) =>
    Array.from({ length: 10 }, (_, client) => `192.0.2.${client}=${count}`).join(" ");
  expect(stored()).toEqual([
    `192.0.2.0 attempts=10 clients=10 ${each(1)}`,
    `192.0.2.0 attempts=6000 clients=10 ${each(600)}`,
  ]);
});

test("failed sign-ins cost at most 20 entries in ten minutes, even if each attempt comes from another client", async () => {
  const { attempt, stored } = open();
  for (let client = 0; client < 120; client++) await attempt(network(client));
  const named = stored().map((entry) => entry.split(" ")[0]);
  // The 21st starts the next ten minutes.
  expect(named).toEqual(Array.from({ length: 21 }, (_, client) => network(client)));
});

test("failed sign-ins are stored when the server stops, even before ten minutes have passed", async () => {
  const { attempt, refused, stored } = open();
  await attempt("192.0.2.7");
  refused.record("192.0.2.7");
  await refused.flush();
  await refused.flush({ isLast: true });
  expect(stored()).toEqual(["192.0.2.7 attempts=1 clients=1", "192.0.2.7 attempts=1 clients=1"]);
});

test("failed sign-ins from more than 1,000 clients take the memory of 1,000, and their entry counts all and names 20", async () => {
  const { attempt, stored } = open();
  await attempt(...Array.from({ length: 5000 }, (_, client) => network(client)));
  const [entry = ""] = stored();
  expect(entry).toStartWith(`${network(0)} attempts=5000 clients=1000 or more ${network(0)}=1 `);
  expect(entry.match(/2001:\S+=/g)).toHaveLength(20);
});

test("failed sign-ins remain for the next flush if they cannot be stored", async () => {
  const { attempt, refused, stored, failure } = open();
  refused.record("192.0.2.7");
  failure.now = new Error("the disk is full");
  expect(await refused.flush().catch((error: unknown) => error)).toBe(failure.now);
  delete failure.now;
  await attempt("192.0.2.7");
  expect(stored()).toEqual(["192.0.2.7 attempts=2 clients=1"]);
});

test("a wrong key, passkey or invitation at the console counts as a failed sign-in, and a wrong key at the API does not", async () => {
  const store = await openStore();
  const { send } = visitor(store);
  const wrong = { authorization: "Bearer aas_wrong" };
  await send("POST", "/console/session", { headers: wrong });
  await send("POST", "/console/auth/passkey", { json: { response: {} } });
  await send("POST", "/console/auth/invitation", { json: { token: "x" } });
  await store.call("GET", "/v1/pets", { key: "aas_wrong" });
  await store.refusedSignIns.flush();
  const response = await store.call("GET", "/platform/audit?action=session.refused");
  expect(await response.json()).toMatchObject([
    {
      changes: [
        { field: "attempts", to: "3" },
        { field: "clients", to: "1" },
      ],
    },
  ]);
});

test("a flood of failed sign-ins commits nothing by itself", async () => {
  const store = await openStore({ env: { AUTH_FAILURES_PER_MINUTE: "100" } });
  const countEntries = () => store.database.client.query("SELECT count(*) FROM audit_entries").values();
  const before = countEntries();
  const { send } = visitor(store);
  const statuses = new Set<number>();
  for (let attempt = 0; attempt < 150; attempt++)
    statuses.add((await send("POST", "/console/auth/passkey", { json: { response: {} } })).status);
  expect([...statuses]).toEqual([401, 429]);
  expect(countEntries()).toEqual(before);
});
