import { Notice } from "../parts/feedback.tsx";
import { projectPath } from "../projects/addresses.ts";
import { PLAN_NAMES, hasDomains } from "../projects/plans.ts";
import type { Project } from "../projects/queries.ts";

/** True if a domain can be added. */
export const isReady = ({ plan, activeDeploy }: Project): boolean =>
  hasDomains(plan) && activeDeploy !== undefined;

/** What a project lacks before domains can be added to it. */
export const Prerequisites = ({ project: { slug, plan, activeDeploy } }: { project: Project }) => (
  <>
    {!hasDomains(plan) && (
      <Notice tone="waiting">
        <p>
          Custom domains need the plan Pro or above; this project is on {PLAN_NAMES[plan]}.{" "}
          <a href={projectPath(slug, "settings")}>Change the plan in Settings.</a>
        </p>
      </Notice>
    )}
    {activeDeploy === undefined && (
      <Notice tone="waiting">
        <p>
          A domain needs something to show: the project has no successful deploy yet.{" "}
          <a href={projectPath(slug, "deploys")}>Deploy it first.</a>
        </p>
      </Notice>
    )}
  </>
);
