import { describe, expect, test } from "bun:test";
import { faultOf, messageOf, openOnce } from "../../support/store.ts";
import { openProject } from "./projects.ts";

const openThree = async () => {
  const room = await openProject();
  for (const name of ["docs.example.org", "www.example.org", "b\u00fccher.example.org"]) await room.add(name);
  const roles = async () => {
    const domains = (await (await room.api("GET", "/domains")).json()) as {
      hostname: string;
      role: string;
    }[];
    return Object.fromEntries(domains.map(({ hostname, role }) => [hostname, role]));
  };
  const put = (body: string, type = "application/yaml") =>
    room.api("PUT", "/config", { body, headers: { "content-type": type } });
  return { ...room, roles, put };
};

const CONFIG = {
  domains: {
    primary: "www.example.org",
    redirects: [{ from: "docs.example.org", to: "www.example.org", status: 301 }],
  },
};

const YAML = `# The site's names.
domains:
  primary: WWW.example.org.
  redirects:
    - from: docs.example.org
      to: www.example.org
      status: 301
`;

const ROLES = {
  "docs.example.org": "redirect",
  "www.example.org": "primary",
  "xn--bcher-kva.example.org": "served",
};

const bare = openOnce(openProject);

describe("the configuration", () => {
  test("of a project without domains is empty", async () => {
    const { api } = await openProject();
    expect(await (await api("GET", "/config")).json()).toEqual({ domains: { redirects: [] } });
  });

  test("is put as JSON, and is in force: roles, history and what it answers", async () => {
    const { api, roles, events } = await openThree();
    const answer = await api("PUT", "/config", { json: CONFIG });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(CONFIG);
    expect(await (await api("GET", "/config")).json()).toEqual(CONFIG);
    expect(await roles()).toEqual(ROLES);
    expect((await events("docs.example.org")).at(-1)).toBe("became_redirect awaiting_dns");
    expect((await events("www.example.org")).at(-1)).toBe("became_primary awaiting_dns");
    expect(await events("b\u00fccher.example.org")).toEqual(["added awaiting_dns"]);
  });

  test("is put again without an event", async () => {
    const { api, events } = await openThree();
    await api("PUT", "/config", { json: CONFIG });
    const before = await events("docs.example.org");
    await api("PUT", "/config", { json: CONFIG });
    expect(await events("docs.example.org")).toEqual(before);
  });

  test.each(["application/yaml", "application/x-yaml", "text/yaml", "Text/YAML; charset=UTF-8"])(
    "is put as %s",
    async (type) => {
      const { put, roles } = await openThree();
      const answer = await put(YAML, type);
      expect(await answer.json()).toEqual(CONFIG);
      expect(await roles()).toEqual(ROLES);
    },
  );

  test("is put as YAML however it is laid out", async () => {
    const { put, roles } = await openThree();
    const entry = (from: string) => `  - from: ${from}\n    to: www.example.org\n    status: 301\n`;
    const text = `domains:\n  redirects:\n${entry("docs.example.org")}${entry("b\u00fccher.example.org")}  primary: www.example.org\n`;
    expect((await put(text)).status).toBe(200);
    expect(await roles()).toEqual({ ...ROLES, "xn--bcher-kva.example.org": "redirect" });
    const flow = '{"domains": {primary: docs.example.org, redirects: []}}';
    expect((await put(flow)).status).toBe(200);
    expect(await roles()).toMatchObject({ "docs.example.org": "primary", "www.example.org": "served" });
  });

  test("comes as YAML to whoever prefers it, and goes back as it came", async () => {
    const { api, put } = await openThree();
    await api("PUT", "/config", { json: CONFIG });
    const answer = await api("GET", "/config", {
      headers: { accept: "application/json;q=0.5, application/yaml" },
    });
    expect(answer.headers.get("content-type")).toBe("application/yaml");
    expect(answer.headers.get("x-stability")).toBe("beta");
    expect(answer.headers.get("vary")).toBe("Authorization, Accept");
    const text = await answer.text();
    expect(Bun.YAML.parse(text)).toEqual(CONFIG);
    expect((await put(text)).status).toBe(200);
  });

  test.each(["application/json", "*/*", "application/json, application/yaml", "application/yaml;q=0", ""])(
    "comes as JSON to whoever accepts %p",
    async (accept) => {
      const { api } = bare();
      const answer = await api("GET", "/config", { headers: { accept } });
      expect(answer.headers.get("content-type")).toContain("application/json");
    },
  );

  test("that leaves a domain out has it serve the site", async () => {
    const { api, roles } = await openThree();
    const served = { "xn--bcher-kva.example.org": "served" };
    for (const primary of ["www.example.org", "docs.example.org"]) {
      await api("PUT", "/config", { json: CONFIG });
      await api("PUT", "/config", { json: { domains: { primary } } });
      expect(await roles()).toEqual({
        ...served,
        "docs.example.org": "served",
        "www.example.org": "served",
        [primary]: "primary",
      });
    }
  });

  test("reversed by two clients at once ends as one of both, whole", async () => {
    const { api, roles } = await openThree();
    const other = {
      domains: {
        primary: "docs.example.org",
        redirects: [{ from: "www.example.org", to: "docs.example.org", status: 301 }],
      },
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all([CONFIG, other].map((json) => api("PUT", "/config", { json })));
      const { "docs.example.org": docs, "www.example.org": www } = await roles();
      expect([docs, www].toSorted()).toEqual(["primary", "redirect"]);
    }
  });

  test("during a removal names no removed domain", async () => {
    for (let round = 0; round < 5; round++) {
      const { api, roles } = await openThree();
      const [put] = await Promise.all([
        api("PUT", "/config", { json: CONFIG }),
        api("DELETE", "/domains/docs.example.org"),
      ]);
      expect([200, 400]).toContain(put.status);
      expect(await roles()).not.toHaveProperty("docs.example.org");
    }
  });
});

