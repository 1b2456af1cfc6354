import { t } from "elysia";
import { endpoints } from "../../../http/endpoint.ts";
import {
  etagOf,
  isNotModified,
  jsonWithEtag,
  keyedJson,
  keyedNotModified,
  preconditionOf,
  type RequestHeaders,
} from "../../../http/etag.ts";
import type { Macros } from "../../../http/macros.ts";
import { IdInPath } from "../../../http/schemas.ts";
import type { Actor } from "../../../lib/actor.ts";
import { descriptionHtml } from "./description.ts";
import {
  etagOfProfile,
  fromProfile,
  Profile,
  ProfileChange,
  ProfileDocument,
  profileJson,
  toMembers,
} from "./model.ts";
import { mergePatch } from "./profile.ts";
import type { ProfileService } from "./service.ts";

const MEMBERS = { sex: "female", birthDate: "2024-05", breeds: ["Beagle"], goodWith: { children: "yes" } };
const BELLA = { createdAt: "2026-11-20T09:30:00.000Z", updatedAt: "2026-11-21T08:00:00.000Z", ...MEMBERS };

/** A browser that opens it as a page loads and runs nothing. */
const keyedHtml = (html: string, etag: string): Response => {
  const response = keyedJson(html, etag);
  response.headers.set("content-type", "text/html; charset=utf-8");
  response.headers.set("content-security-policy", "default-src 'none'; sandbox");
  return response;
};

const params = { petId: IdInPath("Id of the animal.") };

const CONDITIONS = { response: { headers: ["ETag"] }, conditions: ["If-Match"] };

/** The JSON forms of animals' profiles; undefined for a damaged one. */
export const profilesOf =
  ({ getMany }: ProfileService) =>
  (petIds: readonly number[]) => {
    const found = getMany(petIds);
    return (petId: number) => {
      const profile = found.get(petId);
      return profile?.members && fromProfile({ ...profile, members: profile.members });
    };
  };

/** Profiles of animals, under `/v1/pets/{petId}/profile`. */
export const profileEndpoints = ({ profiles, macros }: { profiles: ProfileService; macros: Macros }) => {
  const { add, app } = endpoints({ macros, tag: "animals", scope: "pets:read" });

  const change = async (
    petId: number,
    next: Parameters<ProfileService["change"]>[1],
    { headers, caller }: { headers: RequestHeaders; caller: Actor },
  ): Promise<Response> => {
    const profile = await profiles.change(petId, next, caller, preconditionOf(headers, etagOfProfile));
    const json = profileJson(profile);
    return keyedJson(json, etagOf(json));
  };

  add("GET /v1/pets/:petId/profile", {
    id: "getProfile",
    summary: "Fetch the profile of an animal",
    description:
      "Returns everything that is known of an animal in addition to its name, category and status. An animal without a profile has only the two times. Every key with `pets:read` sees all members, also those that are not public.",
    params,
    returns: [Profile, "The profile.", BELLA],
    response: { headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: ({ params: { petId }, headers }) => jsonWithEtag(profileJson(profiles.get(petId)), headers),
  });
  add("GET /v1/pets/:petId/profile/description", {
    id: "renderDescription",
    summary: "Fetch the description of an animal as HTML",
    description:
      "Renders the `description` of the profile, which is CommonMark. HTML in it is text, a picture is its text, and only links to `https`, `http` and `mailto` are kept. A page can contain the result as it is. Without a description, the result is empty.",
    params,
    returns: [t.String(), "The HTML.", "<p>A <em>calm</em> dog.</p>\n"],
    response: { textAs: "text/html", headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: ({ params: { petId }, headers }) => {
      const { description = "" } = profiles.get(petId).members;
      const html = descriptionHtml(String(description));
      const etag = etagOf(html);
      return isNotModified(headers, etag) ? keyedNotModified(etag) : keyedHtml(html, etag);
    },
  });
  add("PUT /v1/pets/:petId/profile", {
    id: "putProfile",
    scope: "pets:write",
    summary: "Replace the profile of an animal",
    description:
      "Replaces the profile: members that the body lacks are removed. The response to a `GET` can be sent back, because `createdAt` and `updatedAt` are ignored. The change is on disk before the response is sent.",
    params,
    body: ProfileDocument,
    bodyExample: MEMBERS,
    returns: [Profile, "The new profile.", BELLA],
    ...CONDITIONS,
    faults: ["reference_taken", "precondition_failed"],
    run: ({ params: { petId }, body, headers, caller }) =>
      change(petId, (_present, fields, now) => toMembers(body, fields, now), { headers, caller }),
  });
  add("PATCH /v1/pets/:petId/profile", {
    id: "changeProfile",
    scope: "pets:write",
    summary: "Change the profile of an animal",
    description:
      "Applies a JSON merge patch (RFC 7396): absent members keep their value, and `null` removes one. That includes the members of `goodWith`, `fee` and `custom`. The result must be a valid profile. The change is on disk before the response is sent.",
    params,
    reads: "json or merge patch",
    body: ProfileChange,
    bodyExample: { goodWith: { dogs: "no" }, birthDate: null },
    returns: [Profile, "The changed profile.", BELLA],
    ...CONDITIONS,
    faults: ["reference_taken", "precondition_failed"],
    run: ({ params: { petId }, body, headers, caller }) =>
      change(petId, (present, fields, now) => toMembers(mergePatch(present(), body), fields, now), {
        headers,
        caller,
      }),
  });
  return app;
};
