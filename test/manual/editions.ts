import type { Edition } from "../../src/manual/edition.ts";

/** An edition that the server publishes, with a page of another room. */
export const EDITION: Edition = {
  base: "/manual",
  origin: "",
  version: "1.2.3",
  neighbours: [{ href: "/docs", label: "API" }],
  otherPages: [
    {
      path: "api/store",
      title: "Store API",
      summary: "Every operation.",
      make: (base, highlight) =>
        Promise.resolve({
          html: `<h1>Store API</h1>\n<article id="listPets"><h2>List animals</h2><p>See <a href="${base}/reference/errors">errors</a>.</p><pre>${highlight("1 < 2", "js")}</pre></article>`,
          navigation: [{ title: "Animals", links: [{ anchor: "listPets", text: "List animals" }] }],
        }),
    },
  ],
};
