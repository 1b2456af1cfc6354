import { ApiError, callAuth } from "./api/client.ts";

/** Browsers have passkeys over HTTPS and on localhost. Browsers older than 2025 can't read the options of one. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";

const PROBLEMS: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used. Try again when you are ready.",
  InvalidStateError: "This device already has a passkey for you. Use another device.",
  SecurityError: "Passkeys need an https:// address with a name, not a number. Ask your administrator.",
};

const inWords = (error: unknown): Error => {
  const { name } = error as DOMException;
  const words = PROBLEMS[name] ?? "Your browser could not use a passkey. Try another browser or device.";
  return new ApiError(0, "passkey_unused", words, { cause: error });
};

const responseOf = async (asking: Promise<Credential | null>): Promise<object> => {
  const credential = await asking.catch((error: unknown) => {
    throw inWords(error);
  });
  return (credential as PublicKeyCredential).toJSON();
};

/** Signs in with a passkey that the user chooses. The session has begun then. @throws ApiError */
export const signInWithPasskey = async (): Promise<void> => {
  const options = await callAuth<PublicKeyCredentialRequestOptionsJSON>("POST", "passkey/options");
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const response = await responseOf(navigator.credentials.get({ publicKey }));
  await callAuth("POST", "passkey", { response });
};

const create = async (options: PublicKeyCredentialCreationOptionsJSON) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return { response: await responseOf(navigator.credentials.create({ publicKey })) };
};

/** Accepts an invitation with a new passkey. The session has begun then. @throws ApiError */
export const acceptInvitation = async (token: string, name: string): Promise<void> => {
  const created = await create(await callAuth("POST", "invitation/options", { token }));
  await callAuth("POST", "invitation/accept", { token, ...created, ...(name && { name }) });
};

/** Adds a passkey for the signed-in user. @throws ApiError */
export const addPasskey = async (name: string): Promise<void> => {
  const created = await create(await callAuth("POST", "passkeys/options"));
  await callAuth("POST", "passkeys", { ...created, ...(name && { name }) });
};
