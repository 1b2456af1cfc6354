/** The address of the manual. */
export const MANUAL_PATH = "/manual";

/** The content of a page that another room makes. */
export interface OtherContent {
  /** The content of `main`. */
  html: string;
  /** Links within the page, for the sidebar. */
  navigation: readonly { title: string; links: readonly { anchor: string; text: string }[] }[];
}

/** A page of the manual that another room makes, such as the API reference. */
export interface OtherPage {
  /** Below the address of the manual: `api/store`. */
  path: string;
  title: string;
  /** Plain text. */
  summary: string;
  /** @param highlight makes HTML of source text; `language` is one of highlight.js */
  make(highlight: (source: string, language: string) => string): Promise<OtherContent>;
}

/** Properties of the server that the manual shows. */
export interface Edition {
  /** The origin of addresses in llms.txt, without a slash; empty makes them relative. */
  origin: string;
  /** The version of the program. */
  version: string;
  /** Pages next to the manual, for its header. */
  neighbours: readonly { href: string; label: string }[];
  /** Listed in the section Reference. */
  otherPages: readonly OtherPage[];
}
