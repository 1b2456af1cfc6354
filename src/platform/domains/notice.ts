import type { Warning } from "../../http/health.ts";

/** Problems of host names, which stay open until they are fixed. */
const NOTICES = {
  domain_failing: {
    code: "domains_fail",
    words: "Domains that were live no longer verify",
    advice: (hostname: string, project: string) =>
      `adoption-store domains show ${hostname} --project ${project}`,
  },
  renewal_failed: {
    code: "renewals_fail",
    words: "Certificates could not be renewed",
    advice: (hostname: string) => `adoption-store certificates show ${hostname}`,
  },
  orders_failed: {
    code: "orders_fail",
    words: "Orders of a first certificate failed three times in a row",
    advice: (hostname: string) => `adoption-store certificates show ${hostname}`,
  },
  certificate_overdue: {
    code: "certificates_overdue",
    words: "Names have no certificate after 30 minutes",
    advice: (hostname: string) => `adoption-store certificates show ${hostname}`,
  },
} as const satisfies Record<
  string,
  {
    /** That of the warning, in `/readyz`. */
    code: string;
    /** The problem. The host names follow. */
    words: string;
    /** The command to run next, for one of them. */
    advice: (hostname: string, project: string) => string;
  }
>;

export type NoticeKind = keyof typeof NOTICES;
const NOTICE_KINDS = Object.keys(NOTICES) as NoticeKind[];

export interface Notice {
  kind: NoticeKind;
  hostname: string;
  /** The slug of the project that has the name; null for the service's own names. */
  project: string | null;
}

const MAX_NAMED = 10;

const warningOf = (kind: NoticeKind, notices: readonly Notice[]): Warning[] => {
  const all = notices.filter((notice) => notice.kind === kind);
  const [first] = all;
  if (!first) return [];
  const { code, words, advice } = NOTICES[kind];
  const names = all.slice(0, MAX_NAMED).map(({ hostname }) => hostname);
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : "";
  const message = `${words}: ${names.join(", ")}${more}. Run ${advice(first.hostname, first.project ?? "")}`;
  return [{ code, count: all.length, message }];
};

/** One warning for each kind, with at most ten host names and the command to run next. */
export const noticeWarnings = (notices: readonly Notice[]): Warning[] =>
  NOTICE_KINDS.flatMap((kind) => warningOf(kind, notices));

/** How many host names have each kind of notice, for `/metrics`. */
export const noticeCounts = (notices: readonly Notice[]): Map<NoticeKind, number> =>
  new Map(NOTICE_KINDS.map((kind) => [kind, notices.filter((notice) => notice.kind === kind).length]));
