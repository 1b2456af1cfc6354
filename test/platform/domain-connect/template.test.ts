import { expect, test } from "bun:test";
import {
  type Template,
  type TemplateSettings,
  SERVICES,
  fileNameOf,
  isDeployed,
  templateFor,
} from "../../../src/platform/domain-connect/template.ts";
import { ADDRESSES, SETTINGS } from "./set-up.ts";

/** draft-ietf-dconn-domainconnect-05: the fields of a template, and the fields of each type of record. */
const FIELDS: Record<string, (value: unknown) => boolean> = {
  providerId: (value) => /^[\w.-]{1,63}$/.test(String(value)),
  providerName: (value) => /^.{1,255}$/.test(String(value)),
  serviceId: (value) => /^[\w.-]{1,63}$/.test(String(value)),
  serviceName: (value) => /^.{1,255}$/.test(String(value)),
  version: (value) => /^[1-9][0-9]*$/.test(JSON.stringify(value)),
  description: (value) => /^.{0,2048}$/.test(String(value)),
  variableDescription: (value) => /^.{0,2048}$/.test(String(value)),
  syncPubKeyDomain: (value) => /^[\w.-]{1,255}$/.test(String(value)),
  syncRedirectDomain: (value) => /^[\w.-]{1,255}$/.test(String(value)),
  hostRequired: (value) => typeof value === "boolean",
  records: Array.isArray,
};
const REQUIRED = ["providerId", "providerName", "serviceId", "serviceName", "records"];
const RECORD_FIELDS: Record<string, string[]> = {
  A: ["type", "host", "pointsTo", "ttl"],
  AAAA: ["type", "host", "pointsTo", "ttl"],
  CNAME: ["type", "host", "pointsTo", "ttl"],
  TXT: ["type", "host", "data", "ttl", "txtConflictMatchingMode"],
};
const RESERVED =
  /^(providerId|serviceId|domain|host|redirect_uri|state|providerName|serviceName|groupId|sig|key|crit|client_id|response_type|scope|fqdn|dc\..*|vnd\..*)$/;

const expectValid = (template: Template) => {
  const fields = Object.entries(template);
  expect(fields.filter(([name, value]) => !FIELDS[name]?.(value))).toEqual([]);
  expect(Object.keys(template)).toContainValues(REQUIRED);
  for (const record of template.records) {
    expect(Object.keys(record).toSorted()).toEqual(RECORD_FIELDS[record.type]?.toSorted() ?? []);
    expect(Number.isSafeInteger(record.ttl)).toBe(true);
    // Section "Sub Domains": the host parameter makes the name, not a variable.
    expect(record.host).not.toContain("%");
    const variables = [...(record.pointsTo ?? record.data ?? "").matchAll(/%([^%]*)%/g)].map(
      ([, name]) => name,
    );
    for (const name of variables) expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(variables.filter((name) => RESERVED.test(name ?? ""))).toEqual([]);
  }
};

const without: TemplateSettings = { ...SETTINGS, redirectDomain: undefined, challengeTargetOf: undefined };

test.each(SERVICES)("a template for a %s has the fields of the specification, and no others", (service) => {
  expectValid(templateFor(service, SETTINGS, ADDRESSES));
  expectValid(templateFor(service, without, ADDRESSES));
});

test("a template for a subdomain has a CNAME record at the name, and one for its challenges", () => {
  const { records, hostRequired } = templateFor("subdomain", SETTINGS, []);
  expect(hostRequired).toBe(true);
  expect(records).toEqual([
    { type: "CNAME", host: "@", pointsTo: "%label%.cname.sites.example.net", ttl: 3600 },
    {
      type: "CNAME",
      host: "_acme-challenge",
      pointsTo: "%label%._acme-challenge.sites.example.net",
      ttl: 3600,
    },
  ]);
});

test("a template for an apex has the service's addresses and the proof, and no CNAME record at the name", () => {
  const { records, hostRequired } = templateFor("apex", without, ADDRESSES);
  expect(hostRequired).toBeUndefined();
  expect(records).toEqual([
    { type: "A", host: "@", pointsTo: "192.0.2.10", ttl: 3600 },
    { type: "AAAA", host: "@", pointsTo: "2001:db8::10", ttl: 3600 },
    {
      type: "TXT",
      host: "_adoption-store",
      data: "%label%.cname.sites.example.net",
      ttl: 3600,
      txtConflictMatchingMode: "All",
    },
  ]);
});

test("a template has another version once its records differ, and only then", () => {
  const { version } = templateFor("apex", SETTINGS, ADDRESSES);
  expect(templateFor("apex", { ...SETTINGS, redirectDomain: undefined }, ADDRESSES).version).toBe(version);
  expect(templateFor("apex", SETTINGS, ["192.0.2.11"]).version).not.toBe(version);
  expect(templateFor("apex", without, ADDRESSES).version).not.toBe(version);
});

test("a template is published in a file in lower case", () => {
  expect(fileNameOf({ providerId: "Example.org", serviceId: "apex" })).toBe("example.org.apex.json");
});

const own = templateFor("apex", SETTINGS, ADDRESSES);

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["a JSON text", "supported"],
  ["an empty object", {}],
  ["the version", { version: own.version }],
  ["the version as text", { version: String(own.version) }],
  ["the template", own],
  ["the template with a logo", { ...own, logoUrl: "x" }],
])("a template can be applied if the provider discloses this of it: %s", (_, disclosed) =>
  expect(isDeployed(disclosed, own)).toBe(true),
);

test.each<[string, unknown]>([
  ["another version", { version: 1 }],
  ["a version that is not a number", { version: {} }],
])("a template cannot be applied if the provider discloses this of it: %s", (_, disclosed) =>
  expect(isDeployed(disclosed, own)).toBe(false),
);
