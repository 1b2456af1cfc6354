import type { Context } from "../../data/context.ts";
import type { ResourceKind } from "../../data/db/actions.ts";
import { type Page, type PageQuery, hashedFilter, pageBefore } from "../../lib/pagination.ts";
import { DAY_MS } from "../../lib/time.ts";
import { type Entry, type EntryFilters, PARENTS } from "./entry.ts";
import { adopterReads } from "./adopter-reads.ts";
import { refusedSignIns } from "./refused-sign-ins.ts";
import { type AuditRepository, auditRepository } from "./repository.ts";

/** The resource whose history is read. */
interface HistoryOf {
  kind: ResourceKind;
  id: string;
  /** The caller may read entries of this kind. */
  mayRead?: (child: ResourceKind) => boolean;
}

const childrenOf = (kind: ResourceKind): ResourceKind[] =>
  (Object.keys(PARENTS) as ResourceKind[]).filter((child) => PARENTS[child] === kind);

const auditService = (audit: AuditRepository, { config: { auditDays }, clock }: Context) => ({
  /** The entries that match the filters, newest first. @throws Fault invalid_cursor */
  async list({ limit, cursor, ...filters }: PageQuery & EntryFilters): Promise<Page<Entry>> {
    const { actor, action, resource, since, until, ...others } = filters;
    const scope = hashedFilter("audit", { actor, action, resource, since, until, ...others });
    return pageBefore({ limit, cursor }, scope, (page) => audit.list(filters, page));
  },
  /**
   * The history of a resource and of its parts, newest first. It outlives the resource, and is empty for one that never
   * existed. @throws Fault invalid_cursor
   */
  async history({ kind, id, mayRead = () => true }: HistoryOf, query: PageQuery): Promise<Page<Entry>> {
    const children = childrenOf(kind).filter(mayRead);
    const scope = hashedFilter("audit", { kind, id, children });
    return pageBefore(query, scope, (page) => audit.history({ kind, id, children }, page));
  },
  /** Removes a slice of the entries that are older than AUDIT_DAYS; true if there may be more. */
  sweep: async (): Promise<boolean> => auditDays > 0 && audit.sweep(clock.now() - auditDays * DAY_MS),
});

export type AuditService = ReturnType<typeof auditService>;

/** The audit log, and the acts that are collected in memory before it has them. */
export const openAudit = (context: Context) => {
  const entries = auditRepository(context.database);
  return {
    audit: auditService(entries, context),
    refusedSignIns: refusedSignIns({ add: entries.add, clock: context.clock }),
    adopterReads: adopterReads({ add: entries.add, clock: context.clock }),
  };
};
