import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { dataOf, platform } from "../api/client.ts";
import type { Stage } from "./model.ts";
import { KEYS, fetchConfig } from "./queries.ts";
import { withRedirect } from "./redirects.ts";
import { STAGES } from "./stages.ts";

/** The actions on a domain. Each of them refreshes everything shown about the project's domains. */
export const useActions = (slug: string, hostname: string) => {
  const queries = useQueryClient();
  const params = { path: { slug, hostname } };
  const onSettled = () => queries.invalidateQueries({ queryKey: KEYS.all(slug) });
  const verify = useMutation({
    mutationFn: () =>
      dataOf(platform.POST("/platform/projects/{slug}/domains/{hostname}/verify", { params })),
    onSuccess: (domain) => queries.setQueryData(KEYS.one(slug, hostname), domain),
    onSettled,
  });
  const makePrimary = useMutation({
    mutationFn: () =>
      dataOf(platform.PUT("/platform/projects/{slug}/domains/{hostname}/primary", { params })),
    onSettled,
  });
  const redirect = useMutation({
    async mutationFn(isRedirect: boolean) {
      // Read again: somebody else may have changed it.
      const body = withRedirect(await fetchConfig(slug), hostname, isRedirect);
      if (!body) throw new Error("There is no other primary domain to redirect to: make one primary first.");
      return dataOf(platform.PUT("/platform/projects/{slug}/config", { params: { path: { slug } }, body }));
    },
    onSettled,
  });
  const all = [verify, makePrimary, redirect];
  const last = all.toSorted((one, other) => other.submittedAt - one.submittedAt)[0];
  return {
    verify,
    makePrimary,
    redirect,
    isBusy: all.some(({ isPending }) => isPending),
    /** The error of the last action. */
    error: last?.error ?? null,
    /** The result of the last action, for screen readers. @param stage the domain's current stage */
    outcome(stage: Stage): string | undefined {
      if (verify.isPending) return "Asking the name servers…";
      if (!last?.isSuccess) return undefined;
      if (last === makePrimary) return "It is now the primary domain.";
      if (last === redirect)
        return redirect.variables ? "Its visitors are now redirected." : "It now shows the site.";
      return `Checked: ${STAGES[stage].words}.`;
    },
  };
};

export type Actions = ReturnType<typeof useActions>;
