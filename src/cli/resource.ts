import type { Command } from "commander";
import { commandRooms } from "../app/command-rooms.ts";
import { commandContext } from "../data/context.ts";
import type { Cluster } from "../data/cluster/cluster.ts";
import type { Config } from "../config/config.ts";
import type { SettingName } from "../config/settings.ts";
import type { Database } from "../data/db/open.ts";
import { Fault } from "../lib/errors.ts";
import { command, type Declaration, group, type Heading, type Input, type Parameters } from "./command.ts";
import { withDatabase } from "./database.ts";
import { type Columns, listText, print } from "./print/output.ts";
import { configOf } from "./settings.ts";

/** The rooms of DATA_DIR, and their dependencies. */
export type Store = ReturnType<typeof commandRooms> & {
  config: Config;
  database: Database;
  cluster: Cluster | undefined;
};

type Described<Takes> = Omit<Declaration<Takes>, "run">;

/** A command that works on the store, whether or not a server is running. */
interface Action<Takes> extends Described<Takes> {
  /** Refuses wrong combinations of flags before the store is opened. @throws UsageError */
  check?(input: Input<Takes>): void;
  run(input: Input<Takes>, store: Store): ReturnType<Declaration<Takes>["run"]>;
}

/** Infers the type of `run`'s input from the arguments and options that the command takes. */
export const action = <const Takes extends Parameters = {}>(one: Action<Takes>): Action<Parameters> => one;

interface List<Row, Takes> extends Described<Takes> {
  rows(input: Input<Takes>, store: Store): Promise<readonly Row[]>;
  columns: Columns<Row>;
  /** Printed instead of a table without rows. */
  empty: string | ((input: Input<Takes>) => string);
  /** The form of a row in JSON output, unless it is the row itself. */
  toJson?(row: Row): unknown;
}

/** A command that lists things. */
export const list = <Row, const Takes extends Parameters = {}>(one: List<Row, Takes>): Action<Parameters> => {
  const { rows, columns, empty, toJson = (row) => row, ...described } = one;
  return action<Takes>({
    ...described,
    async run(input, store) {
      const found = await rows(input, store);
      const none = typeof empty === "string" ? empty : empty(input);
      return { json: found.map(toJson), text: () => print(listText(found, columns, none)) };
    },
  });
};

interface Access {
  /** The advice in the error about an id or a name that does not exist. */
  hint?: string | undefined;
  /** How its commands read their settings. */
  readConfig?: typeof configOf | undefined;
  /** Settings that all its commands take, and help does not show. */
  hiddenSettings?: readonly SettingName[] | undefined;
}

/** The command of an action, with `--json`. */
export const storeCommand = (
  one: Action<Parameters>,
  { hint, readConfig = configOf, hiddenSettings = [] }: Access = {},
) =>
  command({
    hiddenSettings,
    ...one,
    takes: { ...one.takes, ...(!one.takes?.["--json"] && { "--json": "print JSON" }) },
    run(input) {
      one.check?.(input);
      const config = readConfig(input);
      const done = withDatabase(config, async (database, cluster) =>
        one.run(
          input,
          Object.assign(commandRooms(commandContext(config, database)), { config, database, cluster }),
        ),
      );
      return done.catch((error: unknown) => {
        if (hint === undefined || !(error instanceof Fault && error.code === "not_found")) throw error;
        throw new Fault("not_found", `${error.message.replace(/\.$/, "")}: ${hint}`);
      });
    },
  });

/** The commands on one kind of thing in the store, and those about it that do without the store. */
export const resource = ({
  actions,
  hint,
  readConfig,
  hiddenSettings,
  ...heading
}: Heading & Access & { actions: readonly (Action<Parameters> | (() => Command))[] }) =>
  group({
    ...heading,
    commands: actions.map((one) =>
      typeof one === "function" ? one : storeCommand(one, { hint, readConfig, hiddenSettings }),
    ),
  });
