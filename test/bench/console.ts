import { type Page, launchBrowser } from "../real/browser.ts";
import { signIn } from "../real/sign-in.ts";
import { type Bench, serve, withServers } from "./bench.ts";
import { median } from "./contest.ts";
import { type Server } from "./processes.ts";
import { installBrowserDriver } from "./requirements.ts";
import { atMost, section, whole } from "./table.ts";

const ANIMALS = 1000;
const MAX_MS = 300;
const MAX_BYTES = 100_000;

/** Milliseconds from the beginning of the navigation to the first thing that is painted. */
const FIRST_PAINT = `new Promise((done) =>
  new PerformanceObserver((list) => done(list.getEntries()[0].startTime)).observe({ type: "paint", buffered: true }))`;

const sizeOf = async ({ url }: Server): Promise<number> => {
  const page = await (await fetch(`${url}/console`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
  const sizes = files.map(async (path) => {
    const answer = await fetch(`${url}${path}`, { headers: { "accept-encoding": "br" }, decompress: false });
    return (await answer.bytes()).length;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
};

const firstPaint = async (page: Page, url: string): Promise<number> => {
  await page.goto(url);
  return Number(await page.evaluate(FIRST_PAINT));
};

/** What the console's page weighs, and when something of it is seen. */
export const consolePage = async (bench: Bench): Promise<string> => {
  await installBrowserDriver();
  const data = bench.databases.make("console", ANIMALS);
  const server = await serve(bench, data);
  return withServers([server], async () => {
    const times = { signIn: [] as number[], animals: [] as number[] };
    for (let run = 0; run < bench.pace.rounds; run++) {
      await using browser = await launchBrowser();
      const { page } = browser;
      times.signIn.push(await firstPaint(page, `${server.url}/console`));
      await signIn(page, server.url, data.key);
      times.animals.push(await firstPaint(page, `${server.url}/console/animals`));
    }
    const bytes = await sizeOf(server);
    const row = (name: string, found: number[]) => [
      name,
      `${whole(median(found))} ms`,
      atMost(median(found), MAX_MS, " ms"),
    ];
    return section(
      "The console",
      `In Chromium, in a new browser each time, with ${whole(ANIMALS)} animals. The size is that of script and style together as they are sent (\`br\`).`,
      [
        ["", "figure", "target"],
        row("first paint of the page to sign in, empty cache", times.signIn),
        row("first paint of the animals, script and style cached", times.animals),
        ["script and style", `${whole(bytes)} bytes`, atMost(bytes, MAX_BYTES, " bytes")],
      ],
    );
  });
};
