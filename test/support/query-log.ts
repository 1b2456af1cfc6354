import type { Database as Client } from "bun:sqlite";

/** A connection that notes the text of each statement when it is first used there. */
export const logQueries = (client: Client): { client: Client; queries: string[] } => {
  const queries: string[] = [];
  const prepare = (text: string) => {
    queries.push(text);
    return client.prepare(text);
  };
  const logging = new Proxy(client, {
    get(target, name) {
      if (name === "prepare") return prepare;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { client: logging, queries };
};
