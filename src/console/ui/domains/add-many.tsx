import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { ERRORS } from "../api/words.ts";
import { formatCount, pluralize } from "../parts/wording.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Badge } from "../parts/feedback.tsx";
import { Field, Form } from "../parts/form.tsx";
import { useAction } from "../parts/action.tsx";
import { domainPath } from "../projects/addresses.ts";
import { type Addition, shownName } from "./model.ts";
import { ALL_DOMAINS } from "./queries.ts";

export const MANY = {
  title: "Add domains",
  project: "Project",
  projectHint: "The slug of the project for lines without one.",
  list: "Domains",
  listHint: "One per line, or CSV with the columns domain, project and role.",
  file: "Or choose a file",
  done: "Done",
  results: { added: "Added", present: "Already there", refused: "Refused" },
  summary: (additions: readonly Addition[]) => {
    const refused = additions.filter(({ result }) => result === "refused").length;
    return `${pluralize(additions.length - refused, "domain")} added or already there, ${formatCount(refused)} refused.`;
  },
  it: "It ",
} as const;

const ORDER = { refused: 0, added: 1, present: 1 } as const;
const TONES = { added: "good", present: "quiet", refused: "bad" } as const;

const Result = ({ addition: { hostname, result, domain, error } }: { addition: Addition }) => (
  <li>
    <div class="name">
      {domain ? (
        <a href={domainPath(domain.project, hostname)}>{shownName(domain)}</a>
      ) : (
        <bdi>{hostname}</bdi>
      )}
      {error && <small>{ERRORS[error.code] ?? error.message.replace(/^hostname: /, MANY.it)}</small>}
    </div>
    <Badge tone={TONES[result]}>{MANY.results[result]}</Badge>
  </li>
);

/** The button that had the focus is gone. */
const focus = (element: HTMLElement | null): void => element?.focus();

/** A result for each domain, the refused ones first. */
const Results = ({ additions, back }: { additions: readonly Addition[]; back: string }) => {
  const sorted = additions.toSorted((one, other) => ORDER[one.result] - ORDER[other.result]);
  return (
    <>
      <p ref={focus} tabIndex={-1}>
        {MANY.summary(additions)}
      </p>
      <ul class="domains">
        {sorted.map((addition, at) => (
          <Result key={at} addition={addition} />
        ))}
      </ul>
      <footer>
        <a class="button" href={back}>
          {MANY.done}
        </a>
      </footer>
    </>
  );
};

/** The dialog that adds a list of domains, and then shows the results. */
export const AddDomains = ({ back }: { back: string }) => {
  const [project, setProject] = useState("");
  const [list, setList] = useState("");
  const adding = useAction({
    act: () =>
      dataOf(
        platform.POST("/platform/domains", {
          params: { query: project.trim() === "" ? {} : { project: project.trim() } },
          headers: { "content-type": "text/csv" },
          body: new Blob([list]) as never,
        }),
      ),
    changes: [ALL_DOMAINS],
  });
  const { data: additions, error, isPending, run } = adding;
  const isEmpty = list.trim() === "";
  return (
    <Dialog title={MANY.title} back={back} isDirty={!isEmpty && !additions}>
      {additions ? (
        <Results additions={additions} back={back} />
      ) : (
        <Form error={error} words={{}} onSubmit={() => !isEmpty && run()}>
          <Field label={MANY.project} name="project" hint={MANY.projectHint}>
            {(tied) => (
              <input
                {...tied}
                autocomplete="off"
                onInput={(event) => setProject(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={MANY.list} hint={MANY.listHint}>
            {(tied) => (
              <textarea
                {...tied}
                rows={8}
                spellcheck={false}
                value={list}
                onInput={(event) => setList(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={MANY.file}>
            {(tied) => (
              <input
                {...tied}
                type="file"
                accept=".csv,.txt"
                onChange={({ currentTarget: { files } }) => void files?.[0]?.text().then(setList)}
              />
            )}
          </Field>
          <DialogButtons back={back} label={MANY.title} isBusy={isPending} isEnabled={!isEmpty} />
        </Form>
      )}
    </Dialog>
  );
};
