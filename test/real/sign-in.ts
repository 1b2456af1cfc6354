import type { Page } from "./browser.ts";

/** Waits for the sign-in page, and shows its field for a key. */
export const showKeyField = async (page: Page) => {
  const button = page.getByRole("button", { name: "Use an API key" });
  const field = page.getByLabel("API key");
  // Without passkeys and a provider, the field is the only way to sign in.
  await button.or(field).first().waitFor();
  if (await button.isVisible()) await button.click();
  await field.waitFor();
};

/** Signs in at the console, at one of its pages. */
export const signIn = async (page: Page, base: string, key: string, path = "") => {
  await page.goto(`${base}/console${path}`);
  await showKeyField(page);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
};

/** Waits for the sign-in page. */
export const signedOut = (page: Page) =>
  page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
