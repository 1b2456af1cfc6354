import { SQL } from "bun";
import { reasonOf } from "../../lib/reason.ts";
import { AttemptFailed, type Remedy } from "./attempt.ts";

interface Rule {
  /** Of SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  match: RegExp;
  remedy: Remedy;
  /** The server may have committed nevertheless. */
  mayHaveRun?: boolean;
  advice?: string;
}

/** The first one that matches. A server that refuses a statement has rolled it back. */
const RULES: readonly Rule[] = [
  // The server shuts down, or ends the session, perhaps behind the commit.
  { match: /^(57P0[12]|08)/, remedy: "reconnect", mayHaveRun: true },
  // It starts, or is a standby.
  { match: /^(57P03|25006)/, remedy: "reconnect" },
  { match: /^53300/, remedy: "reconnect", advice: "raise max_connections, a node uses up to 5" },
  // Another transaction holds the row.
  { match: /^(55P03|40001|40P01|57014)/, remedy: "retry" },
  {
    match: /^42501/,
    remedy: "give up",
    advice:
      "grant the user CREATE on the schema for the first start, and SELECT, INSERT, UPDATE and DELETE on the tables adoption_store_*",
  },
  { match: /^28/, remedy: "give up", advice: "check the user and the password in DATABASE_URL" },
  { match: /^3D/, remedy: "give up", advice: "create it, or correct DATABASE_URL" },
  { match: /./, remedy: "give up" },
];

/** Bun's codes of connections that were never made. */
const NOT_CONNECTED =
  /CONNECTION_(REFUSED|FAILED|TIMEOUT)|TLS_|CERT|ISSUER|SELF_SIGNED|ALTNAME|LEAF_SIGNATURE/;

/** @param error what a query threw */
export const failureOf = (error: unknown): AttemptFailed => {
  if (error instanceof AttemptFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const state = error instanceof SQL.PostgresError ? error.errno : undefined;
  if (state === undefined) {
    const isConnected = !NOT_CONNECTED.test(code);
    return new AttemptFailed(isConnected ? reasonOf(error) : refusalOf(code), isConnected, "reconnect");
  }
  const rule = RULES.find(({ match }) => match.test(state));
  const reason = reasonOf(error).slice(0, 200);
  return new AttemptFailed(
    rule?.advice ? `${reason}: ${rule.advice}` : reason,
    rule?.mayHaveRun ?? false,
    rule?.remedy,
  );
};

const refusalOf = (code: string): string => {
  if (code.endsWith("TLS_NOT_AVAILABLE")) return "the server does not offer TLS: set ssl = on";
  if (/TLS_|CERT|ISSUER|SELF_SIGNED|ALTNAME|LEAF_SIGNATURE/.test(code))
    return `the certificate is refused: ${code}`;
  return "cannot be reached";
};
