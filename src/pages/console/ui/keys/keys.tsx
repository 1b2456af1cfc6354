import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { dataOf, hasCode, isGone, pageOf, platform } from "../api/client.ts";
import { About, Dialog, DialogForm, OnceShown } from "../parts/dialog.tsx";
import { Badge, Notice, One, Page, Problem, Time, useClock } from "../parts/page.tsx";
import { type FormWords, NAME } from "../parts/wording.ts";
import {
  Check,
  Field,
  Hint,
  Select,
  SelectField,
  TextField,
  useDraft,
  useFieldError,
} from "../parts/form.tsx";
import { useAll, useOne } from "../parts/queries.ts";
import { useAction } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import {
  DEFAULT_GRACE,
  GRANTS,
  type Grant,
  KEYS,
  type Key,
  type MintedKey,
  PERMISSIONS,
  type RateWindow,
  type Reach,
  expiryOf,
  gracesOf,
  grantsOf,
  mayChange,
  mayGrant,
  rateLabel,
  rateOf,
  stateOf,
} from "./key.ts";
import { useRoute } from "../parts/navigation.ts";
import { Cells, type Column, List, RowLinks, Table, byId } from "../parts/table.tsx";

const BACK = "/console/keys";
const LIVE_MS = 30_000;

const FIELDS: FormWords = {
  name: NAME,
  scopes: {
    missing: "Choose at least one permission.",
    rules: { forbidden: "You don't have all of these permissions yourself." },
  },
  rateLimit: {
    otherwise: "Enter a whole number, such as 600.",
    rules: { forbidden: "Your own key has a lower rate limit. Enter that or less." },
  },
  expiresAt: {
    otherwise: "Enter a complete date.",
    rules: {
      minimum: "Choose a day that is not over yet.",
      maximum: "Choose a year before 10000.",
      forbidden: "Your own key expires earlier. Choose that day or an earlier one.",
    },
  },
};

const BEYOND = "This key has more permissions, a later expiry or a higher rate limit than you have.";

interface OneKeyProps {
  id: string;
  children: (key: Key, isOwn: boolean) => ComponentChildren;
}

/** Loads a key for a dialog. Refuses revoked keys, and keys that may do more than one's own. @param id from the address */
const OneKey = ({ id, children }: OneKeyProps) => {
  const { user: own } = useSession();
  const found = useOne(
    [...KEYS, id],
    () => platform.GET("/platform/keys/{keyId}", { params: { path: { keyId: Number(id) } } }),
    { refetchInterval: LIVE_MS },
  );
  const content = useRef<HTMLDivElement>(null);
  // The dialog opened before its content was loaded.
  useEffect(() => content.current?.querySelector<HTMLElement>("select, footer a")?.focus(), [!found.data]);
  return (
    <One found={isGone(found.error) ? { ...found, data: undefined } : found} what="the key">
      {(key) => {
        if (stateOf(key, Date.now()) === "revoked") return <Problem error="This key is already revoked." />;
        if (!mayChange(own, key)) return <Problem error={BEYOND} />;
        return <div ref={content}>{children(key, own.kind === "key" && key.id === own.id)}</div>;
      }}
    </One>
  );
};

/** Asked before the user leaves a secret that has not been copied. */
const UNSTORED = {
  title: "Close without storing the secret?",
  text: "It is shown only once. Without it, nobody can use the key.",
  stay: "Keep it open",
  leave: "Close",
};

/**
 * The dialog with a new secret. The secret is not stored, so it is shown only once. This is not a component, so that the dialog of the
 * form before it stays, and with it the focus.
 */
const secretOnce = ({ name, secret }: MintedKey) => (
  <Dialog title={`Secret of “${name}”`} back={BACK}>
    <OnceShown
      text={secret}
      what="the secret"
      once="This secret is shown only once."
      stored="I have stored it"
      question={UNSTORED}
    >
      Store it in a safe place now, such as a password manager. Anyone who has it can use the key.
    </OnceShown>
  </Dialog>
);

interface ScopeProps {
  value: ReadonlySet<Grant>;
  onValue: (chosen: ReadonlySet<Grant>) => void;
}

/** The permissions of a new key. Only those of one's own key are offered. */
const ScopeChoice = ({ value: chosen, onValue }: ScopeProps) => {
  const own = useSession().user.scopes;
  const error = useFieldError("scopes");
  const id = useId();
  return (
    <fieldset class={error ? "field invalid" : "field"} data-field="scopes" aria-describedby={`${id}-words`}>
      <legend>Permissions</legend>
      {GRANTS.filter((grant) => mayGrant(own, grant)).map((grant) => (
        <label key={grant}>
          <input
            type="checkbox"
            name="scopes"
            value={grant}
            checked={chosen.has(grant) || chosen.has("*")}
            disabled={grant !== "*" && chosen.has("*")}
            onChange={() => onValue(chosen.symmetricDifference(new Set([grant])))}
          />
          {PERMISSIONS[grant]} <code>{grant}</code>
        </label>
      ))}
      <Hint id={`${id}-words`} hint="Choose only what the key needs." error={error} />
    </fieldset>
  );
};

