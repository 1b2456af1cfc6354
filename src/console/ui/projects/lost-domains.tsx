import { useState } from "preact/hooks";
import { shownName } from "../domains/model.ts";
import { useDomains } from "../domains/queries.ts";
import { Notice, Problem } from "../parts/feedback.tsx";
import { SETTINGS } from "./words.ts";

/** The live domains that stop with a plan without custom domains, and whether the user confirmed that. */
export const useLostDomains = (slug: string) => {
  const { data, error, refetch } = useDomains(slug);
  const [isConfirmed, setConfirmed] = useState(false);
  const names = data?.filter(({ stage }) => stage === "live").map(shownName);
  return {
    names,
    error,
    refetch,
    isConfirmed,
    setConfirmed,
    /** False while the domains load. */
    maySave: isConfirmed || names?.length === 0,
  };
};

export const LostDomains = ({
  names = [],
  error,
  refetch,
  isConfirmed,
  setConfirmed,
}: ReturnType<typeof useLostDomains>) => (
  <Notice tone={names.length > 0 ? "bad" : "waiting"}>
    {error && <Problem error={error} onRetry={refetch} />}
    <p>{SETTINGS.losesDomains}</p>
    {names.length > 0 && (
      <>
        <p>{SETTINGS.stops(names.length)}</p>
        <ul>
          {names.map((name) => (
            <li key={name}>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
        <label>
          <input
            type="checkbox"
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
          {SETTINGS.confirmStop(names.length)}
        </label>
      </>
    )}
  </Notice>
);
