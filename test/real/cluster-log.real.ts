import { afterAll, beforeAll, describe, test } from "bun:test";
import { openLog } from "../../src/cluster/open-log.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { describeLog } from "../cluster/log-contract.ts";
import { ETCD, type Etcd, startEtcd } from "./etcd.ts";
import { POSTGRES, type Postgres, startPostgres } from "./postgres.ts";
import { areInstalled } from "./support.ts";

let places = 0;
const newName = () => `place-${places++}`;

/** The contract, if the engine is installed. */
const describeEngine = (name: string, programs: readonly string[], body: () => void): void => {
  if (areInstalled(programs)) return describe(name, body);
  const missing = `${name} (not installed: ${programs.join(", ")})`;
  if (process.env["REQUIRE_REAL"] !== "1") return test.skip(missing, () => {});
  test(missing, () => {
    throw new Error(missing);
  });
};

describeEngine("etcd", ETCD, () => {
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

describeEngine("PostgreSQL", POSTGRES, () => {
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
