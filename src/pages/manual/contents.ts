import index from "./index.md" with { type: "text" };
import overviewPicture from "./overview.svg" with { type: "text" };
import addingAColumn from "./contributing/adding-a-column.md" with { type: "text" };
import addingACommand from "./contributing/adding-a-command.md" with { type: "text" };
import addingAFinding from "./contributing/adding-a-finding.md" with { type: "text" };
import addingAMigration from "./contributing/adding-a-migration.md" with { type: "text" };
import addingAnOperation from "./contributing/adding-an-operation.md" with { type: "text" };
import addingASetting from "./contributing/adding-a-setting.md" with { type: "text" };
import architecture from "./contributing/architecture.md" with { type: "text" };
import architecturePicture from "./contributing/architecture.svg" with { type: "text" };
import debugging from "./contributing/debugging.md" with { type: "text" };
import writingTheManual from "./contributing/writing-the-manual.md" with { type: "text" };
import decisions from "./contributing/decisions.md" with { type: "text" };
import behindCaddyAndNginx from "./how-to/behind-caddy-and-nginx.md" with { type: "text" };
import https from "./how-to/https.md" with { type: "text" };
import wildcardCertificates from "./how-to/wildcard-certificates.md" with { type: "text" };
import nameServer from "./how-to/name-server.md" with { type: "text" };
import apiKeys from "./how-to/api-keys.md" with { type: "text" };
import people from "./how-to/people.md" with { type: "text" };
import openidConnect from "./how-to/openid-connect.md" with { type: "text" };
import adoptions from "./how-to/adoptions.md" with { type: "text" };
import listAndSearch from "./how-to/list-and-search.md" with { type: "text" };
import importAndExport from "./how-to/import-and-export.md" with { type: "text" };
import idempotencyAndRetries from "./how-to/idempotency-and-retries.md" with { type: "text" };
import events from "./how-to/events.md" with { type: "text" };
import typescriptClient from "./how-to/typescript-client.md" with { type: "text" };
import redirectsAndHeaders from "./how-to/redirects-and-headers.md" with { type: "text" };
import sitesAndDeploys from "./how-to/sites-and-deploys.md" with { type: "text" };
import customDomains from "./how-to/custom-domains.md" with { type: "text" };
import checkADomain from "./how-to/check-a-domain.md" with { type: "text" };
import consolePage from "./how-to/console.md" with { type: "text" };
import backupsOffTheMachine from "./how-to/backups-off-the-machine.md" with { type: "text" };
import movingToAnotherMachine from "./how-to/moving-to-another-machine.md" with { type: "text" };
import objectStorage from "./how-to/object-storage.md" with { type: "text" };
import cluster from "./how-to/cluster.md" with { type: "text" };
import everyCore from "./how-to/every-core.md" with { type: "text" };
import monitoring from "./how-to/monitoring.md" with { type: "text" };
import troubleshooting from "./how-to/troubleshooting.md" with { type: "text" };
import erasureOfPersonalData from "./how-to/erasure-of-personal-data.md" with { type: "text" };
import durability from "./background/durability.md" with { type: "text" };
import howVerificationDecides from "./background/how-verification-decides.md" with { type: "text" };
import securityModel from "./background/security-model.md" with { type: "text" };
import performancePage from "./background/performance.md" with { type: "text" };
import dependencies from "./background/dependencies.md" with { type: "text" };
import changelog from "./background/changelog.md" with { type: "text" };
import aSheltersSpreadsheet from "./tutorials/a-shelters-spreadsheet.md" with { type: "text" };
import yourFirstIntegration from "./tutorials/your-first-integration.md" with { type: "text" };
import publishASiteOnYourOwnDomain from "./tutorials/publish-a-site-on-your-own-domain.md" with { type: "text" };
import commands from "./reference/commands.md" with { type: "text" };
import customDomainProcedure from "./reference/custom-domain-procedure.md" with { type: "text" };
import errors from "./reference/errors.md" with { type: "text" };
import eventsReference from "./reference/events.md" with { type: "text" };
import findings from "./reference/findings.md" with { type: "text" };
import domainFaults from "./reference/domain-faults.md" with { type: "text" };
import dnsProviders from "./reference/dns-providers.md" with { type: "text" };
import limits from "./reference/limits.md" with { type: "text" };
import metrics from "./reference/metrics.md" with { type: "text" };
import scopes from "./reference/scopes.md" with { type: "text" };
import settings from "./reference/settings.md" with { type: "text" };
import stagesOfADomain from "./reference/stages-of-a-domain.md" with { type: "text" };
import onAVmInTenMinutes from "./tutorials/on-a-vm-in-ten-minutes.md" with { type: "text" };
import firstMonth from "./how-to/first-month.md" with { type: "text" };
import upgradesAndRollback from "./how-to/upgrades-and-rollback.md" with { type: "text" };
import container from "./how-to/container.md" with { type: "text" };
import openapiAndGeneratedClients from "./how-to/openapi-and-generated-clients.md" with { type: "text" };

