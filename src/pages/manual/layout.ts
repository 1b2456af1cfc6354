import { createHash } from "node:crypto";
import { packedBundle } from "../../lib/bundle.ts" with { type: "macro" };
import { unpack } from "../../lib/packed.ts";
import type { Section } from "./contents.ts";
import { type Edition, MANUAL_PATH, type OtherContent } from "./edition.ts";
import { addressOf } from "./links.ts";
import { PAGES, type Page, SECTIONS } from "./pages.ts";
import type { Heading, Rendered } from "./render.ts";

interface Asset {
  /** Below the manual's address. Changes with the content. */
  path: string;
  type: string;
  text: string;
}

const asset = (name: string, extension: string, type: string, packed: string): Asset => {
  const text = unpack(packed);
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path: `assets/${name}-${hash}.${extension}`, type: `${type}; charset=utf-8`, text };
};

const STYLE = asset("manual", "css", "text/css", packedBundle("pages/manual/ui/style.css"));
const SCRIPT = asset("manual", "js", "text/javascript", packedBundle("pages/manual/ui/main.ts"));
/** Runs before the page is painted, so that a chosen theme does not flash. */
const THEME_SCRIPT = asset("theme", "js", "text/javascript", packedBundle("pages/manual/ui/theme.ts"));

export const ASSETS: readonly Asset[] = [STYLE, SCRIPT, THEME_SCRIPT];

const NAME = "Adoption store";

const text = Bun.escapeHTML;

/** The data in the header and the links of a page. */
type ShownPage = Pick<Page, "path" | "title" | "summary">;

const head = ({ path, title, summary }: ShownPage): string => `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${path === "index" ? text(title) : `${text(title)} · ${NAME} manual`}</title>
<meta name="description" content="${text(summary)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${MANUAL_PATH}/${STYLE.path}">
<script src="${MANUAL_PATH}/${THEME_SCRIPT.path}"></script>
<script src="${MANUAL_PATH}/${SCRIPT.path}" type="module"></script>`;

const SEARCH = `<search class="search js-only" data-index="${MANUAL_PATH}/search.json">
<input type="search" aria-label="Search the manual" placeholder="Search" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<p class="visually-hidden" role="status"></p>
<ul class="results" hidden></ul>
</search>`;

const header = ({ neighbours }: Edition): string => `<header class="top">
<a class="brand" href="${addressOf("index")}">${NAME} <span>manual</span></a>
${SEARCH}
<nav class="neighbours" aria-label="Service">
${neighbours.map(({ href, label }) => `<a href="${href}">${label}</a>`).join("\n")}
</nav>
<button type="button" class="theme js-only" aria-label="Dark theme" aria-pressed="false"></button>
</header>`;

const pageLink = ({ path, title }: ShownPage, current: string): string =>
  `<li><a href="${addressOf(path)}"${path === current ? ' aria-current="page"' : ""}>${text(title)}</a></li>`;

const linkGroup = (title: string, items: readonly string[]): string =>
  `<p>${text(title)}</p>\n<ul>\n${items.join("\n")}\n</ul>`;

/** The whole manual. */
const manualLinks = ({ otherPages }: Edition, current: string): string[] =>
  SECTIONS.map(({ name, title, pages }) => {
    const shown = name === "reference" ? [...otherPages, ...pages] : pages;
    return linkGroup(
      title,
      shown.map((page) => pageLink(page, current)),
    );
  });

/** One long page. */
const pageLinks = (navigation: OtherContent["navigation"]): string[] => [
  `<ul>\n<li><a href="${addressOf("index")}">Manual</a></li>\n</ul>`,
  ...navigation.map(({ title, links }) =>
    linkGroup(
      title,
      links.map((link) => `<li><a href="#${link.anchor}">${text(link.text)}</a></li>`),
    ),
  ),
];

// A switch works without a script: on a phone the style sheet shows the next element only while it is open.
const sidebar = (
  groups: readonly string[],
): string => `<details class="switch"><summary>Menu</summary></details>
<nav class="sidebar" aria-label="Manual">
${groups.join("\n")}
</nav>`;

/** The headings that say something by themselves: not "curl", which each step of a tutorial has. */
const tellingHeadings = (headings: readonly Heading[]): Heading[] =>
  headings.filter(
    ({ level, html }) =>
      level === 2 || headings.filter((other) => other.level === level && other.html === html).length === 1,
  );

const tableOfContents = (headings: readonly Heading[]): string => {
  if (headings.length < 2) return "";
  const rows = tellingHeadings(headings).map(
    ({ level, id, html }) => `<li class="level-${level}"><a href="#${id}">${html}</a></li>`,
  );
  return `<details class="switch"><summary>On this page</summary></details>
<nav class="toc" aria-label="On this page">
<p>On this page</p>
<ul>
${rows.join("\n")}
</ul>
</nav>`;
};

const pagerLink = (page: Page | undefined, rel: string, label: string): string =>
  page ? `<a rel="${rel}" href="${addressOf(page.path)}"><span>${label}</span> ${text(page.title)}</a>` : "";

const pager = (path: string): string => {
  const at = PAGES.findIndex((page) => page.path === path);
  const links = [
    pagerLink(at > 0 ? PAGES[at - 1] : undefined, "prev", "Previous"),
    pagerLink(path === "404" ? undefined : PAGES[at + 1], "next", "Next"),
  ].filter(Boolean);
  return links.length === 0
    ? ""
    : `<nav class="pager" aria-label="Previous and next page">\n${links.join("\n")}\n</nav>`;
};

const footer = (path: string, { version }: Edition): string => {
  const markdown = path === "404" ? "" : `<a href="${addressOf(path)}.md">This page as Markdown</a>`;
  return `<footer>\n<span>${NAME} ${text(version)}</span>\n${markdown}\n</footer>`;
};

const page = (shown: ShownPage, edition: Edition, groups: readonly string[], main: string): string =>
  `<!doctype html>
<html lang="en">
<head>
${head(shown)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(edition)}
${sidebar(groups)}
${main}
</body>
</html>
`;

export const documentOf = (
  shown: ShownPage & { section: Section | undefined },
  { html, headings }: Rendered,
  edition: Edition,
): string => {
  const { path, section } = shown;
  return page(
    shown,
    edition,
    manualLinks(edition, path),
    `<main id="content" tabindex="-1">
${tableOfContents(headings)}
<article>
${section ? `<p class="section">${text(section.title)}</p>` : ""}
${html}
</article>
${pager(path)}
${footer(path, edition)}
</main>`,
  );
};

/** The HTML document of a page that another room makes. */
export const otherDocumentOf = (
  shown: ShownPage,
  { html, navigation }: OtherContent,
  edition: Edition,
): string =>
  page(
    shown,
    edition,
    pageLinks(navigation),
    `<main id="content" class="wide" tabindex="-1">
${html}
</main>`,
  );
