import { join } from "node:path";
import { PROGRAMS } from "./support.ts";

type Scores = Record<string, number>;

interface Report {
  lhr: { categories: Record<string, { score: number | null }> };
}

type Run = (
  url: string,
  flags: {
    port: number;
    onlyCategories: string[];
    logLevel: string;
    maxWaitForLoad: number;
    extraHeaders: Record<string, string>;
  },
) => Promise<Report | undefined>;

type Launch = (options: {
  chromePath: string;
  chromeFlags: string[];
}) => Promise<{ port: number; kill(): void }>;

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
/** A busy machine costs points once, a slow page always does. */
const RUNS = 5;
const ENOUGH = 0.95;
/** A page that follows events is never idle, so Lighthouse would wait for 45 s. */
const MAX_LOAD_MS = 10_000;

const packageOf = (path: string): Promise<unknown> => import(join(PROGRAMS, path));

const best = (a: Scores, b: Scores): Scores =>
  Object.fromEntries(CATEGORIES.map((name) => [name, Math.max(a[name] ?? 0, b[name] ?? 0)]));

/** What Lighthouse gives a page on a phone, from 0 to 1: the best of up to five runs. `extraHeaders` may hold a session's cookie. */
export const lighthouseScores = async (
  url: string,
  extraHeaders: Record<string, string> = {},
): Promise<Scores> => {
  const { default: lighthouse } = (await packageOf("lighthouse/core/index.js")) as { default: Run };
  const { launch } = (await packageOf("chrome-launcher/dist/index.js")) as { launch: Launch };
  const chrome = await launch({
    chromePath: "/usr/bin/chromium",
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic"],
  });
  try {
    let scores: Scores = {};
    for (let run = 0; run < RUNS; run++) {
      const report = await lighthouse(url, {
        port: chrome.port,
        onlyCategories: CATEGORIES,
        logLevel: "error",
        maxWaitForLoad: MAX_LOAD_MS,
        extraHeaders,
      });
      const categories = report?.lhr.categories ?? {};
      scores = best(
        scores,
        Object.fromEntries(CATEGORIES.map((name) => [name, categories[name]?.score ?? 0])),
      );
      if (Object.values(scores).every((score) => score >= ENOUGH)) break;
    }
    return scores;
  } finally {
    chrome.kill();
  }
};
