import type { Page } from "./browser.ts";
import type { Server } from "./support.ts";

/** Passkeys are for a host name: browsers refuse them at an address with a number. */
export const consoleOf = ({ port }: Pick<Server, "port">) => `http://localhost:${port}`;

/** An authenticator that says yes: the fingerprint reader of a laptop, or a security key that is plugged in. */
export const addAuthenticator = async (page: Page, transport: "internal" | "usb" = "internal") => {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  const { authenticatorId } = (await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })) as { authenticatorId: string };
  return {
    /** Says no from now on. */
    refuse: () => client.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false }),
    credentials: async () =>
      ((await client.send("WebAuthn.getCredentials", { authenticatorId })) as { credentials: unknown[] })
        .credentials.length,
  };
};

/** Accepts an invitation with a new passkey. */
export const acceptInvitation = async (page: Page, link: string) => {
  await page.goto(link);
  await page.getByRole("button", { name: "Create passkey and sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
};
