import { CopyButton } from "../parts/copy.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { useNow } from "../parts/time.tsx";
import { type Change, foundIn, describeFinding } from "./findings.ts";
import type { Domain, Finding } from "./model.ts";

const Changes = ({ changes }: { changes: Change[] }) => (
  <Table label="Records to change" kind="record stack" columns={["Do", "Type", "Name", "Now", "To be"]}>
    {changes.map((change) => (
      <tr key={`${change.what} ${change.type}`}>
        <td data-column="Do">{change.what}</td>
        <td data-column="Type">{change.type}</td>
        <td data-column="Name">
          <code>{change.name}</code>
        </td>
        <td data-column="Now">{change.found.length > 0 ? <code>{foundIn(change)}</code> : "–"}</td>
        <td data-column="To be">
          {change.value === undefined ? (
            "gone"
          ) : (
            <div>
              <code>{change.value}</code>{" "}
              <CopyButton text={change.value} what={`the value of the ${change.type} record`} />
            </div>
          )}
        </td>
      </tr>
    ))}
  </Table>
);

/** What the last check found, each with the record to change. */
export const Findings = ({ domain, findings }: { domain: Domain; findings: readonly Finding[] }) => {
  const now = useNow();
  return (
    <>
      {findings.map((finding) => {
        const { tone, title, advice, changes } = describeFinding(finding, domain, now);
        return (
          <Notice key={finding.message} tone={tone}>
            <h4>{title}</h4>
            <p>{advice}</p>
            {changes.length > 0 && <Changes changes={changes} />}
          </Notice>
        );
      })}
    </>
  );
};
