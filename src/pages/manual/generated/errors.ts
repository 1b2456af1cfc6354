import { STATUS_CODES } from "node:http";
import { type FaultCode, FAULTS, statusOf } from "../../../lib/errors.ts";
import { MAX_PHOTOS } from "../../../store/photos/photo.ts";
import { MAX_PASSKEYS } from "../../../access/people/person.ts";
import { NAME_REFUSALS } from "../../../platform/dns-checks/names.ts";
import { MAX_FIELDS } from "../../../store/pets/fields/field.ts";
import { FIELD_RULES } from "../../../lib/field-problems.ts";
import { parts, meanings } from "./markdown.ts";

/** When the service responds with an error, then the remedy. Markdown, in addition to its message. */
const NOTES: Readonly<Record<FaultCode, string>> = {
  invalid_request:
    "A body or a parameter violates its schema, is unknown, or appears twice. The message and the header `Invalid-Fields` name the fields and their rules. Correct the request.",
  invalid_cursor:
    "The cursor belongs to another list or another filter, or it was changed. Use the `Link` or `Next-Cursor` header of the last response, or start at the first page.",
  invalid_archive:
    "An uploaded archive can't be deployed. The message has the reason, for example that `index.html` is missing. Correct the archive and upload it again.",
  already_imported: "Every row of the file was imported before. To import it once more, send `again=true`.",
  import_refused:
    "A file of animals can't be imported as it is. The message has the reason and names the parameter that helps.",
  import_running: "The server imports one file at a time. Try again when the other import has finished.",
  undo_refused:
    "An import can't be undone: it was undone before, it is older than 30 days, or an animal has changed since. The message names the animal.",
  photo_limit_reached: `The animal has ${MAX_PHOTOS} photos. Delete one that is not needed.`,
  invalid_image:
    "The file is not a photo that the server can read: it is of another format, damaged, incomplete or larger than 50 megapixels. The message has the reason. Send a JPEG, PNG, WebP or GIF.",
  missing_api_key:
    "The request has no `Authorization` header. The service checks this before everything else. Send `Authorization: Bearer <API_KEY>`.",
  invalid_api_key:
    "The key is malformed or unknown, or it has expired or was revoked. Check for a typo, or ask your operator for a new key.",
  email_taken:
    "Another person already has this email address. The comparison ignores case. Use the existing person, or another address.",
  last_administrator:
    "The person is the last administrator who can sign in, and every usable key lacks a scope or expires. After the change, only the command line could grant all scopes. Make another person an administrator and let them sign in once, or create a key with the scope `*` that never expires.",
  last_passkey: "The passkey is the person's only one, so it cannot be removed. Add another passkey first.",
  passkey_limit_reached: `The person has ${MAX_PASSKEYS} passkeys. Remove one that is not needed.`,
  invalid_invitation:
    "The invitation has been used, replaced by a newer one or withdrawn, or it is older than 7 days. Ask an administrator to invite you again.",
  passkey_refused:
    "The console does not know the passkey, or its signature, counter or challenge is invalid. A challenge is valid once, for 5 minutes. Try again. If it fails again, ask an administrator for a new invitation.",
  not_signed_in: "The console has no session, or the session has ended. Sign in again at `/console`.",
  plan_required:
    "Custom domains need the plan `pro` or `enterprise`. Change the project's plan first, in its settings in the console, or with `PATCH /platform/projects/{slug}`.",
  https_required:
    "The request came over HTTP to a server that has HTTPS. Use `https://`. If you sent a key, rotate it, because others may have read it.",
  cross_site_request: "A page other than the console's own sent the request. Reload the console.",
  insufficient_scope:
    "The key, or the role of the person at the console, lacks the scope that `WWW-Authenticate` names, or would grant more than it has itself. Use a key with that scope.",
  not_found:
    "The path is unknown, or there is no animal, category, order, key, project, deploy or domain with this id. Check the path and the id.",
  category_not_found:
    "With `STRICT_CATEGORIES`, an animal names a category that does not exist. Add the category first.",
  method_not_allowed:
    "The path exists, but not with this method. The `Allow` header lists the methods of the path.",
  pet_in_order:
    "An open order holds the animal, so you can't delete the animal or change its status. Complete or cancel the order first.",
  key_revoked: "A revoked key can't be rotated. Create a new key.",
  key_expired: "An expired key can't be rotated. Create a new key.",
  last_admin_key:
    "The key can create keys. Without it, no key or administrator could grant all of its scopes. A key cannot grant scopes that it lacks. Create a key with the same scopes first. To revoke this one anyway, add `?force=true`.",
  slug_taken: "Another project has this slug. Choose another slug.",
  no_successful_deploy:
    "A project needs a successful deploy before it can have a custom domain. Deploy the project first.",
  domain_taken:
    "Another project holds the domain, and the TXT record names that project too. Remove the other value from the TXT record, then verify again.",
  domain_limit_reached: "The project has the maximum number of domains. Remove a domain first.",
  idempotency_in_flight:
    "The first request with this `Idempotency-Key` has not finished. Wait a second, then send the same request again.",
  deploy_failed:
    "You can't activate a deploy that failed. Activate another deploy, or upload the site again.",
  deploy_active: "You can't delete the deploy that visitors see. Activate another deploy first.",
  quota_exceeded:
    "With this deploy, the project would use more disk space than `PROJECT_QUOTA`. Delete deploys that you no longer need.",
  category_name_taken:
    "Another category has this name. Case and white space make no difference. Choose another name, or use that category.",
  category_in_use:
    "Animals belong to the category, so you can't delete it. Move the animals to another category first.",
  reference_taken:
    "Another animal has this reference. The message names the animal. Choose another reference, or change that animal first.",
  field_name_taken: "Another custom field has this name. Choose another name, or use that field.",
  field_limit_reached: `The store has ${MAX_FIELDS} custom fields. Delete one that is not needed.`,
  choice_in_use:
    "The change removes a choice of a custom field that animals have. The message has their number. Give them another value first, or keep the choice.",
  confirmation_required:
    "The deletion of a custom field also deletes its values. The message has the number of animals that have one. Repeat the request with this number in `confirm`.",
  pet_not_available:
    "Only an animal with the status `available` can be adopted. Fetch the animal to see its status.",
  order_status_conflict:
    "The order's status does not allow this step. The message lists the steps that the status allows.",
  precondition_failed:
    "The resource has changed since you fetched it, so `If-Match` no longer matches. Fetch it again, then decide whether your change still applies.",
  request_timeout:
    "The body stalled, or was slower than its [limit](limits.md). Nothing was changed. Send the request again, over a faster connection if possible.",
  payload_too_large:
    "The body is larger than `BODY_LIMIT`, the archive is larger than `DEPLOY_LIMIT`, or the change is too large for a cluster's log. Send less, or raise the setting. The cluster's log has no setting: make the change in smaller parts.",
  unsupported_media_type:
    "The operation does not take this media type, or the body is compressed. The `Accept` header lists the media types that the operation takes.",
  misdirected:
    "The service serves nothing under this host name. Operators: set `BASE_URL` or `API_HOSTS`, or add the domain to a project.",
  idempotency_mismatch:
    "A different request was sent with this `Idempotency-Key`. Use a new key for each new request.",
  rate_limited:
    "The key has used up its rate limit, or there are too many failed authentications, verifications, uploads or event streams. Wait for the number of seconds in `Retry-After`.",
  internal_error:
    "The service has a bug. The server's log has the cause under the `X-Request-Id` of the response. Report it.",
  damaged_file:
    "A file of a site or a photo is missing or damaged on the server's disk. Deploy the site again, or delete the photo and add it again.",
  not_ready:
    "The service is starting, or it can't do its work. `/readyz` names the failed check. With a key that has `metrics:read`, it also shows the reason.",
  storage_unavailable:
    "The disk is full or read-only, or another process has locked the database. Nothing was written, and reads still work. In a cluster, the node may be unable to reach etcd or PostgreSQL. In this case, reads get this code too. Try again later. Operators: run `adoption-store doctor`.",
  outcome_unknown:
    "The storage failed during a write, so the change may have been made, or not. Send the same request again with the same `Idempotency-Key`.",
};

const errorSection = (code: FaultCode): string =>
  parts(`### \`${code}\``, NOTES[code], `> ${FAULTS[code][1]}`);

/** All error codes by their status, each with its own anchor. */
export const errorSections = (): string => {
  const byStatus = Map.groupBy(Object.keys(FAULTS) as FaultCode[], statusOf);
  return parts(
    ...[...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => parts(`## ${status} ${STATUS_CODES[status]}`, ...codes.map(errorSection))),
  );
};

/** The rules of the header `Invalid-Fields`. */
export const fieldRulesTable = (): string => meanings(["`rule`", "problem"], FIELD_RULES);

/** Its `reason` for a host name. */
export const hostnameReasonsTable = (): string => meanings(["`reason`", "the name"], NAME_REFUSALS);
