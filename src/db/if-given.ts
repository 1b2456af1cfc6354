import { type SQL, sql } from "drizzle-orm";

/** The condition, or true if the value of the placeholder is null. */
export const ifGiven = (placeholder: string, condition: SQL): SQL =>
  sql`(${sql.placeholder(placeholder)} is null or ${condition})`;
