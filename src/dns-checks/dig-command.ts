import { isIP } from "node:net";
import { parseServer } from "../protocols/dns/network.ts";
import type { Report, ReportedQuestion } from "./model.ts";

/** Letters, digits, hyphens, underscores and dots. Strangers choose the names that CNAME records lead to. */
const SAFE_NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;
const SAFE_TYPE = /^[A-Z]{1,10}$/;
const DNS_PORT = 53;

type Asked = Pick<
  ReportedQuestion,
  "server" | "name" | "type" | "recursive" | "checkingDisabled" | "transport" | "outcome"
>;

/**
 * The command that repeats a query; undefined if it was never sent, or if its name could mean something to a shell or to dig.
 * The final dot keeps dig from reading a name such as `in` or `mx` as a class or a type. dig would add the AD flag and a
 * cookie, which our queries do not have.
 */
export const digCommand = (asked: Asked): string | undefined => {
  const { server, name, type, recursive, checkingDisabled, transport, outcome } = asked;
  const parsed = parseServer(server);
  if (outcome === "forbidden" || !parsed || isIP(parsed.address) === 0) return undefined;
  if (!SAFE_NAME.test(name) || !SAFE_TYPE.test(type)) return undefined;
  return [
    `dig @${parsed.address}`,
    ...(parsed.port === DNS_PORT ? [] : [`-p ${parsed.port}`]),
    `${name}. ${type}`,
    recursive ? "+recurse" : "+norecurse",
    ...(checkingDisabled ? ["+cdflag"] : []),
    ...(transport === "tcp" ? ["+tcp"] : []),
    "+noadflag +nocookie",
  ].join(" ");
};

const withCommand = (question: ReportedQuestion) => {
  const command = digCommand(question);
  return { ...question, ...(command !== undefined && { command }) };
};

/** A report with the command that repeats each query. */
export const withCommands = (report: Report) => ({
  ...report,
  questions: report.questions.map(withCommand),
});
