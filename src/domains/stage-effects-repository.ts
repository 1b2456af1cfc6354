import { and, eq, exists, gt, inArray, isNull, sql } from "drizzle-orm";
import type { Statement } from "../db/commit.ts";
import type { Database } from "../db/open.ts";
import { certificates } from "../db/schema/certificates.ts";
import { domains } from "../db/schema/domains.ts";
import { projects } from "../db/schema/projects.ts";
import { HELD, WAITING, hasDomainsPlan, moveBy, isOfProject, nextCheckOfLive, value } from "./queries.ts";
import { WAITING_MS, nextLiveCheck } from "./schedule.ts";

type Reading = Pick<Database, "orm">;

/** Statements that update the domain of a name in the transaction that writes its certificate. */
export const certificateEffects = ({ orm }: Reading) => {
  const hasName = eq(domains.hostname, value("hostname"));
  const certificateInUse = orm
    .select({ one: sql`1` })
    .from(certificates)
    .where(and(eq(certificates.hostname, value("hostname")), eq(certificates.chain, value("chain"))));
  const order = moveBy(orm, "order_placed", hasName);
  const refuse = moveBy(orm, "issue_refused", hasName);
  const goLive = moveBy(orm, "certificate_stored", and(hasName, exists(certificateInUse)), {
    liveAt: sql`${value("now")}`,
    nextCheckAt: nextCheckOfLive,
  });
  return {
    orderPlaced: (hostname: string, now: number): readonly Statement[] => order({ hostname, now }),
    /** The domain goes live, if the certificate with this chain is in use. */
    certificateStored: (hostname: string, chain: string, now: number): readonly Statement[] =>
      goLive({ hostname, chain, now, nextCheckAt: nextLiveCheck(null, now) }),
    issueRefused: (hostname: string, now: number): readonly Statement[] => refuse({ hostname, now }),
  };
};

/** Statements that update the domains of a project in the transaction that changes it. */
export const projectEffects = ({ orm }: Reading) => {
  const suspend = moveBy(orm, "plan_dropped", and(isOfProject, sql`not ${hasDomainsPlan}`), {
    nextCheckAt: null,
  });
  const goLive = moveBy(orm, "plan_restored", and(isOfProject, hasDomainsPlan), {
    liveAt: sql`${value("now")}`,
    // Until it verifies again, because the DNS may have changed to another project's target during the suspension.
    waitingSince: sql`${value("now")}`,
    nextCheckAt: sql`${value("now")}`,
  });
  const isStillWaiting = and(
    isOfProject,
    sql`${domains.stage} in ${WAITING}`,
    isNull(domains.nextCheckAt),
    gt(domains.waitingSince, value("since")),
    hasDomainsPlan,
  );
  const resumeStatement = orm
    .update(domains)
    .set({ nextCheckAt: sql`${value("now")}` })
    .where(isStillWaiting)
    .prepare();
  const heldNames = orm
    .select({ hostname: domains.hostname })
    .from(domains)
    .where(and(isOfProject, sql`${domains.stage} in ${HELD}`));
  const uncertifyStatement = orm
    .delete(certificates)
    .where(inArray(certificates.hostname, heldNames))
    .prepare();
  const uncertifyOwnStatement = orm
    .delete(certificates)
    .where(
      sql`${certificates.hostname} = (select ${projects.slug} || '.' || ${value("platformDomain")} from ${projects} where ${projects.id} = ${value("projectId")})`,
    )
    .prepare();
  return {
    /**
     * After a change of the plan: without custom domains, those that hold their name are suspended; with them, they are live
     * again, and those that still wait for their records are checked again.
     */
    planEffects: (projectId: number, now: number): readonly Statement[] => [
      ...suspend({ projectId, now }),
      ...goLive({ projectId, now }),
      { query: resumeStatement, values: { projectId, now, since: now - WAITING_MS } },
    ],
    /** Before a project is removed: its custom domains lose their certificates, as does its own name. */
    removalEffects: (projectId: number, platformDomain: string): readonly Statement[] => [
      { query: uncertifyStatement, values: { projectId } },
      { query: uncertifyOwnStatement, values: { projectId, platformDomain } },
    ],
  };
};
