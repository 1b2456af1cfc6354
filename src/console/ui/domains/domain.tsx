import { ActionButton } from "../parts/action-button.tsx";
import type { ApiError } from "../api/client.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { Back } from "../parts/page.tsx";
import { useArrival } from "../parts/page.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { projectPath } from "../projects/addresses.ts";
import { hasDomains } from "../projects/plans.ts";
import type { Project } from "../projects/queries.ts";
import { useSession } from "../session.tsx";
import { type Actions, useActions } from "./actions.ts";
import { adviceWithPair } from "./advice.ts";
import { AdviceList } from "./advice-list.tsx";
import { Connect } from "./connect.tsx";
import { Events } from "./events.tsx";
import { StatusBadge } from "./list.tsx";
import { DomainMenu } from "./menu.tsx";
import { type Domain, type Event, shownName } from "./model.ts";
import { Prerequisites } from "./prerequisites.tsx";
import { statusOf, stepsOf } from "./progress.ts";
import { useDomain, useDomains, useHistory } from "./queries.ts";
import { Move, NeededRecords } from "./record.tsx";
import { addressOf, primaryOf } from "./redirects.ts";
import { RemoveDomain } from "./remove.tsx";
import { isWaiting, refetchDelay } from "./stages.ts";
import { Steps } from "./steps.tsx";
import { Trace } from "./trace.tsx";
import { PAGE, activeWords, nextCheck, verifyLabel, visitorsWords } from "./words.ts";

const VerifyButton = ({ domain, verify }: { domain: Domain; verify: Actions["verify"] }) => (
  <ActionButton
    action={verify}
    // There is nothing to do about a domain that is live.
    class={domain.stage === "live" ? "small outline" : "small"}
  >
    {verifyLabel(domain)}
  </ActionButton>
);

const Head = ({
  project,
  domain,
  primary,
}: {
  project: Project;
  domain: Domain;
  primary: string | undefined;
}) => {
  const heading = useArrival();
  const mayChange = useSession().can("platform:write");
  const actions = useActions(project.slug, domain.hostname, primary);
  return (
    <header class="part">
      <div>
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{shownName(domain)}</bdi>
        </h2>
        <StatusBadge domain={domain} />
      </div>
      <div class="actions">
        {mayChange && hasDomains(project.plan) && <VerifyButton domain={domain} verify={actions.verify} />}
        <DomainMenu slug={project.slug} domain={domain} primary={primary} actions={actions} />
      </div>
    </header>
  );
};

/** How the domain stands, in a sentence or two. */
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
            {PAGE.checked} <Time at={checkedAt} />.{" "}
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
  const domains = useDomains(project.slug).data ?? [];
  const primary = primaryOf(domains);
  const pair = domains.find(({ hostname }) => hostname === domain.pair);
  return (
    <>
      <Head project={project} domain={domain} primary={primary} />
      <AdviceList advice={adviceWithPair(domain, pair, now)} guide={domain.guide} />
      <Connect offer={domain.domainConnect} />
      <Prerequisites project={project} />
      <State domain={domain} now={now} />
      <Steps steps={stepsOf(domain, history, isSecured(project), now)} />
      <h3>{PAGE.visitors}</h3>
      <p>{visitorsWords(domain, primary)}</p>
      <NeededRecords domain={domain} />
      {domain.verifiedAt === undefined && <Move domain={domain} />}
      {domain.trace && <Trace trace={domain.trace} />}
      <Events history={history} />
    </>
  );
};

/** A custom domain: what to do about it, its progress, and its actions. */
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
  const { data: domain, error, refetch } = useDomain(slug, hostname);
  const { data: history = [] } = useHistory(slug, hostname, refetchDelay(domain));
  const mayChange = useSession().can("platform:write");
  const isGone = (error as ApiError | null)?.status === 404;
  return (
    <>
      <Back href={projectPath(slug, "domains")} label={PAGE.back} />
      {error && <Problem error={error} {...(!isGone && { onRetry: refetch })} />}
      {!domain && !error && <Loading what={PAGE.loading} />}
      {domain && !isGone && (
        <>
          <Content project={project} domain={domain} history={history} />
          {isRemoving && mayChange && <RemoveDomain slug={slug} domain={domain} />}
        </>
      )}
    </>
  );
};
