import { CopyButton } from "../parts/copy.tsx";
import { type Column, Scroll, Table } from "../parts/table.tsx";
import { allRecords, moveRecord } from "./advice.ts";
import type { Change, Domain } from "./model.ts";
import { ACTIONS, MOVE } from "./words.ts";

/** As specified. */
const TTL = 3600;

/** The copied text. */
const copied = (what: "name" | "value" | "TTL", type: string): string => `the ${what} of the ${type} record`;

const Copied = ({ text, what }: { text: string; what: string }) => (
  <span class="copied">
    <code>{text}</code> <CopyButton text={text} what={what} />
  </span>
);

const Value = ({ change: { action, type, value, found = [] } }: { change: Change }) => (
  <div>
    {value !== undefined && <Copied text={value} what={copied("value", type)} />}
    {value === undefined && <code>{found.join(", ")}</code>}
    {action === "change" && found.length > 0 && <small>now: {found.join(", ")}</small>}
  </div>
);

const ACTION: Column<Change> = { name: "Action", cell: ({ action }) => <strong>{ACTIONS[action]}</strong> };

const COLUMNS: readonly Column<Change>[] = [
  { name: "Type", cell: ({ type }) => type.replace("ALIAS", "ALIAS or ANAME") },
  {
    name: "Name",
    kind: "group",
    cell: ({ type, name, fullName }) => (
      <>
        <Copied text={name} what={copied("name", type)} />
        {name !== fullName && <small>in full: {fullName}</small>}
      </>
    ),
  },
  { name: "Value", cell: (change) => <Value change={change} /> },
  {
    name: "TTL",
    cell: ({ type, value }) =>
      value === undefined ? "–" : <Copied text={String(TTL)} what={copied("TTL", type)} />,
  },
];

/** Records with buttons to copy their parts. @param isTodo true if they are to be changed at the DNS provider */
export const Records = ({ changes, isTodo }: { changes: readonly Change[]; isTodo: boolean }) => (
  <Table
    label={isTodo ? "Records to change" : "Records"}
    kind="record"
    stackBelow={52}
    columns={isTodo ? [ACTION, ...COLUMNS] : COLUMNS}
    items={changes}
    keyOf={({ action, type, name, value }) => `${action} ${type} ${name} ${value}`}
  />
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

/** Instructions for the DNS provider, step by step. A step can occur twice. */
export const Guide = ({ guide: { provider, steps } }: { guide: NonNullable<Domain["guide"]> }) => (
  <section class="guide">
    <h3>At {provider}</h3>
    <ol>
      {steps.map((step, at) => (
        <li key={at}>{step}</li>
      ))}
    </ol>
  </section>
);

/** The records that a domain needs at its DNS provider, also in the forms that tools take. */
export const NeededRecords = ({
  domain,
  isOpen = false,
}: {
  domain: Pick<Domain, "hostname" | "record" | "guide"> & Partial<Pick<Domain, "challengeRecord">>;
  isOpen?: boolean;
}) => {
  const { record } = domain;
  const challenge = domain.challengeRecord?.required ? domain.challengeRecord : undefined;
  const note = record.note ?? challenge?.note;
  const records = [record, record.proof, challenge].filter((one) => one !== undefined);
  const lines = records.flatMap(({ bind }) => bind ?? []);
  const blocks = records.map(({ terraform }) => terraform);
  return (
    <details open={isOpen}>
      <summary>{records.length > 1 ? "The DNS records" : "The DNS record"}</summary>
      <Records changes={allRecords(domain)} isTodo={false} />
      {note && <p>{note}</p>}
      {lines.length > 0 && (
        <Snippet
          title={record.proof ? "The TXT record as a line of a zone file" : "As a line of a zone file"}
          text={lines.join("\n")}
        />
      )}
      <Snippet
        title={blocks.length > 1 ? "As Terraform blocks" : "As a Terraform block"}
        text={blocks.join("\n\n")}
      />
    </details>
  );
};

/** Instructions to get a certificate for a site that is live elsewhere, before its visitors come here. */
export const Move = ({ domain }: { domain: Domain }) => {
  const changes = moveRecord(domain);
  const [record] = changes;
  // A wildcard has it among its records.
  if (!record || domain.challengeRecord?.required) return null;
  return (
    <details>
      <summary>Move without downtime</summary>
      <ol>
        {MOVE[record.type]?.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Records changes={changes} isTodo={false} />
    </details>
  );
};

type Question = NonNullable<Domain["trace"]>["questions"][number];

const QUESTIONS: readonly Column<Question>[] = [
  {
    name: "Server",
    kind: "group",
    cell: ({ server, recursive }) => (
      <>
        {server} <small>{recursive ? "resolver" : "authority"}</small>
      </>
    ),
  },
  { name: "Query", cell: ({ type, name }) => `${type} ${name}` },
  {
    name: "Response",
    kind: "group",
    cell: ({ outcome, detail, records }) => (
      <>
        {outcome} {detail}
        {records.map((record) => (
          <div key={record}>
            <code>{record}</code>
          </div>
        ))}
      </>
    ),
  },
];

/** Every query and response of the last check. */
export const Trace = ({ trace }: { trace: NonNullable<Domain["trace"]> }) => (
  <details>
    <summary>What the last check asked the name servers</summary>
    <Table
      label="Queries of the last check"
      kind="trace"
      stackBelow={40}
      columns={QUESTIONS}
      items={trace.questions}
      keyOf={(_, at) => at}
    />
  </details>
);

/** Without a way back, the provider opens in a new tab. */
const targetOf = (url: URL): "_blank" | undefined =>
  url.searchParams.has("redirect_uri") ? undefined : "_blank";

/** A link to the DNS provider, which can create the records itself. */
export const Connect = ({ offer }: { offer: Domain["domainConnect"] }) => {
  if (!offer) return null;
  const url = new URL(offer.url);
  return (
    <p class="connect">
      <a class="button" href={offer.url} rel="noreferrer" target={targetOf(url)}>
        Set up at {offer.provider}
      </a>
      {/* The provider chooses its name, so only the host shows the link's target. */}
      <small>You sign in at {url.host} and agree. Then the provider creates the records.</small>
    </p>
  );
};
