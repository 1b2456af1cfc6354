/** The limits of a plan. */
interface PlanRules {
  /** Projects of this plan may add custom domains, and keep the ones they have. */
  customDomains: boolean;
}

/** Every plan and its limits. A new plan also needs a migration: the database checks the names of plans. */
export const PLANS = {
  free: { customDomains: false },
  pro: { customDomains: true },
  enterprise: { customDomains: true },
} as const satisfies Record<string, PlanRules>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as Plan[];

export const hasCustomDomains = ({ plan }: { plan: Plan }): boolean => PLANS[plan].customDomains;

/** The same rule for SQL: `${projects.plan} IN ${PLANS_WITH_DOMAINS}`. */
export const PLANS_WITH_DOMAINS = PLAN_NAMES.filter((plan) => hasCustomDomains({ plan }));
