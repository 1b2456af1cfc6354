import { expect, test } from "bun:test";
import { makeProject } from "../domains/projects.ts";
import { DOMAIN, WILDCARD, openDnsIssuing } from "../certificates/dns-issuing.ts";
import { DAY } from "../certificates/issuing.ts";
import { question, read, TCP } from "../../support/dns-questions.ts";

const SITE = `docs.${DOMAIN}`;
/** `1 . alpn="h2,http/1.1"`. */
const DATA = "0001000001000c02683208687474702f312e31";

/** The service with its own name server, before the first certificate. */
const open = async (settings: Record<string, string> = { HTTPS_PORT: "443" }) => {
  const own = { NAMESERVER: "ns1.example.net", PUBLIC_ADDRESSES: "203.0.113.10", DNS_CHALLENGE_HOOK: "" };
  const env = { ...own, ...settings };
  const room = await openDnsIssuing({ validate: async () => true }, { env });
  const ask = (name: string) => {
    const response = room.store.nameserver?.respond(question(name, "TYPE65", { edns: {} }), TCP);
    return read(response)?.answers;
  };
  return { ...room, ask };
};

const recordOf = (name: string) => [`${name} 300 UNKNOWN_65 ${DATA}`];

test("a name of the platform has an HTTPS record from the wildcard's certificate until its end", async () => {
  const { ask, pass, clock } = await open();
  expect(ask(SITE)).toEqual([]);
  await pass();
  expect(ask(SITE)).toEqual(recordOf(SITE));
  clock.advance(91 * DAY);
  expect(ask(SITE)).toEqual([]);
});

test.each([
  ["HTTPS_PORT is 8443", { HTTPS_PORT: "8443" }, []],
  ["BASE_URL has the port 8443", { HTTPS_PORT: "443", BASE_URL: "https://localhost:8443" }, []],
  [
    "BASE_URL has no port, because a router maps it",
    { HTTPS_PORT: "8443", BASE_URL: "https://localhost" },
    recordOf(SITE),
  ],
])("browsers are sent to HTTPS only at port 443: %s", async (_, settings, expected) => {
  const { ask, pass } = await open(settings);
  await pass();
  expect(ask(SITE)).toEqual(expected);
});

test("names that are not served have no HTTPS record", async () => {
  const { ask, pass } = await open();
  await pass();
  for (const name of [
    DOMAIN,
    `stranger.${DOMAIN}`,
    `a.${SITE}`,
    WILDCARD,
    `cname.${DOMAIN}`,
    "ns1.example.net",
  ])
    expect(ask(name) ?? []).toEqual([]);
});

test("a target has an HTTPS record while every domain of its project has a certificate", async () => {
  const { ask, pass, verified, add, store, clock } = await open();
  const { targetLabel } = await store.projects.get("docs");
  await makeProject(store, "other");
  const other = (await store.projects.get("other")).targetLabel;
  const target = `${targetLabel}.cname.${DOMAIN}`;
  await pass();
  expect(ask(target)).toEqual([]);
  await verified("docs.example.org");
  expect(ask(target)).toEqual([]);
  await pass();
  expect(ask(target)).toEqual(recordOf(target));
  expect(ask(`${other}.cname.${DOMAIN}`)).toEqual([]);
  expect(ask(`a.${target}`)).toEqual([]);
  // Its record may point here already, and it has no certificate yet.
  await add("www.example.org");
  expect(ask(target)).toEqual([]);
  await store.call("DELETE", "/platform/projects/docs/domains/www.example.org");
  expect(ask(target)).toEqual(recordOf(target));
  clock.advance(91 * DAY);
  expect(ask(target)).toEqual([]);
});
