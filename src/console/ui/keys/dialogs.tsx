import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, dataOf, hasCode, platform } from "../api/client.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Loading, Notice, Problem } from "../parts/feedback.tsx";
import { Field, Form, useFieldError } from "../parts/form.tsx";
import { OnceShown } from "../parts/once-shown.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import {
  DEFAULT_GRACE,
  GRANTS,
  type Grant,
  KEYS,
  type Key,
  type MintedKey,
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
import { FIELDS, NEW, PERMISSIONS, SECRET, UNSTORED } from "./words.ts";

const BACK = "/console/keys";

/** One key. @param id from the address */
const useKey = (id: string) =>
  useQuery({
    queryKey: [...KEYS, id],
    queryFn: () =>
      dataOf(platform.GET("/platform/keys/{keyId}", { params: { path: { keyId: Number(id) } } })),
  });

const REVOKED = new Error("This key is already revoked.");
const BEYOND = new Error(
  "This key has more permissions, a later expiry or a higher rate limit than you have.",
);

/** Loads a key for a dialog. Refuses revoked keys, and keys that may do more than one's own. */
const OneKey = ({
  id,
  children,
}: {
  /** From the address. */
  id: string;
  children: (key: Key, isOwn: boolean) => ComponentChildren;
}) => {
  const { user: own } = useSession();
  const { data: key, error, refetch } = useKey(id);
  const content = useRef<HTMLDivElement>(null);
  // The dialog opened before its content was loaded.
  useEffect(() => content.current?.querySelector<HTMLElement>("select, footer a")?.focus(), [!key]);
  if (error instanceof ApiError && error.status === 404) return <Problem error={error} />;
  if (!key) return error ? <Problem error={error} onRetry={refetch} /> : <Loading what="Loading the key" />;
  if (stateOf(key, Date.now()) === "revoked") return <Problem error={REVOKED} />;
  if (!mayChange(own, key)) return <Problem error={BEYOND} />;
  return <div ref={content}>{children(key, own.kind === "key" && key.id === own.id)}</div>;
};

/** A new secret. It is stored nowhere, so it is shown only once. */
const SecretOnce = ({ secret }: { secret: string }) => (
  <OnceShown text={secret} back={BACK} words={{ ...SECRET, question: UNSTORED }}>
    {SECRET.store}
  </OnceShown>
);

const toggled = (chosen: ReadonlySet<Grant>, grant: Grant): ReadonlySet<Grant> =>
  chosen.has(grant) ? chosen.difference(new Set([grant])) : chosen.union(new Set([grant]));

/** The permissions of a new key. Only those of one's own key are offered. */
const ScopeChoice = ({
  chosen,
  onChoose,
}: {
  chosen: ReadonlySet<Grant>;
  onChoose: (chosen: ReadonlySet<Grant>) => void;
}) => {
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
            onChange={() => onChoose(toggled(chosen, grant))}
          />
          {PERMISSIONS[grant]} <code>{grant}</code>
        </label>
      ))}
      <small id={`${id}-words`} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
        {error ?? "Choose only what the key needs."}
      </small>
    </fieldset>
  );
};

/** The fields of the form. */
interface Draft {
  name: string;
  chosen: ReadonlySet<Grant>;
  requests: string;
  window: RateWindow;
  lastDay: string;
}

const EMPTY: Draft = { name: "", chosen: new Set(), requests: "", window: "min", lastDay: "" };

const bodyOf = ({ name, chosen, requests, window, lastDay }: Draft, own: Reach) => {
  const rateLimit = rateOf(requests, window, own.rateLimit);
  const expiresAt = expiryOf(lastDay, own.expiresAt);
  return { name, scopes: grantsOf(chosen), ...(rateLimit && { rateLimit }), ...(expiresAt && { expiresAt }) };
};

const isDirty = ({ name, chosen, requests, lastDay }: Draft): boolean =>
  chosen.size > 0 || [name, requests, lastDay].some((text) => text !== "");

