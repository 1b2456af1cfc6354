import { expect, test } from "bun:test";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { listenHttp } from "../../src/edge/http-listener.ts";
import { atEnd, openStore, temporaryDirectory } from "../support/store.ts";
import { addSite, deploy } from "./projects.ts";
import { askAllTheTime } from "./visitors.ts";

const HOST = "docs.example.com";
const CONNECTIONS = 64;
const ROUNDS = 20;

const PREVIEW = "001--docs.localhost";

const openServed = async () => {
  const path = join(temporaryDirectory(), "adoption-store.db");
  const store = await openStore({ path });
  await addSite(store, "docs");
  const listener = listenHttp({ host: "127.0.0.1", port: 0, fetch: store.fetch });
  atEnd(() => listener.stop(0));
  return { store, path, port: listener.port };
};

/** Adds and removes the domain repeatedly while all connections request it. */
const removeWhileAsked = async (
  port: number,
  { add, remove, host = HOST }: { add: () => unknown; remove: () => unknown; host?: string },
): Promise<void> => {
  const visitors = await askAllTheTime({ port, host, connections: CONNECTIONS });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await add();
      await visitors.untilStatus(200);
      await remove();
      visitors.mark();
      await visitors.untilStatus(421);
      expect(visitors.servedAfterMark()).toBe(0);
    }
  } finally {
    visitors.stop();
  }
  expect(visitors.connections()).toBe(CONNECTIONS);
};

const ADDED = `
  insert into domains (project_id, hostname, stage, role, created_at, waiting_since, findings)
  values (1, '${HOST}', 'live', 'served', 0, 0, '[]')`;

test("64 connections get no page of a removed domain after the API has acknowledged the removal", async () => {
  const { store, path, port } = await openServed();
  using other = new Database(path);
  other.run("PRAGMA busy_timeout = 5000");
  await removeWhileAsked(port, {
    add: () => other.run(ADDED),
    async remove() {
      const response = await store.call("DELETE", `/platform/projects/docs/domains/${HOST}`);
      expect(response.status).toBe(204);
    },
  });
});

test("64 connections get no page of a removed domain after another process has removed it", async () => {
  const { path, port } = await openServed();
  using other = new Database(path);
  other.run("PRAGMA busy_timeout = 5000");
  await removeWhileAsked(port, {
    add: () => other.run(ADDED),
    remove: () => other.run("delete from domains"),
  });
});

test("64 connections get no page of a preview after the API has acknowledged the removal of its deploy", async () => {
  const { store, path, port } = await openServed();
  await deploy(store, "docs", { "index.html": "second" });
  using other = new Database(path);
  other.run("PRAGMA busy_timeout = 5000");
  const columns = "id, project_id, status, manifest, files, bytes, created_at";
  other.run(`create table kept as select ${columns} from deploys where id = 1`);
  await removeWhileAsked(port, {
    host: PREVIEW,
    add: () => other.run(`insert or ignore into deploys (${columns}) select ${columns} from kept`),
    async remove() {
      expect((await store.call("DELETE", "/platform/projects/docs/deploys/1")).status).toBe(204);
    },
  });
});
