import { Field } from "../parts/form.tsx";
import { hostnameIn } from "./hostname.ts";
import { ADD } from "./words.ts";

/** What is read in an address that was pasted. */
const Understood = ({ typed, understood }: { typed: string; understood: string }) => {
  const hostname = hostnameIn(typed);
  return (
    <span role="status">
      {hostname === "" || hostname === typed ? (
        ADD.hint
      ) : (
        <>
          {understood} <strong>{hostname}</strong>
        </>
      )}
    </span>
  );
};

/** The field for a host name, in which an address can be pasted. */
export const HostnameField = ({
  typed,
  understood,
  onType,
}: {
  typed: string;
  /** Precedes the name that was read in an address. */
  understood: string;
  onType: (text: string) => void;
}) => (
  <Field label={ADD.label} name="hostname" hint={<Understood typed={typed} understood={understood} />}>
    {(tied) => (
      <input
        {...tied}
        name="hostname"
        inputMode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={typed}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    )}
  </Field>
);
