/** TXT records for DNS-01 challenges, in a zone of the operator or of this service. */
export interface ChallengeRecords {
  /** Adds a record. Others of the same name stay. Resolves once the zone has it. @throws Error with the reason and what to do */
  add(name: string, value: string): Promise<void>;
  /** Removes a record, if the zone has it. @throws Error with the reason and what to do */
  remove(name: string, value: string): Promise<void>;
}
