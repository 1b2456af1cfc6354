import { useState } from "preact/hooks";
import { SelectField, TextField, type useDraft } from "../parts/form.tsx";
import { problemAt, problemsOf } from "../parts/wording.ts";
import type { AnimalDraft } from "./animal.ts";
import type { Member } from "./profile.ts";

/** The entries of a form for an animal, and those that another user has changed. */
export type AnimalEntries = Pick<ReturnType<typeof useDraft<AnimalDraft>>, "bind" | "theirs">;

interface ProfileFieldsProps extends AnimalEntries {
  members: readonly Member[];
  /** One about a member unfolds the fields. */
  error: Error | null;
}

const MemberField = ({
  member: { name, kind, options, isPrivate, ...member },
  bind,
  theirs,
}: AnimalEntries & { member: Member }) => {
  const label = isPrivate ? `${member.label} (not public)` : member.label;
  const changed =
    theirs[name] === "" ? "Somebody else removed it." : theirs[name] && "Somebody else changed it.";
  const { value = "", ...bound } = bind(name);
  const field = { label, hint: changed ?? member.hint, value, ...bound };
  if (options) return <SelectField options={[["", "–"], ...options]} {...field} />;
  if (kind === "text") return <TextField rows={3} {...field} />;
  if (kind === "date") return <TextField type="date" {...field} />;
  return <TextField {...field} />;
};

/** The fields of a profile, folded until the user wants them. */
export const ProfileFields = ({ members, bind, theirs, error }: ProfileFieldsProps) => {
  const [isOpen, setOpen] = useState(false);
  const problems = problemsOf(error);
  const isWrong = members.some(({ name }) => problemAt(problems, name));
  return (
    <details
      class="members"
      open={isOpen || isWrong}
      onToggle={({ currentTarget: { open } }) => setOpen(open)}
    >
      <summary>More about the animal</summary>
      <div>
        {members.map((member) => (
          <MemberField key={member.name} member={member} bind={bind} theirs={theirs} />
        ))}
      </div>
    </details>
  );
};
