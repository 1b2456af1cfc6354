import { CONTENTS, INDEX, type Section, type Source } from "./contents.ts";
import { type OtherPage, MANUAL_PATH } from "./edition.ts";

/**
 * The generated parts of pages, by the name in their placeholder: the line `{{settings}}` becomes what `settings` returns.
 * They return Markdown. They import their sources when they are called, so that the manual costs nothing at the start.
 */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  settings: async () => (await import("./generated/settings.ts")).settingsTables(),
  errors: async () => (await import("./generated/errors.ts")).errorSections(),
  "field-rules": async () => (await import("./generated/errors.ts")).fieldRulesTable(),
  "hostname-reasons": async () => (await import("./generated/errors.ts")).hostnameReasonsTable(),
  "domain-check-verdicts": async () => (await import("./generated/domains.ts")).verdictTable(),
  "dns-providers": async () => (await import("./generated/domains.ts")).providersTable(),
  limits: async () => (await import("./generated/limits.ts")).limitsTables(),
  metrics: async () => (await import("./generated/settings.ts")).metricsTable(),
  stages: async () => (await import("./generated/domains.ts")).stagesTable(),
  "usual-way": async () => (await import("./generated/domains.ts")).usualWay(),
  transitions: async () => (await import("./generated/domains.ts")).transitionsTable(),
  findings: async () => (await import("./generated/domains.ts")).findingSections(),
  "domain-faults": async () => (await import("./generated/domains.ts")).domainFaultTables(),
  "pet-events": async () => (await import("./generated/api.ts")).petEventsTable(),
  "order-steps": async () => (await import("./generated/api.ts")).orderStepsTable(),
  "audit-actions": async () => (await import("./generated/api.ts")).auditActionsTable(),
  "domain-events": async () => (await import("./generated/domains.ts")).domainEventsTable(),
  "site-headers": async () => (await import("./generated/domains.ts")).siteHeadersTable(),
  scopes: async () => (await import("./generated/api.ts")).scopesTable(),
  roles: async () => (await import("./generated/api.ts")).rolesTable(),
};

const TITLE = /^# (.+)$/m;
const SUMMARY = /^# .+\n+([^#`{|!>\n][^\n]*(?:\n[^\n]+)*)/;

const LINK = /\[([^\]]+)\]\([^)]+\)/g;

const pageOf = ({ name, text }: Source, section?: Section) => ({
  /** `how-to/backups`; `index` for the first page. */
  path: section ? `${section.name}/${name}` : name,
  title: TITLE.exec(text)?.[1] ?? name,
  /** The first paragraph, on one line and without links. */
  summary: (SUMMARY.exec(text)?.[1] ?? "").replaceAll("\n", " ").replaceAll(LINK, "$1"),
  section,
  text,
});

/** A page of the manual. */
export type Page = ReturnType<typeof pageOf>;

export const INDEX_PAGE = pageOf(INDEX);

/** All pages but the first one, in the order of the sidebar. */
export const PAGES: readonly Page[] = CONTENTS.flatMap((section) =>
  section.pages.map((page) => pageOf(page, section)),
);

/** The sections, with their pages. */
export const SECTIONS = CONTENTS.map((section) => ({
  name: section.name,
  title: section.title,
  pages: PAGES.filter((page) => page.section === section),
}));

/**
 * The table of contents, as Markdown.
 * @param prefix goes before the path of each page
 */
const contentsList = (otherPages: readonly OtherPage[], prefix = ""): string =>
  SECTIONS.map(({ name, title, pages }) => {
    const others = name === "reference" ? otherPages : [];
    const rows = [
      ...others.map((page) => `- [${page.title}](${prefix}${page.path}): ${page.summary}`),
      ...pages.map((page) => `- [${page.title}](${prefix}${page.path}.md): ${page.summary}`),
    ];
    return [`## ${title}`, "", ...rows].join("\n");
  }).join("\n\n");

const PLACEHOLDER = /^\{\{([\w-]+)\}\}$/gm;

/** The names of the placeholders in a text. */
export const placeholdersIn = (text: string): string[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? "");

/** The Markdown of a page, with its generated parts. @throws Error if nothing generates a part */
export const markdownOf = async ({ text }: Page, otherPages: readonly OtherPage[] = []): Promise<string> => {
  const generators: typeof GENERATED = { contents: () => contentsList(otherPages), ...GENERATED };
  const parts = new Map<string, string>();
  for (const name of placeholdersIn(text)) {
    const generate = generators[name];
    if (!generate) throw new Error(`nothing generates {{${name}}}`);
    parts.set(name, (await generate()).trim());
  }
  return text.replace(PLACEHOLDER, (_whole, name: string) => parts.get(name) ?? "");
};

/** The index of the manual for language models, in the form of llmstxt.org. An empty origin makes addresses relative. */
export const llmsText = (origin: string, otherPages: readonly OtherPage[]): string =>
  `# ${INDEX_PAGE.title}\n\n> ${INDEX_PAGE.summary}\n\n${contentsList(otherPages, `${origin}${MANUAL_PATH}/`)}\n`;
