import { INDEX_PAGE, SECTIONS } from "./pages.ts";

/** The index of the manual for language models, in the form of llmstxt.org. `base` may begin with an origin. */
export const llmsText = (base: string): string => {
  const sections = SECTIONS.map(({ title, pages }) => {
    const rows = pages.map((page) => `- [${page.title}](${base}/${page.path}.md): ${page.summary}`);
    return [`## ${title}`, "", ...rows].join("\n");
  });
  return [`# ${INDEX_PAGE.title}`, `> ${INDEX_PAGE.summary}`, ...sections].join("\n\n") + "\n";
};
