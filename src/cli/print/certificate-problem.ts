import type { summaryOf } from "../../certificates/summary.ts";
import { print } from "./output.ts";

type Problem = NonNullable<ReturnType<typeof summaryOf>["problem"]>;

/** Why the last attempt at a certificate failed. */
export const printProblem = ({ type, detail, subproblems }: Problem): void => {
  print(`  ${type}: ${detail}`);
  for (const part of subproblems)
    print(`    ${part.identifier ? `${part.identifier}: ` : ""}${part.type}: ${part.detail}`);
};
