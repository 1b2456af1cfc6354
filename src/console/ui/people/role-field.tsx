import { Field } from "../parts/field.tsx";
import { useSession } from "../session.tsx";
import { type Role, mayManage } from "./person.ts";
import { ADD, ROLES } from "./words.ts";

/** The choice of a role. Only those that the user may give are offered. */
export const RoleField = ({ role, onChoose }: { role: Role; onChoose: (role: Role) => void }) => {
  const { user } = useSession();
  const offered = (Object.keys(ROLES) as Role[]).filter((one) => mayManage(user, one));
  return (
    <Field label={ADD.role} name="role" hint={ROLES[role].may}>
      {(tied) => (
        <select
          {...tied}
          name="role"
          value={role}
          onChange={(event) => onChoose(event.currentTarget.value as Role)}
        >
          {offered.map((one) => (
            <option key={one} value={one}>
              {ROLES[one].name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};
