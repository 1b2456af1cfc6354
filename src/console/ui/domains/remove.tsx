import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Problem } from "../parts/feedback.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { useActions } from "./actions.ts";
import { type Domain, shownName } from "./model.ts";
import { KEYS, useConfig } from "./queries.ts";

/** What to do first if the address is known to visitors. */
const RedirectFirst = ({ slug, domain, back }: { slug: string; domain: Domain; back: string }) => {
  const done = useFinish();
  const { redirect } = useActions(slug, domain.hostname);
  const primary = useConfig(slug).data?.domains.primary;
  // Nothing is served there yet.
  if (domain.stage !== "live") return null;
  if (domain.role === "redirect")
    return <p>It redirects to {primary} now. Once it is removed, visitors no longer get there from it.</p>;
  if (primary === undefined || domain.role === "primary")
    return (
      <p>
        Has its address been shared? Then make <a href={projectPath(slug, "domains")}>another domain</a> the
        primary one, and let this one redirect to it instead of removing it.
      </p>
    );
  return (
    <>
      <p>
        Has its address been shared? Then set up a redirect instead: the domain stays, and its visitors are
        sent to {primary} with 301.
      </p>
      {redirect.error && <Problem error={redirect.error} />}
      <p>
        <button
          type="button"
          class="secondary"
          aria-busy={redirect.isPending}
          disabled={redirect.isPending}
          onClick={() =>
            redirect.mutate(true, {
              onSuccess: () => done(back, `${shownName(domain)} now redirects to ${primary}.`),
            })
          }
        >
          Redirect to {primary} instead
        </button>
      </p>
    </>
  );
};

/** The dialog that removes a domain. */
export const RemoveDomain = ({ slug, domain }: { slug: string; domain: Domain }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const { hostname } = domain;
  const back = domainPath(slug, hostname);
  const removing = useMutation({
    mutationFn: () =>
      platform.DELETE("/platform/projects/{slug}/domains/{hostname}", {
        params: { path: { slug, hostname } },
      }),
    onSuccess() {
      queries.removeQueries({ queryKey: KEYS.one(slug, hostname) });
      // Not awaited: the dialog closes at once.
      void queries.invalidateQueries({ queryKey: KEYS.all(slug) });
    },
  });
  return (
    <Dialog title={`Remove ${hostname}`} back={back}>
      {removing.error && <Problem error={removing.error} />}
      <p>
        <strong>Traffic for the domain stops being served immediately.</strong> The project keeps its own
        address.
      </p>
      <RedirectFirst slug={slug} domain={domain} back={back} />
      <p>Remember to delete its DNS record at your provider as well.</p>
      <DialogButtons
        back={back}
        label="Remove"
        isBusy={removing.isPending}
        isDangerous
        onConfirm={() =>
          removing.mutate(undefined, {
            onSuccess: () => done(projectPath(slug, "domains"), `${shownName(domain)} was removed.`),
          })
        }
      />
    </Dialog>
  );
};
