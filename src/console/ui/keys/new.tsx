import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { useSession } from "../session.tsx";
import { type RateWindow, type Reach, expiryOf, rateOf, rateLabel } from "./key.ts";
import { KEYS } from "./queries.ts";
import { ScopeChoice } from "./scope-choice.tsx";
import { type Grant, grantsOf } from "./scopes.ts";
import { SecretOnce } from "./secret.tsx";
import { FIELDS, NEW, SECRET } from "./words.ts";

const BACK = "/console/keys";

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
      aria-label={NEW.period}
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
    <Field label={NEW.rateLimit} name="rateLimit" hint={own ? NEW.limitedLike(rateLabel(own)) : NEW.noLimit}>
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
    NEW.noEnd
  );
  return (
    <Field label={NEW.expires} name="expiresAt" hint={hint}>
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
        <SecretOnce secret={minted.secret} back={BACK} />
      </Dialog>
    );
  return (
    <Dialog title={NEW.title} back={BACK} isDirty={isDirty(draft)}>
      <Form error={error} words={FIELDS} onSubmit={() => creating.run(draft)}>
        <Field label={NEW.name} name="name" hint={NEW.nameHint}>
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
        <DialogButtons back={BACK} label={NEW.submit} isBusy={isPending} />
      </Form>
    </Dialog>
  );
};
