import { type ChainProblem, type Resolve, followCnames } from "./cname-chain.ts";
import type { CaaRecord } from "./message.ts";
import { canonicalName } from "../../lib/hostname.ts";
import { withParents } from "./name.ts";
import type { Exchange } from "./client.ts";

/** The value of an `issue` or `issuewild` property (RFC 8659 section 4.2). */
interface IssueProperty {
  issuer: string;
  parameters: readonly (readonly [tag: string, value: string])[];
}

/** RFC 8659 section 4.2: `tag *WSP "=" *WSP value`. */
const PARAMETER = /^([a-z\d](?:-*[a-z\d])*)[ \t]*=[ \t]*([!-:<-~]*)$/i;
/** The lookbehind keeps long white space inside a value from taking quadratic time. */
const WHITE_SPACE = /^[ \t]+|(?<![ \t])[ \t]+$/g;

const trimmed = (text: string): string => text.replace(WHITE_SPACE, "");

/** Undefined if the value is malformed: then it allows no CA. */
const parseIssueProperty = (text: string): IssueProperty | undefined => {
  const [issuer = "", ...rest] = text.split(";").map(trimmed);
  const written = rest.join("") === "" && rest.length < 2 ? [] : rest;
  const parameters = written.map((one) => PARAMETER.exec(one));
  if (parameters.includes(null)) return undefined;
  return {
    issuer: canonicalName(issuer),
    parameters: parameters.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]),
  };
};

const formatIssueProperty = ({ issuer, parameters }: IssueProperty): string =>
  [issuer, ...parameters.map(([tag, value]) => `${tag}=${value}`)].join("; ");

/** The value of a parameter: null if there are several, which allow nothing; undefined without one. */
const parameterOf = ({ parameters }: IssueProperty, tag: string): string | null | undefined => {
  const [first, ...others] = parameters.filter(([one]) => one === tag);
  return others.length > 0 ? null : first?.[1];
};

/** RFC 8657 section 3. @param accounts undefined if unknown: then the CA decides */
const allowsAccount = (property: IssueProperty, accounts: readonly string[] | undefined): boolean => {
  const account = parameterOf(property, "accounturi");
  if (account === undefined) return true;
  return account !== null && account !== "" && (accounts === undefined || accounts.includes(account));
};

const METHODS = /^[a-z\d-]+(?:,[a-z\d-]+)*$/i;

/** RFC 8657 section 4. */
const allowsMethod = (property: IssueProperty, method: string): boolean => {
  const methods = parameterOf(property, "validationmethods");
  if (methods === undefined) return true;
  return methods !== null && METHODS.test(methods) && methods.split(",").includes(method);
};

/** The same property with other values of a parameter. */
const withParameter = ({ issuer, parameters }: IssueProperty, tag: string, value: string): IssueProperty => {
  const others = parameters.filter(([one]) => one !== tag);
  const own = [tag, value] as const;
  return { issuer, parameters: tag === "accounturi" ? [own, ...others] : [...others, own] };
};

export type RelevantCaa =
  | { kind: "found"; name: string; records: CaaRecord[] }
  | { kind: "none" }
  /** The resolvers had no usable answer: a CA would not issue (RFC 8659 section 3). */
  | { kind: "unknown"; name: string; problem: ChainProblem; exchange: Exchange };

/** Finds the relevant CAA records (RFC 8659 section 3): those of the name, through CNAME records, or of its nearest parent. */
export const relevantCaa = async (resolve: Resolve, hostname: string): Promise<RelevantCaa> => {
  for (const name of withParents(hostname)) {
    const { names, records, problem, last } = await followCnames(resolve, name, "CAA");
    if (problem) return { kind: "unknown", name, problem, exchange: last };
    const found = records.filter((record) => record.type === "CAA");
    if (found.length > 0) return { kind: "found", name: names.at(-1) ?? name, records: found };
  }
  return { kind: "none" };
};

const KNOWN_TAGS = new Set([
  "issue",
  "issuewild",
  "iodef",
  "contactemail",
  "contactphone",
  "issuemail",
  "issuevmc",
]);

type IssueTag = "issue" | "issuewild";

/** The properties that count: for a wildcard `issuewild` alone, if there are any (RFC 8659 section 4.3). */
export const issueTagFor = (records: readonly CaaRecord[], isWildcard: boolean): IssueTag =>
  isWildcard && records.some(({ data }) => data.tag === "issuewild") ? "issuewild" : "issue";

/** The parameters of a service's order: CAA records must allow all of it. */
export interface CaaOrder {
  /** The names of the CAs, any of which may issue. */
  issuers: readonly string[];
  /** The URIs of the accounts with them; undefined if unknown, so that the CA decides. */
  accounts?: readonly string[] | undefined;
  /** How the name can be proven: `http-01`, ... */
  methods: readonly string[];
  isWildcard?: boolean;
}

/** The methods that CAA records allow, or the rule that they break, and values of properties that would allow the order. */
type CaaJudgement =
  { methods: string[] } | { forbids: "issuer" | "accounturi" | "validationmethods"; allowing: string[] };

const valuesWith = (properties: IssueProperty[], tag: string, values: readonly string[]): string[] => {
  const changed = properties.flatMap((one) => values.map((value) => withParameter(one, tag, value)));
  return [...new Set(changed.map(formatIssueProperty))];
};

/** RFC 8657. @param properties those that name one of the CAs */
const judgeParameters = (
  properties: IssueProperty[],
  { issuers, accounts, methods }: CaaOrder,
): CaaJudgement => {
  const ours = properties.filter((one) => allowsAccount(one, accounts));
  if (ours.length === 0)
    return {
      forbids: "accounturi",
      allowing: accounts ? valuesWith(properties, "accounturi", accounts) : [...issuers],
    };
  const allowed = methods.filter((method) => ours.some((one) => allowsMethod(one, method)));
  if (allowed.length > 0) return { methods: allowed };
  return {
    forbids: "validationmethods",
    allowing: valuesWith(ours, "validationmethods", [methods.join(",")]),
  };
};

/** True for a critical record with an unknown tag, which forbids every certificate (RFC 8659 section 4.1). */
export const isUnknownCritical = ({ data: { critical, tag } }: CaaRecord): boolean =>
  critical && !KNOWN_TAGS.has(tag);

/** RFC 8659 section 4: judges whether an order for a name, or for the wildcard below it, may be placed. */
export const judgeCaa = (records: readonly CaaRecord[], order: CaaOrder): CaaJudgement => {
  const issuers = new Set(order.issuers.map(canonicalName));
  const refusal: CaaJudgement = { forbids: "issuer", allowing: [...order.issuers] };
  if (records.some(isUnknownCritical)) return { ...refusal, allowing: [] };
  const tag = issueTagFor(records, order.isWildcard ?? false);
  const issue = records.filter(({ data }) => data.tag === tag);
  if (issue.length === 0) return { methods: [...order.methods] };
  const properties = issue.flatMap(({ data }) => parseIssueProperty(data.value) ?? []);
  const named = properties.filter(({ issuer }) => issuers.has(issuer));
  return named.length === 0 ? refusal : judgeParameters(named, order);
};

/** Formats a record as in a zone file. */
export const formatCaa = ({ data: { critical, tag, value } }: CaaRecord): string =>
  `${critical ? 128 : 0} ${tag} ${JSON.stringify(value)}`;
