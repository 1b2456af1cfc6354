import { openLog } from "../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";
import { describeLog } from "../data/cluster/log-contract.ts";
import { ETCD, startEtcd } from "./etcd.ts";
import { POSTGRES, startPostgres } from "./postgres.ts";
import { describeReal, kept, openOnce } from "./support.ts";

let places = 0;
const newName = () => `place-${places++}`;

describeReal("etcd", ETCD, () => {
  const etcd = openOnce(async () => kept(await startEtcd(3)));
  describeLog("etcd", async () => {
    const url = parseDatabaseUrl(etcd().url(newName()));
    return () => openLog(url);
  });
});

describeReal("PostgreSQL", POSTGRES, () => {
  const postgres = openOnce(async () => kept(await startPostgres()));
  describeLog("PostgreSQL", async () => {
    const url = parseDatabaseUrl(postgres().url(newName()));
    return () => openLog(url);
  });
});
