import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field, fieldError, generalError } from "../parts/field.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { type RateWindow, type Reach, WINDOWS, expiryOf, rateOf, rateLabel } from "./key.ts";
import { KEYS } from "./queries.ts";
import { ScopeChoice } from "./scope-choice.tsx";
import { type Grant, grantsOf } from "./scopes.ts";
import { SecretOnce } from "./secret.tsx";

const BACK = "/console/keys";
const FIELDS = ["name", "scopes", "rateLimit", "expiresAt"];

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

/** The properties of one section of the form. */
interface SectionProps {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  error: Error | null;
}

const LimitInputs = ({ draft, change, tied }: Omit<SectionProps, "error"> & { tied: object }) => (
  <div class="rate">
    <input
      {...tied}
      name="requests"
      inputMode="numeric"
      pattern="\s*[1-9][0-9]{0,8}\s*"
      title="A whole number"
      value={draft.requests}
      onInput={(event) => change({ requests: event.currentTarget.value })}
    />
    <select
      aria-label="Requests per period"
      value={draft.window}
      onChange={(event) => change({ window: event.currentTarget.value as RateWindow })}
    >
      {Object.entries(WINDOWS).map(([window, word]) => (
        <option key={window} value={window}>
          each {word}
        </option>
      ))}
    </select>
  </div>
);

const Limit = ({ draft, change, error }: SectionProps) => {
  const { rateLimit: own } = useSession().key;
  const hint = own
    ? `Your own key is limited to ${rateLabel(own)}. This key gets the same limit unless you enter a lower one.`
    : "Leave empty for no limit.";
  return (
    <Field label="Most requests" hint={hint} error={fieldError(error, "rateLimit")}>
      {(tied) => <LimitInputs draft={draft} change={change} tied={tied} />}
    </Field>
  );
};

const LastDay = ({ draft, change, error }: SectionProps) => {
  const { expiresAt: ownEnd } = useSession().key;
  const hint = ownEnd ? (
    <>
      Your own key ends <Time at={ownEnd} />: this one ends then at the latest.
    </>
  ) : (
    "Leave empty for a key that does not expire."
  );
  return (
    <Field label="Last day" hint={hint} error={fieldError(error, "expiresAt")}>
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
  const queries = useQueryClient();
  const { key: own } = useSession();
  const [draft, setDraft] = useState(EMPTY);
  const change = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const making = useMutation({
    mutationFn: (draft: Draft) => dataOf(platform.POST("/platform/keys", { body: bodyOf(draft, own) })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: KEYS }),
    // The secret is dropped with the dialog.
    gcTime: 0,
  });
  const { data: minted, error, isPending } = making;
  if (minted)
    return (
      <Dialog title={`The secret of “${minted.name}”`} back={BACK}>
        <SecretOnce secret={minted.secret} back={BACK} />
      </Dialog>
    );
  const general = generalError(error, FIELDS);
  const section = { draft, change, error };
  return (
    <Dialog title="New key" back={BACK}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate(draft);
        }}
      >
        {general && <Problem error={general} />}
        <Field label="Name" hint="Who or what will use the key." error={fieldError(error, "name")}>
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
        <ScopeChoice
          chosen={draft.chosen}
          onChoose={(chosen) => change({ chosen })}
          error={fieldError(error, "scopes")}
        />
        <Limit {...section} />
        <LastDay {...section} />
        <DialogButtons back={BACK} label="Create key" isBusy={isPending} />
      </form>
    </Dialog>
  );
};
