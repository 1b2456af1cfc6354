import { expect } from "bun:test";
import { PAGES, fillStore } from "./console-pages.ts";
import { lighthouseScores } from "./lighthouse.ts";
import { real, serve, type Server } from "./support.ts";

const test = real("chromium", "lighthouse");

/** The cookie of a new session. */
const cookieOf = async (server: Server): Promise<string> => {
  const response = await server.call("/console/session", { method: "POST" });
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
};

const FIRST_PAGES = Object.values(PAGES).map(([path = ""]) => path);

for (const path of ["", ...FIRST_PAGES])
  test(`Lighthouse gives the console at least 95 of 100 in each category: ${path || "the page to sign in"}`, async () => {
    const server = await serve();
    await fillStore(server);
    const headers = path === "" ? undefined : { cookie: await cookieOf(server) };
    const scores = await lighthouseScores(`${server.url}/console${path}`, headers);
    expect(Object.entries(scores).filter(([, score]) => score < 0.95)).toEqual([]);
  });
