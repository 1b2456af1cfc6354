import type { Page } from "./browser.ts";

/** Signs in at the console, at one of its pages. */
export const signIn = async (page: Page, base: string, key: string, path = "") => {
  await page.goto(`${base}/console${path}`);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
};
