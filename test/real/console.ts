import { signIn } from "./sign-in.ts";
import { publish } from "./site.ts";
import { type Server, openBrowser, serve } from "./support.ts";

/** A browser that is signed in at the console of a server, at one of its pages, and its controls by the names that are read aloud. */
export const openConsole = async (server: Server, path = "", base = server.url) => {
  const browser = await openBrowser();
  const { page } = browser;
  await signIn(page, base, server.key, path);
  return {
    ...browser,
    open: (path: string) => page.goto(`${base}/console${path}`),
    path: () => page.url().slice(`${base}/console`.length),
    link: (name: string | RegExp) => page.getByRole("link", { name, exact: true }),
    button: (name: string | RegExp) => page.getByRole("button", { name, exact: true }),
    field: (label: string | RegExp) => page.getByLabel(label, { exact: true }),
    heading: (name: string | RegExp) => page.getByRole("heading", { name }),
    /** A button of the dialog. */
    dialog: (name: string) => page.locator("dialog").getByRole("button", { name, exact: true }),
    toast: (text: string | RegExp) => page.getByRole("status").getByText(text).first(),
    said: (text: string | RegExp) => page.getByRole("status").getByText(text).first().waitFor(),
  };
};

/** A new server, and its console. */
export const newConsole = async (path = "") => {
  const server = await serve();
  return { ...(await openConsole(server, path)), server };
};

/** Sends many, some at a time. */
export const sendAll = async (server: Server, path: string, bodies: readonly object[]): Promise<void> => {
  for (let from = 0; from < bodies.length; from += 50)
    await Promise.all(bodies.slice(from, from + 50).map((body) => server.send(path, body)));
};

/** Adds animals: "Animal 1", "Animal 2", ... */
export const addAnimals = (server: Server, count: number): Promise<void> =>
  sendAll(
    server,
    "/v1/pets",
    Array.from({ length: count }, (_, index) => ({
      name: `Animal ${index + 1}`,
      categoryId: 1,
      status: "available",
    })),
  );

/** Adopters whose e-mail addresses fit on no line of a table. */
export const longAdopter = (number: number) => ({
  name: `Maria-Magdalena Wolkenstein ${number}`,
  email: `maria-magdalena.von.wolkenstein-trostburg.${number}@mail.shelter-friends.example.org`,
});

/** Begins an adoption of each of the first animals, one after the other. */
export const addAdoptions = async (server: Server, count: number): Promise<void> => {
  for (let petId = 1; petId <= count; petId++)
    await server.send("/v1/store/orders", {
      petId,
      adopter: longAdopter(petId),
      ...(petId % 3 === 0 && { note: "Has a garden, and an old dog that gets on with everybody." }),
    });
};

/** Creates the project `docs` on Pro, and its deploy 1. */
export const publishDocs = (server: Server): Promise<string> =>
  publish(server, "docs", { name: "Documentation", files: { "index.html": "<h1>Documentation</h1>" } });

/** Creates the project `docs` with a deploy and a domain. */
export const addDomain = async (server: Server): Promise<void> => {
  await publishDocs(server);
  await server.send("/platform/projects/docs/domains", { hostname: "docs.example.org" });
};
