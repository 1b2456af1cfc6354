import { useQueryClient } from "@tanstack/preact-query";
import { pageOf, platform } from "../api/client.ts";
import { Time, useClock } from "../parts/time.tsx";
import { Badge } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/navigation.ts";
import { Table } from "../parts/table.tsx";
import { useList } from "../parts/queries.ts";
import { useLive } from "../parts/visibility.ts";
import { useSession } from "../session.tsx";
import { NewKey, RevokeKey, RotateKey } from "./dialogs.tsx";
import { type Grant, KEYS, type Key, mayChange, rateLabel, stateOf } from "./key.ts";
import { LIST, PERMISSIONS } from "./words.ts";

const { columns } = LIST;

const Permissions = ({ scopes }: { scopes: readonly Grant[] }) => (
  <ul class="scopes">
    {scopes.map((scope) => (
      <li key={scope} title={PERMISSIONS[scope]}>
        {scope === "*" ? "Full access" : <code>{scope}</code>}
      </li>
    ))}
  </ul>
);

const End = ({ apiKey: { revokedAt, expiresAt } }: { apiKey: Key }) => {
  if (revokedAt) return <Time at={revokedAt} />;
  return expiresAt ? <Time at={expiresAt} /> : <>{LIST.never}</>;
};

const Actions = ({ apiKey }: { apiKey: Key }) => {
  const own = useSession().user;
  const state = useClock((now) => stateOf(apiKey, now));
  if (state === "revoked" || !mayChange(own, apiKey)) return null;
  const path = `/console/keys/${apiKey.id}`;
  return (
    <>
      {state === "active" && (
        <a href={`${path}/rotate`} aria-label={`${LIST.rotate} ${apiKey.name}`}>
          {LIST.rotate}
        </a>
      )}
      <a href={`${path}/revoke`} aria-label={`${LIST.revoke} ${apiKey.name}`}>
        {LIST.revoke}
      </a>
    </>
  );
};

const Row = ({ apiKey, hasDeprecated }: { apiKey: Key; hasDeprecated: boolean }) => {
  const { user } = useSession();
  const isOwn = user.kind === "key" && user.id === apiKey.id;
  const { name, scopes, prefix, createdAt, lastUsedAt, rateLimit, deprecatedCalls = 0 } = apiKey;
  const state = useClock((now) => stateOf(apiKey, now));
  return (
    <tr class={state}>
      <th scope="row">
        <bdi>{name}</bdi> {isOwn && <Badge tone="good">Yours</Badge>}
        {state !== "active" && <Badge tone="bad">{LIST.states[state]}</Badge>}
        <code class="prefix" title="How its secret begins">
          {prefix}…
        </code>
      </th>
      <td data-column={columns.permissions}>
        <Permissions scopes={scopes} />
      </td>
      <td data-column={columns.created}>
        <Time at={createdAt} />
      </td>
      <td data-column={columns.lastUsed}>{lastUsedAt ? <Time at={lastUsedAt} /> : LIST.never}</td>
      <td data-column={columns.expires}>
        <End apiKey={apiKey} />
      </td>
      <td data-column={columns.rateLimit}>{rateLimit ? rateLabel(rateLimit) : "None"}</td>
      {hasDeprecated && (
        <td class="number" data-column={columns.deprecated}>
          {deprecatedCalls > 0 ? <Badge tone="waiting">{deprecatedCalls}</Badge> : deprecatedCalls}
        </td>
      )}
      <td class="actions">
        <div>
          <Actions apiKey={apiKey} />
        </div>
      </td>
    </tr>
  );
};

const columnsOf = (hasDeprecated: boolean) => [
  columns.name,
  columns.permissions,
  columns.created,
  columns.lastUsed,
  columns.expires,
  columns.rateLimit,
  ...(hasDeprecated ? [{ name: columns.deprecated, kind: "number" as const }] : []),
  { name: columns.actions, kind: "actions" as const },
];

/** A table of keys with their actions. */
const Rows = ({ keys }: { keys: readonly Key[] }) => {
  // For most there is nothing to say.
  const hasDeprecated = keys.some(({ deprecatedCalls = 0 }) => deprecatedCalls > 0);
  return (
    <>
      <Table label={LIST.title} kind="keys" stackBelow={61} columns={columnsOf(hasDeprecated)}>
        {keys.map((key) => (
          <Row key={key.id} apiKey={key} hasDeprecated={hasDeprecated} />
        ))}
      </Table>
      {hasDeprecated && (
        <p class="explained">
          Calls to operations that will be removed, counted since the server started. Tell the people who use
          these keys.
        </p>
      )}
    </>
  );
};

const LIVE_MS = 30_000;

/** All keys, page by page. */
const useKeys = () =>
  useList([...KEYS, "list"], (cursor, limit) =>
    pageOf(platform.GET("/platform/keys", { params: { query: { limit, ...(cursor && { cursor }) } } })),
  );

/** The API keys: what each may do, and whether it is still used. */
export const Keys = () => {
  const queries = useQueryClient();
  const { id = "", part } = useRoute().params;
  const found = useKeys();
  useLive(() => queries.invalidateQueries({ queryKey: KEYS }), LIVE_MS);
  return (
    <Page
      title={LIST.title}
      actions={
        <a class="button" href="/console/keys/new">
          Create key
        </a>
      }
    >
      <List found={found} thing="key">
        {(keys) => <Rows keys={keys} />}
      </List>
      {id === "new" && <NewKey />}
      {part === "rotate" && <RotateKey key={id} id={id} />}
      {part === "revoke" && <RevokeKey key={id} id={id} />}
    </Page>
  );
};
