import { useRef } from "preact/hooks";
import { domainPath } from "../projects/addresses.ts";
import { useSession } from "../session.tsx";
import type { Actions } from "./actions.ts";
import type { Domain } from "./model.ts";
import { isWildcard } from "./redirects.ts";
import { MENU, verifyLabel } from "./words.ts";

/** The menu of a domain. The keyboard opens it too, and Escape closes it. */
export const DomainMenu = ({
  slug,
  domain,
  primary,
  actions: { verify, makePrimary, redirect },
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
  // A wildcard always shows the site.
  const hasRoles = !isWildcard(domain);
  const isBusy = [verify, makePrimary, redirect].some(({ isPending }) => isPending);
  const close = () => {
    if (menu.current) menu.current.open = false;
    summary.current?.focus();
  };
  const item = (words: string, act: () => void) => (
    <li>
      <button
        type="button"
        aria-disabled={isBusy}
        onClick={() => {
          close();
          if (!isBusy) act();
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
        aria-label={MENU.label(hostname)}
        aria-busy={isBusy}
      >
        {MENU.title}
      </summary>
      <ul>
        {withVerify && stage !== "suspended" && item(verifyLabel(domain), () => verify.run())}
        {role !== "primary" && hasRoles && item(MENU.makePrimary, () => makePrimary.run())}
        {role === "served" &&
          primary !== undefined &&
          hasRoles &&
          item(MENU.redirectTo(primary), () => redirect.run(true))}
        {role === "redirect" && item(MENU.showSite, () => redirect.run(false))}
        <li>
          <a href={domainPath(slug, hostname, "remove")}>{MENU.remove}</a>
        </li>
      </ul>
    </details>
  );
};
