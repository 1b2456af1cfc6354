import { SITE_HEADERS } from "../../deploys/rules/header-names.ts";
import { codes, table } from "./markdown.ts";

const spelled = (name: string): string =>
  name === "nel" ? "NEL" : name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** The headers that a site may set. */
export const siteHeadersTable = (): string =>
  table(
    ["purpose", "headers"],
    Object.entries(SITE_HEADERS).map(([purpose, names]) => [purpose, codes(names.map(spelled))]),
  );
