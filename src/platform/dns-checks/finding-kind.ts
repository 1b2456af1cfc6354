import type { Provider } from "./providers.ts";

/** The record that a domain needs: CNAME for a subdomain, ALIAS or ANAME for an apex. */
export type NeededType = "CNAME" | "ALIAS";

/** Who must act on a finding. */
export const RESPONSIBLE = {
  holder: "the holder of the domain, in its DNS records",
  dns_provider: "the DNS provider, whose name servers hold the zone",
  proxy: "the holder of the domain, in the settings of the proxy",
  registrar: "the holder of the domain, at its registrar",
  operator: "the operator of this service",
  nobody: "no action needed: wait, then check again",
} as const;
export type Responsible = keyof typeof RESPONSIBLE;

/** Who must act, in a sentence. */
export const whoMustAct = (responsible: Responsible): string =>
  responsible === "nobody"
    ? "No action needed: wait, then check again."
    : `Who must act: ${RESPONSIBLE[responsible]}.`;

/** The parameters of CAA records (RFC 8657), and what each forbids. */
export const CAA_PARAMETERS = {
  accounturi: "their accounturi does not name this service's account with the CA",
  validationmethods: "their validationmethods do not name a method that this service can use",
} as const;
export type CaaParameter = keyof typeof CAA_PARAMETERS;

/** The CNAME record that delegates a challenge to this service. */
export interface Challenge {
  name: string;
  value: string;
}

/** Records that keep a panel from creating a CNAME with the same name. */
export type ConflictingType = "A" | "AAAA" | "TXT" | "MX" | "CAA" | "HTTPS";

/** A record to create, by its whole name. */
export interface NewRecord {
  type: string;
  name: string;
  value: string;
}

/** A change to make at the DNS provider. A deletion has no value. */
export interface RecordChange extends Partial<NewRecord> {
  action: "create" | "change" | "delete";
  type: string;
  name: string;
  /** The current values. */
  found?: string[];
}

/** The records that a name needs, in the types that the provider of its zone has. */
export interface Needed {
  /** In A-labels. */
  name: string;
  /** The registered domain. */
  apex: string;
  /** The record that leads here. Without ALIAS, one for each address. */
  own: readonly NewRecord[];
  /** The TXT record of an apex. */
  proof: readonly NewRecord[];
  /** Undefined if it is not listed. */
  provider: Provider | undefined;
  isLive: boolean;
}

/** Everything about a kind of finding. Only the fields are stored, so old findings get the current texts and changes. */
export interface Kind<Fields> {
  /** For the documents of the API, and the manual. */
  meaning: string;
  responsible: Responsible;
  /** `true` if the domain works all the same, or needs only time; `until_live` if that ends when it is live. */
  isHint?: true | "until_live";
  /** The problem in a few words. By default, the beginning of the message. */
  title?(finding: Fields, isLive: boolean): string;
  /** The problem and the remedy, in one sentence. */
  describe(finding: Fields): string;
  /** The records to change, as far as they are known. */
  changes?(finding: Fields, needed: Needed): readonly RecordChange[];
  /** For the manual. Its type has the fields of the kind. */
  example: Fields;
}

/** @param row its fields besides `name`, the name of the record in A-labels, are a type parameter */
export const kind = <Fields extends object>(row: Kind<{ name: string } & Fields>) => row;

const addressType = (address: string): "A" | "AAAA" => (address.includes(":") ? "AAAA" : "A");

export const addressRecords = (name: string, addresses: readonly string[]): NewRecord[] =>
  addresses.map((value) => ({ type: addressType(value), name, value }));

export const deletion = (type: string, name: string, found: string[]): RecordChange => ({
  action: "delete",
  type,
  name,
  found,
});

/** Deletes addresses by type. */
export const addressDeletions = (name: string, found: string[]): RecordChange[] =>
  [...Map.groupBy(found, addressType)].map(([type, values]) => deletion(type, name, values));

/** Deletes the records that lead an apex elsewhere: in a response, an ALIAS looks like addresses. */
export const aliasDeletion = ({ provider }: Needed, name: string, found: string[]): RecordChange => {
  const ofProvider = provider?.apexType ? `A, AAAA or ${provider.apexType}` : "A or AAAA";
  return deletion(provider ? ofProvider : "A, AAAA, ALIAS or ANAME", name, found);
};

export const creations = (...records: readonly NewRecord[]): RecordChange[] =>
  records.map(({ type, name, value }) => ({ action: "create", type, name, value }));

export const corrections = (records: readonly NewRecord[], found: string[] = []): RecordChange[] =>
  records.map((record) => ({ action: "change", ...record, ...(found.length > 0 && { found }) }));

/** Leaves one record with the right value instead of those that were found. */
export const replacements = (record: NewRecord, found: string[]): RecordChange[] => {
  if (found.length === 0) return creations(record);
  if (found.length === 1) return corrections([record], found);
  const wrong = found.filter((value) => value !== record.value);
  return [
    deletion(record.type, record.name, wrong),
    ...(wrong.length < found.length ? [] : creations(record)),
  ];
};

/** The CNAME record that a finding asks for. */
export const cnameFor = ({ name, expected }: { name: string; expected: readonly string[] }): NewRecord => ({
  type: "CNAME",
  name,
  value: expected[0] ?? "",
});

/** Every item once. */
export const distinct = <Item>(items: readonly Item[]): Item[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];
