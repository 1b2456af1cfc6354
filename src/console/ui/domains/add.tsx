import { useState } from "preact/hooks";
import { platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Form, useFieldError } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { hostnameIn } from "./hostname.ts";
import { HostnameField } from "./hostname-field.tsx";
import { type Domain, shownName } from "./model.ts";
import { KEYS } from "./queries.ts";
import { ADD, FIELDS } from "./words.ts";

/** The name was on the project's list already. */
class PresentError extends Error {
  constructor(readonly domain: Domain) {
    super(`${ADD.present} ${shownName(domain)}.`);
  }
}

/** @throws PresentError, ApiError */
const addDomain = async (slug: string, body: { hostname: string; pair: boolean }): Promise<Domain> => {
  const { data, response } = await platform.POST("/platform/projects/{slug}/domains", {
    params: { path: { slug } },
    body,
  });
  if (response.status === 200) throw new PresentError(data);
  return data;
};

const Present = ({ slug, domain }: { slug: string; domain: Domain }) => (
  <Notice tone="waiting">
    <p role="alert">
      {ADD.present} <bdi>{shownName(domain)}</bdi>. <a href={domainPath(slug, domain.hostname)}>{ADD.open}</a>
    </p>
  </Notice>
);

/** The choice to add the name with or without `www` too. */
const PairBox = ({ isChecked, onChange }: { isChecked: boolean; onChange: (isChecked: boolean) => void }) => {
  const error = useFieldError("pair");
  return (
    <div class={error ? "field invalid" : "field"}>
      <label>
        <input
          type="checkbox"
          name="pair"
          aria-invalid={error ? "true" : undefined}
          checked={isChecked}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {ADD.pair}
      </label>
      {error && (
        <small class="wrong" role="alert">
          {error}
        </small>
      )}
    </div>
  );
};

/** The dialog that adds a domain and then shows the record that it needs. */
export const AddDomain = ({ slug }: { slug: string }) => {
  const [typed, setTyped] = useState("");
  const [pair, setPair] = useState(false);
  const back = projectPath(slug, "domains");
  const adding = useAction({
    // The name is passed in: Enter may come before the last change is rendered.
    act: (hostname: string) => addDomain(slug, { hostname, pair }),
    changes: [KEYS.all(slug)],
    at: (domain) => domainPath(slug, domain.hostname),
    says: (domain) => ADD.added(shownName(domain)),
  });
  const { error } = adding;
  const present = error instanceof PresentError ? error.domain : undefined;
  return (
    <Dialog title={ADD.title} back={back} isDirty={typed.trim() !== "" && !present}>
      <Form error={present ? undefined : error} words={FIELDS} onSubmit={() => adding.run(hostnameIn(typed))}>
        {present && <Present slug={slug} domain={present} />}
        <HostnameField typed={typed} understood={ADD.understood} onType={setTyped} />
        <PairBox isChecked={pair} onChange={setPair} />
        <DialogButtons back={back} label={ADD.save} isBusy={adding.isPending} />
      </Form>
    </Dialog>
  );
};
