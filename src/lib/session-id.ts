export const SESSION_ID_LENGTH = 16;

/** Identifies a session to its user. The hash of a random token does not reveal the token. */
export const sessionIdOf = (hash: string): string => hash.slice(0, SESSION_ID_LENGTH);
