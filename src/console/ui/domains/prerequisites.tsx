import { Notice } from "../parts/feedback.tsx";
import { projectPath } from "../projects/addresses.ts";
import { PLAN_NAMES, type Project, hasDomains } from "../projects/model.ts";
import { PAGE } from "./words.ts";

/** True if a domain can be added. */
export const isReady = ({ plan, activeDeploy }: Project): boolean =>
  hasDomains(plan) && activeDeploy !== undefined;

/** What a project lacks before its domains can be active. */
export const Prerequisites = ({ project: { slug, plan, activeDeploy } }: { project: Project }) => (
  <>
    {!hasDomains(plan) && (
      <Notice tone="waiting">
        <p>
          {PAGE.needsPlan(PLAN_NAMES[plan])} <a href={projectPath(slug, "settings")}>{PAGE.changePlan}</a>
        </p>
      </Notice>
    )}
    {activeDeploy === undefined && (
      <Notice tone="waiting">
        <p>
          {PAGE.needsDeploy} <a href={projectPath(slug, "deploys")}>{PAGE.deploy}</a>
        </p>
      </Notice>
    )}
  </>
);
