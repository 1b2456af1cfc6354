import { ActionButton } from "../parts/action.tsx";
import { isGone } from "../api/client.ts";
import { Notice, One } from "../parts/feedback.tsx";
import { Back, useArrival } from "../parts/page.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { type Project, hasDomains, projectPath } from "../projects/model.ts";
import { useSession } from "../session.tsx";
import { DomainMenu, useActions } from "./menu.tsx";
import { type Advice, adviceWithPair } from "./advice.ts";
import { Connect, Guide, Move, NeededRecords, Records, Trace } from "./records.tsx";
import { Prerequisites, StatusBadge } from "./list.tsx";
import {
  type Domain,
  type Event,
  addressOf,
  isWaiting,
  primaryOf,
  refetchDelay,
  shownName,
} from "./model.ts";
import { type Step, type StepState, statusOf, stepsOf } from "./progress.ts";
import { useDomain, useDomains, useHistory } from "./queries.ts";
import { RemoveDomain } from "./dialogs.tsx";
import {
  STEP_STATES,
  activeWords,
  actorWords,
  eventWords,
  nextCheck,
  verifyLabel,
  visitorsWords,
} from "./words.ts";

const CURRENT_STATES: ReadonlySet<StepState> = new Set(["now", "stuck", "suspended"]);

/** The steps until a domain is active. They are folded away once all are done. */
const Steps = ({ steps }: { steps: readonly Step[] }) => {
  const list = (
    <ol class="steps">
      {steps.map(({ name, state, at }) => (
        <li key={name} class={`step ${state}`} aria-current={CURRENT_STATES.has(state) ? "step" : undefined}>
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
    <ul class="events">
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

/** A domain's status in a sentence or two. */
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

/** True if the server seems to have HTTPS. Before the first certificate, only the addresses tell. */
const isSecured = ({ address }: Project): boolean =>
  [address, location.href].some((one) => one.startsWith("https:"));

interface ContentProps {
  project: Project;
  domain: Domain;
  history: readonly Event[];
}

const Content = ({ project, domain, history }: ContentProps) => {
  const now = useNow();
  const heading = useArrival();
  const mayChange = useSession().can("platform:write");
  const { slug } = project;
  const domains = useDomains(slug).data ?? [];
  const primary = primaryOf(domains);
  const pair = domains.find(({ hostname }) => hostname === domain.pair);
  const actions = useActions(slug, domain.hostname, primary);
  return (
    <>
      <header class="part">
        <div>
          <h2 ref={heading} tabIndex={-1}>
            <bdi>{shownName(domain)}</bdi>
          </h2>
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
          <DomainMenu slug={slug} domain={domain} primary={primary} actions={actions} />
        </div>
      </header>
      <AdviceList advice={adviceWithPair(domain, pair, now)} guide={domain.guide} />
      <Connect offer={domain.domainConnect} />
      <Prerequisites project={project} />
      <State domain={domain} now={now} />
      <Steps steps={stepsOf(domain, history, isSecured(project), now)} />
      <h3>Visitors</h3>
      <p>{visitorsWords(domain, primary)}</p>
      <NeededRecords domain={domain} />
      {domain.verifiedAt === undefined && <Move domain={domain} />}
      {domain.trace && <Trace trace={domain.trace} />}
      <Events history={history} />
    </>
  );
};

export const DomainPage = ({
  project,
  hostname,
  isRemoving,
}: {
  project: Project;
  hostname: string;
  isRemoving: boolean;
}) => {
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
            {isRemoving && mayChange && <RemoveDomain slug={slug} domain={domain} />}
          </>
        )}
      </One>
    </>
  );
};
