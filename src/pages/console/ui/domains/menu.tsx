import { useQueryClient } from "@tanstack/preact-query";
import { useRef } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { useAction } from "../parts/action.tsx";
import { domainPath } from "../projects/model.ts";
import { useSession } from "../session.tsx";
import { adviceOf } from "./advice.ts";
import { type Domain, isWildcard, withRedirect } from "./model.ts";
import { statusOf } from "./progress.ts";
import { KEYS, at, fetchConfig, putConfig, putPrimary } from "./queries.ts";
import { STATUS, verifyLabel } from "./words.ts";

/** The result of a check, for people who do not see the page change. */
const outcomeOf = (domain: Domain): string => {
  const now = Date.now();
  const [advice] = adviceOf(domain, now);
  return `Checked: ${STATUS[statusOf(domain, now)]}${advice ? `. ${advice.title}` : ""}`;
};

/** The actions on a domain. @param primary the project's primary domain, if it has one */
export const useActions = (slug: string, hostname: string, primary: string | undefined) => {
  const queries = useQueryClient();
  const changes = [KEYS.all(slug)];
  const setRedirect = async (isRedirect: boolean) => {
    // Read again, because another user may have changed it.
    const config = withRedirect(await fetchConfig(slug), hostname, isRedirect);
    if (!config) throw new Error("There is no other primary domain to redirect to. Make one primary first.");
    return putConfig(slug, config);
  };
  return {
    verify: useAction({
      act: () =>
        dataOf(platform.POST("/platform/projects/{slug}/domains/{hostname}/verify", at(slug, hostname))),
      onDone: (domain) => queries.setQueryData(KEYS.one(slug, hostname), domain),
      changes,
      says: outcomeOf,
      isErrorToast: true,
    }),
    makePrimary: useAction({
      async act() {
        const before = await fetchConfig(slug);
        await putPrimary(slug, hostname);
        return before;
      },
      changes,
      says: () => `${hostname} is now the primary domain`,
      ...(primary !== undefined && {
        undo: ({ domains: { redirects } }: Awaited<ReturnType<typeof fetchConfig>>) =>
          putConfig(slug, { domains: { primary, redirects } }),
      }),
      isErrorToast: true,
    }),
    redirect: useAction({
      act: setRedirect,
      changes,
      says: (_, isRedirect) =>
        isRedirect ? `${hostname} now redirects to ${primary ?? ""}` : `${hostname} now shows the site`,
      undo: (_, isRedirect) => setRedirect(!isRedirect),
      isErrorToast: true,
    }),
  };
};

export type Actions = ReturnType<typeof useActions>;

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
        // Safari does not focus a pressed button. Then `relatedTarget` is null, and the press must still count.
        if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) currentTarget.open = false;
      }}
    >
      <summary
        ref={summary}
        role="button"
        class="small secondary outline"
        aria-label={`Menu for ${hostname}`}
        aria-busy={isBusy}
      >
        Menu
      </summary>
      <ul>
        {withVerify && stage !== "suspended" && item(verifyLabel(domain), () => verify.run())}
        {role !== "primary" && hasRoles && item("Make primary", () => makePrimary.run())}
        {role === "served" &&
          primary !== undefined &&
          hasRoles &&
          item(`Redirect to ${primary}`, () => redirect.run(true))}
        {role === "redirect" && item("Show the site here", () => redirect.run(false))}
        <li>
          <a href={domainPath(slug, hostname, "remove")}>Remove</a>
        </li>
      </ul>
    </details>
  );
};
