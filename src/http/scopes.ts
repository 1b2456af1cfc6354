/** Every scope, and its description in the documentation. `http/authorization.ts` enforces them. */
export const SCOPES = {
  "pets:read": "read animals and categories",
  "pets:write": "add, change and delete animals and categories",
  "orders:read": "read orders",
  "orders:write": "place and change orders",
  "platform:read": "read projects, deploys and domains",
  "platform:write": "change projects, deploys and domains",
  "metrics:read": "read /metrics",
  "audit:read": "read the audit log: who changed what",
  "keys:admin": "create, list, rotate and revoke API keys",
  "people:admin": "add, list, change and remove people who sign in to the console",
} as const;

export type Scope = keyof typeof SCOPES;

/** A grant to a key: a scope, or `*` for all scopes, including those of later versions. */
export type Grant = Scope | "*";

export const GRANTS = ["*", ...(Object.keys(SCOPES) as Scope[])] as const;

export const isGrant = (text: string): text is Grant => (GRANTS as readonly string[]).includes(text);

/** True if a key with these scopes may do this. */
export const holds = ({ scopes }: { scopes: ReadonlySet<Grant> }, scope: Grant): boolean =>
  scopes.has("*") || scopes.has(scope);
