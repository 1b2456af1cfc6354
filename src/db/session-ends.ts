import { and, eq, sql } from "drizzle-orm";
import type { Act } from "../lib/actor.ts";
import { sessionIdOf } from "../lib/random.ts";
import { type Audit, auditing } from "./audit.ts";
import type { Statement } from "./commit.ts";
import { isAdministrator } from "./management-access.ts";
import type { Database } from "./open.ts";
import { browserStates } from "./schema/console.ts";

/** Returns the statements that record the ends of sessions. */
export const recordEnds = (
  record: Audit,
  act: Act,
  ended: readonly { hash: string; device: string | null }[],
): readonly Statement[] =>
  ended.flatMap(({ hash, device }) =>
    record(act, { action: "session.closed", id: sessionIdOf(hash), label: device }),
  );

/**
 * Returns a function that ends the sessions of sign-in links if an administrator can sign in, and returns the statements that
 * record it. Every write that may let an administrator sign in, or opens a session, calls it inside its transaction. So the
 * sessions stay ended even if the store has no administrator later.
 */
export const operatorSessionEnds = ({ client, orm }: Pick<Database, "client" | "orm">) => {
  const endStatement = orm
    .delete(browserStates)
    .where(
      and(
        eq(browserStates.kind, "session"),
        eq(browserStates.holder, "operator:0"),
        sql`exists (select 1 from people where ${isAdministrator("people")})`,
      ),
    )
    .returning({ hash: browserStates.hash, device: browserStates.device })
    .prepare();
  const record = auditing({ client });
  return (act: Act): readonly Statement[] => recordEnds(record, act, endStatement.all());
};
