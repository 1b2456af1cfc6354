import { describe, expect, test } from "bun:test";
import type { ConnectRequest } from "../../../src/platform/dns-records/provider-guide.ts";
import { openProject } from "./projects.ts";

/** A DNS provider that supports the templates, and what it was asked. */
const openConnected = async (offered = true, env: Record<string, string> = {}) => {
  const asked: ConnectRequest[] = [];
  const opened = await openProject({
    env,
    offerConnect: async (request) => {
      asked.push(request);
      return offered ? { provider: "Provider", url: "https://dns.test/apply?sig=x" } : undefined;
    },
  });
  const check = async (body: object) =>
    (await (await opened.store.call("POST", "/platform/domain-checks", { json: body })).json()) as object;
  const { targetLabel: label } = await opened.store.projects.get("docs");
  return { ...opened, asked, check, label };
};

const OFFER = { domainConnect: { provider: "Provider", url: "https://dns.test/apply?sig=x" } };

describe("a domain whose provider supports Domain Connect", () => {
  test("says where its records can be created while it waits for them", async () => {
    const { add, show, fakeDns, verify, asked, label } = await openConnected();
    expect(await (await add("docs.example.org")).json()).toMatchObject(OFFER);
    expect(await show("docs.example.org")).toMatchObject(OFFER);
    const [request] = asked;
    expect(request).toMatchObject({ hostname: { ascii: "docs.example.org" }, label, slug: "docs" });
    fakeDns.outcome = "records_right";
    expect(await (await verify("docs.example.org")).json()).not.toHaveProperty("domainConnect");
    expect(await show("docs.example.org")).not.toHaveProperty("domainConnect");
  });

  test("says it again once its records are gone", async () => {
    const { add, show, fakeDns, verify } = await openConnected();
    await add("docs.example.org");
    fakeDns.outcome = "records_right";
    await verify("docs.example.org");
    fakeDns.outcome = "records_missing";
    await verify("docs.example.org");
    expect(await show("docs.example.org")).toMatchObject({ stage: "live", ...OFFER });
  });

  test("does not say it in a list, which would ask a provider for each domain", async () => {
    const { add, api, asked } = await openConnected();
    await add("docs.example.org");
    asked.length = 0;
    const [domain] = (await (await api("GET", "/domains")).json()) as object[];
    expect(domain).not.toHaveProperty("domainConnect");
    expect(asked).toEqual([]);
  });

  test("has no address if the provider offers none", async () => {
    const { add } = await openConnected(false);
    expect(await (await add("docs.example.org")).json()).not.toHaveProperty("domainConnect");
  });
});

describe("a check before a domain is added", () => {
  test("says where the records can be created, for a target of this service", async () => {
    const { check, label, asked } = await openConnected();
    const target = `${label}.cname.localhost`;
    expect(await check({ hostname: "docs.example.org", target })).toMatchObject(OFFER);
    expect(asked).toMatchObject([{ hostname: { ascii: "docs.example.org" }, label }]);
  });

  test.each([
    ["no target", undefined],
    ["a target elsewhere", "k3v.example.net"],
    ["a target below a target", "a.k3v.cname.localhost"],
    ["the domain of all targets", "cname.localhost"],
  ])("asks no provider with %s", async (_, target) => {
    const { check, asked } = await openConnected();
    expect(await check({ hostname: "docs.example.org", target })).not.toHaveProperty("domainConnect");
    expect(asked).toEqual([]);
  });

  test("asks no provider if the records are right", async () => {
    const { check, label, asked, fakeDns } = await openConnected();
    fakeDns.outcome = "records_right";
    await check({ hostname: "docs.example.org", target: `${label}.cname.localhost` });
    expect(asked).toEqual([]);
  });

  test("asks no provider for people without a key", async () => {
    const { store, label, asked } = await openConnected(true, { PUBLIC_DOMAIN_CHECK: "on" });
    const body = new URLSearchParams({ hostname: "docs.example.org", target: `${label}.cname.localhost` });
    const response = await store.visit("http://localhost/domain-check", { method: "POST", body });
    expect(await response.text()).toContain("missing");
    expect(asked).toEqual([]);
  });
});
