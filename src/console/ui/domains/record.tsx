import { CopyButton } from "../parts/copy.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Table } from "../parts/table.tsx";
import { type Change, TTL, allRecords } from "./advice.ts";
import type { Domain } from "./model.ts";
import { PAGE, RECORD } from "./words.ts";

const Copied = ({ text, what }: { text: string; what: string }) => (
  <span class="copied">
    <code>{text}</code> <CopyButton text={text} what={what} />
  </span>
);

const Value = ({ change: { action, type, value, found } }: { change: Change }) => (
  <div>
    {value !== undefined && <Copied text={value} what={RECORD.copied("value", type)} />}
    {value === undefined && <code>{found.join(", ")}</code>}
    {action === "Change" && found.length > 0 && (
      <small>
        {RECORD.now} {found.join(", ")}
      </small>
    )}
  </div>
);

const Row = ({ change, isTodo }: { change: Change; isTodo: boolean }) => {
  const { action, type, name, fullName, value } = change;
  return (
    <tr>
      {isTodo && (
        <td data-column={RECORD.action}>
          <strong>{action}</strong>
        </td>
      )}
      <td data-column={RECORD.type}>{type === "ALIAS" ? RECORD.alias : type}</td>
      <td data-column={RECORD.name}>
        <div>
          <Copied text={name} what={RECORD.copied("name", type)} />
          {name !== fullName && (
            <small>
              {RECORD.inFull} {fullName}
            </small>
          )}
        </div>
      </td>
      <td data-column={RECORD.value}>
        <Value change={change} />
      </td>
      <td data-column={RECORD.ttl}>
        {value === undefined ? "–" : <Copied text={String(TTL)} what={RECORD.copied("TTL", type)} />}
      </td>
    </tr>
  );
};

const COLUMNS = [RECORD.type, RECORD.name, RECORD.value, RECORD.ttl];

/** Records with what to copy. @param isTodo true if they are to be changed at the DNS provider */
export const Records = ({ changes, isTodo }: { changes: readonly Change[]; isTodo: boolean }) => (
  <Table
    label={isTodo ? RECORD.todo : RECORD.needed}
    kind="record stack"
    columns={isTodo ? [RECORD.action, ...COLUMNS] : COLUMNS}
  >
    {changes.map((change) => (
      <Row key={`${change.action} ${change.type} ${change.name}`} change={change} isTodo={isTodo} />
    ))}
  </Table>
);

const Snippet = ({ title, text }: { title: string; text: string }) => (
  <>
    <h4>
      {title} <CopyButton text={text} what={title} />
    </h4>
    <Scroll label={title}>
      <pre>
        <code>{text}</code>
      </pre>
    </Scroll>
  </>
);

/** What a domain needs at its DNS provider, also in the forms that tools take. */
export const NeededRecords = ({ domain }: { domain: Pick<Domain, "hostname" | "record"> }) => {
  const { note, proof, ...record } = domain.record;
  const bind = record.bind ?? proof?.bind;
  const terraform = proof ? `${record.terraform}\n\n${proof.terraform}` : record.terraform;
  return (
    <details>
      <summary>{proof ? PAGE.records : PAGE.record}</summary>
      <Records changes={allRecords(domain, "Create")} isTodo={false} />
      {note && <p>{note}</p>}
      {bind && <Snippet title={proof ? RECORD.zoneLineProof : RECORD.zoneLine} text={bind} />}
      <Snippet title={proof ? RECORD.terraforms : RECORD.terraform} text={terraform} />
    </details>
  );
};
