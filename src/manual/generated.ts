/**
 * The generated parts of pages, by the name in their placeholder: the line `{{settings}}` becomes what `settings` returns.
 * They return Markdown. They import what they describe when they are called, so that the manual costs nothing at the start.
 */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  settings: async () => (await import("./generated/settings.ts")).settingsTables(),
  errors: async () => (await import("./generated/errors.ts")).errorSections(),
  "field-rules": async () => (await import("./generated/errors.ts")).fieldRulesTable(),
  "hostname-reasons": async () => (await import("./generated/errors.ts")).hostnameReasonsTable(),
  "domain-check-verdicts": async () => (await import("./generated/domains.ts")).verdictTable(),
  "dns-providers": async () => (await import("./generated/domains.ts")).providersTable(),
  limits: async () => (await import("./generated/limits.ts")).limitsTables(),
  metrics: async () => (await import("./generated/settings.ts")).metricsTable(),
  stages: async () => (await import("./generated/domains.ts")).stagesTable(),
  "usual-way": async () => (await import("./generated/domains.ts")).usualWay(),
  transitions: async () => (await import("./generated/domains.ts")).transitionsTable(),
  findings: async () => (await import("./generated/domains.ts")).findingSections(),
  "domain-faults": async () => (await import("./generated/domains.ts")).domainFaultTables(),
  "pet-events": async () => (await import("./generated/events.ts")).petEventsTable(),
  "order-steps": async () => (await import("./generated/events.ts")).orderStepsTable(),
  "audit-actions": async () => (await import("./generated/access.ts")).auditActionsTable(),
  "domain-events": async () => (await import("./generated/events.ts")).domainEventsTable(),
  "site-headers": async () => (await import("./generated/domains.ts")).siteHeadersTable(),
  scopes: async () => (await import("./generated/access.ts")).scopesTable(),
  roles: async () => (await import("./generated/access.ts")).rolesTable(),
};
