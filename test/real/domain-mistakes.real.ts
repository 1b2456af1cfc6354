import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dnsServer } from "../support/dns.ts";
import { publish } from "./site.ts";
import { surroundings } from "./authorities.ts";
import { type Page } from "./browser.ts";
import {
  ANOTHER,
  CLOUDFLARE,
  type DnsPanel,
  dnsPanel,
  GODADDY,
  PROXY,
  ROUTE_53,
  type Row,
} from "./dns-panels.ts";
import { followSteps, followTable, type Instructions } from "./domain-holder.ts";
import { signIn } from "./sign-in.ts";
import { freeServers, settingsFor } from "./dns-servers.ts";
import { kept, openBrowser, directory, real, serve, until } from "./support.ts";

const SCREENSHOTS = process.env["SCREENSHOTS"];
const ADDRESS = "127.0.0.1";
const OLD = { a: "192.0.2.7", aaaa: "2001:db8::7" };

/** What a holder has at the provider, and the host name: `docs`, or `@` for the zone itself. */
interface Mistake {
  what: string;
  name: "docs" | "@";
  rows(target: string, zone: string): Row[];
  /** What the page names first. */
  says: RegExp;
}

const row = (type: string, name: string, value: string): Row => ({ type, name, value });

/** Every zone also has records that must stay. */
const MAIL = row("TXT", "mail", '"v=spf1 -all"');

const MISTAKES: Mistake[] = [
  {
    what: "the addresses of the old host are left",
    name: "docs",
    rows: () => [row("A", "docs", OLD.a), row("A", "docs", "192.0.2.8"), row("AAAA", "docs", OLD.aaaa)],
    says: /^The A and AAAA records of docs\S+ are in the way$/,
  },
  {
    what: "the whole name was typed",
    name: "docs",
    rows: (target, zone) => [row("CNAME", `docs.${zone}`, target)],
    says: /^The CNAME record for docs\S+ is at docs\d\.(\w+)\.test\.\1\.test$/,
  },
  {
    what: "the panel has added the zone to the target",
    name: "docs",
    rows: (target, zone) => [row("CNAME", "docs", `${target}.${zone}`)],
    says: /^docs\S+'s CNAME record points to \S+\.pages\.test\.\w+\.test$/,
  },
  {
    what: "the zone itself has addresses of the old host and the right one",
    name: "@",
    rows: () => [row("A", "@", ADDRESS), row("A", "@", OLD.a), row("AAAA", "@", OLD.aaaa)],
    says: /^Some addresses of \w+\.test point elsewhere$/,
  },
  {
    what: "the zone itself leads elsewhere",
    name: "@",
    rows: () => [row("A", "@", OLD.a)],
    says: /^\w+\.test points to 192\.0\.2\.7$/,
  },
  {
    what: "the TXT record has the whole name",
    name: "@",
    rows: (target, zone) => [row("A", "@", ADDRESS), row("TXT", `_adoption-store.${zone}`, `"${target}"`)],
    says: /^The TXT record for _adoption-store\.(\w+)\.test is at _adoption-store\.\1\.test\.\1\.test$/,
  },
];

/** Matters only if there is a certificate to get. */
const CAA: Mistake = {
  what: "CAA records forbid the CA",
  name: "docs",
  rows: (target) => [row("CNAME", "docs", target), row("CAA", "@", '0 issue "other.test"')],
  says: /^The CAA records of \w+\.test \(0 issue "other\.test"\) forbid the certificate$/,
};

/** At Cloudflare the proxy hides the record. Elsewhere the old host is behind that proxy. */
const proxyMistakes = ({ rules }: DnsPanel): Mistake[] =>
  rules.isProxying
    ? [
        {
          what: "the record is behind the proxy",
          name: "docs",
          rows: (target) => [{ ...row("CNAME", "docs", target), isProxied: true }],
          says: /is behind Cloudflare's proxy/,
        },
        {
          what: "the record of the old host is behind the proxy",
          name: "docs",
          rows: () => [{ ...row("A", "docs", OLD.a), isProxied: true }],
          says: /is behind Cloudflare's proxy/,
        },
      ]
    : [
        {
          what: "the old host is behind a proxy of another company",
          name: "docs",
          rows: () => [row("A", "docs", PROXY.a)],
          // Only the provider knows whether it is its proxy.
          says: rules === ANOTHER ? /is behind Cloudflare's proxy/ : /^An A record of docs\S+ is in the way$/,
        },
      ];

/** Name servers, and the settings of a server that asks them; with a CA if it has HTTPS. */
const settingsOf = async (path: string, isSecured: boolean) => {
  if (isSecured) {
    const { servers, env } = await surroundings(path);
    return { servers, env };
  }
  const servers = await freeServers();
  return { servers, env: settingsFor(servers) };
};

/** The server, a project on Pro, and zones whose panels the test fills in. */
const open = async (path: string, panels: readonly DnsPanel[], isSecured = false) => {
  const { servers, env } = await settingsOf(path, isSecured);
  const server = await serve({ cwd: path, env });
  const target = await publish(server, "shelter");
  const zones: Record<string, string[]> = {
    test: ["test NS ns.test", "ns.test A 127.0.0.1"],
    "pages.test": ["pages.test NS ns.test", `${target} A ${ADDRESS}`],
    ...Object.fromEntries(
      panels.map(({ rules: { nameServer } }) => [
        nameServer.slice(nameServer.indexOf(".") + 1),
        [`${nameServer} A 127.0.0.1`],
      ]),
    ),
  };
  const dns = [
    kept(await dnsServer({ zones, ...servers.authority })),
    kept(await dnsServer({ zones, cache: { zones: {}, names: [] }, ...servers.resolver })),
  ];
  return {
    server,
    target,
    /** The provider's name servers have what its panel has. */
    publish({ zone, lines }: DnsPanel) {
      for (const one of dns) one.zones[zone] = lines([ADDRESS]);
    },
  };
};

