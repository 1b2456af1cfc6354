/** Who does something: an API key, a person at the console, the operator at the command line or with a sign-in link, or the service itself. */
export type Actor =
  | { readonly kind: "key" | "person"; readonly id: number; readonly name: string }
  | { readonly kind: "operator" }
  | { readonly kind: "service" };

export const SERVICE: Actor = { kind: "service" };

/** Who does something, and when: milliseconds UTC. */
export interface Act {
  readonly actor: Actor;
  readonly now: number;
}

/** Users of the command line may do everything. */
export const OPERATOR = { kind: "operator", scopes: new Set(["*"] as const) } as const;
