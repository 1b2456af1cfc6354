import { afterAll, beforeAll } from "bun:test";
import { openLog } from "../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { describeLog } from "../data/cluster/log-contract.ts";
import { ETCD, type Etcd, startEtcd } from "./etcd.ts";
import { POSTGRES, type Postgres, startPostgres } from "./postgres.ts";
import { describeReal } from "./support.ts";

let places = 0;
const newName = () => `place-${places++}`;

describeReal("etcd", ETCD, () => {
  let etcd: Etcd;
  beforeAll(async () => {
    etcd = await startEtcd(3);
  });
  afterAll(() => etcd[Symbol.asyncDispose]());
  describeLog("etcd", async () => {
    const url = parseDatabaseUrl(etcd.url(newName()));
    return () => openLog(url);
  });
});

describeReal("PostgreSQL", POSTGRES, () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());
  describeLog("PostgreSQL", async () => {
    const url = parseDatabaseUrl(postgres.url(newName()));
    return () => openLog(url);
  });
});
