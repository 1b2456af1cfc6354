import { canonicalName } from "../../lib/dns-name.ts";

/** The value of an `issue` or `issuewild` property (RFC 8659 section 4.2). */
export interface IssueProperty {
  issuer: string;
  parameters: readonly (readonly [tag: string, value: string])[];
}

/** RFC 8659 section 4.2: `tag *WSP "=" *WSP value`. */
const PARAMETER = /^([a-z\d](?:-*[a-z\d])*)[ \t]*=[ \t]*([!-:<-~]*)$/i;
/** The lookbehind keeps long white space inside a value from taking quadratic time. */
const WHITE_SPACE = /^[ \t]+|(?<![ \t])[ \t]+$/g;

const trimmed = (text: string): string => text.replace(WHITE_SPACE, "");

/** Undefined if the value is malformed: then it allows no CA. */
export const parseIssueProperty = (text: string): IssueProperty | undefined => {
  const [issuer = "", ...rest] = text.split(";").map(trimmed);
  const written = rest.join("") === "" && rest.length < 2 ? [] : rest;
  const parameters = written.map((one) => PARAMETER.exec(one));
  if (parameters.includes(null)) return undefined;
  return {
    issuer: canonicalName(issuer),
    parameters: parameters.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]),
  };
};

export const formatIssueProperty = ({ issuer, parameters }: IssueProperty): string =>
  [issuer, ...parameters.map(([tag, value]) => `${tag}=${value}`)].join("; ");

/** The value of a parameter: null if there are several, which allow nothing; undefined if there is none. */
const parameterOf = ({ parameters }: IssueProperty, tag: string): string | null | undefined => {
  const [first, ...others] = parameters.filter(([one]) => one === tag);
  return others.length > 0 ? null : first?.[1];
};

/** RFC 8657 section 3. @param accounts undefined if they are not known: then the CA decides */
export const allowsAccount = (property: IssueProperty, accounts: readonly string[] | undefined): boolean => {
  const account = parameterOf(property, "accounturi");
  if (account === undefined) return true;
  return account !== null && account !== "" && (accounts === undefined || accounts.includes(account));
};

const METHODS = /^[a-z\d-]+(?:,[a-z\d-]+)*$/i;

/** RFC 8657 section 4. */
export const allowsMethod = (property: IssueProperty, method: string): boolean => {
  const methods = parameterOf(property, "validationmethods");
  if (methods === undefined) return true;
  return methods !== null && METHODS.test(methods) && methods.split(",").includes(method);
};

/** The same property with other values of a parameter. */
export const withParameter = (
  { issuer, parameters }: IssueProperty,
  tag: string,
  value: string,
): IssueProperty => {
  const others = parameters.filter(([one]) => one !== tag);
  const own = [tag, value] as const;
  return { issuer, parameters: tag === "accounturi" ? [own, ...others] : [...others, own] };
};
