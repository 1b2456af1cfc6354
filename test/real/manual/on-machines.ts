import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Block, type Step, isOutput, stepsOf } from "../../pages/manual/blocks.ts";
import { matches } from "../../pages/manual/match.ts";
import type { Debian } from "../debian.ts";
import { isWhole } from "./whole.ts";

/**
 * One terminal of root: variables and the directory stay from one command to the next, and only those exported reach programs.
 * `joined`: it shows both outputs in their order.
 */
const inTerminal = (command: string, joined: boolean): string =>
  `if [ -e /run/terminal ]; then . /run/terminal 2>/dev/null; cd "$PWD"; fi
${joined ? "exec 2>&1; " : ""}${command}
declare -p | grep --invert-match '^declare -[^ ]*r' >/run/terminal`;

/** Does what a reader does in the terminal of a machine. @returns what is wrong; undefined if nothing is */
export const take = async (machine: Debian, step: Step): Promise<string | undefined> => {
  if (step.kind === "serve") return "a service needs no second terminal";
  if (step.kind === "write") {
    const path = join(machine.root, resolve("/root", step.path));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, step.text);
    return undefined;
  }
  const { expected, exitCode } = step;
  const joined = expected?.kind === "text";
  const { code, stdout, stderr } = await machine.run(inTerminal(step.command, joined));
  if (code !== exitCode) {
    const journal = await machine.run("journalctl --quiet --no-pager --lines=30");
    return `exit code ${code}: ${stdout}${stderr}\n${journal.stdout}`;
  }
  return expected && !matches(expected, stdout) ? `expected:\n${expected.text}\ngot:\n${stdout}` : undefined;
};

/** Does the steps of a page, one after the other. @throws with the line of the first step that fails */
export const takeAll = async (machine: Debian, page: string, steps: readonly Step[]): Promise<void> => {
  for (const step of steps) {
    const problem = await take(machine, step);
    if (problem !== undefined) throw new Error(`${page}:${step.line}: ${problem}`);
  }
};

/** The names of the machines that a block is for: `in="node1 node2"`. */
export const machinesOf = ({ attributes }: Block): string[] =>
  (attributes["in"] ?? "").split(" ").filter(Boolean);

/** A block, and the outputs of its commands. */
const groupsOf = (blocks: readonly Block[]): Block[][] => {
  const groups: Block[][] = [];
  for (const block of blocks)
    if (isOutput(block)) groups.at(-1)?.push(block);
    else groups.push([block]);
  return groups;
};

/**
 * Follows blocks on the machines that they name, as a reader with a terminal for each: a block that names several runs on all of
 * them together, and the next block when it has ended on all.
 * @returns how many steps were done
 */
export const followOnMachines = async (
  machines: Readonly<Record<string, Debian>>,
  page: string,
  blocks: readonly Block[],
): Promise<number> => {
  let count = 0;
  for (const group of groupsOf(blocks.filter(({ attributes }) => attributes["in"] !== undefined))) {
    const steps = stepsOf(group, isWhole);
    await Promise.all(
      machinesOf(group[0] as Block).map(async (name) => {
        const machine = machines[name];
        if (!machine) throw new Error(`${page}:${group[0]?.line}: there is no machine ${name}`);
        await takeAll(machine, `${page}, on ${name}`, steps);
        count += steps.length;
      }),
    );
  }
  return count;
};
