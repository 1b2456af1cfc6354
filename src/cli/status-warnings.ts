import { describeMissing } from "../data-dir/process-record.ts";
import { ownNames } from "../dns-checks/names.ts";
import type { RefusedHost } from "../edge/refused-hosts.ts";
import { apexOf, parseHostname } from "../lib/hostname.ts";
import { quantity } from "../lib/quantity.ts";
import { sentence } from "../lib/text.ts";
import { noticeWarnings } from "../notices/notice.ts";
import { platformWarnings } from "../platform/fault.ts";
import { slugProblem } from "../projects/slug.ts";
import { REPLICA_ALONE, isReplica } from "./cluster-facts.ts";
import { describeStopped } from "./service-state.ts";
import type { Status } from "./status-facts.ts";

/** The slug of the project that would have this host name; undefined unless the name is directly below PLATFORM_DOMAIN. */
const slugOf = (host: string, platformDomain: string): string | undefined => {
  const label = host.endsWith(`.${platformDomain}`) ? host.slice(0, -platformDomain.length - 1) : "";
  return slugProblem(label) ? undefined : label;
};

type NameSettings = Parameters<typeof ownNames>[0];

/** True if the settings have a name in the same registered domain, or no public name yet. */
const mayBeOwn = (host: string, config: NameSettings): boolean => {
  const { zones, hosts } = ownNames(config).reserved;
  const domains = [...zones, ...hosts].filter((name) => parseHostname(name).ok).map(apexOf);
  return domains.length === 0 || domains.includes(apexOf(host));
};

/** Never advises a setting for a customer's domain: the API would get its requests, even after the domain goes live. */
const adviceFor = (host: string, config: NameSettings): string => {
  const project = slugOf(host, config.platformDomain);
  if (project)
    return `the project ${project} does not exist; to publish it, run adoption-store deploy DIRECTORY --project ${project} --create`;
  if (!mayBeOwn(host, config))
    return `no project has this domain; to add it to one, run adoption-store domains add ${host} --project PROJECT`;
  return config.baseUrl === undefined
    ? "if it is the address of this server, set BASE_URL to it"
    : "if it is another address of this server, add it to API_HOSTS";
};

const refusedWarning = ({ host, count }: RefusedHost, config: NameSettings): string =>
  `${quantity(count, "request")} for ${host} ${count === 1 ? "was" : "were"} refused: ${adviceFor(host, config)}.`;

/** The problems that require the operator's attention, each with its remedy. */
export const warningsOf = (
  {
    server,
    service,
    settingsFault,
    databaseFault,
    backups,
    certificates,
    failingDomains,
    notices,
    platformFaults: faults,
    refusedHosts,
    cluster,
    dataDir,
  }: Status,
  config: NameSettings,
): string[] => [
  ...(settingsFault === undefined ? [] : [`The settings are invalid: ${settingsFault}`]),
  ...(service === undefined ? [] : [describeStopped(service)]),
  ...(server.reason === undefined ? [] : [`The server is not ready: ${sentence(server.reason)}`]),
  ...(server.restartNeeded
    ? ["The executable was replaced after the server started: restart the server to run the new one."]
    : []),
  ...(server.missingWorkers ? [describeMissing(server.missingWorkers)] : []),
  ...(databaseFault === undefined ? [] : [`The database: ${databaseFault}`]),
  ...(cluster?.problems ?? []).map(({ text }) => `The cluster: ${sentence(text)}`),
  ...(!cluster && isReplica(dataDir) ? [`The cluster: ${REPLICA_ALONE}.`] : []),
  ...(backups.overdue
    ? [
        `A backup is overdue: ${server.running ? "look at the server's log" : "start the server, which then takes one"}.`,
      ]
    : []),
  ...certificates.warnings,
  ...platformWarnings(faults).map(({ message }) => message),
  ...noticeWarnings(notices).map(({ message }) => message),
  ...failingDomains
    .filter(({ hostname }) => !notices.some((notice) => notice.hostname === hostname))
    .map(
      ({ hostname, project, stage }) =>
        `The domain ${hostname} is ${stage}: adoption-store domains show ${hostname} --project ${project}`,
    ),
  ...refusedHosts.slice(0, 3).map((refused) => refusedWarning(refused, config)),
];
