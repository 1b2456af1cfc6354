import type { OtherPage } from "./edition.ts";
import { INDEX_PAGE, SECTIONS } from "./pages.ts";

/** The index of the manual for language models, in the form of llmstxt.org. `base` may begin with an origin. */
export const llmsText = (base: string, otherPages: readonly OtherPage[]): string => {
  const sections = SECTIONS.map(({ name, title, pages }) => {
    const rows = pages.map((page) => `- [${page.title}](${base}/${page.path}.md): ${page.summary}`);
    const others = name === "reference" ? otherPages : [];
    const otherRows = others.map((page) => `- [${page.title}](${base}/${page.path}): ${page.summary}`);
    return [`## ${title}`, "", ...otherRows, ...rows].join("\n");
  });
  return [`# ${INDEX_PAGE.title}`, `> ${INDEX_PAGE.summary}`, ...sections].join("\n\n") + "\n";
};
