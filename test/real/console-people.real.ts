import { expect } from "bun:test";
import { openConsole } from "./console.ts";
import { violationsOf } from "./axe.ts";
import { type Page, eventually, untilTrue } from "./browser.ts";
import { acceptInvitation as accept, addAuthenticator, consoleOf } from "./passkeys.ts";
import { signIn } from "./sign-in.ts";
import { openBrowser, type Server, real, serve, until } from "./support.ts";

const test = real("chromium", "playwright-core");

const inDialog = (page: Page, name: string) => page.locator("dialog footer").getByText(name, { exact: true });

/** Adds a person in the console. @returns the link of their invitation */
const invite = async (page: Page, name: string, email: string, role: string): Promise<string> => {
  await page.getByRole("link", { name: "Add person" }).click();
  await page.locator("dialog [name=name]").fill(name);
  await page.locator("dialog [name=email]").fill(email);
  await page.locator("dialog [name=role]").selectOption({ label: role });
  await inDialog(page, "Add person").click();
  const link = await page.locator(".secret code").innerText();
  await page.getByLabel("I have sent it").check();
  await inDialog(page, "Done").click();
  await untilTrue(page, "!document.querySelector('dialog[open]')");
  return link;
};

/** A server with a browser in which an administrator has invited Ada Byron, who has then signed in there with a passkey. */
const openAs = async (role: string) => {
  const server = await serve();
  const { page } = await openBrowser();
  const authenticator = await addAuthenticator(page);
  await signIn(page, consoleOf(server), server.key, "/people");
  await accept(page, await invite(page, "Ada Byron", "ada@example.org", role));
  return { server, page, authenticator };
};

/** The same with a browser for each of both: the administrator stays signed in. */
const openTwo = async (role: string) => {
  const server = await serve();
  const ours = await openConsole(server, "/people", consoleOf(server));
  const theirs = await openBrowser();
  await addAuthenticator(theirs.page);
  await accept(theirs.page, await invite(ours.page, "Ada Byron", "ada@example.org", role));
  return { server, ours, theirs };
};

const navigation = (page: Page) =>
  page.evaluate("[...document.querySelectorAll('nav[aria-label=Areas] li')].map((one) => one.innerText)");

/** A row of the table of people, as text. */
const rowOf = async (page: Page, name: string): Promise<string> => {
  const row = page.locator("table.people tr").filter({ hasText: name });
  await row.waitFor();
  return row.innerText();
};

