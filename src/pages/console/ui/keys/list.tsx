import { pageOf, platform } from "../api/client.ts";
import { Time, useClock } from "../parts/time.tsx";
import { Badge } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { useAll, useFresh } from "../parts/queries.ts";
import { useRoute } from "../parts/navigation.ts";
import { Cells, type Column, List, Table, byId } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { NewKey, RevokeKey, RotateKey } from "./dialogs.tsx";
import { KEYS, type Key, PERMISSIONS, mayChange, rateLabel, stateOf } from "./key.ts";

const Actions = ({ apiKey }: { apiKey: Key }) => {
  const own = useSession().user;
  const state = useClock((now) => stateOf(apiKey, now));
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

const Name = ({ apiKey }: { apiKey: Key }) => {
  const { user } = useSession();
  const state = useClock((now) => stateOf(apiKey, now));
  return (
    <>
      <bdi>{apiKey.name}</bdi>{" "}
      {user.kind === "key" && user.id === apiKey.id && <Badge tone="good">Yours</Badge>}
      {state !== "active" && <Badge tone="bad">{state === "revoked" ? "Revoked" : "Expired"}</Badge>}
      <code class="prefix" title="How its secret begins">
        {apiKey.prefix}…
      </code>
    </>
  );
};

const timeOr = (at: string | undefined) => (at ? <Time at={at} /> : "Never");

const columnsOf = (hasDeprecated: boolean): readonly Column<Key>[] => [
  { name: "Name", kind: "row", cell: (key) => <Name apiKey={key} /> },
  {
    name: "Permissions",
    cell: ({ scopes }) => (
      <ul class="scopes">
        {scopes.map((scope) => (
          <li key={scope} title={PERMISSIONS[scope]}>
            {scope === "*" ? "Full access" : <code>{scope}</code>}
          </li>
        ))}
      </ul>
    ),
  },
  { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "Last used", cell: ({ lastUsedAt }) => timeOr(lastUsedAt) },
  { name: "Expires", cell: ({ revokedAt, expiresAt }) => timeOr(revokedAt ?? expiresAt) },
  { name: "Rate limit", cell: ({ rateLimit }) => (rateLimit ? rateLabel(rateLimit) : "None") },
  ...(hasDeprecated
    ? [
        {
          name: "Deprecated calls",
          kind: "number" as const,
          cell: ({ deprecatedCalls = 0 }: Key) =>
            deprecatedCalls > 0 ? <Badge tone="waiting">{deprecatedCalls}</Badge> : deprecatedCalls,
        },
      ]
    : []),
  { name: "Actions", kind: "actions", cell: (key) => <Actions apiKey={key} /> },
];

const Row = ({ apiKey, columns }: { apiKey: Key; columns: readonly Column<Key>[] }) => (
  <tr class={useClock((now) => stateOf(apiKey, now))}>
    <Cells columns={columns} item={apiKey} />
  </tr>
);

const Rows = ({ keys }: { keys: readonly Key[] }) => {
  // For most there is nothing to say.
  const hasDeprecated = keys.some(({ deprecatedCalls = 0 }) => deprecatedCalls > 0);
  const columns = columnsOf(hasDeprecated);
  return (
    <>
      <Table
        label="Keys"
        kind="keys"
        stackBelow={61}
        columns={columns}
        items={keys}
        keyOf={byId}
        row={(key) => <Row apiKey={key} columns={columns} />}
      />
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

/** The API keys: what each may do, and whether it is still used. */
export const Keys = () => {
  const { id = "", part } = useRoute().params;
  const found = useAll([...KEYS, "list"], (query) =>
    pageOf(platform.GET("/platform/keys", { params: { query } })),
  );
  useFresh(KEYS, LIVE_MS);
  return (
    <Page title="Keys" add={{ href: "/console/keys/new", label: "Create key" }}>
      <List found={found} thing="key">
        {(keys) => <Rows keys={keys} />}
      </List>
      {id === "new" && <NewKey />}
      {part === "rotate" && <RotateKey key={id} id={id} />}
      {part === "revoke" && <RevokeKey key={id} id={id} />}
    </Page>
  );
};