/** The properties of one section of the form. */
interface SectionProps {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
}

const LimitInputs = ({ draft, change, tied }: SectionProps & { tied: object }) => (
  <div class="rate">
    <input
      {...tied}
      name="requests"
      inputMode="numeric"
      autocomplete="off"
      value={draft.requests}
      onInput={(event) => change({ requests: event.currentTarget.value })}
    />
    <select
      aria-label="Requests per period"
      value={draft.window}
      onChange={(event) => change({ window: event.currentTarget.value as RateWindow })}
    >
      {Object.entries(NEW.windows).map(([window, words]) => (
        <option key={window} value={window}>
          {words}
        </option>
      ))}
    </select>
  </div>
);

const Limit = (section: SectionProps) => {
  const { rateLimit: own } = useSession().user;
  return (
    <Field
      label="Rate limit"
      name="rateLimit"
      hint={
        own
          ? `Your own key is limited to ${rateLabel(own)}. This key gets the same limit unless you enter a lower one.`
          : "Leave empty for no limit."
      }
    >
      {(tied) => <LimitInputs {...section} tied={tied} />}
    </Field>
  );
};

const LastDay = ({ draft, change }: SectionProps) => {
  const { expiresAt: ownEnd } = useSession().user;
  const hint = ownEnd ? (
    <>
      {NEW.ownEnd[0]} <Time at={ownEnd} />
      {NEW.ownEnd[1]}
    </>
  ) : (
    "At the end of this day. Leave empty for a key that does not expire."
  );
  return (
    <Field label="Expires" name="expiresAt" hint={hint}>
      {(tied) => (
        <input
          {...tied}
          type="date"
          name="lastDay"
          value={draft.lastDay}
          onInput={(event) => change({ lastDay: event.currentTarget.value })}
        />
      )}
    </Field>
  );
};

/** The dialog that creates a key and then shows its secret once. */
export const NewKey = () => {
  const { user: own } = useSession();
  const [draft, setDraft] = useState(EMPTY);
  const change = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  // The secret is dropped with the dialog.
  const creating = useAction({
    act: (draft: Draft) => dataOf(platform.POST("/platform/keys", { body: bodyOf(draft, own) })),
    changes: [KEYS],
  });
  const { data: minted, error, isPending } = creating;
  if (minted)
    return (
      <Dialog title={SECRET.titleOf(minted.name)} back={BACK}>
        <SecretOnce secret={minted.secret} />
      </Dialog>
    );
  return (
    <Dialog title="Create key" back={BACK} isDirty={isDirty(draft)}>
      <Form error={error} words={FIELDS} onSubmit={() => creating.run(draft)}>
        <Field label="Name" name="name" hint="Who or what will use the key.">
          {(tied) => (
            <input
              {...tied}
              name="name"
              required
              autocomplete="off"
              value={draft.name}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
          )}
        </Field>
        <ScopeChoice chosen={draft.chosen} onChoose={(chosen) => change({ chosen })} />
        <Limit draft={draft} change={change} />
        <LastDay draft={draft} change={change} />
        <DialogButtons back={BACK} label="Create key" isBusy={isPending} />
      </Form>
    </Dialog>
  );
};

