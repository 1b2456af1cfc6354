import { anyText, bytes, issuer, scopeWords } from "../parse.ts";
import { TOGGLE, numberFrom, settings } from "../setting.ts";

/** Rules and limits of the API, and the console. */
export const API = settings({
  bodyLimit: {
    type: "size",
    placeholder: "size",
    fallback: "64KiB",
    form: "a size from 1KiB to 1MiB, such as 64KiB",
    help: "largest JSON body of a request",
    parse: bytes(2 ** 10, 2 ** 20),
  },
  authFailuresPerMinute: {
    ...numberFrom(1, 1_000_000),
    fallback: "100",
    help: "requests with a wrong key or none that one address may send in a minute",
  },
  eventStreams: {
    ...numberFrom(1, 5000),
    fallback: "1000",
    help: "maximum number of open event streams in total",
  },
  eventStreamsPerKey: {
    ...numberFrom(1, 5000),
    fallback: "200",
    help: "maximum number of open event streams of one key or person",
  },
  strictCategories: {
    ...TOGGLE,
    fallback: "false",
    help: "refuse animals whose category does not exist",
  },
  console: {
    ...TOGGLE,
    fallback: "true",
    help: "serve the web console at /console",
  },
});

/** How people sign in to the console, in addition to passkeys. */
export const SIGN_IN = settings({
  oidcIssuer: {
    placeholder: "url",
    example: "https://login.example.org",
    form: "an address over HTTPS without a query, such as https://login.example.org",
    help: "OpenID Connect provider whose accounts people may sign in with",
    parse: issuer,
  },
  oidcClientId: {
    placeholder: "id",
    example: "adoption-store",
    form: "a client identifier",
    help: "client id of this service at OIDC_ISSUER",
    parse: anyText,
  },
  oidcClientSecret: {
    placeholder: "secret",
    isSecret: true,
    example: "x9vT2mRk4Qw7",
    form: "a client secret",
    help: "secret that belongs to OIDC_CLIENT_ID, unless it is a public client; other users of the machine can see flags, so use the variable or the file",
    parse: anyText,
  },
  oidcScopes: {
    placeholder: "scopes",
    fallback: "openid email profile",
    form: "scopes separated by spaces, with openid and email among them",
    help: "scopes to ask OIDC_ISSUER for",
    parse: scopeWords,
  },
  oidcLabel: {
    placeholder: "name",
    example: "Shelter account",
    form: "a name of at most 60 characters",
    help: "name of the provider on the button of the sign-in page (default: its host name)",
    parse: (text) => (text.length <= 60 ? anyText(text) : undefined),
  },
});
