import type { components } from "../api/platform.d.ts";

export type Plan = components["schemas"]["Plan"];

export const PLANS = ["free", "pro", "enterprise"] as const satisfies readonly Plan[];

/** Plans as people read them. */
export const PLAN_NAMES: Record<Plan, string> = { free: "Free", pro: "Pro", enterprise: "Enterprise" };

/** True if the plan has custom domains: Pro or above. */
export const hasDomains = (plan: Plan): boolean => plan !== "free";
