import type { Edition } from "../../../src/pages/manual/edition.ts";

/** An edition that the server publishes, with a page of another room. */
export const EDITION: Edition = {
  origin: "",
  version: "1.2.3",
  neighbours: [{ href: "/docs", label: "API" }],
  otherPages: [
    {
      path: "api/store",
      title: "Store API",
      summary: "Every operation.",
      make: (highlight) =>
        Promise.resolve({
          html: `<h1>Store API</h1>\n<article id="listPets"><h2>List animals</h2><p>See <a href="/manual/reference/errors">errors</a>.</p><pre>${highlight("1 < 2", "js")}</pre></article>`,
          navigation: [{ title: "Animals", links: [{ anchor: "listPets", text: "List animals" }] }],
        }),
    },
  ],
};
