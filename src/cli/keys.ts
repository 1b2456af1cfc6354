import { Command } from "commander";
import type { Config } from "../config/config.ts";
import { Fault } from "../lib/errors.ts";
import { isLine } from "../lib/text.ts";
import { DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS, MAX_NAME, fromKey, fromMinted } from "../keys/model.ts";
import { parseRate } from "../keys/rate.ts";
import { GRANTS, type Grant, SCOPES, isGrant } from "../lib/scopes.ts";
import { type KeyService, type Minted, OPERATOR } from "../keys/service.ts";
import { LATEST_TIME, formatTime, parseTime } from "../lib/time.ts";
import { commandServices } from "../app/command-services.ts";
import { withDatabase } from "./database.ts";
import { configOf, withSettings } from "./settings.ts";
import { UsageError, confirm, print, table } from "./terminal.ts";

const PAGE = 100;

interface Common {
  json?: boolean;
}

/** Runs some work on the keys of DATA_DIR, beside a server or without one. Only making a key makes what is missing. */
const withKeys = <Result>(
  config: Config,
  work: (keys: KeyService) => Promise<Result>,
  options?: { create: boolean },
): Promise<Result> =>
  withDatabase(config, (database) => work(commandServices(config, database).keys), options);

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads a time span such as `90s`, `30m`, `12h`, `7d`, in seconds. */
const parseSpan = (text: string): number | undefined => {
  const [, digits, unit] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * UNITS[unit as keyof typeof UNITS];
};

const required = <Value>(flag: string, text: string, value: Value | undefined, form: string): Value => {
  if (value === undefined) throw new UsageError(`${flag}: ${JSON.stringify(text)} is not ${form}`);
  return value;
};

const scopesOf = (texts: readonly string[]): Grant[] => {
  const words = texts.flatMap((text) => text.split(",")).filter((word) => word !== "");
  if (words.length === 0) throw new UsageError("--scope: name at least one scope");
  return [...new Set(words)].map((word) =>
    required("--scope", word, isGrant(word) ? word : undefined, `a scope; there are ${GRANTS.join(", ")}`),
  );
};

const expiryOf = (text: string): number => {
  const span = parseSpan(text);
  const time = span === undefined ? parseTime(text) : Date.now() + span * 1000;
  const isAhead = time !== undefined && time > Date.now() && time <= LATEST_TIME;
  const form = "a time ahead, such as 2030-12-05T00:00:00Z, or a span such as 90d";
  return required("--expires", text, isAhead ? time : undefined, form);
};

const idOf = (text: string): number =>
  required(
    "key id",
    text,
    /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined,
    "a number; see adoption-store keys list",
  );

const nameOf = (text: string): string =>
  required(
    "--name",
    text,
    isLine(text, MAX_NAME) ? text : undefined,
    `1 to ${MAX_NAME} characters, without control characters`,
  );

const printMinted = (minted: Minted, { json }: Common) => {
  if (json) return print(JSON.stringify(fromMinted(minted)));
  const { key, secret } = minted;
  print(`Key ${key.id} "${key.name}" (${[...key.scopes].join(" ")})`);
  print(`Secret, shown this once: ${secret}`);
};

const createCommand = () =>
  new Command("create")
    .description("make a key and print its secret, this once")
    .requiredOption("--name <name>", "what the key is for")
    .requiredOption(
      "--scope <scopes...>",
      `what it may do: * for everything, or ${Object.entries(SCOPES)
        .map(([scope, meaning]) => `${scope} (${meaning})`)
        .join(", ")}`,
    )
    .option(
      "--expires <when>",
      "when it ends: a time such as 2030-12-05T00:00:00Z or a span such as 90d (default: never)",
    )
    .option("--rate-limit <rate>", "most requests in a window: 10/s, 600/min or 5000/h (default: no limit)")
    .action(
      async (options: Common & { name: string; scope: string[]; expires?: string; rateLimit?: string }) => {
        const { name, scope, expires, rateLimit } = options;
        const key = {
          name: nameOf(name),
          scopes: scopesOf(scope),
          expiresAt: expires === undefined ? undefined : expiryOf(expires),
          rate:
            rateLimit === undefined
              ? undefined
              : required(
                  "--rate-limit",
                  rateLimit,
                  parseRate(rateLimit),
                  "a rate such as 10/s, 600/min or 5000/h",
                ),
        };
        printMinted(
          await withKeys(configOf(options as never), (keys) => keys.create(key, OPERATOR), { create: true }),
          options,
        );
      },
    );

