import { useState } from "preact/hooks";
import { Back, CopyButton, Notice, One, Time, PartHeading, useNow } from "../parts/page.tsx";
import { type Column, Scroll, Table } from "../parts/table.tsx";
import { type Advice, type Named, adviceWithPair, allRecords, moveRecord, whoMustAct } from "./advice.ts";
import {
  ACTIONS,
  type Change,
  type Check,
  type Domain,
  type Event,
  FIELDS,
  MOVE,
  STEP_STATES,
  activeWords,
  actorWords,
  addressOf,
  eventWords,
  hostnameIn,
  isWaiting,
  nextCheck,
  primaryOf,
  refetchDelay,
  shownName,
  verifyLabel,
  visitorsWords,
} from "./model.ts";
import { dataOf, isGone, platform } from "../api/client.ts";
import type { Tone } from "../parts/wording.ts";
import { Form } from "../parts/form.tsx";
import { ActionButton, useAction } from "../parts/action.tsx";
import { type Project, hasDomains, projectPath } from "../projects/model.ts";
import { HostnameField, RemoveDomain } from "./dialogs.tsx";
import { useSession } from "../session.tsx";
import { DomainMenu, Prerequisites, StatusBadge, useActions } from "./list.tsx";
import { type Step, statusOf, stepsOf } from "./progress.ts";
import { useDomain, useDomains, useHistory } from "./queries.ts";

/** As specified. */
const TTL = 3600;

/** A part of a record, with a button to copy it. */
const Copied = ({ text, part, type }: { text: string; part: "name" | "value" | "TTL"; type: string }) => (
  <span class="copied">
    <code>{text}</code> <CopyButton text={text} what={`the ${part} of the ${type} record`} />
  </span>
);

const ACTION: Column<Change> = { name: "Action", cell: ({ action }) => <strong>{ACTIONS[action]}</strong> };

const COLUMNS: readonly Column<Change>[] = [
  { name: "Type", cell: ({ type }) => type.replace("ALIAS", "ALIAS or ANAME") },
  {
    name: "Name",
    kind: "group",
    cell: ({ type, name, fullName }) => (
      <>
        <Copied text={name} part="name" type={type} />
        {name !== fullName && <small>in full: {fullName}</small>}
      </>
    ),
  },
  {
    name: "Value",
    kind: "group",
    cell: ({ action, type, value, found = [] }) => (
      <>
        {value === undefined ? (
          <code>{found.join(", ")}</code>
        ) : (
          <Copied text={value} part="value" type={type} />
        )}
        {action === "change" && found.length > 0 && <small>now: {found.join(", ")}</small>}
      </>
    ),
  },
  {
    name: "TTL",
    cell: ({ type, value }) =>
      value === undefined ? "–" : <Copied text={String(TTL)} part="TTL" type={type} />,
  },
];

/** Records with buttons to copy their parts. @param isTodo true if they are to be changed at the DNS provider */
const Records = ({ changes, isTodo }: { changes: readonly Change[]; isTodo: boolean }) => (
  <Table
    label={isTodo ? "Records to change" : "Records"}
    kind="record"
    stackBelow={52}
    columns={isTodo ? [ACTION, ...COLUMNS] : COLUMNS}
    items={changes}
    keyOf={({ action, type, name, value }) => `${action} ${type} ${name} ${value}`}
  />
);

const Snippet = ({ title, text }: { title: string; text: string }) => (
  <>
    <h4>
      {title} <CopyButton text={text} what={title} />
    </h4>
    <Scroll label={title}>
      <pre>
        <code>{text}</code>
      </pre>
    </Scroll>
  </>
);

/** Instructions for the DNS provider, step by step. A step can occur twice. */
const Guide = ({ guide: { provider, steps } }: { guide: NonNullable<Domain["guide"]> }) => (
  <section class="guide">
    <h3>At {provider}</h3>
    <ol>
      {steps.map((step, index) => (
        <li key={index}>{step}</li>
      ))}
    </ol>
  </section>
);

