import { PLANS } from "../api/plans.ts";

export type Plan = keyof typeof PLANS;

/** The names of the plans. */
export const PLAN_NAMES: Record<Plan, string> = { free: "Free", pro: "Pro", enterprise: "Enterprise" };

/** True if the plan has custom domains. */
export const hasDomains = (plan: Plan): boolean => PLANS[plan].customDomains;
