// An OpenID Connect provider: `node provider.mjs PORT REDIRECT_URI`. Its own pages ask for a name, which is the account.
import { Provider } from "oidc-provider";

const [port, redirectUri] = process.argv.slice(2);

/** Everybody's address is NAME@example.org. The provider has verified it unless the name says otherwise. */
const findAccount = (_context, name) => ({
  accountId: name,
  claims: () => ({ sub: name, email: `${name}@example.org`, email_verified: !name.startsWith("unverified") }),
});

const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: "adoption-store",
      client_secret: "a-secret-that-no-log-may-have",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  findAccount,
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: true } },
  cookies: { keys: ["only for a test"] },
});

provider.listen(Number(port), "localhost", () => console.log("ready"));
