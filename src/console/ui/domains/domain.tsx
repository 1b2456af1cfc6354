import type { ApiError } from "../api/client.ts";
import { Badge, Loading, Notice, Problem } from "../parts/feedback.tsx";
import { useArrival } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { projectPath } from "../projects/addresses.ts";
import { hasDomains } from "../projects/plans.ts";
import type { Project } from "../projects/queries.ts";
import { useSession } from "../session.tsx";
import { type Actions, useActions } from "./actions.ts";
import { CertificateState } from "./certificate-state.tsx";
import { Events } from "./events.tsx";
import { shownFindings } from "./findings.ts";
import { Findings } from "./finding-list.tsx";
import { DomainMenu } from "./menu.tsx";
import { type Domain, type Event, shownName } from "./model.ts";
import { Prerequisites } from "./prerequisites.tsx";
import { useConfig, useDomain, useHistory } from "./queries.ts";
import { NeededRecord } from "./record.tsx";
import { addressOf, roleDescription } from "./redirects.ts";
import { RemoveDomain } from "./remove.tsx";
import { STAGES, isWaiting, refetchDelay, verifyLabel } from "./stages.ts";
import { Steps } from "./steps.tsx";
import { Trace } from "./trace.tsx";

const Head = ({ project, domain, actions }: { project: Project; domain: Domain; actions: Actions }) => {
  const heading = useArrival();
  const mayChange = useSession().can("platform:write");
  const primary = useConfig(project.slug).data?.domains.primary;
  const { words, tone } = STAGES[domain.stage];
  const { verify } = actions;
  return (
    <>
      <header class="part">
        <div>
          <h2 ref={heading} tabIndex={-1}>
            <bdi>{shownName(domain)}</bdi>
          </h2>
          <Badge tone={tone}>{words}</Badge>
        </div>
        <div class="actions">
          {mayChange && hasDomains(project.plan) && (
            <button
              type="button"
              class="small"
              aria-busy={verify.isPending}
              disabled={verify.isPending}
              onClick={() => verify.mutate()}
            >
              {verifyLabel(domain)}
            </button>
          )}
          <DomainMenu slug={project.slug} domain={domain} primary={primary} actions={actions} />
        </div>
      </header>
      {actions.error && <Problem error={actions.error} />}
      <p role="status" class="outcome">
        {actions.outcome(domain.stage) ??
          (domain.checkedAt && (
            <>
              Last checked <Time at={domain.checkedAt} />.
            </>
          ))}
      </p>
    </>
  );
};

const Visitors = ({ slug, domain }: { slug: string; domain: Domain }) => {
  const primary = useConfig(slug).data?.domains.primary;
  const address = addressOf(domain);
  return (
    <>
      <h3>Visitors</h3>
      <p>
        {roleDescription(domain, primary)} {address && <a href={address}>{address}</a>}
      </p>
    </>
  );
};

const Failing = ({ failingSince }: { failingSince: string | undefined }) =>
  failingSince ? (
    <Notice tone="bad">
      <p>
        The domain has failed verification since <Time at={failingSince} />. It is served for 7 days from
        then: correct its records before that.
      </p>
    </Notice>
  ) : null;

const Content = ({
  project,
  domain,
  history,
}: {
  project: Project;
  domain: Domain;
  history: readonly Event[];
}) => {
  const { certificate, trace } = domain;
  const findings = shownFindings(domain);
  return (
    <>
      {isWaiting(domain) && (
        <>
          <h3>Create {domain.record.proof ? "these records" : "this record"} at your DNS provider</h3>
          <NeededRecord record={domain.record} />
        </>
      )}
      <h3>Progress</h3>
      <Steps domain={domain} history={history} isSecured={isSecured(project)} />
      <Failing failingSince={domain.failingSince} />
      {findings.length > 0 && (
        <>
          <h3>What the last check found</h3>
          <Findings domain={domain} findings={findings} />
        </>
      )}
      {certificate && <CertificateState certificate={certificate} />}
      <Visitors slug={project.slug} domain={domain} />
      {!isWaiting(domain) && (
        <>
          <h3>{domain.record.proof ? "Its records" : "Its record"}</h3>
          <NeededRecord record={domain.record} />
        </>
      )}
      {trace && <Trace trace={trace} />}
      <Events history={history} />
    </>
  );
};

/** True if the server seems to have HTTPS. Before the first certificate, only the addresses tell. */
const isSecured = ({ address }: Project): boolean =>
  [address, location.href].some((one) => one.startsWith("https:"));

/** A custom domain: the record that it needs, its progress, and its actions. */
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
  const actions = useActions(slug, hostname);
  const mayChange = useSession().can("platform:write");
  const isGone = (error as ApiError | null)?.status === 404;
  return (
    <>
      <nav aria-label="Back">
        <a href={projectPath(slug, "domains")}>← All domains</a>
      </nav>
      {error && <Problem error={error} {...(!isGone && { again: refetch })} />}
      {!domain && !error && <Loading what="Loading the domain" />}
      {domain && !isGone && (
        <>
          <Head project={project} domain={domain} actions={actions} />
          <Prerequisites project={project} />
          <Content project={project} domain={domain} history={history} />
          {isRemoving && mayChange && <RemoveDomain slug={slug} domain={domain} />}
        </>
      )}
    </>
  );
};
