import { useQuery } from "@tanstack/preact-query";
import { dataOf, pageOf, platform } from "../api/client.ts";
import { useList } from "../parts/use-list.ts";
import { callAuth } from "../passkeys.ts";
import type { OwnSession, Passkey } from "./person.ts";

/** The cache key of everything about people. */
export const PEOPLE = ["people"] as const;
/** The cache key of one's own passkeys. */
export const OWN_PASSKEYS = ["own passkeys"] as const;

/** The cache key of one's own sessions. */
export const OWN_SESSIONS = ["own sessions"] as const;

export const PATH = "/console/people";
export const YOU_PATH = "/console/you";

/** All people, page by page. */
export const usePeople = () =>
  useList([...PEOPLE, "list"], (cursor, limit) =>
    pageOf(platform.GET("/platform/people", { params: { query: { limit, ...(cursor && { cursor }) } } })),
  );

/** One person. @param id from the address */
export const usePerson = (id: string) =>
  useQuery({
    queryKey: [...PEOPLE, id],
    queryFn: () =>
      dataOf(platform.GET("/platform/people/{personId}", { params: { path: { personId: Number(id) } } })),
  });

export const useOwnPasskeys = () =>
  useQuery({ queryKey: OWN_PASSKEYS, queryFn: () => callAuth<Passkey[]>("GET", "passkeys") });

export const useOwnSessions = () =>
  useQuery({ queryKey: OWN_SESSIONS, queryFn: () => callAuth<OwnSession[]>("GET", "sessions") });
