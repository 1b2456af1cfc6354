import { sql } from "drizzle-orm";
import type { Database } from "../db/open.ts";
import { acmeAttempts } from "../db/schema/certificates.ts";
import { AT_ONCE } from "./certificate.ts";
import { value } from "./queries.ts";

/** A name that is due. */
export interface QueueEntry {
  hostname: string;
  /** Its place among the names that wait for an order, from 1; 0 if it needs none. */
  place: number;
  /** True if it may use the reserve. Its place is then counted among such names only. */
  isPrior: boolean;
  /** True if an attempt is about to place an order for it. */
  isStarted: boolean;
}

/** The inputs that decide the turns of names. */
export interface QueueOptions {
  now: number;
  /** Names that are served before all others. */
  first: readonly string[];
  /** The orders of a project at these CAs after `since` count as turns already taken. */
  authorities: readonly string[];
  since: number;
  /** A requested name may use the reserve if it is one of the first `reserve` names of its project. */
  reserve: number;
}

/** The project of a name. If several projects have it, the one that verified it last. */
const projectOf = (hostname: string) =>
  sql.raw(`(select project_id from domains where hostname = ${hostname} order by verified_at desc limit 1)`);

const queueStatement = ({ orm }: Pick<Database, "orm">) =>
  orm
    .select({
      hostname: sql<string>`name`,
      place: sql<number>`iif(needs_order, iif(is_prior, sum(needs_order and is_prior) over places, sum(needs_order) over places), 0)`,
      isPrior: sql`is_prior`.mapWith(Boolean),
      isStarted: sql`is_started`.mapWith(Boolean),
    })
    .from(
      sql`(
        with due as (
          select hostname as name, is_requested, iif(is_requested, ${AT_ONCE}, next_at) as next_at, attempt_since is not null as is_begun,
            attempt_since is null and order_url is null and chain is null as needs_order,
            attempt_since is not null and order_url is null and chain is null as is_started,
            hostname in (select value from json_each(${value("first")})) as is_first,
            coalesce(${projectOf("certificates.hostname")}, hostname) as owner
          from certificates where certificates.next_at <= ${value("now")}
        ), recent as (
          select ${projectOf("acme_attempts.hostname")} as owner, count(*) as orders from acme_attempts
          where authority in (select value from json_each(${value("authorities")})) and at > ${value("since")} and kind = 'order'
          group by 1
        ), turns as (
          select due.*, iif(is_first, 0, coalesce(orders, 0) + row_number() over (
            partition by due.owner, needs_order order by next_at, name)) as turn
          from due left join recent on recent.owner = due.owner
        )
        select *, is_requested and turn <= ${value("reserve")} as is_prior from turns
      ) window places as (order by turn, next_at, name)`,
    )
    .orderBy(sql`is_begun desc, turn, next_at, name`)
    .prepare();

export const queueReads = (database: Pick<Database, "orm">) => {
  const statement = queueStatement(database);
  const ordersStatement = database.orm
    .select({ at: acmeAttempts.at })
    .from(acmeAttempts)
    .where(sql`authority = ${value("ca")} and at > ${value("since")} and kind = 'order'`)
    .orderBy(acmeAttempts.at)
    .prepare();
  return {
    /**
     * The names that are due: attempts under way first, then in turn. Projects take turns: the first name of each, then the
     * second. Requested names come first. A renewal needs no place.
     */
    async queue({ first, authorities, ...numbers }: QueueOptions): Promise<QueueEntry[]> {
      const lists = { first: JSON.stringify(first), authorities: JSON.stringify(authorities) };
      return statement.all({ ...numbers, ...lists });
    },
    /** When orders were placed at a CA after `since`, ascending. */
    async ordersSince(ca: string, since: number): Promise<number[]> {
      return ordersStatement.all({ ca, since }).map(({ at }) => at);
    },
  };
};
