import { expect } from "bun:test";
import { violationsOf } from "./axe.ts";
import { untilTrue } from "./browser.ts";
import { acceptInvitation, addAuthenticator, consoleOf } from "./passkeys.ts";
import { openBrowser, real, serve, until } from "./support.ts";

const test = real("chromium", "playwright-core");

test("when the first administrator ends an operator's session, the operator can leave the page with the draft", async () => {
  const server = await serve();
  const pattern = /http:\S+(\/console\/sign-in#[\w-]{43})/;
  await until("the link is printed", () => pattern.test(server.stdout()));
  const { page } = await openBrowser();
  await page.goto(`${consoleOf(server)}${pattern.exec(server.stdout())?.[1]}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.goto(`${consoleOf(server)}/console/people/new`);
  await page.locator("dialog [name=name]").fill("Grace");
  await page.locator("dialog [name=email]").fill("grace@example.org");

  const person = { name: "Ada Byron", email: "ada@example.org", role: "administrator" };
  const { invitation } = await server.send<{ invitation: { link: string } }>("/platform/people", person);
  // Browsers refuse passkeys at an address with a number.
  const link = invitation.link.replace("127.0.0.1", "localhost");
  const other = await openBrowser();
  await addAuthenticator(other.page);
  await acceptInvitation(other.page, link);
  await other.page.getByRole("button", { name: "Sign out" }).waitFor();

  await page.locator("dialog footer").getByText("Add person", { exact: true }).click();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in another way" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  await untilTrue(page, "!document.querySelector('.session-ended')");
});
