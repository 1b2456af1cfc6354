import { join } from "node:path";
import { PROGRAMS } from "./support.ts";

/** The part of playwright-core that is used here, so that types are checked where it is not installed. */
export interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  innerText(): Promise<string>;
  selectOption(option: { label: string }): Promise<string[]>;
  waitFor(): Promise<void>;
  locator(selector: string): Locator;
  first(): Locator;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  locator(selector: string): Locator;
  evaluate(script: string): Promise<unknown>;
  emulateMedia(media: { colorScheme: "light" | "dark" }): Promise<void>;
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request", listener: (request: { url(): string }) => void): void;
  on(event: "requestfailed", listener: (request: { url(): string }) => void): void;
}

interface Browser {
  newPage(options: { viewport: { width: number; height: number } }): Promise<Page>;
  close(): Promise<void>;
}

interface Playwright {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What a page did that one of ours must not do. */
interface Complaints {
  /** Errors and warnings on its console, violations of its Content-Security-Policy among them, and failed requests. */
  errors: string[];
  /** Addresses that it asked for. */
  requests: string[];
}

/** Debian's Chromium with one empty page. It is closed when the scope that it was opened in ends. */
export const openBrowser = async (executablePath = "/usr/bin/chromium") => {
  const { chromium } = (await import(join(PROGRAMS, "playwright-core", "index.mjs"))) as Playwright;
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const seen: Complaints = { errors: [], requests: [] };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("requestfailed", (request) => seen.errors.push(`failed: ${request.url()}`));
  page.on("request", (request) => seen.requests.push(request.url()));
  return { page, seen, [Symbol.asyncDispose]: () => browser.close() };
};
