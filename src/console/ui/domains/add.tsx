import { useState } from "preact/hooks";
import { platform } from "../api/client.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Form } from "../parts/form.tsx";
import { isolated } from "../parts/wording.ts";
import { Sentence } from "../parts/text.tsx";
import { useAction } from "../parts/action.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { hostnameIn, offeredPair } from "./hostname.ts";
import { HostnameField } from "./hostname-field.tsx";
import { type Domain, shownName } from "./model.ts";
import { KEYS } from "./queries.ts";
import { primaryOf } from "./redirects.ts";
import { ADD, FIELDS } from "./words.ts";

/** The project had the domain already: the dialog stays. */
class PresentError extends Error {
  constructor(readonly domain: Domain) {
    super(ADD.present(isolated(shownName(domain))));
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

/** The dialog that adds a domain, by default with its pair, and then shows the records that they need. */
export const AddDomain = ({ slug, domains }: { slug: string; domains: readonly Domain[] }) => {
  const [typed, setTyped] = useState("");
  const [isPairChosen, setPairChosen] = useState(true);
  const back = projectPath(slug, "domains");
  const named = hostnameIn(typed);
  const pair = offeredPair(named);
  const primary = domains.length === 0 ? named : primaryOf(domains);
  const adding = useAction({
    // The name is passed in: Enter may come before the last change is rendered.
    act: (hostname: string) =>
      addDomain(slug, { hostname, pair: isPairChosen && offeredPair(hostname) !== undefined }),
    changes: [KEYS.all(slug)],
    at: (domain) => domainPath(slug, domain.hostname),
    says: (domain) => ADD.added(shownName(domain)),
  });
  const { error } = adding;
  const present = error instanceof PresentError ? error : undefined;
  return (
    <Dialog title={ADD.title} back={back} isDirty={typed.trim() !== "" && !present}>
      <Form
        error={present ? undefined : error}
        words={FIELDS}
        hidden={["pair"]}
        onSubmit={() => adding.run(named)}
      >
        {present && (
          <Notice tone="waiting">
            <p role="alert">
              <Sentence text={present.message} />{" "}
              <a href={domainPath(slug, present.domain.hostname)}>{ADD.open}</a>
            </p>
          </Notice>
        )}
        <HostnameField typed={typed} understood={ADD.understood} onType={setTyped} />
        {pair !== undefined && (
          <label>
            <input
              type="checkbox"
              name="pair"
              checked={isPairChosen}
              onChange={(event) => setPairChosen(event.currentTarget.checked)}
            />
            {ADD.pair(pair, primary)}
          </label>
        )}
        <DialogButtons back={back} label={ADD.save} isBusy={adding.isPending} />
      </Form>
    </Dialog>
  );
};
