import { expect } from "bun:test";
import { join } from "node:path";
import { MAX_MS, PROGRAMS, until } from "./programs.ts";

/** The part of playwright-core that is used here, so that types are checked where it is not installed. */
export interface Locator {
  click(options?: { modifiers: ("Shift" | "Control")[] }): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  focus(): Promise<void>;
  hover(): Promise<void>;
  check(): Promise<void>;
  innerText(): Promise<string>;
  count(): Promise<number>;
  selectOption(option: { label: string } | string): Promise<string[]>;
  setInputFiles(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>;
  waitFor(options?: { state?: "visible" | "hidden"; timeout?: number }): Promise<void>;
  inputValue(): Promise<string>;
  isVisible(): Promise<boolean>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByLabel(label: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  filter(options: { hasText: string }): Locator;
  first(): Locator;
  or(other: Locator): Locator;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  goBack(): Promise<unknown>;
  goForward(): Promise<unknown>;
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  mouse: { move(x: number, y: number): Promise<void>; wheel(x: number, y: number): Promise<void> };
  reload(): Promise<unknown>;
  url(): string;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByLabel(label: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  waitForFunction(script: string): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  waitForTimeout(ms: number): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  emulateMedia(media: { colorScheme?: "light" | "dark"; media?: "print" | "screen" }): Promise<void>;
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>;
  context(): Context;
  /** Handles the requests to matching addresses. */
  route(
    url: string,
    handler: (route: {
      continue(): Promise<void>;
      abort(): Promise<void>;
      /** Asks the server. */
      fetch(): Promise<object>;
      fulfill(options: { response: object } | { contentType: string; body: string }): Promise<void>;
    }) => unknown,
    options?: { times: number },
  ): Promise<void>;
  waitForEvent(event: "download"): Promise<{ suggestedFilename(): string; path(): Promise<string> }>;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  /** A question of the browser itself, such as before the page is left. */
  on(
    event: "dialog",
    listener: (dialog: { type(): string; accept(): Promise<void>; dismiss(): Promise<void> }) => void,
  ): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request", listener: (request: { url(): string; method(): string }) => void): void;
  on(
    event: "requestfailed",
    listener: (request: { url(): string; failure(): { errorText: string } | null }) => void,
  ): void;
}

interface Context {
  newPage(): Promise<Page>;
  /** Speaks the DevTools protocol with a page. */
  newCDPSession(page: Page): Promise<{ send(method: string, params?: object): Promise<unknown> }>;
  setOffline(isOffline: boolean): Promise<void>;
}

interface Browser {
  newContext(options: {
    viewport: { width: number; height: number };
    javaScriptEnabled: boolean;
  }): Promise<Context>;
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

/** Debian's Chromium with one empty page, whose scripts run unless `scripts` is false. It is closed when the scope that it was opened in ends. */
export const launchBrowser = async (
  executablePath = "/usr/bin/chromium",
  { flags = [], scripts = true }: { flags?: string[]; scripts?: boolean } = {},
) => {
  const { chromium } = (await import(join(PROGRAMS, "playwright-core", "index.mjs"))) as Playwright;
  const browser = await chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    javaScriptEnabled: scripts,
  });
  const page = await context.newPage();
  const seen: Complaints = { errors: [], requests: [] };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("requestfailed", (request) => {
    // The page itself aborts what it no longer needs, such as the events of a list that it left.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") seen.errors.push(`failed: ${request.url()}`);
  });
  page.on("request", (request) => seen.requests.push(request.url()));
  return { page, seen, [Symbol.asyncDispose]: () => browser.close() };
};

/** Reads until it is what is expected, at most `ms`. A failure shows the last value. */
export const eventually = async (read: () => unknown, expected: unknown, ms = MAX_MS): Promise<void> => {
  for (const end = performance.now() + ms; ; await Bun.sleep(20))
    try {
      return expect(await read()).toEqual(expected);
    } catch (error) {
      if (performance.now() > end) throw error;
    }
};

/** The faults that a script finds on a page and that stay: a page may still settle. */
export const lastingFaults = async (page: Page, script: string, ms = 3000): Promise<string[]> => {
  for (const end = performance.now() + ms; ; await Bun.sleep(20)) {
    const faults = (await page.evaluate(script)) as string[];
    if (faults.length === 0 || performance.now() > end) return faults;
  }
};

/**
 * Waits until an expression is true on the page. The policy of the console's pages forbids `waitForFunction`, which
 * evaluates inside the page whenever its first look finds the expression false.
 */
export const untilTrue = (page: Page, expression: string): Promise<void> =>
  until(expression, async () => (await page.evaluate(expression)) === true);
