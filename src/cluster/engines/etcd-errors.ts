import { reasonOf } from "../../lib/reason.ts";
import { AttemptFailed, type Remedy } from "./attempt.ts";

/** Bun's codes of errors from before a request was sent. */
const NOT_SENT =
  /^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed|ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/;
const BAD_CERTIFICATE = /CERT|ISSUER|SELF_SIGNED|ALTNAME|LEAF_SIGNATURE/;

/** @param error what `fetch` threw */
export const failureOf = (error: unknown): AttemptFailed => {
  if (error instanceof AttemptFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (BAD_CERTIFICATE.test(code)) return new AttemptFailed(`the certificate is refused: ${code}`, false);
  if (NOT_SENT.test(code)) return new AttemptFailed("cannot be reached", false);
  return new AttemptFailed(reasonOf(error), true);
};

interface Rule {
  match: RegExp;
  remedy: Remedy;
  advice?: string;
}

/** Refusals that mean that nothing was carried out: https://github.com/etcd-io/etcd/blob/main/api/v3rpc/rpctypes/error.go */
const REFUSALS: readonly Rule[] = [
  { match: /invalid auth token|revision in header is old/, remedy: "authenticate" },
  {
    match: /database space exceeded/,
    remedy: "give up",
    advice: "defragment the members and disarm the alarm, or raise --quota-backend-bytes",
  },
  { match: /too many requests/, remedy: "retry" },
  {
    match: /permission denied/,
    remedy: "give up",
    advice: "grant the user's role readwrite on the prefix",
  },
  { match: /user name is empty/, remedy: "give up", advice: "put USER:PASSWORD@ into DATABASE_URL" },
  {
    match: /authentication is not enabled/,
    remedy: "give up",
    advice: "enable it, or remove the user and the password from DATABASE_URL",
  },
  { match: /authentication failed|request is too large/, remedy: "give up" },
];

/** @param text what a member responded instead of a result */
export const failureOfResponse = (status: number, text: string): AttemptFailed => {
  const reason = messageIn(text) ?? `HTTP status ${status}`;
  const rule = REFUSALS.find(({ match }) => match.test(reason));
  if (!rule) return new AttemptFailed(reason, true);
  return new AttemptFailed(rule.advice ? `${reason}: ${rule.advice}` : reason, false, rule.remedy);
};

const messageIn = (text: string): string | undefined => {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const found = message ?? error;
    return typeof found === "string" ? found.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
};
