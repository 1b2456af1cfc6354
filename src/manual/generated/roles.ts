import { SCOPES } from "../../lib/scopes.ts";
import { ROLES } from "../../people/person.ts";
import { code, codes, table } from "./markdown.ts";

const MEANINGS: Readonly<Record<string, string>> = { ...SCOPES, "*": "everything" };

/** What the people of each role may do. */
export const rolesTable = (): string =>
  table(
    ["role", "may", "scopes"],
    Object.entries(ROLES).map(([role, grants]) => [
      code(role),
      grants.map((grant) => MEANINGS[grant]).join("; "),
      codes(grants),
    ]),
  );
