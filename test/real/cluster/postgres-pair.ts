import { freePort } from "../authorities.ts";
import { type Postgres, startPostgres } from "../postgres.ts";
import { kept, until } from "../support.ts";
import { relay } from "./relay.ts";

/** Else a standby that cannot connect waits for 5 s. */
const RETRY_SOON = ["wal_retrieve_retry_interval = 100ms"];
const HOST = "127.0.0.1";
/** How long it takes an operator, at least, to see a session that waits. */
const CUT_OFF_MS = 1000;
/** Appends that wait for a standby. */
const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%adoption_store_record%'";

const portOf = ({ address }: Postgres): number => Number(new URL(`http://${address}`).port);

/** Lets the primary acknowledge nothing that this standby does not have. */
const waitFor = async (primary: Postgres, name: string): Promise<void> => {
  await primary.configure([`synchronous_standby_names = '${name}'`]);
  const state = `SELECT sync_state FROM pg_stat_replication WHERE application_name = '${name}'`;
  const isSynchronous = async () => (await primary.query(state)) === "sync";
  await until(`${name} is a synchronous standby`, isSynchronous);
};

/** A primary and a synchronous standby, both reached by the one address that whatever manages them hands over. */
export const postgresPair = async () => {
  let count = 0;
  let primary = kept(await startPostgres());
  const addStandby = async (): Promise<Postgres> => {
    const name = `standby${++count}`;
    const standby = kept(await primary.standby(name, { settings: RETRY_SOON }));
    await waitFor(primary, name);
    return standby;
  };
  let standby = await addStandby();
  const port = freePort();
  const isWaiting = () =>
    until("a record waits for the standby", async () => (await primary.query(`SELECT 1 ${WAITING}`)) !== "");
  const to = () => ({ host: HOST, port: portOf(primary) });
  kept(await relay({ host: HOST, port }, to));
  return {
    url: (log: string): string => primary.url(log).replace(primary.address, `${HOST}:${port}`),
    primary: () => primary,
    standby: () => standby,
    /** kill -9 of the primary while commits wait for its standby, and its restart: it shows commits that only it has. */
    async crash(): Promise<void> {
      await standby.kill();
      await isWaiting();
      await primary.kill();
      await primary.restart();
    },
    /** An operator cuts off the commits that wait for a standby that does not respond. */
    async cutOff(): Promise<void> {
      standby.pause();
      await isWaiting();
      await Bun.sleep(CUT_OFF_MS);
      await primary.query(`SELECT pg_cancel_backend(pid) ${WAITING}`);
    },
    /** kill -9 of the primary. Whatever it had alone is lost. */
    kill: () => primary.kill(),
    /** Makes the standby the primary, and then adds another standby. */
    async failOver(): Promise<void> {
      await standby.promote();
      primary = standby;
      standby = await addStandby();
    },
  };
};
