import { useRef } from "preact/hooks";
import { domainPath } from "../projects/addresses.ts";
import { useSession } from "../session.tsx";
import type { Actions } from "./actions.ts";
import type { Domain } from "./model.ts";
import { verifyLabel } from "./stages.ts";

/** The menu of a domain. The keyboard opens it too, and Escape closes it. */
export const DomainMenu = ({
  slug,
  domain,
  primary,
  actions: { verify, makePrimary, redirect, isBusy },
  withVerify = false,
}: {
  slug: string;
  domain: Domain;
  /** The project's primary domain. */
  primary: string | undefined;
  actions: Actions;
  /** For pages without a button for it. */
  withVerify?: boolean;
}) => {
  const menu = useRef<HTMLDetailsElement>(null);
  const summary = useRef<HTMLElement>(null);
  const { hostname, role, stage } = domain;
  if (!useSession().can("platform:write")) return null;
  const close = () => {
    if (menu.current) menu.current.open = false;
    summary.current?.focus();
  };
  const item = (words: string, act: () => void) => (
    <li>
      <button
        type="button"
        disabled={isBusy}
        onClick={() => {
          close();
          act();
        }}
      >
        {words}
      </button>
    </li>
  );
  return (
    <details
      ref={menu}
      class="dropdown menu"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        // Safari gives no focus to a pressed button: then there is no related target, and the press must still count.
        if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) currentTarget.open = false;
      }}
    >
      <summary
        ref={summary}
        role="button"
        class="small secondary outline"
        aria-label={`Menu of ${hostname}`}
        aria-busy={isBusy}
      >
        Menu
      </summary>
      <ul>
        {withVerify && stage !== "suspended" && item(verifyLabel(domain), () => verify.mutate())}
        {role !== "primary" && item("Make primary", () => makePrimary.mutate())}
        {role === "served" &&
          primary !== undefined &&
          item(`Redirect to ${primary}`, () => redirect.mutate(true))}
        {role === "redirect" && item("Show the site here", () => redirect.mutate(false))}
        <li>
          <a href={domainPath(slug, hostname, "remove")}>Remove</a>
        </li>
      </ul>
    </details>
  );
};