describe("a configuration that is wrong changes nothing", () => {
  const three = openOnce(openThree);

  test("and every fault of it is named", async () => {
    const { api, roles } = three();
    const answer = await api("PUT", "/config", {
      json: {
        domains: {
          primary: "www.example.org",
          redirects: [
            { from: "x.example.org", to: "www.example.org", status: 302 },
            { from: "docs.example.org", to: "docs.example.org", status: 301 },
          ],
          "a b": 1,
        },
      },
    });
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toBe(
      '"domains.a b": is unknown; known: primary, redirects; domains.redirects[0].from: x.example.org is not a domain of this project; domains.redirects[0].status: must be 301; domains.redirects[1].to: docs.example.org comes back to itself: a loop',
    );
    expect(await roles()).toMatchObject({ "docs.example.org": "primary" });
  });

  test("and the first 20 of many faults are named", async () => {
    const { api } = three();
    const redirects = Array.from({ length: 100 }, () => ({ from: "x", to: "y", status: 0 }));
    const message = await messageOf(
      await api("PUT", "/config", { json: { domains: { primary: "www.example.org", redirects } } }),
    );
    expect(message).toEndWith("; and 280 more");
    expect(message.length).toBeLessThan(3000);
  });

  test.each<[what: string, text: string, said: string]>([
    ["an alias", "a: &a [1]\nb: *a", "anchors and aliases are not supported"],
    ["an alias alone", "domains: *b", 'it has "*b", but anchors and aliases are not supported'],
    ["a key twice on one line", "domains: {primary: a, primary: b}", '"primary": appears twice'],
    ["a merge", "<<: {domains: {}}", "merges are not supported"],
    ["a broken document", "domains: [", "The body is not valid YAML"],
    ["a tab", "domains:\n\tprimary: x", "The body is not valid YAML"],
    ["nesting without end", "[".repeat(30_000), "more than 5000 parts"],
    ["lists without end", "- ".repeat(20_000), "more than 5000 parts"],
    ["several documents", `${YAML}---\na: 1\n`, "domains: must be a mapping"],
    ["a list", "- domains", "domains: must be a mapping"],
    ["nothing", "", "domains: must be a mapping"],
    ["a tag", "domains: !!js/function 'function () {}'", "domains: must be a mapping"],
    ["a prototype", "__proto__:\n  domains: {}\n", "__proto__: is unknown"],
    ["a key twice", `${YAML}  "primary" : docs.example.org\n`, '"primary": appears twice in one mapping'],
    [
      "a key twice in a list's entry",
      `${YAML}    - from: docs.example.org\n      from: x\n`,
      '"from": appears twice in one mapping',
    ],
    ["a line without end", `domains: {${" ".repeat(60_000)}`, "The body is not valid YAML"],
    ["a key without end", `a${" ".repeat(60_000)}`, "domains: must be a mapping"],
    ["a status in words", YAML.replace("301", "'301'"), "domains.redirects[0].status: must be 301"],
    ["a status of another kind", YAML.replace("301", "302"), "domains.redirects[0].status: must be 301"],
  ])("as YAML with %s", async (_, text, said) => {
    const { put, roles } = three();
    const answer = await put(text);
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toContain(said);
    expect(await roles()).toMatchObject({ "docs.example.org": "primary" });
  });

  test("as JSON with a key twice", async () => {
    const { put } = three();
    const answer = await put(
      '{"domains":{"primary":"www.example.org","primary":"docs.example.org"}}',
      "application/json",
    );
    expect(await messageOf(answer)).toContain('"primary": appears twice');
  });

  test("with an unsupported content type: the response names the supported ones", async () => {
    const { put } = three();
    for (const type of ["text/plain", "application/yaml; charset=latin1", "multipart/form-data"]) {
      const answer = await put(YAML, type);
      expect(answer.headers.get("accept")).toBe(
        "application/json, application/yaml, application/x-yaml, text/yaml",
      );
      expect(await faultOf(answer)).toBe("415 unsupported_media_type");
    }
  });

  test("as one that is too large", async () => {
    const { put } = three();
    expect(await faultOf(await put(`#${"x".repeat(70_000)}\n${YAML}`))).toBe("413 payload_too_large");
  });
});
