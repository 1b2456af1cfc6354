import { CopyButton } from "../parts/copy.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Table } from "../parts/table.tsx";
import { DNS_DELAY } from "./findings.ts";
import type { Domain } from "./model.ts";

const Snippet = ({ title, text }: { title: string; text: string }) => (
  <details>
    <summary>{title}</summary>
    <Scroll label={title}>
      <pre>
        <code>{text}</code>
      </pre>
    </Scroll>
    <CopyButton text={text} what={title} />
  </details>
);

type Row = Pick<Domain["record"], "name" | "value" | "ttl"> & { type: string };

const RecordRow = ({ row: { type, name, value, ttl } }: { row: Row }) => (
  <tr>
    <td data-column="Type">{type === "ALIAS" ? "ALIAS or ANAME" : type}</td>
    <td data-column="Name">
      <div>
        <code>{name}</code> <CopyButton text={name} what="the name" />
      </div>
    </td>
    <td data-column="Value">
      <div>
        <code>{value}</code> <CopyButton text={value} what="the value" />
      </div>
    </td>
    <td data-column="TTL">
      <div>
        <code>{ttl}</code> <CopyButton text={String(ttl)} what="the TTL" />
      </div>
    </td>
  </tr>
);

/** The records to create at the DNS provider: one, or two for an apex domain. */
export const NeededRecord = ({ record }: Pick<Domain, "record">) => {
  const { type, note, proof } = record;
  const bind = record.bind ?? proof?.bind;
  const terraform = proof ? `${record.terraform}\n\n${proof.terraform}` : record.terraform;
  return (
    <>
      <Table
        label={proof ? "The records" : "The record"}
        kind="record stack"
        columns={["Type", "Name", "Value", "TTL"]}
      >
        <RecordRow row={record} />
        {proof && <RecordRow row={proof} />}
      </Table>
      {note && <p>{note}</p>}
      <p>
        The value must match exactly. {DNS_DELAY}
        {type === "CNAME" && " No other record may exist under the same name."}
      </p>
      {bind && (
        <Snippet
          title={proof ? "The TXT record as a line of a zone file" : "As a line of a zone file"}
          text={bind}
        />
      )}
      <Snippet title={proof ? "As Terraform blocks" : "As a Terraform block"} text={terraform} />
    </>
  );
};
