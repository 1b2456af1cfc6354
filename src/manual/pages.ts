import { CONTENTS, INDEX, type Section, type Source } from "./contents.ts";
import { GENERATED } from "./generated.ts";

/** A page of the manual. */
export interface Page {
  /** `how-to/backups`; `index` for the first page. */
  path: string;
  title: string;
  /** The first paragraph, in Markdown and on one line. */
  summary: string;
  section: Section | undefined;
  text: string;
}

const TITLE = /^# (.+)$/m;
const SUMMARY = /^# .+\n+([^#`{|!>\n][^\n]*(?:\n[^\n]+)*)/;

const pageOf = ({ name, text }: Source, section?: Section): Page => ({
  path: section ? `${section.name}/${name}` : name,
  title: TITLE.exec(text)?.[1] ?? name,
  summary: SUMMARY.exec(text)?.[1]?.replaceAll("\n", " ") ?? "",
  section,
  text,
});

export const INDEX_PAGE = pageOf(INDEX);

/** All pages but the first one, in the order of the sidebar. */
export const PAGES: readonly Page[] = CONTENTS.flatMap((section) =>
  section.pages.map((page) => pageOf(page, section)),
);

const contentsList = (): string =>
  CONTENTS.filter(({ pages }) => pages.length > 0)
    .map(({ name, title }) => {
      const rows = PAGES.filter(({ section }) => section?.name === name);
      return [
        `## ${title}`,
        "",
        ...rows.map(({ path, title, summary }) => `- [${title}](${path}.md): ${summary}`),
      ].join("\n");
    })
    .join("\n\n");

const PLACEHOLDER = /^\{\{([\w-]+)\}\}$/gm;

/** The names of the placeholders in a text. */
export const placeholdersIn = (text: string): string[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? "");

/** The Markdown of a page, with its generated parts. @throws Error if nothing generates a part */
export const markdownOf = async ({ text }: Page): Promise<string> => {
  const generators: typeof GENERATED = { contents: contentsList, ...GENERATED };
  const parts = new Map<string, string>();
  for (const name of placeholdersIn(text)) {
    const generate = generators[name];
    if (!generate) throw new Error(`nothing generates {{${name}}}`);
    parts.set(name, (await generate()).trim());
  }
  return text.replace(PLACEHOLDER, (_whole, name: string) => parts.get(name) ?? "");
};
