import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { platform } from "../api/client.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { Field } from "../parts/form.tsx";
import { useAction } from "../parts/action.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { type Domain, shownName } from "./model.ts";
import { KEYS, at, fetchConfig, putConfig, putPrimary, useDomains } from "./queries.ts";
import { isWildcard, targetsOf, withPrimary } from "./redirects.ts";
import { REMOVE } from "./words.ts";

type Choice = "redirect" | "remove";

const Choices = ({ choice, onChoose }: { choice: Choice; onChoose: (choice: Choice) => void }) => (
  <fieldset>
    <legend>{REMOVE.legend}</legend>
    {(["redirect", "remove"] as const).map((one) => (
      <label key={one}>
        <input
          type="radio"
          name="choice"
          value={one}
          checked={choice === one}
          onChange={() => onChoose(one)}
        />{" "}
        {REMOVE.choices[one]}
      </label>
    ))}
  </fieldset>
);

/** Which domain takes over from the primary one. */
const PrimaryField = ({
  targets,
  primary,
  isRequired,
  onChoose,
}: {
  targets: readonly Domain[];
  primary: string;
  isRequired: boolean;
  onChoose: (hostname: string) => void;
}) => (
  <Field label={REMOVE.primary} hint={REMOVE.primaryHint}>
    {(tied) => (
      <select
        {...tied}
        name="primary"
        value={primary}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {targets.map((target) => (
          <option key={target.hostname} value={target.hostname}>
            {target.stage === "live" ? shownName(target) : REMOVE.notLive(shownName(target))}
          </option>
        ))}
        {!isRequired && <option value="">{REMOVE.noPrimary}</option>}
      </select>
    )}
  </Field>
);

const Form = ({ slug, domain, domains }: { slug: string; domain: Domain; domains: readonly Domain[] }) => {
  const queries = useQueryClient();
  const { hostname, role, stage } = domain;
  const back = domainPath(slug, hostname);
  const isPrimary = role === "primary";
  const targets = targetsOf(domains, hostname);
  const current = domains.find((one) => one.role === "primary")?.hostname;
  // Nobody is lost if nothing is served, and a redirect is one already.
  const canRedirect =
    stage === "live" &&
    !isWildcard(domain) &&
    (isPrimary ? targets.length > 0 : role === "served" && current !== undefined);
  const [chosen, setChoice] = useState<Choice>();
  const choice = canRedirect ? (chosen ?? "redirect") : "remove";
  const [chosenPrimary, setPrimary] = useState<string>();
  const primary = isPrimary ? (chosenPrimary ?? targets[0]?.hostname ?? "") : (current ?? "");
  const target = primary || (targets[0]?.hostname ?? "");
  const redirecting = useAction({
    // Read again: somebody else may have changed it.
    act: async (to: string) => putConfig(slug, withPrimary(await fetchConfig(slug), hostname, to)),
    changes: [KEYS.all(slug)],
    at: back,
    says: (_, to) => REMOVE.redirected(shownName(domain), to),
  });
  const removing = useAction({
    async act(successor: string) {
      // First, so that redirects lead somewhere at all times.
      if (successor !== "") await putPrimary(slug, successor);
      await platform.DELETE("/platform/projects/{slug}/domains/{hostname}", at(slug, hostname));
    },
    changes: [KEYS.all(slug)],
    onDone: () => queries.removeQueries({ queryKey: KEYS.one(slug, hostname) }),
    at: projectPath(slug, "domains"),
    says: () => REMOVE.removed(shownName(domain)),
  });
  const error = redirecting.error ?? removing.error;
  const isRedirect = choice === "redirect";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isRedirect) redirecting.run(target);
        else removing.run(isPrimary ? primary : "");
      }}
    >
      {error && <Problem error={error} />}
      {canRedirect && <Choices choice={choice} onChoose={setChoice} />}
      {isPrimary && targets.length > 0 && (
        <PrimaryField
          targets={targets}
          primary={isRedirect ? target : primary}
          isRequired={isRedirect}
          onChoose={setPrimary}
        />
      )}
      {isRedirect ? (
        <p>{REMOVE.redirectText(target)}</p>
      ) : (
        <>
          <p>
            <strong>{REMOVE.removeText}</strong> {REMOVE.ownAddress}
          </p>
          {role === "redirect" && stage === "live" && <p>{REMOVE.isRedirect(current)}</p>}
          {stage === "live" && isPrimary && targets.length === 0 && <p>{REMOVE.noTarget}</p>}
          <p>{REMOVE.record}</p>
        </>
      )}
      <DialogButtons
        back={back}
        label={isRedirect ? REMOVE.confirmRedirect : REMOVE.confirm}
        isBusy={redirecting.isPending || removing.isPending}
        isDangerous={!isRedirect}
      />
    </form>
  );
};

/** The dialog that removes a domain, or lets it redirect: its address may have been shared. */
export const RemoveDomain = ({ slug, domain }: { slug: string; domain: Domain }) => {
  const { data: domains, error } = useDomains(slug);
  return (
    <Dialog title={REMOVE.title(domain.hostname)} back={domainPath(slug, domain.hostname)}>
      {error && <Problem error={error} />}
      {domains && <Form slug={slug} domain={domain} domains={domains} />}
      {!domains && !error && <Loading />}
    </Dialog>
  );
};
