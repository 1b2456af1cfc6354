import type { Context } from "../../data/context.ts";
import type { Act } from "../../lib/actor.ts";
import { Fault, fieldFault } from "../../lib/errors.ts";
import type { FieldProblem } from "../../lib/field-problems.ts";
import { lastUseRecorder } from "../../lib/last-use.ts";
import { type Excess, type Manager, type Privileges, findExcess } from "../privilege-ceiling.ts";
import { randomToken } from "../../lib/random.ts";
import {
  hashOfToken,
  INVITATION_MS,
  type Person,
  type Role,
  scopesOf,
  type SignedInPerson,
  type SignIn,
} from "./person.ts";
import { openOidc } from "./oidc.ts";
import { passkeyService } from "./passkeys.ts";
import { type NewPerson, type PersonChange, type PersonRepository, personRepository } from "./repository.ts";

/** An invitation with its token, which is shown only once. */
export interface Invitation {
  token: string;
  /** Milliseconds UTC. */
  expiresAt: number;
}

const describeExcess = (excess: Excess): string =>
  excess.kind === "scope"
    ? `This requires the scope ${excess.scope}: a caller can only manage people whose scopes it holds.`
    : "A key that expires or has a rate limit cannot manage people, who have neither.";

/**
 * Prevents callers from managing people with more scopes than their own.
 * @param fields that ask for the role
 * @throws Fault insufficient_scope
 */
const assertWithin = (own: Privileges, role: Role, fields: readonly FieldProblem[] = []) => {
  const excess = findExcess(own, { scopes: scopesOf(role) });
  if (excess) throw new Fault("insufficient_scope", describeExcess(excess), undefined, fields);
};

/** @throws Fault insufficient_scope */
const assertMayGive = (own: Privileges, role: Role) =>
  assertWithin(own, role, [{ field: "role", rule: "forbidden" }]);

const personService = (people: PersonRepository, { clock, randomBytes }: Context) => {
  const lastSeen = lastUseRecorder(people.touch);
  const actOf = (actor: Manager): Act => ({ actor, now: clock.now() });
  /** An invitation, and the part of it that is stored. */
  const newInvitation = () => {
    const token = randomToken(randomBytes);
    const expiresAt = clock.now() + INVITATION_MS;
    return { invitation: { token, expiresAt }, record: { hash: hashOfToken(token) ?? "", expiresAt } };
  };
  const get = async (id: number): Promise<Person> => {
    const person = await people.find(id);
    if (!person) throw new Fault("not_found", "There is no person with this id.");
    return person;
  };

  /**
   * Runs a write that is conditional on the person's role, with which the caller's privileges are compared.
   * @throws Fault not_found, insufficient_scope; last_administrator if the role is still the same
   */
  const withRole = async (
    id: number,
    own: Manager,
    write: (person: Person) => Promise<boolean>,
  ): Promise<void> => {
    for (;;) {
      const person = await get(id);
      assertWithin(own, person.role);
      if (await write(person)) return;
      if ((await get(id)).role === person.role) throw new Fault("last_administrator");
    }
  };

  return {
    get,
    /** The people after the id `after`, ascending by id. */
    list: (page: { after: number; limit: number }): Promise<Person[]> => people.list(page),
    /** Adds and invites a person. @throws Fault insufficient_scope, email_taken */
    async add(person: NewPerson, own: Manager): Promise<{ person: Person; invitation: Invitation }> {
      assertMayGive(own, person.role);
      const { invitation, record } = newInvitation();
      // Random, so that authenticators learn nothing about the person (WebAuthn section 14.6.1).
      const handle = randomToken(randomBytes);
      const added = await people.add(person, { handle, ...record }, actOf(own));
      if (!added) throw fieldFault("email_taken", { field: "email", rule: "taken" });
      return { person: added, invitation };
    },
    /** Replaces the person's invitation. @throws Fault not_found, insufficient_scope */
    async invite(id: number, own: Manager): Promise<{ person: Person; invitation: Invitation }> {
      const { invitation, record } = newInvitation();
      await withRole(id, own, (person) => people.invite(person, record, actOf(own)));
      return { person: await get(id), invitation };
    },
    /** Changes name or role, which hold from the next request on. @throws Fault not_found, insufficient_scope, last_administrator */
    async change(id: number, wishes: PersonChange, own: Manager): Promise<Person> {
      if (wishes.role !== undefined) assertMayGive(own, wishes.role);
      await withRole(id, own, (person) => people.change(person, wishes, actOf(own)));
      return get(id);
    },
    /** Removes a person from the next request on. @throws Fault not_found, insufficient_scope, last_administrator */
    async remove(id: number, own: Manager): Promise<void> {
      await withRole(id, own, (person) => people.remove(person, actOf(own)));
    },
    /** @throws Fault not_found, insufficient_scope, last_administrator */
    async removePasskey(id: number, passkeyId: number, own: Manager): Promise<void> {
      const person = await get(id);
      assertWithin(own, person.role);
      if (!person.passkeys.some((passkey) => passkey.id === passkeyId))
        throw new Fault("not_found", "This person has no passkey with this id.");
      if (!(await people.removePasskey(person, passkeyId, actOf(own)))) throw new Fault("last_administrator");
    },
    /** The invited person, and the expiry of the invitation. @throws Fault invalid_invitation */
    async invited(token: string): Promise<Person> {
      const hash = hashOfToken(token);
      const person = hash && (await people.findInvited(hash, clock.now()));
      if (!person) throw new Fault("invalid_invitation");
      return person;
    },
    /**
     * The person of a session, with their current scopes; undefined once they, or the passkey that they signed in with, are
     * removed.
     */
    async signedIn({ id, passkeyId }: SignIn): Promise<SignedInPerson | undefined> {
      const person = await people.findSignedIn(id);
      if (
        !person ||
        !(passkeyId === undefined || person.passkeys.some((passkey) => passkey.id === passkeyId))
      )
        return undefined;
      lastSeen.record(id, clock.now());
      const { name, email, role } = person;
      const scopes = scopesOf(role);
      return { kind: "person", id, name, email, role, scopes, rate: undefined, expiresAt: undefined };
    },
    /** Stores when people were last seen. */
    flush: lastSeen.flush,
  };
};

export type PersonService = ReturnType<typeof personService>;

/** People, and how they sign in. */
export const openPeople = (context: Context) => {
  const people = personRepository(context.database);
  return {
    people: {
      ...personService(people, context),
      hasAdministrator: people.hasAdministrator,
      hasJoinedAdministrator: people.hasJoinedAdministrator,
    },
    passkeys: passkeyService(people, context),
    oidc: openOidc(people, context),
  };
};
