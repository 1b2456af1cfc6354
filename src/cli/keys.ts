import { Command, Option } from "commander";
import { commandServices } from "../app/command-services.ts";
import type { Config } from "../config/config.ts";
import { DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS, fromKey, fromKeyWithSecret } from "../keys/model.ts";
import { type KeyService, type KeyWithSecret } from "../keys/service.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { Fault } from "../lib/errors.ts";
import { GRANTS, SCOPES } from "../lib/scopes.ts";
import { formatTime } from "../lib/time.ts";
import { confirm } from "./confirm.ts";
import { whenNotFound, withDatabase } from "./database.ts";
import { withSuggestions } from "./help/options.ts";
import { withExamples, withTexts } from "./help/texts.ts";
import { expiryOf, graceOf, keyIdOf, keyNameOf, rateOf, scopesOf } from "./key-flags.ts";
import {
  allPages,
  type Columns,
  note,
  print,
  printDeclined,
  printJson,
  printList,
  printResult,
  relativeTime,
} from "./print/output.ts";
import { configOf, withSettings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;

interface Options extends Record<string, unknown> {
  json?: boolean;
}

type WireKey = ReturnType<typeof fromKey>;

/** Runs `work` on the keys of DATA_DIR, whether or not a server is running. */
const withKeys = <Result>(config: Config, work: (keys: KeyService) => Promise<Result>): Promise<Result> =>
  whenNotFound(
    "see adoption-store keys list",
    withDatabase(config, (database) => work(commandServices(config, database).keys)),
  );

const printMinted = (minted: KeyWithSecret, { json }: Options, action: "created" | "rotated") => {
  process.stdout.once("error", () =>
    note(`key ${minted.key.id} was ${action}, but its secret could not be printed: revoke it, or rotate it`),
  );
  if (json) return printJson(fromKeyWithSecret(minted));
  const { key, secret } = minted;
  print(`Key ${key.id} "${key.name}" (${[...key.scopes].join(" ")})`);
  print(`Secret, shown only now: ${secret}`);
};

const SCOPE_WIDTH = Math.max(...Object.keys(SCOPES).map((scope) => scope.length)) + 2;
const SCOPE_LIST = [
  "The scopes:",
  ...Object.entries(SCOPES).map(([scope, meaning]) => `  ${scope.padEnd(SCOPE_WIDTH)}${meaning}`),
].join("\n");

interface CreateOptions extends Options {
  name: string;
  scope: string[];
  expires?: string;
  rateLimit?: string;
}

const createCommand = () =>
  withExamples(
    withTexts(new Command("create"), { notes: [SCOPE_LIST] }),
    [
      "Create a key for a website that shows animals",
      "adoption-store keys create --name website --scope pets:read \\\n  --rate-limit 600/min",
    ],
    [
      "Create a key for a shelter's program, for 90 days",
      "adoption-store keys create --name shelter --expires 90d \\\n  --scope pets:read pets:write",
    ],
  )
    .description("create a key and print its secret, which is shown only once")
    .requiredOption("--name <name>", "what the key is for")
    .addOption(
      withSuggestions(
        new Option(
          "--scope <scopes...>",
          "what it may do: scopes from the list below, or '*' for everything",
        ),
        GRANTS,
      ).makeOptionMandatory(),
    )
    .option(
      "--expires <when>",
      "when it ends: a time such as 2030-12-05T00:00:00Z or a span such as 90d (default: never)",
    )
    .option(
      "--rate-limit <rate>",
      "maximum requests per time window: 10/s, 600/min or 5000/h (default: no limit)",
    )
    .action(async (options: CreateOptions) => {
      const { name, scope, expires, rateLimit } = options;
      const key = {
        name: keyNameOf(name),
        scopes: scopesOf(scope),
        expiresAt: expires === undefined ? undefined : expiryOf(expires),
        rate: rateLimit === undefined ? undefined : rateOf(rateLimit),
      };
      const create = (keys: KeyService) => keys.create(key, OPERATOR);
      printMinted(await withKeys(configOf(options), create), options, "created");
    });

const stateOf = ({ revokedAt, expiresAt }: WireKey, now: number): string => {
  if (revokedAt) return `revoked ${relativeTime(Date.parse(revokedAt), now)}`;
  if (!expiresAt) return "valid";
  const end = Date.parse(expiresAt);
  return `${end <= now ? "expired" : "expires"} ${relativeTime(end, now)}`;
};

const columnsAt = (now: number): Columns<WireKey> => ({
  ID: ({ id }) => String(id),
  NAME: ({ name }) => name,
  PREFIX: ({ prefix }) => prefix,
  SCOPES: ({ scopes }) => scopes.join(" "),
  LIMIT: ({ rateLimit }) => rateLimit ?? "-",
  "LAST USED": ({ lastUsedAt }) => (lastUsedAt ? relativeTime(Date.parse(lastUsedAt), now) : "never"),
  STATE: (key) => stateOf(key, now),
});

const listCommand = () =>
  withExamples(new Command("list"), [
    "Show all keys and when they were last used",
    "adoption-store keys list",
  ])
    .description("list all keys, without their secrets")
    .action(async (options: Options) => {
      const found = await withKeys(configOf(options), (keys) =>
        allPages(async (after: number | undefined) => {
          const items = await keys.list({ after: after ?? 0, limit: PAGE_SIZE });
          return { items, next: items.length < PAGE_SIZE ? undefined : items.at(-1)?.id };
        }),
      );
      printList(found.map(fromKey), columnsAt(Date.now()), {
        json: options.json,
        empty: "No keys. Create one: adoption-store keys create --help",
      });
    });

const rotateCommand = () =>
  withExamples(new Command("rotate"), [
    "Replace a secret that leaked; the old one ends now",
    "adoption-store keys rotate 2 --grace 0s",
  ])
    .description("replace the secret of a key and print the new one, which is shown only once")
    .argument("<id>", "the key's id", keyIdOf)
    .option(
      "--grace <span>",
      `how long the old secret still works: 0s to ${MAX_GRACE_SECONDS / 86_400}d (default: ${DEFAULT_GRACE_SECONDS / 3600}h)`,
    )
    .action(async (id: number, options: Options & { grace?: string }) => {
      const grace = options.grace === undefined ? DEFAULT_GRACE_SECONDS : graceOf(options.grace);
      if (grace > MAX_GRACE_SECONDS) throw new UsageError(`--grace: at most ${MAX_GRACE_SECONDS / 86_400}d`);
      printMinted(
        await withKeys(configOf(options), (keys) => keys.rotate(id, grace, OPERATOR)),
        options,
        "rotated",
      );
    });

/** Revokes the key. Asks first if, without it, no key or administrator could grant all of its scopes. @returns false if the user declines */
const revokeOrAsk = async (keys: KeyService, id: number, force: boolean): Promise<boolean> => {
  try {
    await keys.revoke(id, OPERATOR, { force });
    return true;
  } catch (error) {
    if (!(error instanceof Fault && error.code === "last_admin_key")) throw error;
  }
  const { name } = await keys.get(id);
  const question = `Without key ${id} "${name}", no key or administrator could grant all of its scopes. Revoke it?`;
  if (!(await confirm(question))) return false;
  await keys.revoke(id, OPERATOR, { force: true });
  return true;
};

const revokeCommand = () =>
  withExamples(new Command("revoke"), ["End the key with id 2", "adoption-store keys revoke 2"])
    .description("revoke a key at once; this can't be undone")
    .argument("<id>", "the key's id", keyIdOf)
    .option("--yes", "do not ask, not even for the last key that can grant its scopes")
    .action(async (id: number, options: Options & { yes?: boolean }) => {
      const key = await withKeys(configOf(options), async (keys) =>
        (await revokeOrAsk(keys, id, options.yes ?? false)) ? keys.get(id) : undefined,
      );
      if (!key) return printDeclined(options.json, "Nothing was revoked.");
      const revokedAt = formatTime(key.revokedAt ?? 0);
      printResult(options.json, fromKey(key), `Key ${key.id} "${key.name}" was revoked at ${revokedAt}`);
    });

export const keysCommand = (): Command => {
  const command = new Command("keys").description("create, list, rotate and revoke API keys");
  for (const child of [createCommand(), listCommand(), rotateCommand(), revokeCommand()])
    command.addCommand(withSettings(child.option("--json", "print JSON"), []));
  return command;
};
