import { NAME_VERDICTS } from "../../name-checks/verdict.ts";
import { code, table } from "./markdown.ts";

/** The verdicts of a check before a domain is added. */
export const verdictTable = (): string =>
  table(
    ["verdict", "meaning"],
    Object.entries(NAME_VERDICTS).map(([verdict, meaning]) => [code(verdict), meaning]),
  );
