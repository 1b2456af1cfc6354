import { ACTIONS } from "../../lib/actions.ts";
import { SCOPES } from "../../lib/scopes.ts";
import { ROLES } from "../../people/person.ts";
import { capitalised, code, table, codes } from "./markdown.ts";

/** All scopes of an API key. */
export const scopesTable = (): string =>
  table(
    ["scope", "a key with it may"],
    [
      ...Object.entries(SCOPES).map(([scope, meaning]) => [code(scope), capitalised(meaning)]),
      [code("*"), "Everything, including what scopes of later versions allow"],
    ],
  );

const GRANT_MEANINGS: Readonly<Record<string, string>> = { ...SCOPES, "*": "everything" };

/** What the people of each role may do. */
export const rolesTable = (): string =>
  table(
    ["role", "may", "scopes"],
    Object.entries(ROLES).map(([role, grants]) => [
      code(role),
      grants.map((grant) => GRANT_MEANINGS[grant]).join("; "),
      codes(grants),
    ]),
  );

/** What the audit log records. */
export const auditActionsTable = (): string =>
  table(
    ["action", "what was done"],
    Object.entries(ACTIONS).map(([action, what]) => [code(action), what]),
  );
