import { useId } from "preact/hooks";
import { useSession } from "../session.tsx";
import { GRANTS, type Grant, mayGrant, meaningOf } from "./scopes.ts";

const toggled = (chosen: ReadonlySet<Grant>, grant: Grant): ReadonlySet<Grant> =>
  chosen.has(grant) ? chosen.difference(new Set([grant])) : chosen.union(new Set([grant]));

/** The scopes of a new key. Only those of one's own key are offered. */
export const ScopeChoice = ({
  chosen,
  onChoose,
  error,
}: {
  chosen: ReadonlySet<Grant>;
  onChoose: (chosen: ReadonlySet<Grant>) => void;
  error: string | undefined;
}) => {
  const own = useSession().key.scopes;
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={`${id}-words`}>
      <legend>Scopes</legend>
      {GRANTS.filter((grant) => mayGrant(own, grant)).map((grant) => (
        <label key={grant}>
          <input
            type="checkbox"
            name="scopes"
            value={grant}
            checked={chosen.has(grant) || chosen.has("*")}
            disabled={grant !== "*" && chosen.has("*")}
            onChange={() => onChoose(toggled(chosen, grant))}
          />
          {meaningOf(grant)} <code>{grant}</code>
        </label>
      ))}
      <small id={`${id}-words`} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
        {error ?? "Choose only what the key needs."}
      </small>
    </fieldset>
  );
};
