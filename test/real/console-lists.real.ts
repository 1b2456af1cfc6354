import { openConsole, addDomain } from "./console.ts";
import { acceptInvitation, addAuthenticator, consoleOf } from "./passkeys.ts";
import { openBrowser, real, serve } from "./support.ts";

const test = real("chromium", "playwright-core");

/** Lists that are read as a whole: their paths, their requests, and the text below their rows. */
const LISTS = [
  { path: "/categories", reads: "**/console/api/v1/categories*", says: "2 categories" },
  {
    path: "/projects/docs/domains",
    reads: "**/console/api/platform/projects/docs/domains*",
    says: "1 domain",
  },
  { path: "/you", reads: "**/console/auth/passkeys", says: "1 passkey" },
];

test("a list that could not be read is read again on request, and shows its number of rows", async () => {
  const server = await serve();
  for (const name of ["Dogs", "Cats"]) await server.send("/v1/categories", { name });
  await addDomain(server);
  const ada = { name: "Ada Byron", email: "ada@example.org", role: "administrator" };
  const { invitation } = await server.send<{ invitation: { link: string } }>("/platform/people", ada);
  const { page } = await openBrowser();
  await addAuthenticator(page);
  const at = (path: string) => `${consoleOf(server)}/console${path}`;
  await acceptInvitation(page, at(`/invitation${new URL(invitation.link).hash}`));
  for (const { path, reads, says } of LISTS) {
    let isDown = true;
    await page.route(reads, (route) => (isDown ? route.abort() : route.continue()));
    await page.goto(at(path));
    await page.getByRole("alert").getByText("The server did not respond").first().waitFor();
    isDown = false;
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByRole("status").getByText(says, { exact: true }).waitFor();
  }
});

test("an empty list explains its purpose", async () => {
  const server = await serve();
  await server.send("/platform/projects", { slug: "shelter", name: "Shelter", plan: "pro" });
  const { page } = await openConsole(server, "/categories");
  for (const [path, title, purpose] of [
    ["/categories", "No categories yet", "Group animals by kind, such as dogs and cats."],
    ["/projects/shelter", "No deploys yet", ""],
    ["/projects/shelter/domains", "No domains yet", "Publish the site under your own domain too."],
  ] as const) {
    await page.goto(`${server.url}/console${path}`);
    await page.getByText(title, { exact: true }).waitFor();
    await page.locator(".empty").getByText(purpose).first().waitFor();
  }
});
