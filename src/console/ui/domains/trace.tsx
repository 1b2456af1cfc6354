import { Table } from "../parts/table.tsx";
import type { Domain } from "./model.ts";
import { PAGE, TRACE } from "./words.ts";

/** Every query and response of the last check. */
export const Trace = ({ trace }: { trace: NonNullable<Domain["trace"]> }) => (
  <details>
    <summary>{PAGE.trace}</summary>
    <Table
      label={TRACE.label}
      kind="trace"
      stackBelow={40}
      columns={[TRACE.server, TRACE.query, TRACE.response]}
    >
      {trace.questions.map(({ server, name, type, outcome, detail, records, recursive }, at) => (
        <tr key={at}>
          <td data-column={TRACE.server}>
            <div>
              {server} <small>{recursive ? TRACE.resolver : TRACE.authority}</small>
            </div>
          </td>
          <td data-column={TRACE.query}>
            {type} {name}
          </td>
          <td data-column={TRACE.response}>
            <div>
              {outcome} {detail}
              {records.map((record) => (
                <div key={record}>
                  <code>{record}</code>
                </div>
              ))}
            </div>
          </td>
        </tr>
      ))}
    </Table>
  </details>
);
