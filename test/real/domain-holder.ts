import type { DnsPanel, Row } from "./dns-panels.ts";

/** What the page of a domain says to do at the DNS provider. */
export interface Instructions {
  /** The table of records to change. */
  rows: Record<"action" | "type" | "name" | "value", string>[];
  /** Numbered steps, if the page knows the provider. */
  steps: string[];
}

/** What a holder has open at the provider. */
type Desk = { panel: DnsPanel; form: Partial<Row> | undefined };
type Do = (desk: Desk, ...words: string[]) => void;

const formOf = ({ form }: Desk): Partial<Row> => {
  if (!form) throw new Error("no form is open at the provider");
  return form;
};

const assertSame = (what: string, said: string | undefined, is: string) => {
  if (said !== is) throw new Error(`the page says ${what} ${said}, but at the provider it is ${is}`);
};

/** The row that the page means: panels list names with or without the zone. */
const listed = (name: string, { zone, rules }: DnsPanel): string => {
  if (name === zone) return "@";
  if (!rules.listsWholeNames || name === "@") return name;
  assertSame("the name", name.endsWith(`.${zone}`) ? name : `${name}, which is listed`, name);
  return name.slice(0, -zone.length - 1);
};

const remove: Do = ({ panel }, type = "", name = "", values = "") => {
  for (const value of values.split(", ")) panel.remove(type, listed(name, panel), value);
};

/** Deletes what there is of these types: "A, AAAA or CNAME". */
const removeEach: Do = ({ panel }, types = "", name = "") => {
  const named = panel.rows().filter((row) => row.name === listed(name, panel));
  const those = named.filter(({ type }) => types.split(/, | or /).includes(type));
  if (those.length === 0)
    throw new Error(`there is no ${types} record ${name}: ${JSON.stringify(panel.rows())}`);
  for (const { type, name: own, value } of those) panel.remove(type, own, value);
};

/** Opens a record in a form, and takes it out of the list until the form is saved. */
const edit = (desk: Desk, { type, name, value, ...more }: Row) => {
  desk.panel.remove(type, name, value);
  desk.form = { type, name, value, ...more };
};

const open: Do = (desk, type, name = "", value) => {
  const { panel } = desk;
  const found = panel
    .rows()
    .find((row) => row.type === type && row.name === listed(name, panel) && row.value === value);
  if (!found) throw new Error(`there is no ${type} record ${name} ${value}`);
  edit(desk, found);
};

const openOrReplace: Do = (desk, name = "", type = "", value = "") => {
  const { panel } = desk;
  const named = panel.rows().filter((row) => row.name === listed(name, panel));
  const [first] = named;
  if (named.length === 1 && first?.type === type && first.value === value) return edit(desk, first);
  for (const row of named) panel.remove(row.type, row.name, row.value);
  desk.form = { type, name: listed(name, panel), value };
};

const enter: Do = (desk, value = "", field) => {
  const { fields } = desk.panel.rules;
  if (field === fields.name) {
    assertSame(
      "the zone itself as",
      value === "@" ? "@" : desk.panel.rules.apexName,
      desk.panel.rules.apexName,
    );
    formOf(desk).name = value;
    return;
  }
  assertSame("the field for the value is", field, fields.value);
  formOf(desk).value = value;
};

const save = (desk: Desk) => {
  const { type, name, value, ...more } = formOf(desk);
  if (type === undefined || name === undefined || value === undefined)
    throw new Error(`the page leaves a field of the form unknown: ${JSON.stringify(desk.form)}`);
  desk.panel.add({ type, name, value, ...more });
  desk.form = undefined;
};