/** The source of one page. Its first line is `# Title`, and its first paragraph states the question it answers. */
export interface Source {
  /** The last part of its address. */
  name: string;
  text: string;
}

export interface Section {
  /** The directory of its pages. */
  name: string;
  title: string;
  /** In the order of the sidebar. */
  pages: readonly Source[];
}

export const INDEX: Source = { name: "index", text: index };

/** The table of contents, in the order of the sidebar. A new page is a file, its import, and a row here. */
export const CONTENTS: readonly Section[] = [
  {
    name: "tutorials",
    title: "Tutorials",
    pages: [
      { name: "on-a-vm-in-ten-minutes", text: onAVmInTenMinutes },
      { name: "your-first-integration", text: yourFirstIntegration },
      { name: "a-shelters-spreadsheet", text: aSheltersSpreadsheet },
      { name: "publish-a-site-on-your-own-domain", text: publishASiteOnYourOwnDomain },
    ],
  },
  {
    name: "how-to",
    title: "How-to guides",
    pages: [
      { name: "first-month", text: firstMonth },
      { name: "behind-caddy-and-nginx", text: behindCaddyAndNginx },
      { name: "container", text: container },
      { name: "upgrades-and-rollback", text: upgradesAndRollback },
      { name: "https", text: https },
      { name: "api-keys", text: apiKeys },
      { name: "people", text: people },
      { name: "openid-connect", text: openidConnect },
      { name: "adoptions", text: adoptions },
      { name: "list-and-search", text: listAndSearch },
      { name: "import-and-export", text: importAndExport },
      { name: "idempotency-and-retries", text: idempotencyAndRetries },
      { name: "events", text: events },
      { name: "openapi-and-generated-clients", text: openapiAndGeneratedClients },
      { name: "typescript-client", text: typescriptClient },
      { name: "sites-and-deploys", text: sitesAndDeploys },
      { name: "redirects-and-headers", text: redirectsAndHeaders },
      { name: "check-a-domain", text: checkADomain },
      { name: "custom-domains", text: customDomains },
      { name: "name-server", text: nameServer },
      { name: "wildcard-certificates", text: wildcardCertificates },
      { name: "console", text: consolePage },
      { name: "backups-off-the-machine", text: backupsOffTheMachine },
      { name: "moving-to-another-machine", text: movingToAnotherMachine },
      { name: "monitoring", text: monitoring },
      { name: "every-core", text: everyCore },
      { name: "cluster", text: cluster },
      { name: "object-storage", text: objectStorage },
      { name: "troubleshooting", text: troubleshooting },
      { name: "erasure-of-personal-data", text: erasureOfPersonalData },
    ],
  },
  {
    name: "reference",
    title: "Reference",
    pages: [
      { name: "settings", text: settings },
      { name: "commands", text: commands },
      { name: "errors", text: errors },
      { name: "scopes", text: scopes },
      { name: "limits", text: limits },
      { name: "metrics", text: metrics },
      { name: "events", text: eventsReference },
      { name: "stages-of-a-domain", text: stagesOfADomain },
      { name: "findings", text: findings },
      { name: "domain-faults", text: domainFaults },
      { name: "dns-providers", text: dnsProviders },
      { name: "custom-domain-procedure", text: customDomainProcedure },
    ],
  },
  {
    name: "background",
    title: "Background",
    pages: [
      { name: "durability", text: durability },
      { name: "how-verification-decides", text: howVerificationDecides },
      { name: "security-model", text: securityModel },
      { name: "performance", text: performancePage },
      { name: "dependencies", text: dependencies },
      { name: "changelog", text: changelog },
    ],
  },
  {
    name: "contributing",
    title: "Contributing",
    pages: [
      { name: "architecture", text: architecture },
      { name: "adding-a-column", text: addingAColumn },
      { name: "adding-an-operation", text: addingAnOperation },
      { name: "adding-a-setting", text: addingASetting },
      { name: "adding-a-command", text: addingACommand },
      { name: "adding-a-finding", text: addingAFinding },
      { name: "adding-a-migration", text: addingAMigration },
      { name: "writing-the-manual", text: writingTheManual },
      { name: "debugging", text: debugging },
      { name: "decisions", text: decisions },
    ],
  },
];

/** The pictures of the pages, by their path below this directory. */
export const PICTURES: Readonly<Record<string, string>> = {
  "contributing/architecture.svg": architecturePicture,
  "overview.svg": overviewPicture,
};
