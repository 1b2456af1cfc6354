import { MODULES } from "./modules.ts";
import type { Mutant } from "./mutants.ts";
import { HELP, MIN_SCORE, UsageError, readOptions } from "./options.ts";
import { type Result, run } from "./run.ts";
import { withSandboxes } from "./sandbox.ts";
import { type Survivor, readSurvivors } from "./survivors.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);
const progress = (line: string) => void process.stderr.write(`${line}\n`);

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const scoreOf = (killed: number, survived: number): string =>
  `${killed} of ${killed + survived} killed (${percent(killed / (killed + survived))})`;

const isOf =
  (module: string, { was, becomes }: Mutant) =>
  (one: Survivor) =>
    one.module === module && one.was === was && one.becomes === becomes;

const printSurvivor = (module: string, { line, was, becomes }: Mutant) =>
  print(`\n${module}:${line} survived\n  - ${was}\n  + ${becomes}`);

/** Listed survivors that the run has killed, or that are gone from their module. */
const staleOf = ({ module, survived, killed }: Result, listed: readonly Survivor[]) =>
  listed
    .filter((one) => one.module === module)
    .filter((one) => !survived.some((mutant) => isOf(module, mutant)(one)))
    .map((one) => ({ ...one, why: killed.some((mutant) => isOf(module, mutant)(one)) ? "killed" : "gone" }));

/** @returns the exit code */
const report = (results: readonly Result[], listed: readonly Survivor[], seconds: number): number => {
  for (const { module, survived } of results)
    for (const mutant of survived.toSorted((one, other) => one.line - other.line))
      if (!listed.some(isOf(module, mutant))) printSurvivor(module, mutant);
  const stale = results.flatMap((result) => staleOf(result, listed));
  for (const { module, was, becomes, why } of stale)
    print(`\n${module}: the listed survivor is ${why}: take it off the list\n  - ${was}\n  + ${becomes}`);
  const killed = results.reduce((sum, one) => sum + one.killed.length, 0);
  const survived = results.reduce((sum, one) => sum + one.survived.length, 0);
  print(
    `\n${scoreOf(killed, survived)} in ${seconds.toFixed(0)} s; of all modules at least ${percent(MIN_SCORE)} must be.`,
  );
  // Survivors are unevenly distributed, so the score of a few modules means little.
  const isAll = results.length === Object.keys(MODULES).length;
  const isTooLow = isAll && killed / (killed + survived) < MIN_SCORE;
  return isTooLow || stale.length > 0 ? 1 : 0;
};

const reportModule = ({ module, killed, survived, ms }: Result) =>
  progress(`${module}: ${scoreOf(killed.length, survived.length)}, ${(ms / 1000).toFixed(0)} s`);

const mutate = async (args: string[]): Promise<number> => {
  const { modules, workers, help } = readOptions(args);
  if (help) {
    print(HELP);
    return 0;
  }
  return withSandboxes(workers, async (sandboxes) => {
    const begin = performance.now();
    const results = await run(sandboxes, modules, reportModule);
    return report(results, await readSurvivors(), (performance.now() - begin) / 1000);
  });
};

try {
  process.exitCode = await mutate(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
