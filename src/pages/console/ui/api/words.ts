/**
 * The console's texts for error codes that concern no field. Other codes keep the API's message, which names a limit, a scope
 * or a reason that only the server knows.
 */
export const ERRORS: Readonly<Record<string, string>> = {
  unreachable: "The server did not respond. Check your connection and try again.",
  unreadable: "The server's response could not be read. Try again.",
  invalid_cursor: "The list has changed. Reload the page.",
  invalid_api_key: "Your session had ended, so nothing was saved. Try again.",
  insufficient_scope:
    "You are not allowed to do this. Your role may have changed: reload the page, or ask an administrator.",
  not_signed_in: "Your session had ended, so nothing was saved. Try again.",
  cross_site_request: "Your session had ended, so nothing was saved. Try again.",
  category_not_found: "This category no longer exists. Choose another.",
  category_name_taken: "Another category already has this name. Choose another.",
  category_in_use: "Animals belong to this category. Move them to another one first.",
  slug_taken: "Another project already uses this slug. Choose another.",
  precondition_failed: "Somebody else has changed this in the meantime, so nothing was done.",
  idempotency_in_flight: "Your first attempt is still in progress. Wait a moment, then try again.",
  idempotency_mismatch:
    "Your first attempt was saved, but not your later changes. Close this dialog and check the list.",
  email_taken: "Another person has this e-mail address.",
  last_administrator:
    "No other person or key can grant full access. First make another person an administrator, and have them sign in.",
  last_passkey: "You have no other way to sign in. Add another passkey first.",
  passkey_limit_reached: "You already have 20 passkeys, which is the limit. Remove one first.",
  invalid_invitation: "This invitation no longer works. Sign in, or ask an administrator for a new one.",
  passkey_refused:
    "This passkey is not known here, or it took too long. Try again, or use another way to sign in.",
  key_revoked: "This key is revoked. Create a new one.",
  key_expired: "This key has expired. Create a new one.",
  plan_required: "Custom domains need the Pro plan or above. Change the plan in the project's settings.",
  no_successful_deploy: "The project has no site yet. Deploy one first.",
  deploy_active: "This deploy is being served. Switch to another one first.",
  rate_limited: "Too many requests. Wait a moment, then try again.",
  storage_unavailable:
    "The server can't save now: its disk is full or read-only. Nothing was changed. Try again later.",
  internal_error: "Something went wrong on the server. Try again, or ask the person who runs it.",
  outcome_unknown: "The server failed while saving. Check whether your change was made, then try again.",
};
