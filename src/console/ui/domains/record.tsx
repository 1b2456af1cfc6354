import { CopyButton } from "../parts/copy.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { Table } from "../parts/table.tsx";
import { UP_TO_48_HOURS } from "./findings.ts";
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

/** The record to create at the DNS provider. */
export const NeededRecord = ({
  record: { type, name, value, ttl, note, bind, terraform },
}: Pick<Domain, "record">) => (
  <>
    <Table label="The record" kind="record stack" columns={["Type", "Name", "Value", "TTL"]}>
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
    </Table>
    {note && <p>{note}</p>}
    <p>
      The value must match exactly. {UP_TO_48_HOURS}
      {type === "CNAME" && " No other record may stand under the same name."}
    </p>
    {bind && <Snippet title="As a line of a zone file" text={bind} />}
    <Snippet title="As a Terraform block" text={terraform} />
  </>
);
