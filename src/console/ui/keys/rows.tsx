import { useSession } from "../session.tsx";
import { Badge } from "../parts/feedback.tsx";
import { Time } from "../parts/time.tsx";
import { Table } from "../parts/table.tsx";
import { type Key, mayChange, rateLabel, stateOf } from "./key.ts";
import { type Grant, meaningOf } from "./scopes.ts";

const Scopes = ({ scopes }: { scopes: readonly Grant[] }) => (
  <ul class="scopes">
    {scopes.map((scope) => (
      <li key={scope} title={meaningOf(scope)}>
        {scope === "*" ? "everything" : <code>{scope}</code>}
      </li>
    ))}
  </ul>
);

const End = ({ apiKey: { revokedAt, expiresAt } }: { apiKey: Key }) => {
  if (revokedAt) return <Time at={revokedAt} />;
  return expiresAt ? <Time at={expiresAt} /> : <>never</>;
};

const Actions = ({ apiKey }: { apiKey: Key }) => {
  const own = useSession().key;
  const state = stateOf(apiKey, Date.now());
  if (state === "revoked" || !mayChange(own, apiKey)) return null;
  const path = `/console/keys/${apiKey.id}`;
  return (
    <>
      {state === "active" && (
        <a href={`${path}/rotate`} aria-label={`Rotate ${apiKey.name}`}>
          Rotate
        </a>
      )}
      <a href={`${path}/revoke`} aria-label={`Revoke ${apiKey.name}`}>
        Revoke
      </a>
    </>
  );
};

const Row = ({ apiKey }: { apiKey: Key }) => {
  const isOwn = useSession().key.id === apiKey.id;
  const { name, scopes, prefix, createdAt, lastUsedAt, rateLimit, deprecatedCalls = 0 } = apiKey;
  const state = stateOf(apiKey, Date.now());
  return (
    <tr class={state}>
      <th scope="row">
        <bdi>{name}</bdi> {isOwn && <Badge tone="good">yours</Badge>}
        {state !== "active" && <Badge tone="bad">{state}</Badge>}
        <code class="prefix" title="The beginning of its secret">
          {prefix}…
        </code>
      </th>
      <td data-column="Scopes">
        <Scopes scopes={scopes} />
      </td>
      <td data-column="Created">
        <Time at={createdAt} />
      </td>
      <td data-column="Last used">{lastUsedAt ? <Time at={lastUsedAt} /> : "never"}</td>
      <td data-column="Expires">
        <End apiKey={apiKey} />
      </td>
      <td data-column="Limit">{rateLimit ? rateLabel(rateLimit) : "none"}</td>
      <td class="number" data-column="Deprecated calls">
        {deprecatedCalls > 0 ? <Badge tone="waiting">{deprecatedCalls}</Badge> : deprecatedCalls}
      </td>
      <td class="actions">
        <div>
          <Actions apiKey={apiKey} />
        </div>
      </td>
    </tr>
  );
};

const COLUMNS = [
  "Name",
  "Scopes",
  "Created",
  "Last used",
  "Expires",
  "Limit",
  { name: "Deprecated calls", kind: "number" },
  { name: "Actions", kind: "actions" },
] as const;

/** A table of keys with their actions. */
export const Rows = ({ keys }: { keys: readonly Key[] }) => (
  <Table label="Keys" kind="keys stack" columns={COLUMNS}>
    {keys.map((key) => (
      <Row key={key.id} apiKey={key} />
    ))}
  </Table>
);
