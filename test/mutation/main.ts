import { PURE } from "./modules.ts";
import type { Mutant } from "./mutants.ts";
import { HELP, MIN_SCORE, UsageError, readOptions } from "./options.ts";
import { type Result, WHOLE_FILE, run } from "./run.ts";
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

/** Lists tests that can go one by one: without each, the others still kill all mutants. */
const printNeedless = (results: readonly Result[], tests: readonly string[]) => {
  print("");
  const killers = results.flatMap((result) => result.killers);
  const needed = new Set(killers.filter(({ length }) => length === 1).flat());
  const counts = Map.groupBy(killers.flat(), (test) => test);
  const isNeeded = (test: string) => needed.has(test) || needed.has(test.replace(/: .*/s, `: ${WHOLE_FILE}`));
  for (const test of tests.filter((one) => !isNeeded(one)).toSorted())
    print(`${test}: kills ${counts.get(test)?.length ?? 0}, and none alone`);
};

/** @returns the exit code */
const report = (results: readonly Result[], listed: readonly Survivor[], seconds: number): number => {
  const unlisted = results.flatMap(({ module, survived }) =>
    survived
      .filter((mutant) => !listed.some(isOf(module, mutant)))
      .toSorted((a, b) => a.line - b.line)
      .map((mutant) => ({ module, mutant })),
  );
  for (const { module, mutant } of unlisted) printSurvivor(module, mutant);
  const stale = results.flatMap((result) => staleOf(result, listed));
  for (const { module, was, becomes, why } of stale)
    print(`\n${module}: the listed survivor is ${why}: take it off the list\n  - ${was}\n  + ${becomes}`);
  const pure = results.filter(({ module }) => module in PURE);
  const countOf = (some: readonly Result[], key: "killed" | "survived") =>
    some.reduce((sum, one) => sum + one[key].length, 0);
  print(
    `\n${scoreOf(countOf(results, "killed"), countOf(results, "survived"))} in ${seconds.toFixed(0)} s; of all pure modules at least ${percent(MIN_SCORE)} must be.`,
  );
  const [killed, survived] = [countOf(pure, "killed"), countOf(pure, "survived")];
  // Survivors are unevenly distributed, so the score of a few modules means little.
  const isAll = pure.length === Object.keys(PURE).length;
  const isTooLow = isAll && killed / (killed + survived) < MIN_SCORE;
  const isDetected = unlisted.every(({ module }) => module in PURE);
  return isTooLow || !isDetected || stale.length > 0 ? 1 : 0;
};

const reportModule = ({ module, killed, survived, ms }: Result) =>
  progress(`${module}: ${scoreOf(killed.length, survived.length)}, ${(ms / 1000).toFixed(0)} s`);

const mutate = async (args: string[]): Promise<number> => {
  const { workers, help, ...chosen } = readOptions(args);
  if (help) {
    print(HELP);
    return 0;
  }
  return withSandboxes(workers, async (sandboxes) => {
    const begin = performance.now();
    const { results, tests } = await run(sandboxes, chosen, reportModule);
    const exitCode = report(results, await readSurvivors(), (performance.now() - begin) / 1000);
    if (chosen.isWhole) printNeedless(results, tests);
    return exitCode;
  });
};

try {
  process.exitCode = await mutate(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
