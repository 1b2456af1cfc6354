import { MODULES } from "./modules.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { UsageError } from "./options.ts";
import type { Sandbox } from "./sandbox.ts";

/** Stands for all tests of a file that hangs or cannot be loaded: which of them detects the mutant is unknown. */
export const WHOLE_FILE = "the whole file";

export interface Result {
  module: string;
  /** The tests that killed each mutant: the first, or all of them. */
  killers: string[][];
  killed: Mutant[];
  survived: Mutant[];
  ms: number;
}

interface Trial {
  mutant: Mutant;
  original: string;
  result: Result;
}

/** A test file counts as hung after this many times its duration without a mutant, plus GRACE_MS. */
const TIMEOUT_FACTOR = 10;
const GRACE_MS = 3000;
const MAX_MS = 120_000;

/** Each sandbox takes the next item when it has finished one. */
const shareOut = async <Item>(
  sandboxes: readonly Sandbox[],
  items: Iterable<Item>,
  act: (item: Item, sandbox: Sandbox) => Promise<void>,
): Promise<void> => {
  const queue = items[Symbol.iterator]();
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      for (let next = queue.next(); !next.done; next = queue.next()) await act(next.value, sandbox);
    }),
  );
};

/** A test, by its file and its name. */
const inFile = (file: string) => (name: string) => `${file}: ${name}`;

/** Runs each test file without a mutant. @returns its milliseconds, and all tests @throws Refused if one fails */
const measureTimes = async (sandboxes: readonly Sandbox[], modules: readonly string[]) => {
  const times = new Map<string, number>();
  const tests: string[] = [];
  await shareOut(
    sandboxes,
    new Set(modules.flatMap((module) => MODULES[module] ?? [])),
    async (file, one) => {
      const { isPassed, passed, ms } = await one.test(file, MAX_MS);
      if (!isPassed) throw new UsageError(`${file} fails without a mutant`);
      if (passed.length === 0) throw new UsageError(`${file}: the output names no test that passed`);
      times.set(file, ms);
      tests.push(...passed.map(inFile(file)));
    },
  );
  return { times, tests };
};

const trialsOf = async (module: string, sandbox: Sandbox): Promise<Trial[]> => {
  const original = await sandbox.read(module);
  const result: Result = { module, killers: [], killed: [], survived: [], ms: 0 };
  return mutantsOf(original).map((mutant) => ({ mutant, original, result }));
};

/**
 * Tries every mutant of the modules.
 * @param isWhole every test runs for every mutant, not only up to the first that fails
 * @param onModule called when the last mutant of a module was tried
 */
export const run = async (
  sandboxes: readonly Sandbox[],
  { modules, isWhole }: { modules: readonly string[]; isWhole: boolean },
  onModule: (result: Result) => void,
): Promise<{ results: Result[]; tests: string[] }> => {
  const { times, tests } = await measureTimes(sandboxes, modules);
  const timeOf = (file: string) => times.get(file) ?? 0;
  const killersOf = async ({ result: { module } }: Trial, sandbox: Sandbox): Promise<string[]> => {
    const killers: string[] = [];
    for (const file of MODULES[module]!.toSorted((a, b) => timeOf(a) - timeOf(b))) {
      const limit = GRACE_MS + TIMEOUT_FACTOR * timeOf(file);
      const { isPassed, failed } = await sandbox.test(file, limit, isWhole);
      if (!isPassed) killers.push(...(failed.length > 0 ? failed : [WHOLE_FILE]).map(inFile(file)));
      if (!isPassed && !isWhole) break;
    }
    return killers;
  };
  const trials = await Promise.all(modules.map((module) => trialsOf(module, sandboxes[0]!)));
  await shareOut(sandboxes, trials.flat(), async (trial, sandbox) => {
    const { mutant, original, result } = trial;
    const begin = performance.now();
    await sandbox.write(result.module, mutant.text);
    const killers = await killersOf(trial, sandbox);
    if (killers.length > 0) result.killers.push(killers);
    (killers.length > 0 ? result.killed : result.survived).push(mutant);
    await sandbox.write(result.module, original);
    result.ms += performance.now() - begin;
    const all = trials.find(([first]) => first?.result === result)?.length;
    if (result.killed.length + result.survived.length === all) onModule(result);
  });
  return { results: trials.flatMap(([first]) => first?.result ?? []), tests };
};
