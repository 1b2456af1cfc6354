/** A record as the panel of a DNS provider lists it; the name without the zone, `@` for the zone itself. */
export interface Row {
  type: string;
  name: string;
  value: string;
  isProxied?: boolean;
}

/** How the panel of a DNS provider behaves, as its own help describes it. */
export interface Rules {
  provider: string;
  /** The name of the zone's server. */
  nameServer: string;
  /** Where the records are. */
  where: string;
  /** The button for a new record. */
  add: string;
  fields: { name: string; value: string };
  /** What the form wants as the name of the zone itself. */
  apexName: "@" | "";
  /** A CNAME record of the zone itself is served as addresses. */
  isFlattening?: true;
  /** A new CNAME record is behind the provider's proxy unless its holder switches that off. */
  isProxying?: true;
  /** The list of records shows whole names. */
  listsWholeNames?: true;
  /** A TXT value must be in quotation marks. */
  wantsQuotes?: true;
}

export const CLOUDFLARE: Rules = {
  provider: "Cloudflare",
  nameServer: "amy.ns.cloudflare.com",
  where: "the domain, DNS, Records",
  add: "Add record",
  fields: { name: "Name", value: "Target" },
  apexName: "@",
  isFlattening: true,
  isProxying: true,
};

export const GODADDY: Rules = {
  provider: "GoDaddy",
  nameServer: "ns51.domaincontrol.com",
  where: "Domain Portfolio, the domain, DNS",
  add: "Add New Record",
  fields: { name: "Name", value: "Value" },
  apexName: "@",
};

export const ROUTE_53: Rules = {
  provider: "Amazon Route 53",
  nameServer: "ns-512.awsdns-00.net",
  where: "Hosted zones, the zone",
  add: "Create record",
  fields: { name: "Record name", value: "Value" },
  apexName: "",
  listsWholeNames: true,
  wantsQuotes: true,
};

/** A provider that the service does not know: the holder has the table of records only. */
export const ANOTHER: Rules = {
  provider: "a small provider",
  nameServer: "ns1.small-dns.test",
  where: "",
  add: "",
  fields: { name: "Name", value: "Value" },
  apexName: "@",
};

/** Addresses of Cloudflare's proxy. */
export const PROXY = { a: "104.16.0.7", aaaa: "2606:4700::7" };

const FORMS: Readonly<Record<string, RegExp>> = {
  A: /^[0-9.]+$/,
  AAAA: /^[0-9a-f:]+$/,
  CNAME: /^[a-z0-9.-]+$/i,
  TXT: /^.+$/,
  CAA: /^\d+ (?:issue|issuewild) "[^"]+"$/,
};

/** A zone at a provider, with the rules of its panel. What the panel refuses, throws. */
export const dnsPanel = (zone: string, rules: Rules) => {
  let rows: Row[] = [];
  const refuse = (why: string, row: Row): never => {
    throw new Error(`${rules.provider} refuses ${row.type} ${row.name} ${row.value}: ${why}`);
  };
  const isApex = ({ name }: Row) => name === "@";

  const assertAllowed = (row: Row) => {
    const value = row.type === "TXT" && rules.wantsQuotes ? row.value : row.value.replace(/\.$/, "");
    if (!FORMS[row.type]?.test(value)) refuse("it has no such type, or the value has another form", row);
    if (row.type === "TXT" && rules.wantsQuotes && !/^".*"$/.test(row.value))
      refuse("the value must be in quotation marks", row);
    if (row.type === "CNAME" && isApex(row) && !rules.isFlattening) refuse("it is the zone's own name", row);
    const same = rows.filter(({ name }) => name === row.name);
    // RFC 1034 section 3.6.2.
    if (same.some(({ type }) => type === "CNAME" || row.type === "CNAME") && !isApex(row))
      refuse("a record with this name exists", row);
  };

  /** What name servers say of a row. @param addresses of a target */
  const linesOf = (row: Row, addresses: readonly string[]): string[] => {
    // Every panel adds the zone, whatever was typed.
    const name = isApex(row) ? zone : `${row.name}.${zone}`;
    if (row.isProxied) return [`${name} A ${PROXY.a}`, `${name} AAAA ${PROXY.aaaa}`];
    if (row.type === "CNAME" && isApex(row)) return addresses.map((one) => `${name} A ${one}`);
    const value = row.type === "TXT" ? row.value.replaceAll('"', "") : row.value.replace(/\.$/, "");
    return [`${name} ${row.type} ${value}`];
  };

  return {
    rules,
    zone,
    /** Replaces all records with older ones of the holder. */
    reset(records: readonly Row[]) {
      rows = [...records];
    },
    rows: () => rows,
    remove(type: string, name: string, value: string) {
      const at = rows.findIndex(
        (row) =>
          row.type === type &&
          row.name === name &&
          row.value.replaceAll('"', "") === value.replaceAll('"', ""),
      );
      if (at === -1)
        throw new Error(`${rules.provider} has no ${type} record ${name} ${value}: ${JSON.stringify(rows)}`);
      rows.splice(at, 1);
    },
    /** @param isProxied undefined if the holder leaves the switch as it is */
    add(row: Row) {
      assertAllowed(row);
      const isProxied = row.isProxied ?? (rules.isProxying === true && row.type === "CNAME");
      rows.push({ ...row, ...(isProxied && { isProxied }) });
    },
    /** Gives the only record of a type and name another value. */
    change(type: string, name: string, value: string) {
      const same = rows.filter((row) => row.type === type && row.name === name);
      if (same.length !== 1)
        throw new Error(`${rules.provider} has ${same.length} ${type} records ${name}: which one is meant?`);
      rows = rows.map((row) => (same.includes(row) ? { ...row, value } : row));
    },
    lines: (addresses: readonly string[]) => [
      `${zone} NS ${rules.nameServer}`,
      ...rows.flatMap((row) => linesOf(row, addresses)),
    ],
  };
};

export type DnsPanel = ReturnType<typeof dnsPanel>;
