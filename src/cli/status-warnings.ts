import type { Config } from "../config/config.ts";
import { describeMissing } from "../data-dir/process-record.ts";
import type { RefusedHost } from "../edge/refused-hosts.ts";
import { quantity } from "../lib/quantity.ts";
import { sentence } from "../lib/text.ts";
import { noticeWarnings } from "../notices/notice.ts";
import { platformWarnings } from "../platform/fault.ts";
import { slugProblem } from "../projects/slug.ts";
import { REPLICA_ALONE, isReplica } from "./doctor-cluster.ts";
import { describeStopped } from "./service-state.ts";
import type { Status } from "./status-facts.ts";

/** The slug of the project that would have this host name; undefined unless the name is directly below PLATFORM_DOMAIN. */
const slugOf = (host: string, platformDomain: string): string | undefined => {
  const label = host.endsWith(`.${platformDomain}`) ? host.slice(0, -platformDomain.length - 1) : "";
  return slugProblem(label) ? undefined : label;
};

const refusedWarning = ({ host, count }: RefusedHost, platformDomain: string): string => {
  const project = slugOf(host, platformDomain);
  const advice = project
    ? `there is no project ${project}; to publish one, run adoption-store deploy DIRECTORY --project ${project} --create`
    : "if the name is yours, set BASE_URL to its address, or add it to API_HOSTS";
  return `${quantity(count, "request")} for ${host} ${count === 1 ? "was" : "were"} refused: ${advice}.`;
};

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
  { platformDomain }: Pick<Config, "platformDomain">,
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
  ...refusedHosts.slice(0, 3).map((refused) => refusedWarning(refused, platformDomain)),
];
