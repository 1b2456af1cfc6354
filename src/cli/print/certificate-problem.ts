import type { summaryOf } from "../../certificates/summary.ts";
import { print } from "./output.ts";

type Problem = NonNullable<ReturnType<typeof summaryOf>["problem"]>;

/** Why the last attempt at a certificate failed, and the CA's last refusal if the name only waits now. */
export const printProblem = ({ type, detail, subproblems, cause }: Problem): void => {
  print(`  ${type}: ${detail}`);
  for (const part of subproblems)
    print(`    ${part.identifier ? `${part.identifier}: ` : ""}${part.type}: ${part.detail}`);
  if (!cause) return;
  print("  The CA's last refusal:");
  printProblem(cause);
};
