import { Command } from "commander";
import { databaseCopies } from "../backups/database-copies.ts";
import type { Config } from "../config/config.ts";
import { vacuum } from "../db/vacuum.ts";
import { Fault } from "../lib/errors.ts";
import { fromOrder, isEmail } from "../orders/model.ts";
import type { Adopters, OrderSummary } from "../orders/erasure.ts";
import type { OrderService } from "../orders/service.ts";
import { ORDER_STATUSES, type OrderStatus } from "../orders/status.ts";
import { systemClock } from "../lib/time.ts";
import { commandServices } from "../app/command-services.ts";
import { withDatabase } from "./database.ts";
import { configBeside, configOf, withSettings } from "./settings.ts";
import { UsageError, confirm, fail, print, table } from "./terminal.ts";

const PAGE = 100;

interface Options extends Record<string, unknown> {
  json?: boolean;
  status?: string;
  cancel?: boolean;
  yes?: boolean;
}

/** Runs some work on the orders of DATA_DIR, beside a server or without one. */
const withOrders = <Result>(
  config: Config,
  work: (orders: OrderService, adopters: Adopters, clear: () => Promise<void>) => Promise<Result>,
): Promise<Result> =>
  withDatabase(config, (database) => {
    const { orders, adopters } = commandServices(config, database);
    return work(orders, adopters, () => vacuum(database.client));
  });

const statusOf = (text: string): OrderStatus => {
  const status = ORDER_STATUSES.find((one) => one === text);
  if (!status)
    throw new UsageError(`--status: ${JSON.stringify(text)} is not one of ${ORDER_STATUSES.join(", ")}`);
  return status;
};

const emailOf = (text: string): string => {
  if (!isEmail(text)) throw new UsageError(`email: ${JSON.stringify(text)} is not a mail address`);
  return text;
};

const listCommand = () =>
  new Command("list")
    .description("list adoptions, with their adopters")
    .option("--status <status>", `only those of one status: ${ORDER_STATUSES.join(", ")}`, statusOf)
    .action(async (options: Options & { status?: OrderStatus }) => {
      const found = await withOrders(configOf(options), async (orders) => {
        const all: ReturnType<typeof fromOrder>[] = [];
        for (let cursor: string | undefined; ;) {
          const query = { limit: PAGE, status: options.status, petId: undefined, cursor };
          const { items, next } = await orders.list(query);
          all.push(...items.map(fromOrder));
          if (next === undefined) return all;
          cursor = next;
        }
      });
      if (options.json) return print(JSON.stringify(found));
      const heading = ["ID", "ANIMAL", "STATUS", "ADOPTER", "EMAIL", "PLACED"];
      const rows = found.map(({ id, petId, status, adopter, createdAt }) => [
        String(id),
        String(petId),
        status,
        adopter?.name ?? "-",
        adopter?.email ?? "-",
        createdAt,
      ]);
      print(found.length === 0 ? "There are no orders." : table([heading, ...rows]));
    });

const quantity = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const refusal = (open: readonly OrderSummary[]): Fault =>
  new Fault(
    "order_status_conflict",
    `nothing was forgotten, for an open order needs its adopter (${open
      .map(({ id, status }) => `order ${id} is ${status}`)
      .join(", ")}): complete or cancel it first, or say --cancel`,
  );

const questionOf = (orders: number, cancelling: boolean): string =>
  orders === 0
    ? "No order has this address. Write the database anew all the same, in case that was cut off before?"
    : `Erase adopter and note of ${quantity(orders, "order")}${cancelling ? ", open ones too" : ""}?`;

const stillHeld = (copies: readonly string[]): string =>
  `files that may still hold what was forgotten: ${copies.join(", ")}; delete them, of backups once a new one is taken, and see to copies elsewhere`;

const forgetCommand = () =>
  new Command("forget")
    .description("erase an adopter: name, mail address and note of all orders, and what is kept of answers")
    .argument("<email>", "the adopter's mail address, in any case of its letters", emailOf)
    .option("--cancel", "cancel this adopter's open orders too; without it they are refused")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      "\nBackups, and databases that restores set aside, still hold what they held: those that are found are named.",
    )
    .action(async (email: string, options: Options) => {
      const { cancel = false, yes, json } = options;
      const config = configBeside(options);
      const forgotten = await withOrders(config, async (_orders, adopters, clear) => {
        const { length } = await adopters.find(email);
        if (!yes && !(await confirm(questionOf(length, cancel)))) return undefined;
        const done = await adopters.forget(email, cancel, systemClock.now());
        if (done.open.length > 0 && !cancel) throw refusal(done.open);
        // Also where there was nothing: an attempt before may have been cut off.
        fail(
          "writing the database anew: until that has ended its files may still hold it; if it is cut off, run this again",
        );
        await clear();
        return done;
      });
      if (!forgotten) return print("Nothing was forgotten.");
      const { orders, answers, open } = forgotten;
      const copies = databaseCopies(config.dataDir, config.backupDir);
      if (copies.length > 0) fail(stillHeld(copies));
      if (json)
        return print(JSON.stringify({ orders, answers, cancelled: open.map(({ id }) => id), copies }));
      print(
        `Forgotten: ${quantity(orders, "order")}, ${open.length} of them cancelled, and ${quantity(answers, "kept answer")}.`,
      );
    });

export const ordersCommand = (): Command => {
  const command = new Command("orders").description(
    "list adoptions and forget adopters; also beside a running server",
  );
  for (const [child, settings] of [
    [listCommand(), ["dataDir"]],
    [forgetCommand(), ["dataDir", "backupDir"]],
  ] as const)
    command.addCommand(withSettings(child.option("--json", "print JSON"), settings));
  return command;
};
