import { MANUAL_PATH, type OtherPage } from "./edition.ts";
import { INDEX_PAGE, contentsList } from "./pages.ts";

/** The index of the manual for language models, in the form of llmstxt.org. An empty origin makes addresses relative. */
export const llmsText = (origin: string, otherPages: readonly OtherPage[]): string =>
  `# ${INDEX_PAGE.title}\n\n> ${INDEX_PAGE.summary}\n\n${contentsList(otherPages, `${origin}${MANUAL_PATH}/`)}\n`;
