import { CopyButton } from "../parts/copy.tsx";
import { Notice } from "../parts/feedback.tsx";
import { Table } from "../parts/table.tsx";
import { useNow } from "../parts/time.tsx";
import { type Change, currentValue, describeFinding } from "./findings.ts";
import type { Domain, Finding } from "./model.ts";

const Changes = ({ changes }: { changes: Change[] }) => (
  <Table
    label="Records to change"
    kind="record stack"
    columns={["Action", "Type", "Name", "Current value", "New value"]}
  >
    {changes.map((change) => (
      <tr key={`${change.what} ${change.type}`}>
        <td data-column="Action">{change.what}</td>
        <td data-column="Type">{change.type}</td>
        <td data-column="Name">
          <code>{change.name}</code>
        </td>
        <td data-column="Current value">
          {change.found.length > 0 ? <code>{currentValue(change)}</code> : "–"}
        </td>
        <td data-column="New value">
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

/** The findings of the last check, each with the records to change. */
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
