import { useState } from "preact/hooks";
import { platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Notice } from "../parts/feedback.tsx";
import { problemAt, problemsOf, wordsFor } from "../parts/field-words.ts";
import { Form } from "../parts/form.tsx";
import { isolated } from "../parts/isolated.ts";
import { Sentence } from "../parts/sentence.tsx";
import { useAction } from "../parts/use-action.ts";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { hostnameIn, offeredPair } from "./hostname.ts";
import { HostnameField } from "./hostname-field.tsx";
import { type Domain, shownName } from "./model.ts";
import { KEYS } from "./queries.ts";
import { primaryOf } from "./redirects.ts";
import { ADD, FIELDS } from "./words.ts";

/** The dialog stays: the project had the domain already, or its pair was refused. */
class UnfinishedError extends Error {
  constructor(
    readonly domain: Domain,
    message: string,
  ) {
    super(message);
  }
}

/** @throws ApiError */
const post = async (slug: string, body: { hostname: string; pair?: true }) => {
  const { data, response } = await platform.POST("/platform/projects/{slug}/domains", {
    params: { path: { slug } },
    body,
  });
  return { domain: data, isNew: response.status === 201 };
};

const reasonFor = (error: Error): string => {
  const problem = problemAt(problemsOf(error), "pair");
  return problem ? wordsFor(problem, FIELDS["hostname"]) : error.message;
};

/** Adds a domain, then its pair: the domain stays if the pair is refused. @throws UnfinishedError, ApiError */
const addDomain = async (slug: string, hostname: string, hasPair: boolean): Promise<Domain> => {
  const { domain, isNew } = await post(slug, { hostname });
  const { pair } = domain;
  const both =
    hasPair && pair !== undefined
      ? await post(slug, { hostname, pair: true }).catch((error: Error) => {
          throw new UnfinishedError(
            domain,
            ADD.refused(isolated(pair), isolated(shownName(domain)), reasonFor(error)),
          );
        })
      : { isNew };
  if (!isNew && !both.isNew) throw new UnfinishedError(domain, ADD.present(isolated(shownName(domain))));
  return domain;
};

const Unfinished = ({ slug, error: { domain, message } }: { slug: string; error: UnfinishedError }) => (
  <Notice tone="waiting">
    <p role="alert">
      <Sentence text={message} /> <a href={domainPath(slug, domain.hostname)}>{ADD.open}</a>
    </p>
  </Notice>
);

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
    act: (hostname: string) => addDomain(slug, hostname, isPairChosen && offeredPair(hostname) !== undefined),
    changes: [KEYS.all(slug)],
    at: (domain) => domainPath(slug, domain.hostname),
    says: (domain) => ADD.added(shownName(domain)),
  });
  const { error } = adding;
  const unfinished = error instanceof UnfinishedError ? error : undefined;
  return (
    <Dialog title={ADD.title} back={back} isDirty={typed.trim() !== "" && !unfinished}>
      <Form error={unfinished ? undefined : error} words={FIELDS} onSubmit={() => adding.run(named)}>
        {unfinished && <Unfinished slug={slug} error={unfinished} />}
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
