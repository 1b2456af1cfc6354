import { useId } from "preact/hooks";
import { useFieldError } from "../parts/form.tsx";
import { useSession } from "../session.tsx";
import { GRANTS, type Grant, mayGrant } from "./scopes.ts";
import { NEW, PERMISSIONS } from "./words.ts";

const toggled = (chosen: ReadonlySet<Grant>, grant: Grant): ReadonlySet<Grant> =>
  chosen.has(grant) ? chosen.difference(new Set([grant])) : chosen.union(new Set([grant]));

/** The permissions of a new key. Only those of one's own key are offered. */
export const ScopeChoice = ({
  chosen,
  onChoose,
}: {
  chosen: ReadonlySet<Grant>;
  onChoose: (chosen: ReadonlySet<Grant>) => void;
}) => {
  const own = useSession().user.scopes;
  const error = useFieldError("scopes");
  const id = useId();
  return (
    <fieldset class={error ? "field invalid" : "field"} data-field="scopes" aria-describedby={`${id}-words`}>
      <legend>{NEW.permissions}</legend>
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
          {PERMISSIONS[grant]} <code>{grant}</code>
        </label>
      ))}
      <small id={`${id}-words`} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
        {error ?? NEW.permissionsHint}
      </small>
    </fieldset>
  );
};