const EMPTY = {
  name: "",
  chosen: new Set() as ReadonlySet<Grant>,
  requests: "",
  window: "min" as RateWindow,
  lastDay: "",
};
type Draft = typeof EMPTY;

const bodyOf = ({ name, chosen, requests, window, lastDay }: Draft, own: Reach) => {
  const rateLimit = rateOf(requests, window, own.rateLimit);
  const expiresAt = expiryOf(lastDay, own.expiresAt);
  return { name, scopes: grantsOf(chosen), ...(rateLimit && { rateLimit }), ...(expiresAt && { expiresAt }) };
};

const isDirty = ({ name, chosen, requests, lastDay }: Draft): boolean =>
  chosen.size > 0 || [name, requests, lastDay].some((text) => text !== "");

const WINDOWS = [
  ["s", "per second"],
  ["min", "per minute"],
  ["h", "per hour"],
] as const;

const Limit = ({ draft, change }: { draft: Draft; change: (change: Partial<Draft>) => void }) => {
  const { rateLimit: own } = useSession().user;
  const hint = own
    ? `Your own key is limited to ${rateLabel(own)}. This key gets the same limit unless you enter a lower one.`
    : "Leave empty for no limit.";
  return (
    <Field label="Rate limit" name="rateLimit" hint={hint}>
      {(inputProps) => (
        <div class="rate">
          <input
            {...inputProps}
            name="requests"
            inputMode="numeric"
            autocomplete="off"
            value={draft.requests}
            onInput={(event) => change({ requests: event.currentTarget.value })}
          />
          <Select
            aria-label="Requests per period"
            value={draft.window}
            options={WINDOWS}
            onValue={(window) => change({ window })}
          />
        </div>
      )}
    </Field>
  );
};

const NewKey = () => {
  const { user: own } = useSession();
  const { draft, change, bind } = useDraft(EMPTY);
  // The secret is dropped with the dialog.
  const creating = useAction({
    act: (draft: Draft) => dataOf(platform.POST("/platform/keys", { body: bodyOf(draft, own) })),
    changes: [KEYS],
  });
  if (creating.data) return secretOnce(creating.data);
  const end = own.expiresAt ? (
    <>
      Your own key expires <Time at={own.expiresAt} />. This one will expire then at the latest.
    </>
  ) : (
    "At the end of this day. Leave empty for a key that does not expire."
  );
  return (
    <Dialog title="Create key" back={BACK} isDirty={isDirty(draft)}>
      <DialogForm action={creating} words={FIELDS} label="Create key" onSubmit={() => creating.run(draft)}>
        <TextField label="Name" hint="Who or what will use the key." required {...bind("name")} />
        <ScopeChoice {...bind("chosen")} />
        <Limit draft={draft} change={change} />
        <TextField label="Expires" field="expiresAt" hint={end} type="date" {...bind("lastDay")} />
      </DialogForm>
    </Dialog>
  );
};

const RotateKey = ({ id }: { id: string }) => {
  const [grace, setGrace] = useState<string>(DEFAULT_GRACE);
  const path = { keyId: Number(id) };
  const rotating = useAction({
    act: (graceSeconds: number) =>
      dataOf(platform.POST("/platform/keys/{keyId}/rotate", { params: { path }, body: { graceSeconds } })),
    changes: [[...KEYS, "list"]],
  });
  if (rotating.data) return secretOnce(rotating.data);
  return (
    <Dialog title="Rotate key" back={BACK}>
      <OneKey id={id}>
        {({ name, prefix }, isOwn) => (
          <DialogForm
            action={rotating}
            label="Create new secret"
            onSubmit={() => rotating.run(Number(grace))}
          >
            <About name={name}>
              gets a new secret. The old one, which begins with {prefix}, can stay valid for a while, so that
              you have time to replace it everywhere.
            </About>
            {isOwn && (
              <Notice
                tone="waiting"
                text="You are signed in with this key. When the old secret expires, sign in with the new one."
              />
            )}
            <SelectField
              label="How long should the old secret stay valid?"
              value={grace}
              options={gracesOf(isOwn)}
              onValue={setGrace}
            />
          </DialogForm>
        )}
      </OneKey>
    </Dialog>
  );
};