const RotateForm = ({
  apiKey,
  isOwn,
  onRotated,
}: {
  apiKey: Key;
  isOwn: boolean;
  onRotated: (minted: MintedKey) => void;
}) => {
  const [graceSeconds, setGrace] = useState(DEFAULT_GRACE);
  const rotating = useAction({
    act: (graceSeconds: number) =>
      dataOf(
        platform.POST("/platform/keys/{keyId}/rotate", {
          params: { path: { keyId: apiKey.id } },
          body: { graceSeconds },
        }),
      ),
    onDone: onRotated,
    changes: [[...KEYS, "list"]],
  });
  return (
    <Form error={rotating.error} words={{}} onSubmit={() => rotating.run(graceSeconds)}>
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        {`gets a new secret. The old one, which begins with ${apiKey.prefix}, can stay valid for a while, so that you have time to replace it everywhere.`}
      </p>
      {isOwn && (
        <Notice tone="waiting">
          <p>You are signed in with this key. When the old secret expires, sign in with the new one.</p>
        </Notice>
      )}
      <Field label="How long should the old secret stay valid?">
        {(tied) => (
          <select
            {...tied}
            value={graceSeconds}
            onChange={(event) => setGrace(Number(event.currentTarget.value))}
          >
            {gracesOf(isOwn).map(({ seconds, words }) => (
              <option key={seconds} value={seconds}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <DialogButtons back={BACK} label="Create new secret" isBusy={rotating.isPending} />
    </Form>
  );
};

/** The dialog that gives a key a new secret and then shows it once. */
export const RotateKey = ({ id }: { id: string }) => {
  const [minted, setMinted] = useState<MintedKey>();
  if (minted)
    return (
      <Dialog title={SECRET.titleOf(minted.name)} back={BACK}>
        <SecretOnce secret={minted.secret} />
      </Dialog>
    );
  return (
    <Dialog title="Rotate key" back={BACK}>
      <OneKey id={id}>
        {(key, isOwn) => <RotateForm apiKey={key} isOwn={isOwn} onRotated={setMinted} />}
      </OneKey>
    </Dialog>
  );
};

/** Shown after the API refused to revoke the last key that can manage keys. */
const ForceChoice = ({
  isForced,
  onChoose,
}: {
  isForced: boolean;
  onChoose: (isForced: boolean) => void;
}) => (
  <Notice tone="bad">
    <p>
      No other key or administrator can grant all of its permissions. After that, only this command on the
      server can: <code>adoption-store keys create</code>
    </p>
    <label>
      <input
        type="checkbox"
        name="force"
        checked={isForced}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      Revoke it anyway
    </label>
  </Notice>
);

const RevokeForm = ({ apiKey, isOwn }: { apiKey: Key; isOwn: boolean }) => {
  const { signOut } = useSession();
  const [isForced, setForced] = useState(false);
  const revoking = useAction({
    act: () =>
      platform.DELETE("/platform/keys/{keyId}", {
        params: { path: { keyId: apiKey.id }, query: isForced ? { force: "true" } : {} },
      }),
    onDone() {
      // If it fails, the next request ends the session: its key is revoked.
      if (isOwn) void signOut().catch(() => {});
    },
    changes: isOwn ? [] : [KEYS],
    at: BACK,
    says: () => (isOwn ? undefined : `“${apiKey.name}” revoked`),
  });
  const isRefusedAsLast = hasCode(revoking.error, "last_admin_key");
  const isLast = isForced || isRefusedAsLast;
  return (
    <Form error={isRefusedAsLast ? null : revoking.error} words={{}} onSubmit={revoking.run}>
      <p>
        <bdi>
          <strong>{apiKey.name}</strong>
        </bdi>{" "}
        will stop working at once. Every client that uses it will be refused. This can't be undone.
      </p>
      {isOwn && (
        <Notice tone="bad">
          <p>You are signed in with this key. You will be signed out.</p>
        </Notice>
      )}
      {isLast && <ForceChoice isForced={isForced} onChoose={setForced} />}
      <DialogButtons
        back={BACK}
        label="Revoke"
        isBusy={revoking.isPending}
        isEnabled={!isLast || isForced}
        isDangerous
      />
    </Form>
  );
};

/** The dialog that revokes a key. */
export const RevokeKey = ({ id }: { id: string }) => (
  <Dialog title="Revoke key" back={BACK}>
    <OneKey id={id}>{(key, isOwn) => <RevokeForm apiKey={key} isOwn={isOwn} />}</OneKey>
  </Dialog>
);
