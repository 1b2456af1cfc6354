import type { OtherPage } from "./edition.ts";
import { INDEX_PAGE, contentsList } from "./pages.ts";

/** The index of the manual for language models, in the form of llmstxt.org. `base` may begin with an origin. */
export const llmsText = (base: string, otherPages: readonly OtherPage[]): string =>
  `# ${INDEX_PAGE.title}\n\n> ${INDEX_PAGE.summary}\n\n${contentsList(otherPages, `${base}/`)}\n`;
