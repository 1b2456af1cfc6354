/** A copy of src/platform/projects/plan.ts, because the console imports nothing of the program. */
export const PLANS = {
  free: { customDomains: false },
  pro: { customDomains: true },
  enterprise: { customDomains: true },
} as const;