test("the link of the first start signs in by its button, and not by opening it", async () => {
  const server = await serve();
  const pattern = /http:\S+(\/console\/sign-in#[\w-]{43})/;
  await until("the link is printed", () => pattern.test(server.stdout()));
  const link = `${consoleOf(server)}${pattern.exec(server.stdout())?.[1]}`;
  const { page } = await openBrowser();
  for (let visit = 0; visit < 2; visit++) {
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
  }
  await untilTrue(page, "document.activeElement.textContent === 'Sign in'");
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.getByText("Operator", { exact: true }).waitFor();
  await page.goBack();
  expect(page.url()).not.toContain("#");
  await page.goto(`${consoleOf(server)}/console/people`);
  await page.getByRole("heading", { name: "People", exact: true }).waitFor();
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "This link doesn't work" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test("an invited person registers a passkey, signs out, and signs in with it", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  const authenticator = await addAuthenticator(page);
  await signIn(page, consoleOf(server), server.key, "/people");
  await page.getByText("No people yet").waitFor();
  await page.getByRole("link", { name: "Add person" }).click();
  await inDialog(page, "Add person").click();
  await page.getByText("Enter a valid e-mail address.").waitFor();
  await untilTrue(page, "document.activeElement.name === 'name'");
  await page.goto(`${consoleOf(server)}/console/people`);
  const link = await invite(page, "Ada Byron", "ada@example.org", "Volunteer");
  expect(link).toMatch(/^http:\/\/localhost:\d+\/console\/invitation#[\w-]{43}$/);
  expect(await rowOf(page, "Ada Byron")).toMatch(/ada@example\.org.*Volunteer.*Invited\s+Expires in 7 days/s);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();

  await page.goto(link);
  await page.getByRole("heading", { name: "Welcome, Ada Byron" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel("Name of this device").fill("Laptop");
  await page.getByRole("button", { name: "Create passkey and sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  expect(page.url()).not.toContain("#");
  // What a volunteer may do, and nothing else.
  expect(await navigation(page)).toEqual(["Animals", "Adoptions", "Categories"]);
  await page.goto(`${consoleOf(server)}/console/keys`);
  await page.getByRole("heading", { name: "Not allowed" }).waitFor();
  await page.getByRole("link", { name: "Ada Byron" }).click();
  await page.getByRole("heading", { name: "Your passkeys" }).waitFor();
  await page.getByText("Laptop").waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("link", { name: "Ada Byron" }).waitFor();
  expect(await authenticator.credentials()).toBe(1);

  // The link works once.
  await page.goto(link);
  await page
    .getByText("This invitation no longer works. Sign in, or ask an administrator for a new one.")
    .waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

test("a person who is removed is out at the next request", async () => {
  const { server, ours, theirs } = await openTwo("Staff");
  await server.add("Bella");
  await theirs.page.goto(`${consoleOf(server)}/console/animals`);
  await theirs.page.getByText("Bella").first().waitFor();

  await ours.page.getByRole("link", { name: "Remove Ada Byron" }).click();
  await ours.page.getByText("will be signed out and can't sign in again.").waitFor();
  expect(await violationsOf(ours.page)).toEqual([]);
  await inDialog(ours.page, "Remove").click();
  await ours.page.getByText("“Ada Byron” removed").waitFor();

  await theirs.page.getByRole("link", { name: "Categories", exact: true }).click();
  await theirs.page.getByText("Your session has ended. Sign in again to continue.").waitFor();
  expect(await theirs.page.evaluate("document.body.innerText")).not.toContain("Bella");
  await theirs.page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await theirs.page.getByText("This passkey is not known here").waitFor();
});

test("a role holds from the next request, and Undo takes its change back", async () => {
  const { server, ours, theirs } = await openTwo("Volunteer");
  await server.add("Bella");
  expect(await navigation(theirs.page)).toEqual(["Animals", "Adoptions", "Categories"]);
  await theirs.page.goto(`${consoleOf(server)}/console/animals`);
  await theirs.page.getByText("Bella").first().waitFor();
  expect(await theirs.page.getByRole("link", { name: "Add animal" }).count()).toBe(0);

  const setRole = async (role: string) => {
    await ours.page.getByRole("link", { name: "Edit Ada Byron" }).click();
    await ours.page.locator("dialog [name=role]").selectOption({ label: role });
    await inDialog(ours.page, "Save").click();
    await ours.page.getByText("“Ada Byron” changed").first().waitFor();
  };
  await setRole("Administrator");
  await until("the list shows it", async () => /Administrator/.test(await rowOf(ours.page, "Ada Byron")));
  await theirs.page.reload();
  await theirs.page.getByRole("link", { name: "People", exact: true }).waitFor();
  await ours.page.getByRole("button", { name: "Undo" }).click();
  await ours.page.getByText("Undone").waitFor();
  await until("the list shows it", async () => /Volunteer/.test(await rowOf(ours.page, "Ada Byron")));
  await theirs.page.reload();
  await theirs.page.getByRole("button", { name: "Sign out" }).waitFor();
  expect(await navigation(theirs.page)).toEqual(["Animals", "Adoptions", "Categories"]);
});

test("a person adds and removes their passkeys, and keeps the last", async () => {
  const { page } = await openAs("Staff");
  await page.getByRole("link", { name: "Ada Byron" }).click();
  await page.getByRole("link", { name: "Add passkey" }).click();
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("dialog [name=name]").fill("Phone");
  await inDialog(page, "Add passkey").click();
  // The authenticator has a passkey for this person already.
  await page.getByText("This device already has a passkey for you.").waitFor();
  await addAuthenticator(page, "usb");
  await inDialog(page, "Add passkey").click();
  await page.getByText("Passkey added").waitFor();
  await page.getByRole("link", { name: "Remove Phone" }).click();
  expect(await violationsOf(page)).toEqual([]);
  await inDialog(page, "Remove").click();
  await page.getByText("Passkey “Phone” removed").waitFor();
  await page.getByRole("link", { name: "Remove Passkey" }).click();
  await inDialog(page, "Remove").click();
  await page.getByText("You have no other way to sign in. Add another passkey first.").waitFor();
});

/** Signs in with the key of a server from an iPhone. */
const signInOnPhone = async ({ call, url }: Server) => {
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) Version/26.0 Safari/604.1";
  const signedIn = await call("/console/session", { method: "POST", headers: { "user-agent": userAgent } });
  expect(signedIn.status).toBe(201);
  const [cookie = ""] = signedIn.headers.getSetCookie().map((one) => one.split(";")[0]);
  return {
    async isSignedIn(): Promise<boolean> {
      const state = await fetch(`${url}/console/session`, { headers: { cookie } });
      return ((await state.json()) as { signedIn: boolean }).signedIn;
    },
  };
};

test("the name of a key leads to its sessions, which end there one by one or together, and to no passkeys", async () => {
  const server = await serve();
  const browser = await openBrowser();
  const other = await openBrowser();
  await signIn(other.page, consoleOf(server), server.key, "/people");
  const phone = await signInOnPhone(server);
  expect(await phone.isSignedIn()).toBe(true);
  const { page } = browser;
  await signIn(page, consoleOf(server), server.key, "/people");
  await page.locator(".who a").click();
  await page.getByText("the API key that you are signed in with").waitFor();
  expect(await page.getByText("passkey").count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "End the session: Safari on iPhone" }).click();
  await page.getByText("Session ended: Safari on iPhone").waitFor();
  expect(await phone.isSignedIn()).toBe(false);
  await eventually(() => page.locator("table.sessions tbody tr").count(), 2);
  await other.page.reload();
  await other.page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.getByRole("button", { name: "End all other sessions" }).click();
  await page.getByText("All other sessions ended").waitFor();
  await other.page.reload();
  await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a passkey that the user does not confirm signs no one in, and the page reports it", async () => {
  const { page, authenticator } = await openAs("Staff");
  await page.getByRole("button", { name: "Sign out" }).click();
  await authenticator.refuse();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByText("No passkey was used. Try again when you are ready.").waitFor();
});

test("when a person's session ends, the draft stays, and a passkey brings it back", async () => {
  const { server, page } = await openAs("Administrator");
  await page.goto(`${consoleOf(server)}/console/people/new`);
  await page.locator("dialog [name=name]").fill("Grace");
  await page.locator("dialog [name=email]").fill("grace@example.org");
  await page.evaluate(`fetch("/console/session").then((response) => response.json()).then(({ csrfToken }) =>
    fetch("/console/session", { method: "DELETE", headers: { "x-csrf-token": csrfToken } })).then(() => true)`);
  await inDialog(page, "Add person").click();
  await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
  // Only the same sign-in method: a key would sign in another user, and the draft would be lost.
  await page.getByText("Sign in again as Ada Byron to continue.").waitFor();
  await untilTrue(page, "document.activeElement.closest('.session-ended') !== null");
  expect(await page.locator("dialog.session-ended [name=key]").count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.locator("dialog.session-ended").getByRole("button", { name: "Sign in with a passkey" }).click();
  await untilTrue(page, "!document.querySelector('.session-ended')");
  await inDialog(page, "Add person").click();
  await page.getByText("This link is shown only once, and works once.").waitFor();
});

test("a person whose role was lowered while a form was open learns why it is refused", async () => {
  const { server, ours, theirs } = await openTwo("Staff");
  await theirs.page.goto(`${consoleOf(server)}/console/animals/new`);
  await theirs.page.locator("dialog [name=name]").fill("Bella");
  await theirs.page.locator("dialog [name=name]").press("Tab");
  await ours.page.getByRole("link", { name: "Edit Ada Byron" }).click();
  await ours.page.locator("dialog [name=role]").selectOption({ label: "Volunteer" });
  await inDialog(ours.page, "Save").click();
  await ours.page.getByText("“Ada Byron” changed").first().waitFor();
  await theirs.page.locator("dialog [type=submit]").click();
  await theirs.page.getByText("You are not allowed to do this. Your role may have changed").waitFor();
  // What they entered is still there.
  expect(await theirs.page.locator("dialog [name=name]").inputValue()).toBe("Bella");
});

/** What is hidden of the name at the top, in pixels. */
const HIDDEN_OF_NAME = `(() => {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.querySelector(".who > :not(button)");
  return Math.max(scrollWidth - clientWidth, scrollHeight - clientHeight);
})()`;

test("the name of who is signed in is read in full on a phone, or has it as its title", async () => {
  const server = await serve();
  const { page } = await openBrowser();
  await page.setViewportSize({ width: 360, height: 800 });
  const signInWith = async (name: string) => {
    const minted = { name, scopes: ["pets:read"] };
    const { secret } = await server.send<{ secret: string }>("/platform/keys", minted);
    await signIn(page, consoleOf(server), secret, "/animals");
    await page.locator(`.who [title^="${name}"]`).waitFor();
  };
  await signInWith("Maria-Magdalena Wolkenstein");
  await eventually(() => page.evaluate(HIDDEN_OF_NAME), 0);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();

  await signInWith("W".repeat(100));
  await eventually(() => page.evaluate("document.querySelector('header.top').offsetHeight < 250"), true);
  await eventually(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
});
