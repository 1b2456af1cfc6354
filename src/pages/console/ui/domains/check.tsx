import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import type { Tone } from "../parts/tone.ts";
import { Notice } from "../parts/feedback.tsx";
import { Form } from "../parts/form.tsx";
import { Back, useArrival } from "../parts/page.tsx";
import { useAction } from "../parts/action.tsx";
import { type Project, projectPath } from "../projects/model.ts";
import { Connect, Guide, NeededRecords, Trace } from "./records.tsx";
import { type Check, hostnameIn, shownName } from "./model.ts";
import { whoMustAct } from "./explanations.ts";
import { HostnameField } from "./dialogs.tsx";
import { FIELDS } from "./words.ts";

const TONES: Partial<Record<Check["verdict"], Tone>> = { right: "good", wrong: "bad", blocked: "bad" };

const Result = ({ check }: { check: Check }) => {
  const { verdict, message, findings, record, guide, trace } = check;
  return (
    <>
      <h3>
        <bdi>{shownName(check)}</bdi>
      </h3>
      <div role="status">
        <Notice tone={TONES[verdict] ?? "waiting"}>
          <p>{message}</p>
          {findings.map((finding) => (
            <p key={finding.message}>
              {finding.message} {whoMustAct(finding)}
            </p>
          ))}
        </Notice>
      </div>
      <Connect offer={check.domainConnect} />
      {guide && verdict !== "right" && <Guide guide={guide} />}
      {record && <NeededRecords domain={{ ...check, record }} isOpen />}
      <Trace trace={trace} />
    </>
  );
};

/** The check of a domain before it is added to the project. */
export const CheckDomain = ({ project: { slug, target } }: { project: Project }) => {
  const [typed, setTyped] = useState("");
  const heading = useArrival();
  const checking = useAction({
    act: (hostname: string) =>
      dataOf(platform.POST("/platform/domain-checks", { body: { hostname, target } })),
  });
  return (
    <>
      <Back href={projectPath(slug, "domains")} label="Back to domains" />
      <header class="part">
        <h2 ref={heading} tabIndex={-1}>
          Check a domain
        </h2>
      </header>
      <p>See what to change in a domain's DNS before you add it. Nothing is stored.</p>
      <Form error={checking.error} words={FIELDS} onSubmit={() => checking.run(hostnameIn(typed))}>
        <HostnameField understood="This will check" value={typed} onValue={setTyped} />
        <button aria-busy={checking.isPending} aria-disabled={checking.isPending}>
          Check
        </button>
      </Form>
      {checking.data && <Result check={checking.data} />}
    </>
  );
};
