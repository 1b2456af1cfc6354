import { NAME_REFUSALS } from "../../dns-checks/refused-name.ts";
import { FIELD_RULES } from "../../lib/field-problems.ts";
import { code, table } from "./markdown.ts";

/** The rules of the header `Invalid-Fields`. */
export const fieldRulesTable = (): string =>
  table(
    ["`rule`", "what is wrong"],
    Object.entries(FIELD_RULES).map(([rule, words]) => [code(rule), words]),
  );

/** Its `reason` for a host name. */
export const hostnameReasonsTable = (): string =>
  table(
    ["`reason`", "the name"],
    Object.entries(NAME_REFUSALS).map(([reason, words]) => [code(reason), words]),
  );