/** The records that a domain needs at its DNS provider, also in the forms that tools take. */
const NeededRecords = ({ domain, isOpen = false }: { domain: Named; isOpen?: boolean }) => {
  const { record } = domain;
  const challenge = domain.challengeRecord?.required ? domain.challengeRecord : undefined;
  const note = record.note ?? challenge?.note;
  const records = [record, record.proof, challenge].filter((one) => one !== undefined);
  const lines = records.flatMap(({ bind }) => bind ?? []);
  return (
    <details open={isOpen}>
      <summary>{records.length > 1 ? "The DNS records" : "The DNS record"}</summary>
      <Records changes={allRecords(domain)} isTodo={false} />
      {note && <p>{note}</p>}
      {lines.length > 0 && (
        <Snippet
          title={record.proof ? "The TXT record as a line of a zone file" : "As a line of a zone file"}
          text={lines.join("\n")}
        />
      )}
      <Snippet
        title={records.length > 1 ? "As Terraform blocks" : "As a Terraform block"}
        text={records.map(({ terraform }) => terraform).join("\n\n")}
      />
    </details>
  );
};

/** Instructions to get a certificate for a site that is live elsewhere, before its visitors come here. */
const Move = ({ domain }: { domain: Domain }) => {
  const changes = moveRecord(domain);
  const [record] = changes;
  // A wildcard has it among its records.
  if (!record || domain.challengeRecord?.required) return null;
  return (
    <details>
      <summary>Move without downtime</summary>
      <ol>
        {MOVE[record.type]?.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Records changes={changes} isTodo={false} />
    </details>
  );
};

type Question = NonNullable<Domain["trace"]>["questions"][number];

const QUESTIONS: readonly Column<Question>[] = [
  {
    name: "Server",
    kind: "group",
    cell: ({ server, recursive }) => (
      <>
        {server} <small>{recursive ? "resolver" : "authority"}</small>
      </>
    ),
  },
  { name: "Query", cell: ({ type, name }) => `${type} ${name}` },
  {
    name: "Response",
    kind: "group",
    cell: ({ outcome, detail, records }) => (
      <>
        {outcome} {detail}
        {records.map((record) => (
          <div key={record}>
            <code>{record}</code>
          </div>
        ))}
      </>
    ),
  },
];

/** Every query and response of the last check. */
const Trace = ({ trace }: { trace: NonNullable<Domain["trace"]> }) => (
  <details>
    <summary>What the last check asked the name servers</summary>
    <Table
      label="Queries of the last check"
      kind="trace"
      stackBelow={40}
      columns={QUESTIONS}
      items={trace.questions}
      keyOf={(_, index) => index}
    />
  </details>
);

/** A link to the DNS provider, which can create the records itself. */
const Connect = ({ offer }: { offer: Domain["domainConnect"] }) => {
  if (!offer) return null;
  const url = new URL(offer.url);
  return (
    // Without a way back, the provider opens in a new tab.
    <p class="connect">
      <a
        class="button"
        href={offer.url}
        rel="noreferrer"
        target={url.searchParams.has("redirect_uri") ? undefined : "_blank"}
      >
        Set up at {offer.provider}
      </a>
      {/* The provider chooses its name, so only the host shows the link's target. */}
      <small>You sign in at {url.host} and agree. Then the provider creates the records.</small>
    </p>
  );
};

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
  const checking = useAction({
    act: (hostname: string) =>
      dataOf(platform.POST("/platform/domain-checks", { body: { hostname, target } })),
  });
  return (
    <>
      <Back href={projectPath(slug, "domains")} label="Back to domains" />
      <header class="part">
        <PartHeading>Check a domain</PartHeading>
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

/** The steps until a domain is active. They are folded away once all are done. */
const Steps = ({ steps }: { steps: readonly Step[] }) => {
  const list = (
    <ol class="steps bare">
      {steps.map(({ name, state, at }) => (
        <li
          key={name}
          class={`step ${state}`}
          aria-current={state === "done" || state === "later" ? undefined : "step"}
        >
          <span class="mark" aria-hidden="true" />
          <div>
            <strong>{name}</strong> <small>{at ? <Time at={at} /> : STEP_STATES[state]}</small>
          </div>
        </li>
      ))}
    </ol>
  );
  if (steps.every(({ state }) => state === "done"))
    return (
      <details>
        <summary>Progress: all steps are done</summary>
        {list}
      </details>
    );
  return (
    <>
      <h3>Progress</h3>
      {list}
    </>
  );
};

const Events = ({ history }: { history: readonly Event[] }) => (
  <>
    <h3>History</h3>
    <ul class="events bare">
      {history.map((event) => (
        <li key={`${event.at} ${event.event}`}>
          {eventWords(event)}{" "}
          <small>
            <Time at={event.at} />, <bdi>{actorWords(event)}</bdi>
          </small>
          {event.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </li>
      ))}
    </ul>
  </>
);

/** The advice on a domain, the most urgent first, with the steps at its DNS provider. */
const AdviceList = ({ advice, guide }: { advice: readonly Advice[]; guide: Domain["guide"] | undefined }) => (
  <>
    {advice.map(({ tone, title, text, changes, steps, quotes, note, who }) => (
      <Notice key={title} tone={tone}>
        <h3>{title}</h3>
        {text && <p>{text}</p>}
        {changes.length > 0 && <Records changes={changes} isTodo />}
        {steps && (
          <ol>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        )}
        {quotes?.map((quote) => (
          <blockquote key={quote}>{quote}</blockquote>
        ))}
        {note && <p>{note}</p>}
        {who && <p>{who}</p>}
      </Notice>
    ))}
    {guide && advice.some(({ changes }) => changes.length > 0) && <Guide guide={guide} />}
  </>
);

const State = ({ domain, now }: { domain: Domain; now: number }) => {
  const { checkedAt, nextCheckAt } = domain;
  const address = addressOf(domain);
  return (
    <>
      {statusOf(domain, now) === "active" && (
        <p class="active">
          <strong>{activeWords(domain.certificate, now)}</strong> {address && <a href={address}>{address}</a>}
        </p>
      )}
      <p class="checked">
        {checkedAt && (
          <>
            Last checked <Time at={checkedAt} />.{" "}
          </>
        )}
        {(isWaiting(domain) || nextCheckAt) && nextCheck(domain, now)}
      </p>
    </>
  );
};

const Content = ({
  project,
  domain,
  history,
}: {
  project: Project;
  domain: Domain;
  history: readonly Event[];
}) => {
  const now = useNow();
  const mayChange = useSession().can("platform:write");
  const { slug } = project;
  // Before the first certificate, only the addresses tell whether the server has HTTPS.
  const isSecured = [project.address, location.href].some((one) => one.startsWith("https:"));
  const domains = useDomains(slug).data ?? [];
  const primary = primaryOf(domains);
  const pair = domains.find(({ hostname }) => hostname === domain.pair);
  const actions = useActions(domain, primary);
  return (
    <>
      <header class="part">
        <div>
          <PartHeading>
            <bdi>{shownName(domain)}</bdi>
          </PartHeading>
          <StatusBadge domain={domain} />
        </div>
        <div class="actions">
          {mayChange && hasDomains(project.plan) && (
            <ActionButton
              action={actions.verify}
              // There is nothing to do about a domain that is live.
              class={domain.stage === "live" ? "small outline" : "small"}
            >
              {verifyLabel(domain)}
            </ActionButton>
          )}
          <DomainMenu domain={domain} primary={primary} actions={actions} />
        </div>
      </header>
      <AdviceList advice={adviceWithPair(domain, pair, now)} guide={domain.guide} />
      <Connect offer={domain.domainConnect} />
      <Prerequisites project={project} />
      <State domain={domain} now={now} />
      <Steps steps={stepsOf(domain, history, isSecured, now)} />
      <h3>Visitors</h3>
      <p>{visitorsWords(domain, primary)}</p>
      <NeededRecords domain={domain} />
      {domain.verifiedAt === undefined && <Move domain={domain} />}
      {domain.trace && <Trace trace={domain.trace} />}
      <Events history={history} />
    </>
  );
};

interface DomainPageProps {
  project: Project;
  hostname: string;
  isRemoving: boolean;
}

export const DomainPage = ({ project, hostname, isRemoving }: DomainPageProps) => {
  const { slug } = project;
  const found = useDomain(slug, hostname);
  const { data: history = [] } = useHistory(slug, hostname, refetchDelay(found.data));
  const mayChange = useSession().can("platform:write");
  return (
    <>
      <Back href={projectPath(slug, "domains")} label="Back to domains" />
      <One found={isGone(found.error) ? { ...found, data: undefined } : found} what="the domain" withErrors>
        {(domain) => (
          <>
            <Content project={project} domain={domain} history={history} />
            {isRemoving && mayChange && <RemoveDomain domain={domain} />}
          </>
        )}
      </One>
    </>
  );
};
