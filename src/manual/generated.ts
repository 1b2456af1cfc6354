/**
 * The generated parts of pages, by the name in their placeholder: the line `{{settings}}` becomes what `settings` returns.
 * They return Markdown. They import what they describe when they are called, so that the manual costs nothing at the start.
 */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  settings: async () => (await import("./generated/settings.ts")).settingsTables(),
  errors: async () => (await import("./generated/errors.ts")).errorSections(),
  "field-rules": async () => (await import("./generated/field-rules.ts")).fieldRulesTable(),
  "hostname-reasons": async () => (await import("./generated/field-rules.ts")).hostnameReasonsTable(),
  "domain-check-verdicts": async () => (await import("./generated/domain-checks.ts")).verdictTable(),
  "dns-providers": async () => (await import("./generated/providers.ts")).providersTable(),
  limits: async () => (await import("./generated/limits.ts")).limitsTables(),
  metrics: async () => (await import("./generated/metrics.ts")).metricsTable(),
  stages: async () => (await import("./generated/stages.ts")).stagesTable(),
  "usual-way": async () => (await import("./generated/stages.ts")).usualWay(),
  transitions: async () => (await import("./generated/stages.ts")).transitionsTable(),
  findings: async () => (await import("./generated/findings.ts")).findingSections(),
  "domain-faults": async () => (await import("./generated/domain-faults.ts")).domainFaultTables(),
  "pet-events": async () => (await import("./generated/events.ts")).petEventsTable(),
  "order-steps": async () => (await import("./generated/events.ts")).orderStepsTable(),
  "audit-actions": async () => (await import("./generated/events.ts")).auditActionsTable(),
  "domain-events": async () => (await import("./generated/events.ts")).domainEventsTable(),
  "site-headers": async () => (await import("./generated/site-headers.ts")).siteHeadersTable(),
  scopes: async () => (await import("./generated/scopes.ts")).scopesTable(),
  roles: async () => (await import("./generated/roles.ts")).rolesTable(),
};
