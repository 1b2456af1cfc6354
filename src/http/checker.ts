import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { describeProblems } from "./validation.ts";

/** A schema by itself: the rules of a request's body, for what comes by another way. */
export interface Checker<Schema extends TSchema> {
  accepts(value: unknown): value is Static<Schema>;
  /** What is wrong with a value that was not accepted, as a request would be told. */
  explain(value: unknown): string;
}

/** Compiles the schema when it is first asked. */
export const schemaChecker = <Schema extends TSchema>(schema: Schema): Checker<Schema> => {
  let compiled: TypeCheck<Schema> | undefined;
  const check = () => (compiled ??= TypeCompiler.Compile(schema));
  return {
    accepts: (value): value is Static<Schema> => check().Check(value),
    explain: (value) => describeProblems(check().Errors(value), "body"),
  };
};
