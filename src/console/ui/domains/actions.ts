import { useQueryClient } from "@tanstack/preact-query";
import { dataOf, platform } from "../api/client.ts";
import { useAction } from "../parts/action.tsx";
import { adviceOf } from "./advice.ts";
import type { Domain } from "./model.ts";
import { statusOf } from "./progress.ts";
import { KEYS, at, fetchConfig, putConfig, putPrimary } from "./queries.ts";
import { withRedirect } from "./redirects.ts";
import { MENU, PAGE, STATUS } from "./words.ts";

/** The result of a check, for people who do not see the page change. */
const outcomeOf = (domain: Domain): string => {
  const now = Date.now();
  return PAGE.outcome(STATUS[statusOf(domain, now)], adviceOf(domain, now)[0]?.title);
};

/** The actions on a domain. @param primary the project's primary domain, if it has one */
export const useActions = (slug: string, hostname: string, primary: string | undefined) => {
  const queries = useQueryClient();
  const changes = [KEYS.all(slug)];
  const setRedirect = async (isRedirect: boolean) => {
    // Read again: somebody else may have changed it.
    const config = withRedirect(await fetchConfig(slug), hostname, isRedirect);
    if (!config) throw new Error(MENU.noPrimary);
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
      says: () => MENU.madePrimary(hostname),
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
        isRedirect ? MENU.redirected(hostname, primary ?? "") : MENU.showsSite(hostname),
      undo: (_, isRedirect) => setRedirect(!isRedirect),
      isErrorToast: true,
    }),
  };
};

export type Actions = ReturnType<typeof useActions>;
