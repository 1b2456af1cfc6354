import { CONTENTS } from "./contents.ts";
import { INDEX_PAGE, PAGES } from "./pages.ts";

/** The index of the manual for language models, in the form of llmstxt.org. `base` may begin with an origin. */
export const llmsText = (base: string): string => {
  const sections = CONTENTS.filter(({ pages }) => pages.length > 0).map(({ name, title }) => {
    const pages = PAGES.filter(({ section }) => section?.name === name);
    const rows = pages.map((page) => `- [${page.title}](${base}/${page.path}.md): ${page.summary}`);
    return [`## ${title}`, "", ...rows].join("\n");
  });
  return [`# ${INDEX_PAGE.title}`, `> ${INDEX_PAGE.summary}`, ...sections].join("\n\n") + "\n";
};
