import { describe, expect, test } from "bun:test";
import { MAX_DOMAINS } from "../../../src/platform/domains/service.ts";
import { hostnameOf, pairOf } from "../../../src/lib/hostname.ts";
import { messageOf } from "../../support/store.ts";
import { type WireDomain, openProject } from "./projects.ts";

test.each([
  ["example.org", "www.example.org"],
  ["www.example.org", "example.org"],
  ["example.co.uk", "www.example.co.uk"],
  ["docs.example.org", undefined],
  ["www.docs.example.org", undefined],
])("the pair of %s is %p", (name, pair) => {
  expect(pairOf(hostnameOf(name))).toBe(pair);
});

const open = async (env: Record<string, string> = {}) => {
  const project = await openProject({ env });
  const addPair = (hostname: string) => project.api("POST", "/domains", { json: { hostname, pair: true } });
  const roles = async () =>
    ((await (await project.api("GET", "/domains")).json()) as WireDomain[]).map(
      ({ hostname, role }) => `${hostname} ${role}`,
    );
  return { ...project, addPair, roles };
};

describe("a domain that is added with its pair", () => {
  test.each([
    ["example.org", "www.example.org"],
    ["www.example.org", "example.org"],
  ])("%s brings %s, which redirects to it", async (hostname, pair) => {
    const { addPair, roles, events } = await open();
    const response = await addPair(hostname);
    expect(response.status).toBe(201);
    expect(response.headers.get("location")).toEndWith(`/domains/${hostname}`);
    expect(await response.json()).toMatchObject({ hostname, pair });
    expect(await roles()).toEqual([`${hostname} primary`, `${pair} redirect`]);
    expect(await events(pair)).toEqual(["added awaiting_dns"]);
  });

  test("redirects to the primary domain of the project", async () => {
    const { add, addPair, roles, api } = await open();
    await add("docs.example.net");
    await addPair("example.org");
    expect(await roles()).toEqual([
      "docs.example.net primary",
      "example.org served",
      "www.example.org redirect",
    ]);
    expect(await (await api("GET", "/config")).json()).toEqual({
      domains: {
        primary: "docs.example.net",
        redirects: [{ from: "www.example.org", to: "docs.example.net", status: 301 }],
      },
    });
  });

  test("serves the site with both names if the project has no primary domain", async () => {
    const { add, addPair, roles, api } = await open();
    await add("a.example.net");
    await add("b.example.net");
    await api("DELETE", "/domains/a.example.net");
    await addPair("example.org");
    expect(await roles()).toEqual(["b.example.net served", "example.org served", "www.example.org served"]);
  });

  test("gets only its pair if the project has it already; a third time nothing changes", async () => {
    const { add, addPair, roles } = await open();
    await add("example.org");
    expect((await addPair("example.org")).status).toBe(201);
    expect((await addPair("example.org")).status).toBe(200);
    expect(await roles()).toEqual(["example.org primary", "www.example.org redirect"]);
  });

  test("leaves the role of a pair that the project has already", async () => {
    const { add, addPair, roles } = await open();
    await add("www.example.org");
    await addPair("example.org");
    expect(await roles()).toEqual(["www.example.org primary", "example.org served"]);
  });

  test.each(["docs.example.org", "www.docs.example.org", "blog.ac.nl", "www.a.or.ch"])(
    "%s has none, and is added alone",
    async (name) => {
      const { addPair, roles } = await open();
      expect((await addPair(name)).status).toBe(201);
      expect(await roles()).toEqual([`${name} primary`]);
    },
  );

  test("is not added alone if a project cannot have its pair", async () => {
    const { addPair, roles } = await open({ BASE_URL: "https://store.example.org" });
    const response = await addPair("www.example.org");
    expect(response.status).toBe(400);
    expect(response.headers.get("invalid-fields")).toContain('"pair";rule=reserved;reason=own_name');
    expect(await roles()).toEqual([]);
  });

  test("is not added alone if there is room for one only", async () => {
    const { add, addPair, roles } = await open();
    for (let at = 1; at < MAX_DOMAINS; at++) await add(`d${at}.example.net`);
    const limit = `A project can have at most ${MAX_DOMAINS} domains.`;
    expect(await (await addPair("example.org")).json()).toMatchObject({
      code: "domain_limit_reached",
      message: `${limit} There is room for one more. Add example.org without www.example.org.`,
    });
    expect(await roles()).not.toContain("example.org served");
    expect((await add("example.org")).status).toBe(201);
    expect(await messageOf(await addPair("example.org"))).toBe(limit);
    expect(await messageOf(await addPair("example.com"))).toBe(limit);
  });
});
