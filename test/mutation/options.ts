import { parseArgs } from "node:util";
import { MODULES } from "./modules.ts";

/** The minimum share of mutants that the tests must kill. */
export const MIN_SCORE = 0.95;

export const HELP = `Changes pure modules, repositories and endpoints one place at a time, and runs their tests: bun run mutate [options] [module...]

  module           a part of a module's path, such as keys/ or budget (default: all of test/mutation/modules.ts)
  --tests          run every test for every mutant, and list the tests whose mutants other tests kill too
  --workers <n>    mutants that are tried at the same time, 1 to 64 (default: 2)
  --help           this text

A mutant that no test notices survives: add the test, or list it in test/mutation/survivors.txt with the reason. Everything
runs in copies of the working tree. The exit code is 1 if the tests kill less than ${MIN_SCORE * 100} % of the pure modules' mutants, if
a survivor of a repository or an endpoint is not listed, or if a listed survivor is killed or gone; it is 2 if the command
line is wrong or the tests fail without a mutant.`;

export interface Options {
  modules: string[];
  workers: number;
  isWhole: boolean;
  help: boolean;
}

/** The command line is wrong, or the tests fail without a mutant. The message has advice. */
export class UsageError extends Error {
  override name = "Refused";
}

const parse = (args: string[]) => {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        workers: { type: "string", default: "2" },
        tests: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; see --help`);
  }
};

const matching = (part: string): string[] => {
  const found = Object.keys(MODULES).filter((module) => module.includes(part));
  if (found.length === 0) throw new UsageError(`no module of test/mutation/modules.ts matches ${part}`);
  return found;
};

export const readOptions = (args: string[]): Options => {
  const { values, positionals } = parse(args);
  if (!/^([1-9]|[1-5][0-9]|6[0-4])$/.test(values.workers))
    throw new UsageError("--workers: must be a number from 1 to 64");
  const parts = positionals.length === 0 ? [""] : positionals;
  const modules = [...new Set(parts.flatMap(matching))];
  return { modules, workers: Number(values.workers), isWhole: values.tests, help: values.help };
};
