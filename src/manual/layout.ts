import { CONTENTS } from "./contents.ts";
import { addressOf } from "./links.ts";
import { PAGES, type Page } from "./pages.ts";
import type { Rendered } from "./render.ts";

const link = (href: string, html: string, isCurrent = false): string =>
  `<a href="${href}"${isCurrent ? ' aria-current="page"' : ""}>${html}</a>`;

const sidebar = (base: string, current: string): string =>
  CONTENTS.filter(({ pages }) => pages.length > 0)
    .map(({ name, title }) => {
      const items = PAGES.filter(({ section }) => section?.name === name).map(
        (page) =>
          `<li>${link(addressOf(base, page.path), Bun.escapeHTML(page.title), page.path === current)}</li>`,
      );
      return `<h2>${Bun.escapeHTML(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
    })
    .join("\n");

/** The HTML document of a page. `base` is the address of the manual: `/manual`, or empty for a site of its own. */
export const documentOf = (
  { path, title, summary }: Pick<Page, "path" | "title" | "summary">,
  { html }: Rendered,
  base: string,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)}</title>
<meta name="description" content="${Bun.escapeHTML(summary)}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${base}/${path}.md">
</head>
<body>
<nav aria-label="Manual">
${link(addressOf(base, "index"), "Manual", path === "index")}
${sidebar(base, path)}
</nav>
<main>
${html}
</main>
</body>
</html>
`;
