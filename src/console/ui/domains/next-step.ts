import { adviceOf } from "./advice.ts";
import type { Domain, Stage } from "./model.ts";

/** For stages without advice. */
const NEXT: Partial<Record<Stage, string>> = {
  live: "Nothing",
  issue_failed: "Open it and choose Re-verify",
};
const WAIT = "Wait. The certificate is issued automatically.";

/** What to do next about a domain, for a list. @param now milliseconds */
export const nextStep = (domain: Domain, now: number): { title: string; details?: string } => {
  const [advice] = adviceOf(domain, now);
  if (!advice) return { title: NEXT[domain.stage] ?? WAIT };
  const { title, text, changes } = advice;
  const records = changes.map(({ action, type, name }) => `${action} ${type} ${name}.`).join(" ");
  return { title, details: records || text.replace(/(?<=\.) .*/, "") };
};
