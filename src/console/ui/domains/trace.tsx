import { Table } from "../parts/table.tsx";
import type { Domain } from "./model.ts";

/** Every question and response of the last check. */
export const Trace = ({ trace }: { trace: NonNullable<Domain["trace"]> }) => (
  <details>
    <summary>What the last check asked the name servers</summary>
    <Table label="Questions of the last check" kind="trace" columns={["Server", "Question", "Response"]}>
      {trace.questions.map(({ server, name, type, outcome, detail, records, recursive }, at) => (
        <tr key={at}>
          <td>
            {server} <small>{recursive ? "resolver" : "authority"}</small>
          </td>
          <td>
            {type} {name}
          </td>
          <td>
            {outcome} {detail}
            {records.map((record) => (
              <div key={record}>
                <code>{record}</code>
              </div>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  </details>
);
