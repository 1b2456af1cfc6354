import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { ERRORS, dataOf, platform } from "../api/client.ts";
import { useAction } from "../parts/action.tsx";
import { Dialog, DialogButtons, DialogForm } from "../parts/dialog.tsx";
import { Badge, Loading, Notice, Problem, Sentence } from "../parts/page.tsx";
import { Check, Field, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { takeFocus } from "../parts/navigation.ts";
import { formatCount, isolated, type Options, pluralize } from "../parts/wording.ts";
import { domainPath, projectPath } from "../projects/model.ts";
import {
  type Addition,
  type Domain,
  FIELDS,
  hostnameIn,
  isWildcard,
  offeredPair,
  primaryOf,
  shownName,
  targetsOf,
  withPrimary,
} from "./model.ts";
import { ALL_DOMAINS, KEYS, at, fetchConfig, putConfig, putPrimary, useDomains } from "./queries.ts";

const Understood = ({ typed, understood }: { typed: string; understood: string }) => {
  const hostname = hostnameIn(typed);
  return (
    <span role="status">
      {hostname === "" || hostname === typed ? (
        "For example docs.example.org, example.org or *.example.org. You can paste an address."
      ) : (
        <>
          {understood} <strong>{hostname}</strong>
        </>
      )}
    </span>
  );
};

/** The field for a host name, in which an address can be pasted. @param understood precedes the name that was read in it */
export const HostnameField = ({
  understood,
  ...field
}: {
  understood: string;
  value: string;
  onValue: (text: string) => void;
}) => (
  <TextField
    label="Domain or subdomain"
    name="hostname"
    hint={<Understood typed={field.value} understood={understood} />}
    inputMode="url"
    isCode
    {...field}
  />
);

/** The project had the domain already: the dialog stays. */
class PresentError extends Error {
  constructor(readonly domain: Domain) {
    super(`This project already has ${isolated(shownName(domain))}.`);
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
    at: (domain) => domainPath(domain),
    says: (domain) => `${shownName(domain)} added`,
  });
  const { error } = adding;
  const present = error instanceof PresentError ? error : undefined;
  return (
    <Dialog title="Add domain" back={back} isDirty={typed.trim() !== "" && !present}>
      <DialogForm
        action={present ? { ...adding, error: null } : adding}
        words={FIELDS}
        hidden={["pair"]}
        label="Add domain"
        onSubmit={() => adding.run(named)}
      >
        {present && (
          <Notice tone="waiting">
            <p role="alert">
              <Sentence text={present.message} /> <a href={domainPath(present.domain)}>Open it</a>
            </p>
          </Notice>
        )}
        <HostnameField understood="This will add" value={typed} onValue={setTyped} />
        {pair !== undefined && (
          <Check name="pair" isChecked={isPairChosen} onCheck={setPairChosen}>
            {`Also add ${pair}${primary === undefined ? "" : ` and redirect it to ${primary}`}`}
          </Check>
        )}
      </DialogForm>
    </Dialog>
  );
};

export const ADD_DOMAINS = "Add domains";

/** The results, in the order in which they are listed. */
const RESULTS = {
  refused: { order: 0, tone: "bad", words: "Refused" },
  added: { order: 1, tone: "good", words: "Added" },
  present: { order: 1, tone: "quiet", words: "Already there" },
} as const;

const Result = ({ addition: { hostname, result, domain, error } }: { addition: Addition }) => (
  <li>
    <div class="name">
      {domain ? <a href={domainPath(domain)}>{shownName(domain)}</a> : <bdi>{hostname}</bdi>}
      {error && <small>{ERRORS[error.code] ?? error.message.replace(/^hostname: /, "It ")}</small>}
    </div>
    <Badge tone={RESULTS[result].tone}>{RESULTS[result].words}</Badge>
  </li>
);

/** A result for each domain, the refused ones first. */
const Results = ({ additions, back }: { additions: readonly Addition[]; back: string }) => {
  const refused = additions.filter(({ result }) => result === "refused").length;
  const sorted = additions.toSorted((a, b) => RESULTS[a.result].order - RESULTS[b.result].order);
  return (
    <>
      <p ref={takeFocus} tabIndex={-1}>
        {pluralize(additions.length - refused, "domain")} added or already there, {formatCount(refused)}{" "}
        refused.
      </p>
      <ul class="domains bare">
        {sorted.map((addition, index) => (
          <Result key={index} addition={addition} />
        ))}
      </ul>
      <footer>
        <a class="button" href={back}>
          Done
        </a>
      </footer>
    </>
  );
};

export const AddDomains = ({ back }: { back: string }) => {
  const { draft, change, bind } = useDraft({ project: "", list: "" });
  const project = draft.project.trim();
  const adding = useAction({
    act: () =>
      dataOf(
        platform.POST("/platform/domains", {
          params: { query: project === "" ? {} : { project } },
          headers: { "content-type": "text/csv" },
          body: new Blob([draft.list]) as never,
        }),
      ),
    changes: [ALL_DOMAINS],
  });
  const { data: additions } = adding;
  const isEmpty = draft.list.trim() === "";
  return (
    <Dialog title={ADD_DOMAINS} back={back} isDirty={!isEmpty && !additions}>
      {additions ? (
        <Results additions={additions} back={back} />
      ) : (
        <DialogForm
          action={adding}
          label={ADD_DOMAINS}
          isEnabled={!isEmpty}
          onSubmit={() => !isEmpty && adding.run()}
        >
          <TextField
            label="Project"
            hint="The slug of the project for lines without one."
            {...bind("project")}
          />
          <TextField
            label="Domains"
            field=""
            hint="One per line, or CSV with the columns domain, project and role."
            rows={8}
            isCode
            {...bind("list")}
          />
          <Field label="Or choose a file">
            {(inputProps) => (
              <input
                {...inputProps}
                type="file"
                accept=".csv,.txt"
                onChange={({ currentTarget: { files } }) =>
                  void files?.[0]?.text().then((list) => change({ list }))
                }
              />
            )}
          </Field>
        </DialogForm>
      )}
    </Dialog>
  );
};