type Place = Awaited<ReturnType<typeof open>>;

interface Shown extends Instructions {
  status: string;
  titles: string[];
  text: string;
}

const STATUS = 'document.querySelector("main header.part .badge").innerText';

const READ = `({
  status: ${STATUS},
  titles: [...document.querySelectorAll("main .notice h3")].map((one) => one.innerText),
  text: document.querySelector("main").innerText,
  rows: [...document.querySelectorAll("main .notice tbody tr")].map((row) => Object.fromEntries([...row.cells].map((cell) => [cell.dataset.column.toLowerCase(), (cell.querySelector("code") ?? cell).innerText.trim()]))),
  steps: [...document.querySelectorAll("main .guide li")].map((one) => one.innerText),
})`;

const read = async (page: Page) => (await page.evaluate(READ)) as Shown;

const CHECKED = 'document.querySelector("main .checked time")?.dateTime';

/** Chooses Verify, and waits until the page shows the result, and what comes of it. */
const verify = async (page: Page): Promise<Shown> => {
  const before = await page.evaluate(CHECKED);
  await page.getByRole("button", { name: /^(Re-verify|Verify)$/ }).click();
  // A certificate that comes by itself meanwhile overtakes the check.
  const isOver = async () =>
    (await page.evaluate(CHECKED)) !== before ||
    ["Checking", "Active"].includes(String(await page.evaluate(STATUS)));
  await until("the check is over", isOver, 30_000);
  await until(
    "the page knows what is next",
    async () => (await page.evaluate(STATUS)) !== "Checking",
    30_000,
  );
  return read(page);
};

const look = async (page: Page, name: string) => {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(SCREENSHOTS, `${name} ${width}.png`), fullPage: true });
  }
};

/** More than any of these mistakes should take. */
const MAX_ROUNDS = 3;

/** Does what the page says, verifies, and so on, until the page says that the domain is active. */
const repair = async (page: Page, place: Place, panel: DnsPanel, mistake: Mistake, at: number) => {
  const { rules, zone } = panel;
  const hostname = mistake.name === "@" ? zone : `docs${at}.${zone}`;
  const seed = mistake.rows(place.target, zone).map((one) => ({
    ...one,
    name: one.name.replace(/^docs/, `docs${at}`),
  }));
  panel.reset([...seed, MAIL]);
  place.publish(panel);
  const domains = "/platform/projects/shelter/domains";
  await place.server.call(`${domains}/${hostname}`, { method: "DELETE" });
  await place.server.send(domains, { hostname });
  await page.goto(`${place.server.url}/console/projects/shelter/domains/${hostname}`);
  await page.locator("main header.part .badge").first().waitFor();
  const rounds: Shown[] = [];
  for (let shown = await verify(page); shown.status !== "Active";) {
    rounds.push(shown);
    await look(page, `${rules.provider} ${at} ${rounds.length}`);
    if (rounds.length > MAX_ROUNDS) break;
    if (rules === ANOTHER) followTable(panel, shown.rows, shown.text, `docs${at}`);
    else followSteps(panel, shown.steps);
    place.publish(panel);
    shown = await verify(page);
  }
  return { says: rounds[0]?.titles[0] ?? "", rounds: rounds.map(({ titles }) => titles), rows: panel.rows() };
};

const PANELS = [
  dnsPanel("amber.test", CLOUDFLARE),
  dnsPanel("birch.test", GODADDY),
  dnsPanel("cedar.test", ROUTE_53),
  dnsPanel("dogwood.test", ANOTHER),
];

/** Makes each mistake at each provider, and repairs it. @returns what went wrong */
const repairAll = async (
  mistakesAt: (panel: DnsPanel) => Mistake[],
  isSecured: boolean,
): Promise<string[]> => {
  const place = directory();
  const service = await open(place, PANELS, isSecured);
  const { page, seen } = await openBrowser();
  await signIn(page, service.server.url, service.server.key);
  const failures: string[] = [];
  for (const panel of PANELS)
    for (const [at, mistake] of mistakesAt(panel).entries()) {
      const problem = await problemWith(page, service, panel, mistake, at);
      if (problem !== undefined) failures.push(`${panel.rules.provider}, ${mistake.what}: ${problem}`);
    }
  return [...failures, ...seen.errors];
};

/** Why a holder fails to repair a mistake; undefined if that works. */
const problemWith = async (page: Page, place: Place, panel: DnsPanel, mistake: Mistake, at: number) => {
  try {
    const { says, rounds, rows } = await repair(page, place, panel, mistake, at);
    if (!mistake.says.test(says)) return `the page says ${says}`;
    if (rounds.length > MAX_ROUNDS) return `it never ends: ${JSON.stringify(rounds)}`;
    const isLeft = rows.some(({ name }) => name === MAIL.name);
    return isLeft ? undefined : "a record is gone that has nothing to do with the domain";
  } catch (error) {
    return String(error);
  }
};

const test = real("chromium", "playwright-core");
const withPebble = real("chromium", "playwright-core", "pebble", "setpriv");

test("holders of zones at three known providers and another repair typical mistakes by the page alone", async () => {
  expect(await repairAll((panel) => [...MISTAKES, ...proxyMistakes(panel)], false)).toEqual([]);
});

withPebble("holders allow the CA by the page alone, and get a certificate", async () => {
  expect(await repairAll(() => [CAA], true)).toEqual([]);
});
