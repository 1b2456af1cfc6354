// Written by `bun run client:types` from src/projects/plan.ts.

export const PLANS = {
  free: { customDomains: false },
  pro: { customDomains: true },
  enterprise: { customDomains: true },
} as const;
