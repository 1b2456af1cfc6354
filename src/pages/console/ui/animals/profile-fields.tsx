import { useState } from "preact/hooks";
import { SelectField, TextField, useDraft } from "../parts/form.tsx";
import { problemAt, problemsOf } from "../parts/wording.ts";
import type { AnimalDraft } from "./animal.ts";
import { type Member, optionsOf } from "./profile.ts";

type Bind = ReturnType<typeof useDraft<AnimalDraft>>["bind"];

const MemberField = ({
  member,
  bind,
  theirs,
}: {
  member: Member;
  bind: Bind;
  theirs: string | undefined;
}) => {
  const { name, kind, isPrivate } = member;
  const options = optionsOf(member);
  const label = isPrivate ? `${member.label} (not public)` : member.label;
  const changed = theirs === "" ? "Somebody else removed it." : theirs && "Somebody else changed it.";
  const { value = "", ...bound } = bind(name);
  const field = { label, hint: changed ?? member.hint, value, ...bound };
  if (options) return <SelectField options={[["", "–"], ...options]} {...field} />;
  if (kind === "text") return <TextField rows={3} {...field} />;
  if (kind === "date") return <TextField type="date" {...field} />;
  return <TextField {...field} />;
};

interface ProfileFieldsProps {
  members: readonly Member[];
  bind: Bind;
  theirs: Partial<AnimalDraft>;
  /** One about a member unfolds the fields. */
  error: Error | null;
}

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
          <MemberField key={member.name} member={member} bind={bind} theirs={theirs[member.name]} />
        ))}
      </div>
    </details>
  );
};