const RevokeForm = ({ apiKey: { id: keyId, name }, isOwn }: { apiKey: Key; isOwn: boolean }) => {
  const { signOut } = useSession();
  const [isForced, setForced] = useState(false);
  const revoking = useAction({
    act() {
      const query = isForced ? ({ force: "true" } as const) : {};
      return platform.DELETE("/platform/keys/{keyId}", { params: { path: { keyId }, query } });
    },
    onDone() {
      // If it fails, the next request ends the session: its key is revoked.
      if (isOwn) void signOut().catch(() => {});
    },
    changes: isOwn ? [] : [KEYS],
    at: BACK,
    says: () => (isOwn ? undefined : `“${name}” revoked`),
  });
  const isRefusedAsLast = hasCode(revoking.error, "last_admin_key");
  const isLast = isForced || isRefusedAsLast;
  return (
    <DialogForm
      action={isRefusedAsLast ? { ...revoking, error: null } : revoking}
      label="Revoke"
      isEnabled={!isLast || isForced}
      isDangerous
      onSubmit={revoking.run}
    >
      <About name={name}>
        will stop working at once. Every client that uses it will be refused. This can't be undone.
      </About>
      {isOwn && <Notice tone="bad" text="You are signed in with this key. You will be signed out." />}
      {isLast && (
        <Notice tone="bad">
          <p>
            No other key or administrator can grant all of its permissions. After that, only this command on
            the server can: <code>adoption-store keys create</code>
          </p>
          <Check name="force" isChecked={isForced} onCheck={setForced}>
            Revoke it anyway
          </Check>
        </Notice>
      )}
    </DialogForm>
  );
};

const Actions = ({ apiKey }: { apiKey: Key }) => {
  const own = useSession().user;
  const state = useClock((now) => stateOf(apiKey, now));
  if (state === "revoked" || !mayChange(own, apiKey)) return null;
  const path = `/console/keys/${apiKey.id}`;
  const links = { ...(state === "active" && { Rotate: `${path}/rotate` }), Revoke: `${path}/revoke` };
  return <RowLinks name={apiKey.name} links={links} />;
};

const Name = ({ apiKey }: { apiKey: Key }) => {
  const { user } = useSession();
  const state = useClock((now) => stateOf(apiKey, now));
  return (
    <>
      <bdi>{apiKey.name}</bdi>{" "}
      {user.kind === "key" && user.id === apiKey.id && <Badge tone="good">Yours</Badge>}
      {state !== "active" && <Badge tone="bad">{state === "revoked" ? "Revoked" : "Expired"}</Badge>}
      <code class="prefix" title="How its secret begins">
        {apiKey.prefix}…
      </code>
    </>
  );
};

const timeOr = (at: string | undefined) => (at ? <Time at={at} /> : "Never");

const columnsOf = (hasDeprecated: boolean): readonly Column<Key>[] => [
  { name: "Name", kind: "row", cell: (key) => <Name apiKey={key} /> },
  {
    name: "Permissions",
    cell: ({ scopes }) => (
      <ul class="scopes bare">
        {scopes.map((scope) => (
          <li key={scope} title={PERMISSIONS[scope]}>
            {scope === "*" ? "Full access" : <code>{scope}</code>}
          </li>
        ))}
      </ul>
    ),
  },
  { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "Last used", cell: ({ lastUsedAt }) => timeOr(lastUsedAt) },
  { name: "Expires", cell: ({ revokedAt, expiresAt }) => timeOr(revokedAt ?? expiresAt) },
  { name: "Rate limit", cell: ({ rateLimit }) => (rateLimit ? rateLabel(rateLimit) : "None") },
  ...(hasDeprecated
    ? [
        {
          name: "Deprecated calls",
          kind: "number" as const,
          cell: ({ deprecatedCalls = 0 }: Key) =>
            deprecatedCalls > 0 ? <Badge tone="waiting">{deprecatedCalls}</Badge> : deprecatedCalls,
        },
      ]
    : []),
  { name: "Actions", kind: "actions", cell: (key) => <Actions apiKey={key} /> },
];

const Row = ({ apiKey, columns }: { apiKey: Key; columns: readonly Column<Key>[] }) => (
  <tr class={useClock((now) => stateOf(apiKey, now))}>
    <Cells columns={columns} item={apiKey} />
  </tr>
);

const Rows = ({ keys }: { keys: readonly Key[] }) => {
  // For most there is nothing to say.
  const hasDeprecated = keys.some(({ deprecatedCalls = 0 }) => deprecatedCalls > 0);
  const columns = columnsOf(hasDeprecated);
  return (
    <>
      <Table
        label="Keys"
        kind="keys"
        stackBelow={61}
        columns={columns}
        items={keys}
        keyOf={byId}
        row={(key) => <Row apiKey={key} columns={columns} />}
      />
      {hasDeprecated && (
        <p class="explained">
          Calls to operations that will be removed, counted since the server started. Tell the people who use
          these keys.
        </p>
      )}
    </>
  );
};

export const Keys = () => {
  const { id = "", part } = useRoute().params;
  const found = useAll(
    [...KEYS, "list"],
    (query) => pageOf(platform.GET("/platform/keys", { params: { query } })),
    { refetchInterval: LIVE_MS },
  );
  return (
    <Page title="Keys" add={{ href: "/console/keys/new", label: "Create key" }}>
      <List found={found} thing="key">
        {(keys) => <Rows keys={keys} />}
      </List>
      {id === "new" && <NewKey />}
      {part === "rotate" && <RotateKey key={id} id={id} />}
      {part === "revoke" && (
        <Dialog key={id} title="Revoke key" back={BACK}>
          <OneKey id={id}>{(key, isOwn) => <RevokeForm apiKey={key} isOwn={isOwn} />}</OneKey>
        </Dialog>
      )}
    </Page>
  );
};