const stateOf = ({ revokedAt, expiresAt }: { revokedAt?: string; expiresAt?: string }): string => {
  if (revokedAt) return `revoked ${revokedAt}`;
  if (!expiresAt) return "valid";
  return Date.parse(expiresAt) <= Date.now() ? `expired ${expiresAt}` : `valid until ${expiresAt}`;
};

const listCommand = () =>
  new Command("list").description("list all keys, without their secrets").action(async (options: Common) => {
    const found = await withKeys(configOf(options as never), async (keys) => {
      const all = [];
      for (let after = 0; ;) {
        const page = await keys.list({ after, limit: PAGE });
        all.push(...page.map(fromKey));
        if (page.length < PAGE) return all;
        after = page.at(-1)?.id ?? after;
      }
    });
    if (options.json) return print(JSON.stringify(found));
    const heading = ["ID", "NAME", "PREFIX", "SCOPES", "LIMIT", "LAST USED", "STATE"];
    const rows = found.map((key) => [
      String(key.id),
      key.name,
      key.prefix,
      key.scopes.join(" "),
      key.rateLimit ?? "-",
      key.lastUsedAt ?? "never",
      stateOf(key),
    ]);
    print(
      found.length === 0
        ? "There are no keys yet: adoption-store keys create --help"
        : table([heading, ...rows]),
    );
  });

const rotateCommand = () =>
  new Command("rotate")
    .description("give a key a new secret and print it, this once")
    .argument("<id>", "the key's id", idOf)
    .option(
      "--grace <span>",
      `how long the old secret lives on: 0s to ${MAX_GRACE_SECONDS / 86_400}d (default: ${DEFAULT_GRACE_SECONDS / 3600}h)`,
    )
    .action(async (id: number, options: Common & { grace?: string }) => {
      const grace =
        options.grace === undefined
          ? DEFAULT_GRACE_SECONDS
          : required(
              "--grace",
              options.grace,
              parseSpan(options.grace),
              "a span such as 90s, 30m, 12h or 7d",
            );
      if (grace > MAX_GRACE_SECONDS) throw new UsageError(`--grace: at most ${MAX_GRACE_SECONDS / 86_400}d`);
      printMinted(
        await withKeys(configOf(options as never), (keys) => keys.rotate(id, grace, OPERATOR)),
        options,
      );
    });

/** Revokes the key; asks first if that leaves no usable key that can manage keys. False if the answer is no. */
const revokeOrAsk = async (keys: KeyService, id: number, isSure: boolean): Promise<boolean> => {
  try {
    await keys.revoke(id, OPERATOR, { force: isSure });
    return true;
  } catch (error) {
    if (!(error instanceof Fault && error.code === "last_admin_key")) throw error;
  }
  const { name } = await keys.get(id);
  const question = `Key ${id} "${name}" is the last usable key that can manage keys. Revoke it?`;
  if (!(await confirm(question))) return false;
  await keys.revoke(id, OPERATOR, { force: true });
  return true;
};

const revokeCommand = () =>
  new Command("revoke")
    .description("end a key, from the next request on and for ever")
    .argument("<id>", "the key's id", idOf)
    .option("--yes", "do not ask, even if no other usable key can manage keys")
    .action(async (id: number, options: Common & { yes?: boolean }) => {
      const key = await withKeys(configOf(options as never), async (keys) =>
        (await revokeOrAsk(keys, id, options.yes ?? false)) ? keys.get(id) : undefined,
      );
      if (!key) return print("Nothing was revoked.");
      print(
        options.json
          ? JSON.stringify(fromKey(key))
          : `Key ${key.id} "${key.name}" is revoked since ${formatTime(key.revokedAt ?? 0)}`,
      );
    });

export const keysCommand = (): Command => {
  const command = new Command("keys").description(
    "make, list, rotate and revoke API keys; also beside a running server",
  );
  for (const child of [createCommand(), listCommand(), rotateCommand(), revokeCommand()])
    command.addCommand(withSettings(child.option("--json", "print JSON"), ["dataDir"]));
  return command;
};