/** Everything that a step can say. A holder who reads anything else does not know what to do. */
const STEPS: [RegExp, Do][] = [
  [
    /^Sign in at (.+), and open: (.+)\.$/,
    ({ panel: { rules } }, provider, where) => {
      assertSame("the provider is", provider, rules.provider);
      assertSame("the records are at", where, rules.where);
    },
  ],
  [/^Delete the (\S+) records? with the name (\S+) and the values? (.+)\.$/, remove],
  [/^Delete each (.+) record with the name (\S+)\.$/, removeEach],
  [/^Open the (\S+) record with the name (\S+) and the value (\S+) to edit it\.$/, open],
  [
    /^Open the record with the name (\S+) to edit it\. If it is not of the type (\S+) with the value (\S+), delete it, and add that record\.$/,
    openOrReplace,
  ],
  [/^.+ has no ALIAS record for an apex domain\. Create the addresses of the target instead\.$/, () => {}],
  [
    /^Choose (.+), then the type (\S+)\.$/,
    (desk, button, type = "") => {
      assertSame("the button is", button, desk.panel.rules.add);
      desk.form = { type };
    },
  ],
  [/^Enter (\S+) in the field ([^,]+)(?:, with the final dot)?\.$/, enter],
  [
    /^Leave the field (.+) empty\.$/,
    (desk, field) => {
      assertSame("the name is in the field", field, desk.panel.rules.fields.name);
      assertSame("the zone itself as", "", desk.panel.rules.apexName);
      formOf(desk).name = "@";
    },
  ],
  [
    /^Enter the flags (\d+), the tag (\S+) and the value (\S+)\. If the form has one field for all three, enter (.+)\.$/,
    (desk, flags, tag, value, all) => {
      assertSame("the value in one field is", all, `${flags} ${tag} "${value}"`);
      formOf(desk).value = all;
    },
  ],
  [
    /^Switch the proxy off: the status must be DNS only\.$/,
    (desk) => {
      formOf(desk).isProxied = false;
    },
  ],
  [/^If the form asks for a TTL, choose 1 hour \(3600 seconds\)\. Save\.$/, save],
];

/** Does what the numbered steps of the page say, word by word. */
export const followSteps = (panel: DnsPanel, steps: readonly string[]): void => {
  const desk: Desk = { panel, form: undefined };
  for (const step of steps) {
    const [action, words] = STEPS.flatMap(([form, act]): [Do, string[]][] => {
      const match = form.exec(step);
      return match ? [[act, match.slice(1)]] : [];
    })[0] ?? [undefined, []];
    if (!action) throw new Error(`the holder does not know what to do: ${step}`);
    action(desk, ...words);
  }
  if (desk.form) throw new Error("the page does not say to save the form");
};

/** What the page says to create at a provider without ALIAS. */
const insteadOfAlias = (note: string): { type: string; value: string }[] => {
  const [, list = ""] =
    /create A and AAAA records with the addresses of this service \(([^)]+)\)/.exec(note) ?? [];
  if (list === "") throw new Error(`the page has no advice for providers without ALIAS: ${note}`);
  return list.split(", ").map((value) => ({ type: value.includes(":") ? "AAAA" : "A", value }));
};

/** What the page says of a proxy that may be another company's. */
const behindOtherProxy = (panel: DnsPanel, host: string, text: string) => {
  const [, provider, value = ""] =
    /settings of (\w+), set the record to .+, with the value (\S+)\./.exec(text) ?? [];
  const [, other, found = ""] =
    /If your DNS provider is not (\w+), delete the A and AAAA records \(([^)]+)\), and create/.exec(text) ??
    [];
  if (provider === undefined || other !== provider) throw new Error(`the page says nothing to do: ${text}`);
  for (const one of found.split(", ")) panel.remove(one.includes(":") ? "AAAA" : "A", host, one);
  panel.add({ type: "CNAME", name: host, value });
};

/** Does what the table of records says, row by row, or else the text of the page. @param host the name in the zone */

export const followTable = (
  panel: DnsPanel,
  rows: Instructions["rows"],
  text: string,
  host: string,
): void => {
  if (rows.length === 0 && text.includes("'s proxy")) return behindOtherProxy(panel, host, text);
  const desk: Desk = { panel, form: undefined };
  for (const { action, type, name, value } of rows) {
    if (action === "Delete" && type.includes(" or ")) removeEach(desk, type, name);
    else if (action === "Delete") remove(desk, type, name, value);
    else if (type === "ALIAS or ANAME") for (const one of insteadOfAlias(text)) panel.add({ name, ...one });
    else if (action === "Create") panel.add({ type, name, value });
    else if (action === "Change") panel.change(type, name, value);
    else throw new Error(`the holder does not know what to do: ${action} ${type} ${name} ${value}`);
  }
};