const CHOICES = { redirect: "Yes: keep it as a redirect", remove: "No: remove it" };
type Choice = keyof typeof CHOICES;

const Choices = ({ choice, onChoose }: { choice: Choice; onChoose: (choice: Choice) => void }) => (
  <fieldset>
    <legend>Has the address been shared?</legend>
    {Object.entries(CHOICES).map(([one, words]) => (
      <label key={one}>
        <input
          type="radio"
          name="choice"
          value={one}
          checked={choice === one}
          onChange={() => onChoose(one as Choice)}
        />{" "}
        {words}
      </label>
    ))}
  </fieldset>
);

/** The domains that can take over from the primary one, as choices. */
const successors = (targets: readonly Domain[], isRequired: boolean): Options => [
  ...targets.map((target): Options[number] => [
    target.hostname,
    `${shownName(target)}${target.stage === "live" ? "" : " (not active yet)"}`,
  ]),
  ...(isRequired ? [] : [["", "None"] as const]),
];

const RemovalForm = ({ domain, domains }: { domain: Domain; domains: readonly Domain[] }) => {
  const queries = useQueryClient();
  const { project: slug, hostname, role, stage } = domain;
  const isPrimary = role === "primary";
  const targets = targetsOf(domains, hostname);
  const current = domains.find((one) => one.role === "primary")?.hostname;
  // No visitor is lost if nothing is served, and a redirect is one already.
  const canRedirect =
    stage === "live" &&
    !isWildcard(domain) &&
    (isPrimary ? targets.length > 0 : role === "served" && current !== undefined);
  const [chosen, setChoice] = useState<Choice>();
  const choice = canRedirect ? (chosen ?? "redirect") : "remove";
  const [chosenPrimary, setPrimary] = useState<string>();
  const primary = isPrimary ? (chosenPrimary ?? targets[0]?.hostname ?? "") : (current ?? "");
  const target = primary || (targets[0]?.hostname ?? "");
  const redirecting = useAction({
    // Read again, because another user may have changed it.
    act: async (to: string) => putConfig(slug, withPrimary(await fetchConfig(slug), hostname, to)),
    changes: [KEYS.all(slug)],
    at: domainPath(domain),
    says: (_, to) => `${shownName(domain)} now redirects to ${to}`,
  });
  const removing = useAction({
    async act(successor: string) {
      // First, so that redirects lead somewhere at all times.
      if (successor !== "") await putPrimary(slug, successor);
      await platform.DELETE("/platform/projects/{slug}/domains/{hostname}", at(slug, hostname));
    },
    changes: [KEYS.all(slug)],
    onDone: () => queries.removeQueries({ queryKey: KEYS.one(slug, hostname) }),
    at: projectPath(slug, "domains"),
    says: () => `${shownName(domain)} removed`,
  });
  const error = redirecting.error ?? removing.error;
  const isRedirect = choice === "redirect";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isRedirect) redirecting.run(target);
        else removing.run(isPrimary ? primary : "");
      }}
    >
      {error && <Problem error={error} />}
      {canRedirect && <Choices choice={choice} onChoose={setChoice} />}
      {isPrimary && targets.length > 0 && (
        <SelectField
          label="New primary domain"
          hint="Other domains redirect to it."
          name="primary"
          field=""
          value={isRedirect ? target : primary}
          options={successors(targets, isRedirect)}
          onValue={setPrimary}
        />
      )}
      {isRedirect ? (
        <p>The domain stays. Its visitors are sent to {target} with status 301.</p>
      ) : (
        <>
          <p>
            <strong>Traffic for the domain stops being served immediately.</strong> The project keeps its own
            address.
          </p>
          {role === "redirect" && stage === "live" && (
            <p>
              It redirects to {current ?? "the primary domain"} now. After you remove it, its visitors no
              longer get there.
            </p>
          )}
          {stage === "live" && isPrimary && targets.length === 0 && (
            <p>If you shared the address, first add another domain and redirect this one to it.</p>
          )}
          <p>Remember to delete its DNS record at your provider too.</p>
        </>
      )}
      <DialogButtons
        label={isRedirect ? "Redirect" : "Remove"}
        isBusy={redirecting.isPending || removing.isPending}
        isDangerous={!isRedirect}
      />
    </form>
  );
};

/** The dialog that removes a domain, or lets it redirect: its address may have been shared. */
export const RemoveDomain = ({ domain }: { domain: Domain }) => {
  const { data: domains, error } = useDomains(domain.project);
  return (
    <Dialog title={`Remove ${domain.hostname}`} back={domainPath(domain)}>
      {error && <Problem error={error} />}
      {domains && <RemovalForm domain={domain} domains={domains} />}
      {!domains && !error && <Loading />}
    </Dialog>
  );
};
