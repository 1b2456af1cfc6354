import { SCOPES } from "../../lib/scopes.ts";
import { capitalised, code, table } from "./markdown.ts";

/** All scopes of an API key. */
export const scopesTable = (): string =>
  table(
    ["scope", "a key with it may"],
    [
      ...Object.entries(SCOPES).map(([scope, meaning]) => [code(scope), capitalised(meaning)]),
      [code("*"), "Everything, including what scopes of later versions allow"],
    ],
  );
