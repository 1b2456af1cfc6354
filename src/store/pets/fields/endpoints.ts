import { endpoints } from "../../../http/endpoint.ts";
import { jsonWithEtag, preconditionOf } from "../../../http/etag.ts";
import type { Macros } from "../../../http/macros.ts";
import { IdInPath } from "../../../http/schemas.ts";
import type { Field as StoredField } from "./field.ts";
import {
  DeletionQuery,
  etagOfField,
  Field,
  FieldChange,
  Fields,
  fromField,
  NewField,
  toField,
} from "./model.ts";
import type { FieldService } from "./service.ts";

const NEW_COAT = { name: "coat", label: "Coat", kind: "choice", choices: ["long", "short"], public: true };
const COAT = { id: 3, ...NEW_COAT, position: 1 };

const fieldId = IdInPath("Id of the custom field.");

/** Custom fields of profiles, under `/v1/fields`. */
export const fieldEndpoints = ({ fields, macros }: { fields: FieldService; macros: Macros }) => {
  const { add, app } = endpoints({ macros, tag: "animals", scope: "pets:read" });
  add("GET /v1/fields", {
    id: "listFields",
    summary: "List custom fields",
    description:
      "Returns all custom fields, at most 40. `Item-ETags` has the entity tag of each, for the header `If-Match` of a change.",
    returns: [Fields, "The custom fields.", [COAT]],
    response: { headers: ["ETag", "Item-ETags"] },
    conditions: ["If-None-Match"],
    run: ({ headers }) => {
      const all = fields.list();
      const response = jsonWithEtag(JSON.stringify(all.map(fromField)), headers);
      if (all.length > 0) response.headers.set("item-etags", all.map(etagOfField).join(", "));
      return response;
    },
  });
  add("POST /v1/fields", {
    id: "createField",
    scope: "pets:write",
    summary: "Add a custom field",
    description: "Adds a custom field. Profiles have its values in `custom`, under the name of the field.",
    idempotent: true,
    body: NewField,
    bodyExample: NEW_COAT,
    status: 201,
    returns: [Field, "The new field, with its id.", COAT],
    response: { headers: ["ETag"] },
    faults: ["field_name_taken", "field_limit_reached"],
    run: ({ body, caller, once }) =>
      once(
        { status: 201, body: fromField, headers: (field: StoredField) => ({ etag: etagOfField(field) }) },
        (keep) => fields.add(toField(body), caller, keep),
      ),
  });
  add("PATCH /v1/fields/:fieldId", {
    id: "changeField",
    scope: "pets:write",
    summary: "Change a custom field",
    description:
      "Applies a JSON merge patch (RFC 7396). Animals keep their values, also under a new name. A choice that animals have can't be removed.",
    params: { fieldId },
    reads: "json or merge patch",
    body: FieldChange,
    bodyExample: { name: "fur", label: "Fur" },
    returns: [Field, "The changed field.", { ...COAT, name: "fur", label: "Fur" }],
    response: { headers: ["ETag"] },
    conditions: ["If-Match"],
    faults: ["field_name_taken", "choice_in_use", "precondition_failed"],
    run: async ({ params: { fieldId: id }, body, headers, caller, set }) => {
      const field = await fields.change(id, toField(body), caller, preconditionOf(headers, etagOfField));
      set.headers["etag"] = etagOfField(field);
      return fromField(field);
    },
  });
  add("DELETE /v1/fields/:fieldId", {
    id: "deleteField",
    scope: "pets:write",
    summary: "Delete a custom field",
    description:
      "Deletes a custom field and its values. `confirm` must be the number of animals that have a value. A request without it, or with another number, changes nothing: its error has the number, also as `min` and `max` in `Invalid-Fields`.",
    params: { fieldId },
    query: DeletionQuery,
    returns: "The field and its values are deleted.",
    conditions: ["If-Match"],
    faults: ["confirmation_required", "precondition_failed"],
    run: ({ params: { fieldId: id }, query, headers, caller }) =>
      fields.remove(id, query.confirm, caller, preconditionOf(headers, etagOfField)),
  });
  return app;
};
