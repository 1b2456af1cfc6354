import { Elysia, status } from "elysia";
import { nextPage } from "../http/headers.ts";
import type { Macros } from "../http/macros.ts";
import { NoContent, NoQuery, parseId } from "../http/schemas.ts";
import { cutPage, readCursor } from "../lib/pagination.ts";
import {
  InvitedPerson,
  NewPerson,
  PasskeyParams,
  People,
  Person,
  PersonChange,
  PersonParams,
  PersonQuery,
  fromInvited,
  fromPerson,
} from "./model.ts";
import {
  addPerson,
  changePerson,
  getPerson,
  invitePerson,
  listPeople,
  removePasskey,
  removePerson,
} from "./openapi.ts";
import type { PersonService } from "./service.ts";

/** Cursors are bound to this list. */
const LIST = "people";

const adminOnly = { stability: "beta", scope: "people:admin" } as const;

interface PersonRouteOptions {
  people: PersonService;
  /** The origin of the console, in the links of invitations. */
  originOf(request: Request): string;
  macros: Macros;
}

const singlePersonRoutes = ({ people, originOf, macros }: PersonRouteOptions) =>
  new Elysia({ name: "single-person", normalize: false })
    .use(macros)
    .get(
      "/platform/people/:personId",
      async ({ params }) => fromPerson(await people.get(parseId(params.personId))),
      { ...adminOnly, query: NoQuery, params: PersonParams, response: { 200: Person }, detail: getPerson },
    )
    .patch(
      "/platform/people/:personId",
      async ({ params, body, caller }) =>
        fromPerson(await people.change(parseId(params.personId), body, caller)),
      {
        ...adminOnly,
        reads: "json",
        query: NoQuery,
        params: PersonParams,
        body: PersonChange,
        response: { 200: Person },
        detail: changePerson,
      },
    )
    .delete(
      "/platform/people/:personId",
      async ({ params, caller }) => {
        await people.remove(parseId(params.personId), caller);
        return status(204, undefined);
      },
      {
        ...adminOnly,
        query: NoQuery,
        params: PersonParams,
        response: { 204: NoContent },
        detail: removePerson,
      },
    )
    .post(
      "/platform/people/:personId/invite",
      async ({ params, request, caller }) =>
        fromInvited(await people.invite(parseId(params.personId), caller), originOf(request)),
      {
        ...adminOnly,
        query: NoQuery,
        params: PersonParams,
        response: { 200: InvitedPerson },
        detail: invitePerson,
      },
    )
    .delete(
      "/platform/people/:personId/passkeys/:passkeyId",
      async ({ params, caller }) => {
        await people.removePasskey(parseId(params.personId), parseId(params.passkeyId), caller);
        return status(204, undefined);
      },
      {
        ...adminOnly,
        query: NoQuery,
        params: PasskeyParams,
        response: { 204: NoContent },
        detail: removePasskey,
      },
    );

/** People who sign in to the console, under `/platform/people`. */
export const personRoutes = (options: PersonRouteOptions) => {
  const { people, originOf, macros } = options;
  return new Elysia({ name: "people", normalize: false })
    .use(macros)
    .get(
      "/platform/people",
      async ({ query, set }) => {
        const limit = Number(query.limit);
        const after = query.cursor === undefined ? 0 : readCursor(query.cursor, LIST);
        const { items, next } = cutPage(await people.list({ after, limit: limit + 1 }), limit, LIST);
        Object.assign(set.headers, nextPage("/platform/people", { limit }, next));
        return items.map(fromPerson);
      },
      { ...adminOnly, query: PersonQuery, response: { 200: People }, detail: listPeople },
    )
    .post(
      "/platform/people",
      async ({ body, request, caller, set }) => {
        const invited = await people.add(body, caller);
        set.headers["location"] = `/platform/people/${invited.person.id}`;
        return status(201, fromInvited(invited, originOf(request)));
      },
      {
        ...adminOnly,
        reads: "json",
        query: NoQuery,
        body: NewPerson,
        response: { 201: InvitedPerson },
        detail: addPerson,
      },
    )
    .use(singlePersonRoutes(options));
};
