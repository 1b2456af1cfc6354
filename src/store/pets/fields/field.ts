export const FIELD_KINDS = ["text", "number", "boolean", "date", "choice"] as const;
export const MAX_FIELDS = 40;
export const MAX_POSITION = 1000;

/** True for a member of every JavaScript object, such as `constructor`: code that reads `custom` would find it in each animal. */
export const isReservedName = (name: string): boolean => name in {};

/** A field that the shelter defines for its profiles. */
export interface Field {
  id: number;
  /** As a member of `custom`. */
  name: string;
  label: string;
  kind: (typeof FIELD_KINDS)[number];
  /** Only of the kind `choice`. */
  choices?: string[];
  isPublic: boolean;
  position: number;
}

export type FieldChange = Partial<Omit<Field, "id" | "kind">>;

export type NewField = FieldChange & Pick<Field, "name" | "label" | "kind">;
