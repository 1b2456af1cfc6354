import { Command, Option } from "commander";
import { commandServices } from "../app/command-services.ts";
import { databaseCopies } from "../backups/backup-directory.ts";
import { quantity } from "../lib/quantity.ts";
import type { Config } from "../config/config.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Database } from "../db/open.ts";
import { vacuum, vacuumInWorker } from "../db/vacuum.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { Fault } from "../lib/errors.ts";
import { systemClock } from "../lib/time.ts";
import type { AdopterRepository, OrderSummary } from "../orders/erasure.ts";
import { isEmail } from "../lib/email.ts";
import { fromOrder } from "../orders/model.ts";
import type { OrderService } from "../orders/service.ts";
import { ORDER_STATUSES, type OrderStatus } from "../orders/order.ts";
import { confirm } from "./confirm.ts";
import { recordIn, withDatabase } from "./database.ts";
import { type CommandTexts, withExamples, withTexts } from "./help/texts.ts";
import {
  allPages,
  type Columns,
  note,
  printDeclined,
  printList,
  printResult,
  relativeTime,
} from "./print/output.ts";
import { configBeside, configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;

interface Options extends Record<string, unknown> {
  json?: boolean;
  status?: string;
  cancel?: boolean;
  yes?: boolean;
}

/** Rewrites the files of this node, and has the nodes that run do the same with theirs, the log and the snapshots. */
const rewriteReplica = async ({ client }: Database, { log, state }: Cluster): Promise<void> => {
  const { ERASED_WITHIN_HOURS, announceErasure } = await import("../cluster/erasures.ts");
  await announceErasure(log, state().position);
  await vacuumInWorker(client.filename);
  note(
    `the other nodes, the log and the snapshots of the cluster may hold the adopter for ${quantity(ERASED_WITHIN_HOURS, "hour")} at most`,
  );
};

/**
 * Runs `work` on the orders of DATA_DIR, whether or not a server is running. `rewrite` removes erased data from its files, and
 * has the other nodes of a cluster do so.
 */
const withOrders = <Result>(
  config: Config,
  work: (orders: OrderService, adopters: AdopterRepository, rewrite: () => Promise<void>) => Promise<Result>,
): Promise<Result> =>
  withDatabase(config, (database, cluster) => {
    const { orders, adopters } = commandServices(config, database);
    const rewrite = cluster ? () => rewriteReplica(database, cluster) : () => vacuum(database.client);
    return work(orders, adopters, rewrite);
  });

const emailOf = (text: string): string => {
  if (!isEmail(text)) throw new UsageError(`email: ${JSON.stringify(text)} is not an email address`);
  return text;
};

const columnsAt = (now: number): Columns<ReturnType<typeof fromOrder>> => ({
  ID: ({ id }) => String(id),
  ANIMAL: ({ petId }) => String(petId),
  STATUS: ({ status }) => status,
  ADOPTER: ({ adopter }) => adopter?.name ?? "-",
  EMAIL: ({ adopter }) => adopter?.email ?? "-",
  PLACED: ({ createdAt }) => relativeTime(Date.parse(createdAt), now),
});

/** All adoptions. If any has an adopter, the audit log records the list. */
const listOrders = async (database: Database, status: OrderStatus | undefined, config: Config) => {
  const { orders } = commandServices(config, database);
  const found = await allPages((cursor: string | undefined) =>
    orders.list({ limit: PAGE_SIZE, status, petId: undefined, q: undefined, sort: "id", cursor }),
  );
  const { length } = found.filter(({ adopter }) => adopter !== undefined);
  if (length > 0)
    await recordIn(database, {
      action: "export.adopters",
      id: "orders",
      changes: [["rows", null, String(length)]],
    });
  return found;
};

const listCommand = () =>
  withExamples(new Command("list"), [
    "List the adoptions that wait for approval",
    "adoption-store orders list --status placed",
  ])
    .description("list adoptions, with their adopters")
    .addOption(new Option("--status <status>", "only adoptions with this status").choices(ORDER_STATUSES))
    .action(async (options: Options & { status?: OrderStatus }) => {
      const config = configOf(options);
      const found = await withDatabase(config, (database) => listOrders(database, options.status, config));
      printList(found.map(fromOrder), columnsAt(Date.now()), {
        json: options.json,
        empty: "There are no orders.",
      });
    });

const refusal = (open: readonly OrderSummary[]): Fault =>
  new Fault(
    "order_status_conflict",
    `nothing was forgotten, because open orders need their adopter (${open
      .map(({ id, status }) => `order ${id} is ${status}`)
      .join(", ")}): complete or cancel them first, or add --cancel`,
  );

const questionOf = (orders: number, cancelling: boolean): string =>
  orders === 0
    ? "No order has this address. Rewrite the database anyway, in case an earlier run was interrupted?"
    : `Erase adopter and note of ${quantity(orders, "order")}${cancelling ? ", open ones too" : ""}?`;

const REWRITING =
  "rewriting the database: its files may hold the adopter until this has ended; if it is interrupted, run it again";

const stillHeld = (copies: readonly string[]): string =>
  `these files may still hold the adopter: ${copies.join(", ")}; delete them (backups once you have taken a new one), and copies elsewhere too`;

/** Erases the adopter from the orders and then from the database's files. @returns undefined if the user says no */
const forget = (config: Config, email: string, { cancel = false, yes }: Options) =>
  withOrders(config, async (_orders, adopters, rewrite) => {
    const { length } = await adopters.find(email);
    if (!yes && !(await confirm(questionOf(length, cancel)))) return undefined;
    const result = await adopters.forget(email, cancel, { actor: OPERATOR, now: systemClock.now() });
    if (result.open.length > 0 && !cancel) throw refusal(result.open);
    // Even if no order was found: an earlier run may have been interrupted.
    note(REWRITING);
    await rewrite();
    return result;
  });

const FORGET_TEXTS: CommandTexts = {
  notes: [
    "Backups, and databases that a restore has set aside, still hold the adopter. The command lists those that it finds.",
  ],
  examples: [{ text: "Erase an adopter", line: "adoption-store orders forget ada@example.org" }],
};

const forgetCommand = () =>
  withTexts(new Command("forget"), FORGET_TEXTS)
    .summary("erase an adopter from all adoptions")
    .description(
      "erase an adopter: the name, email address and note of all orders, and the stored responses that contain them",
    )
    .argument("<email>", "the adopter's email address, in upper or lower case", emailOf)
    .option(
      "--cancel",
      "cancel this adopter's open orders too; without it an adopter with open orders is refused",
    )
    .option("--yes", "do not ask")
    .action(async (email: string, options: Options) => {
      const config = configBeside(options);
      const result = await forget(config, email, options);
      if (!result) return printDeclined(options.json, "Nothing was forgotten.");
      const { orders, responses, open } = result;
      const copies = databaseCopies(config.dataDir, config.backupDir);
      if (copies.length > 0) note(stillHeld(copies));
      printResult(
        options.json,
        { orders, responses, cancelled: open.map(({ id }) => id), copies },
        `Erased the adopter from ${quantity(orders, "order")} (${open.length} cancelled by this command) and deleted ${quantity(responses, "stored response")}.`,
      );
    });

export const ordersCommand = (): Command => {
  const command = new Command("orders").description("list adoptions, and erase adopters");
  for (const [child, settings] of [
    [listCommand(), []],
    [forgetCommand(), ["backupDir"]],
  ] as const)
    command.addCommand(withSettings(child.option("--json", "print JSON"), [], settings));
  return command;
};
