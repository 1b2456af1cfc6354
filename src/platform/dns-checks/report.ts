import { formatCaa } from "../../protocols/dns/caa.ts";
import { formatServer } from "../../lib/name-server.ts";
import type { DnsRecord } from "../../protocols/dns/message.ts";
import type { Exchange } from "../../protocols/dns/client.ts";
import type { Report, ReportedQuestion } from "./model.ts";
import type { Trace } from "./trace.ts";
import { printable } from "../../lib/text.ts";

/** Strangers control their servers' responses, so a report is bounded. */
const MAX_QUESTIONS = 200;
const MAX_RECORDS = 20;

export const formatData = (record: DnsRecord): string => {
  switch (record.type) {
    case "CAA":
      return formatCaa(record);
    case "SOA":
      return `minimum ${record.data.minimum}`;
    default:
      return record.data;
  }
};

const formatRecord = (record: DnsRecord): string =>
  printable(`${record.name} ${record.ttl} IN ${record.type} ${formatData(record)}`);

const formatRecords = (records: DnsRecord[]): string[] => records.slice(0, MAX_RECORDS).map(formatRecord);

export const toReportedQuestion = ({
  server,
  question,
  outcome,
  ...exchange
}: Exchange): ReportedQuestion => ({
  server: formatServer(server),
  name: printable(question.name),
  type: question.type,
  recursive: exchange.recursive,
  ...(question.checkingDisabled && { checkingDisabled: true as const }),
  transport: exchange.transport,
  ...(outcome.kind === "answer"
    ? { outcome: outcome.rcode, records: formatRecords(outcome.records) }
    : { outcome: outcome.failure, detail: printable(outcome.detail), records: [] }),
  milliseconds: Math.max(0, Math.round(exchange.milliseconds)),
});

/** @param former addresses that the target had at earlier checks */
export const toReport = (
  { target, authority, chain, targets, caa, exchanges }: Trace,
  former: readonly string[],
): Report => {
  const targetAddresses = targets
    .flatMap(({ records }) => records)
    .slice(0, MAX_RECORDS)
    .map((record) => printable(formatData(record)));
  const formerAddresses = former.filter((address) => !targetAddresses.includes(address));
  return {
    target,
    ...(authority && { zone: authority.zone }),
    nameServers: authority?.servers.map(formatServer) ?? [],
    chain: chain.names.map((name) => printable(name)),
    targetAddresses,
    ...(formerAddresses.length > 0 && { formerAddresses: formerAddresses.slice(0, MAX_RECORDS) }),
    caa: caa.kind === "found" ? formatRecords(caa.records) : [],
    questions: exchanges.slice(0, MAX_QUESTIONS).map(toReportedQuestion),
  };
};

/** The addresses that the target had at a check and before it. @param report as it is stored */
export const addressesIn = (report: string | undefined): string[] => {
  if (report === undefined) return [];
  const { targetAddresses, formerAddresses = [] } = JSON.parse(report) as Report;
  return [...targetAddresses, ...formerAddresses];
};
