import { databaseCopies } from "../operate/backups/backup-directory.ts";
import { vacuum } from "../data/db/vacuum.ts";
import { isEmail } from "../lib/email.ts";
import { Fault } from "../lib/errors.ts";
import { OPERATOR } from "../lib/actor.ts";
import { quantity } from "../lib/quantity.ts";
import { systemClock } from "../lib/time.ts";
import type { OrderSummary } from "../store/orders/erasure.ts";
import { fromOrder } from "../store/orders/model.ts";
import { ORDER_STATUSES } from "../store/orders/order.ts";
import { assertConfirmed, valueOf } from "./input.ts";
import { recordIn } from "./database.ts";
import { allPages, note, relativeTime } from "./print/output.ts";
import { action, list, resource, type Store } from "./resource.ts";
import { effectiveConfig } from "./settings.ts";

const listOrders = list({
  name: "list",
  description: "list adoptions, with their adopters",
  takes: { "--status <status>": { text: "only adoptions with this status", choices: ORDER_STATUSES } },
  examples: { "List the adoptions that wait for approval": "--status placed" },
  async rows({ status }, { orders, database }) {
    const found = await allPages((page) =>
      orders.list({ status, petId: undefined, q: undefined, sort: "id", ...page }),
    );
    // The audit log records who has read the data of adopters.
    const { length } = found.filter(({ adopter }) => adopter !== undefined);
    if (length > 0)
      await recordIn(database, {
        action: "export.adopters",
        id: "orders",
        changes: [["rows", null, String(length)]],
      });
    return found.map(fromOrder);
  },
  columns: {
    ID: ({ id }) => String(id),
    ANIMAL: ({ petId }) => String(petId),
    STATUS: ({ status }) => status,
    ADOPTER: ({ adopter }) => adopter?.name ?? "-",
    EMAIL: ({ adopter }) => adopter?.email ?? "-",
    PLACED: ({ createdAt }, now) => relativeTime(Date.parse(createdAt), now),
  },
  empty: "There are no orders.",
});

/** Removes erased data from the files of this node, and has the other nodes of a cluster do so, and the log and the snapshots. */
const rewriteFiles = async ({ database: { client }, cluster }: Store): Promise<void> => {
  if (!cluster) return vacuum(client.filename);
  const { ERASED_WITHIN_HOURS, announceErasure } = await import("../data/cluster/erasures.ts");
  await announceErasure(cluster.log, cluster.state().position);
  await vacuum(client.filename);
  note(
    `the other nodes, the log and the snapshots of the cluster may hold the adopter for ${quantity(ERASED_WITHIN_HOURS, "hour")} at most`,
  );
};

const refusal = (open: readonly OrderSummary[]): Fault =>
  new Fault(
    "order_status_conflict",
    `nothing was erased, because open orders need their adopter (${open
      .map(({ id, status }) => `order ${id} is ${status}`)
      .join(", ")}): complete or cancel them first, or add --cancel`,
  );

const questionOf = (orders: number, cancelling: boolean): string =>
  orders === 0
    ? "No order has this address. Rewrite the database anyway, in case an earlier run was interrupted?"
    : `Erase adopter, note and reason of a return of ${quantity(orders, "order")}${cancelling ? ", open ones too" : ""}?`;

const REWRITING =
  "rewriting the database: its files may hold the adopter until this has ended; if it is interrupted, run it again";

const stillHeld = (copies: readonly string[]): string =>
  `these files may still hold the adopter: ${copies.join(", ")}; delete them (backups once you have taken a new one), and copies elsewhere too`;

const emailOf = valueOf("email", (text) => (isEmail(text) ? text : undefined), "an email address");

const forgetAdopter = action({
  name: "forget",
  summary: "erase an adopter from all adoptions",
  description:
    "erase an adopter: the name, email address, note and reason of a return of all orders, and the stored responses that contain them",
  takes: {
    "<email>": { text: "the adopter's email address, in upper or lower case", parse: emailOf },
    "--cancel": "cancel this adopter's open orders too; without it an adopter with open orders is refused",
    "--yes": "do not ask",
  },
  hiddenSettings: ["backupDir"],
  notes: [
    "Backups, and databases that a restore has set aside, still hold the adopter. The command lists those that it finds.",
  ],
  examples: { "Erase an adopter": "ada@example.org" },
  async run({ email, cancel = false, yes }, store) {
    const { adopters, config } = store;
    const { length } = await adopters.find(email);
    await assertConfirmed(yes, questionOf(length, cancel), "Nothing was erased.");
    const erased = await adopters.forget(email, cancel, { actor: OPERATOR, now: systemClock.now() });
    const { orders, responses, open } = erased;
    if (open.length > 0 && !cancel) throw refusal(open);
    // Even if no order was found: an earlier run may have been interrupted.
    note(REWRITING);
    await rewriteFiles(store);
    const copies = databaseCopies(config.dataDir, config.backupDir);
    if (copies.length > 0) note(stillHeld(copies));
    return {
      json: { orders, responses, cancelled: open.map(({ id }) => id), copies },
      text: `Erased the adopter from ${quantity(orders, "order")} (${open.length} cancelled by this command) and deleted ${quantity(responses, "stored response")}.`,
    };
  },
});

export const ordersCommand = resource({
  name: "orders",
  description: "list adoptions, and erase adopters",
  readConfig: effectiveConfig,
  actions: [listOrders, forgetAdopter],
});
